//! Messages out of streams of bytes, and into them: lines (basic/transports/stdio) and server-sent events
//! (basic/transports/streamable-http; HTML Living Standard, 9.2).
//!
//! The readers are pushed: the host gives them what it has received, in pieces of any size, and takes out what has
//! become whole. How the stream is cut never changes what comes out. They hold one message at a time, in memory that the
//! host lends; what is longer is reported once and passed over in constant memory, and the message after it is not
//! affected.

mod line;
mod sse;

pub use line::{Line, LineFramer};
pub use sse::{Event, SseEvent, SseReader, emit_comment, emit_event};

/// Where a reader keeps a message that has not arrived in full.
pub trait Store {
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
