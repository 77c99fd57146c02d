//! The HTTP side: header fields as pairs of bytes, nothing about sockets.

mod headers;
mod origin;
mod param;
mod value;

pub use headers::Headers;
pub(crate) use headers::is_json;
pub(crate) use origin::{host_allowed, origin_allowed};
pub use param::{ParamField, ParamFields, ParamHeaders, ParamName, ParamSource, ParamTable, SchemaError, SchemaFault};
pub use value::{decode as decode_header_value, encode as encode_header_value};
pub(crate) use value::{encode_text, is_field_text, matches, trim};
