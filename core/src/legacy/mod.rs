//! The handshake era, 2024-11-05 to 2025-11-25: what a server needs beside [`admit`](crate::admit) to serve clients of
//! those revisions.
//!
//! On stdio a connection is a session. On Streamable HTTP the answer to `initialize` gives out a session id, which later
//! requests bring back in `Mcp-Session-Id`: keep one [`LegacySession`] for each id that is alive, find it by what
//! [`session_id`] reads, and refuse what names none with [`Reason::SessionNotFound`](crate::Reason::SessionNotFound).
//! Its [`version`](LegacySession::version) is what [`Context::legacy_version`](crate::Context) wants to know.

mod batch;
mod handshake;
mod http;
mod session;

pub use batch::{admit_batch, emit_batch};
pub use handshake::{Handshake, ServerDescription, emit_initialize, is_initialize, read_initialize};
pub use http::{StreamRequest, admit_stream, is_session_id, session_id};
pub use session::{Event, LegacySession, Outcome};
