//! Messages out of streams of bytes, and into them: lines (basic/transports/stdio) and server-sent events
//! (basic/transports/streamable-http; HTML Living Standard, 9.2).
//!
//! The readers are pushed: the host gives them what it has received, in pieces of any size, and takes out what has
//! become whole. How the stream is cut never changes what comes out. They hold one message at a time, in memory that the
//! host lends; what is longer is reported once and passed over in constant memory, and the message after it is not
//! affected.
//!
//! ```
//! use wireseal::stream::{Lent, Line, LineFramer};
//!
//! let mut memory = [0; 1024];
//! let mut framer = LineFramer::new(Lent::new(&mut memory), 1024);
//! let mut lines = 0;
//! for read in [&b"{\"jsonrpc\":\"2.0\",\"id\""[..], b":1}\r\n\n{\"jsonrpc\":\"2.0\"}\n{"] {
//!     let mut chunk = read;
//!     while let Some(line) = framer.next(&mut chunk) {
//!         lines += usize::from(matches!(line, Line::Message([b'{', .., b'}'])));
//!     }
//! }
//! assert_eq!(lines, 2);
//! assert!(framer.finish().is_some(), "the last line has no end");
//! ```

mod line;
mod sse;

pub use line::{Line, LineFramer};
pub use sse::{Event, SseEvent, SseReader, emit_comment, emit_event};

use crate::json::BYTE_ORDER_MARK;

/// Where a reader keeps a message that has not arrived in full.
pub trait Store {
    /// The most bytes that it can ever hold. Always the same: what passes must not depend on how the stream was cut.
    fn room(&self) -> usize;

    /// What has been appended since it was last cleared.
    fn bytes(&self) -> &[u8];

    /// Appends, all or nothing. `false` when there is no room.
    fn append(&mut self, more: &[u8]) -> bool;

    /// Forgets all.
    fn clear(&mut self);
}

/// A [`Store`] in memory that the caller lends.
#[derive(Debug)]
pub struct Lent<'b> {
    memory: &'b mut [u8],
    len: usize,
}

impl<'b> Lent<'b> {
    /// Holds a message of up to `memory.len()` bytes.
    pub const fn new(memory: &'b mut [u8]) -> Self {
        Lent { memory, len: 0 }
    }
}

impl Store for Lent<'_> {
    fn room(&self) -> usize {
        self.memory.len()
    }

    fn bytes(&self) -> &[u8] {
        self.memory.get(..self.len).unwrap_or_default()
    }

    fn append(&mut self, more: &[u8]) -> bool {
        let Some(room) = self.memory.get_mut(self.len..).and_then(|rest| rest.get_mut(..more.len())) else {
            return false;
        };
        room.copy_from_slice(more);
        self.len = self.len.saturating_add(more.len());
        true
    }

    fn clear(&mut self) {
        self.len = 0;
    }
}

/// The byte order mark at the start of a stream, which is passed over (RFC 8259, 8.1; HTML Living Standard, 9.2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// So many bytes of the mark have come, and nothing else.
    Mark(usize),
    /// The stream is past its start.
    Past,
}

impl Start {
    /// Takes the mark off the stream. Returns bytes that looked like its beginning and were none: they belong to the
    /// stream's first line.
    #[inline]
    fn pass(&mut self, chunk: &mut &[u8]) -> &'static [u8] {
        while let Start::Mark(seen) = *self {
            let Some((&byte, rest)) = chunk.split_first() else { break };
            if BYTE_ORDER_MARK.get(seen) != Some(&byte) {
                *self = Start::Past;
                return BYTE_ORDER_MARK.get(..seen).unwrap_or_default();
            }
            *chunk = rest;
            *self = if seen + 1 == BYTE_ORDER_MARK.len() { Start::Past } else { Start::Mark(seen + 1) };
        }
        &[]
    }

    /// Whether the stream has part of a mark and nothing else.
    const fn is_cut(self) -> bool {
        matches!(self, Start::Mark(1..))
    }
}

/// Whether there is nothing but JSON's white space.
fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}
