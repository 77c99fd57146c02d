//! What a message is: its envelope, its revision, its method.

mod envelope;
mod method;
mod version;

pub(crate) use envelope::is_integer;
pub use envelope::{Admitted, Id, Kind, Spans};
pub use method::{Method, NameSource};
pub use version::{Era, Version, VersionSet};
