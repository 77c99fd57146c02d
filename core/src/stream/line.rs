//! Newline-delimited messages (basic/transports/stdio).

use super::{Start, Store, is_blank};
use crate::json::BYTE_ORDER_MARK;
use crate::reason::Reason;
use crate::reject::{Answer, Rejected};

/// What a [`LineFramer`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// One line without its end; never blank. For [`admit`](crate::admit).
    Message(&'a [u8]),
    /// A line that is not worth parsing: too long ([`Reason::BodyTooLarge`]), cut short by the end of the stream
    /// ([`Reason::Incomplete`]), or with a byte order mark that is not at the start of the stream
    /// ([`Reason::InvalidJson`]).
    Refused(Reason),
}

impl<'a> Line<'a> {
    /// The message, or its refusal with what a server sends for it: an error without an id, since none was read, and
    /// nothing for a line that was cut short. A client sends nothing in any case.
    ///
    /// # Errors
    ///
    /// [`Rejected`] for [`Line::Refused`].
    pub const fn into_result(self) -> Result<&'a [u8], Rejected<'static>> {
        match self {
            Line::Message(line) => Ok(line),
            Line::Refused(Reason::InvalidJson) => Err(Rejected::new(Reason::InvalidJson).at(0)),
            Line::Refused(Reason::Incomplete) => Err(Rejected::new(Reason::Incomplete).answered(Answer::Silence)),
            Line::Refused(reason) => Err(Rejected::new(reason)),
        }
    }
}

/// Cuts a stream of bytes into lines.
///
/// Only the byte 0x0A ends a line (STDIO-01): U+2028 and a lone carriage return do not. One carriage return before it
/// belongs to the line end, and lines of nothing but JSON's white space are passed over (STDIO-02). A byte order mark at
/// the very start of the stream is passed over too (RFC 8259, 8.1).
#[derive(Debug)]
pub struct LineFramer<S> {
    store: S,
    max_bytes: usize,
    /// The last byte was a carriage return that may belong to the line end; it is not in the store.
    cr: bool,
    /// The store's line has been handed out.
    taken: bool,
    /// The rest of a line that was too long is being passed over.
    skipping: bool,
    start: Start,
}

impl<S: Store> LineFramer<S> {
    /// Lines may have `max_bytes`, their end not counted, and no more than `store` has room for.
    pub fn new(store: S, max_bytes: usize) -> Self {
        LineFramer {
            max_bytes: max_bytes.min(store.room()),
            store,
            cr: false,
            taken: false,
            skipping: false,
            start: Start::Mark(0),
        }
    }

    /// The next line that ends in `chunk`, or is refused there, and moves `chunk` behind it. `None` when all of `chunk` has
    /// been taken in: call again with what arrives next. A line that lies in one chunk is not copied.
    pub fn next<'a, 'c: 'a>(&'a mut self, chunk: &mut &'c [u8]) -> Option<Line<'a>> {
        if core::mem::take(&mut self.taken) {
            self.store.clear();
        }
        let no_mark = self.start.pass(chunk);
        if !self.keep(no_mark) {
            return Some(Line::Refused(Reason::BodyTooLarge));
        }
        loop {
            let bytes: &'c [u8] = chunk;
            if bytes.is_empty() {
                return None;
            }
            let Some(at) = bytes.iter().position(|&byte| byte == b'\n') else {
                *chunk = &[];
                return if self.keep(bytes) { None } else { Some(Line::Refused(Reason::BodyTooLarge)) };
            };
            let (line, rest) = (bytes.get(..at).unwrap_or_default(), bytes.get(at + 1..).unwrap_or_default());
            *chunk = rest;
            if core::mem::take(&mut self.skipping) {
                continue;
            }
            if self.store.bytes().is_empty() && !self.cr {
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                if line.len() > self.max_bytes {
                    return Some(Line::Refused(Reason::BodyTooLarge));
                }
                if is_blank(line) {
                    continue;
                }
                return Some(judge(line));
            }
            let fits = self.keep(line);
            self.cr = false;
            if !fits {
                self.skipping = false; // its end is here
                return Some(Line::Refused(Reason::BodyTooLarge));
            }
            if is_blank(self.store.bytes()) {
                self.store.clear();
                continue;
            }
            self.taken = true;
            return Some(judge(self.store.bytes()));
        }
    }

    /// What the end of the stream leaves behind: a line without its end is never a message. The framer then starts
    /// anew.
    pub fn finish(&mut self) -> Option<Line<'static>> {
        let cut = self.start.is_cut() || !(self.taken || is_blank(self.store.bytes()));
        self.store.clear();
        (self.cr, self.taken, self.skipping, self.start) = (false, false, false, Start::Mark(0));
        if cut { Some(Line::Refused(Reason::Incomplete)) } else { None }
    }

    /// Takes in a piece of a line that has not ended. `false` when the line has just become too long; what is left of
    /// it is then passed over.
    fn keep(&mut self, piece: &[u8]) -> bool {
        if self.skipping || piece.is_empty() {
            return true;
        }
        let (body, cr) = match piece.strip_suffix(b"\r") {
            Some(body) => (body, true),
            None => (piece, false),
        };
        let before: &[u8] = if self.cr { b"\r" } else { b"" };
        let len = self.store.bytes().len().saturating_add(before.len()).saturating_add(body.len());
        self.cr = cr;
        let fits = len <= self.max_bytes && self.store.append(before) && self.store.append(body);
        if !fits {
            self.store.clear();
            self.cr = false;
            self.skipping = true;
        }
        fits
    }
}

/// What a whole line is. A mark is refused here and not by `admit`, which takes a line for a whole text and would pass
/// over it.
fn judge(line: &[u8]) -> Line<'_> {
    if line.starts_with(BYTE_ORDER_MARK) { Line::Refused(Reason::InvalidJson) } else { Line::Message(line) }
}
