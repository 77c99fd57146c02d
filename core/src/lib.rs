//! WireSeal: the protocol core of an MCP 2026-07-28 server.
//!
//! Bytes in, verdict out ([`admit`]); state in, sealed token out ([`seal::Sealer`]); answers into the caller's
//! buffer ([`reply`]). The core receives bytes, a time, randomness, scratch and buffers; it fetches nothing,
//! allocates nothing, keeps no globals and never panics.
//!
//! ```
//! use wireseal::{Context, Policy, admit, reply};
//!
//! let line = br#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{
//!     "io.modelcontextprotocol/protocolVersion":"2026-07-28",
//!     "io.modelcontextprotocol/clientCapabilities":{}}}}"#;
//! let policy: Policy = Policy::new();
//! let mut scratch = [0u64; 64];
//! let mut out = [0u8; 512];
//! let len = match admit(line, &Context::stdio(), &policy, &mut scratch) {
//!     Ok(message) => {
//!         let result = br#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#;
//!         reply::complete(&message, result, &Default::default(), &mut scratch, &mut out).map_err(|_| "reply")?
//!     }
//!     Err(rejected) => rejected.emit(&mut out).map_err(|_| "room")?,
//! };
//! assert!(out[..len].starts_with(br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete""#));
//! # Ok::<(), &str>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod answers;
mod capability;
pub mod client;
mod deprecated;
mod form;
mod http;
pub mod json;
mod ladder;
pub mod legacy;
pub mod limits;
pub mod once;
mod policy;
mod reason;
mod reject;
pub mod reply;
pub mod seal;
pub mod stream;
mod wire;

pub use answers::{Verdict, check_input_responses};
pub use capability::{check_capabilities, require};
pub use deprecated::{DEPRECATED, Deprecation};
pub use form::{ContentError, FormError, check_content, check_requested_schema};
pub use http::{
    Headers, ParamField, ParamFields, ParamHeaders, ParamName, ParamSource, ParamTable, SchemaError, SchemaFault,
    decode_header_value, encode_header_value,
};
pub use ladder::{Context, admit};
pub use policy::{Origins, Policy};
pub use reason::{Misuse, Reason};
pub use reject::Rejected;
pub use wire::{
    Admitted, Era, Id, Kind, LogLevel, LogMessage, Method, NameSource, Progress, ServerRequest, Spans, TraceContext,
    Version, VersionSet, is_extension_id, is_meta_key, is_reserved_meta_key,
};

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
