//! What a message is: its envelope, its revision, its method.

mod envelope;
mod meta;
mod method;
mod notice;
mod trace;
mod version;

pub(crate) use envelope::is_integer;
pub use envelope::{Admitted, Id, Kind, Spans};
pub use meta::{is_extension_id, is_meta_key, is_reserved_meta_key};
pub(crate) use meta::{is_implementation, is_written_extension, is_written_implementation, is_written_key};
pub use method::{Method, NameSource, ServerRequest};
pub use notice::{LogLevel, LogMessage, Progress};
pub use trace::TraceContext;
pub(crate) use trace::is_tchar;
pub use version::{Era, Version, VersionSet};

/// The key in `_meta` that says who a server is (META-17).
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The key in `_meta` that says which subscription a message belongs to (SUB-07).
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
