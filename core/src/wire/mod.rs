//! What a message is: its envelope, its revision, its method.

mod envelope;
mod meta;
mod method;
mod trace;
mod version;

pub(crate) use envelope::is_integer;
pub use envelope::{Admitted, Id, Kind, Spans};
pub(crate) use meta::{is_implementation, is_written_key};
pub use meta::{is_meta_key, is_reserved_meta_key};
pub use method::{Method, NameSource, ServerRequest};
pub use trace::TraceContext;
pub use version::{Era, Version, VersionSet};
