//! JSON by RFC 8259: checked once, then read in place.

pub(crate) mod digest;
pub(crate) mod number;
pub(crate) mod order;
pub(crate) mod raw;
pub(crate) mod scan;
pub(crate) mod sort;
mod text;
pub(crate) mod tokens;
mod write;

pub use order::digest_scratch_len;
pub use raw::{Elements, Members, Raw, ValueKind};
pub use scan::{JsonError, check, scratch_len};
pub(crate) use text::hex4;
pub use text::{Bytes, Text};
pub use write::TooSmall;
pub(crate) use write::Writer;
#[cfg(feature = "interop")]
pub(crate) use write::hex;

/// Passed over at the start of a text (RFC 8259, 8.1).
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
