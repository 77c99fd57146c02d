//! Server-sent events: the lines of an event stream (HTML Living Standard, 9.2.5 and 9.2.6).

use heapless::Vec;

use super::Store;
use crate::json::Writer;
use crate::limits::MAX_EVENT_ID_BYTES;
use crate::reason::{Misuse, Reason};
use crate::reply::ReplyError;

const BOM: [u8; 3] = *b"\xEF\xBB\xBF";

/// What an [`SseReader`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SseEvent<'a> {
    /// The data of one event, its lines joined by line feeds: a message.
    Message(&'a [u8]),
    /// An event whose data was longer than the limit ([`Reason::BodyTooLarge`]).
    Refused(Reason),
}

/// The short text of an id, a type or a time.
type Short = Vec<u8, MAX_EVENT_ID_BYTES>;

/// Which field the current line has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    /// Its name has not ended yet.
    Unnamed,
    Data,
    Event,
    Id,
    Retry,
    /// A comment, or a field that has no meaning.
    Ignored,
}

/// Reads an event stream.
///
/// Lines end with LF, CR LF or CR; one space after the colon is passed over; `data` lines are joined. Comments, events
/// of other types than `message`, and events without data are passed over (they keep a connection alive); so is a byte
/// order mark at the start. An event that the end of the stream cuts short is never handed out.
#[derive(Debug)]
pub struct SseReader<S> {
    store: S,
    max_bytes: usize,
    // Of the stream:
    /// How many bytes of the byte order mark have passed; 3 when none can come any more.
    bom: usize,
    /// A line feed that comes next ends no line of its own.
    after_cr: bool,
    id: Option<Short>,
    last_id: Option<Short>,
    retry_ms: Option<u64>,
    /// The store's event has been handed out.
    taken: bool,
    // Of the line:
    field: Field,
    name: Vec<u8, 5>,
    /// The space after the colon may come next.
    after_colon: bool,
    value: Short,
    value_too_long: bool,
    // Of the event:
    other_type: bool,
    has_data: bool,
    too_long: bool,
}

impl<S: Store> SseReader<S> {
    /// Events may have `max_bytes` of data, and no more than `store` has room for.
    pub const fn new(store: S, max_bytes: usize) -> Self {
        SseReader {
            store,
            max_bytes,
            bom: 0,
            after_cr: false,
            id: None,
            last_id: None,
            retry_ms: None,
            taken: false,
            field: Field::Unnamed,
            name: Vec::new(),
            after_colon: false,
            value: Vec::new(),
            value_too_long: false,
            other_type: false,
            has_data: false,
            too_long: false,
        }
    }

    /// The id of the last event that ended, for the `Last-Event-ID` of a legacy session (LEG-24). `None` before the first
    /// id, after an empty one, and after one of more than [`MAX_EVENT_ID_BYTES`].
    pub fn last_event_id(&self) -> Option<&[u8]> {
        self.last_id.as_deref().filter(|id| !id.is_empty())
    }

    /// How long to wait before a new connection, in milliseconds, where the stream said so (LEG-25).
    pub const fn retry_ms(&self) -> Option<u64> {
        self.retry_ms
    }

    /// The next event that ends in `chunk`, and moves `chunk` behind it. `None` when all of `chunk` has been taken in: call
    /// again with what arrives next.
    pub fn next(&mut self, chunk: &mut &[u8]) -> Option<SseEvent<'_>> {
        if core::mem::take(&mut self.taken) {
            self.store.clear();
        }
        while let Some((&byte, rest)) = chunk.split_first() {
            if self.bom < BOM.len() {
                if BOM.get(self.bom) == Some(&byte) {
                    self.bom += 1;
                    *chunk = rest;
                    continue;
                }
                if self.bom > 0 {
                    self.field = Field::Ignored; // part of a mark is part of a name, and of none that has a meaning
                }
                self.bom = BOM.len();
            }
            if core::mem::take(&mut self.after_cr) && byte == b'\n' {
                *chunk = rest;
                continue;
            }
            if byte == b'\n' || byte == b'\r' {
                *chunk = rest;
                self.after_cr = byte == b'\r';
                if self.end_line() {
                    return Some(if self.taken {
                        SseEvent::Message(self.store.bytes())
                    } else {
                        SseEvent::Refused(Reason::BodyTooLarge)
                    });
                }
                continue;
            }
            let len = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(chunk.len());
            let (piece, rest) = chunk.split_at_checked(len)?;
            *chunk = rest;
            self.take(piece);
        }
        None
    }

    /// Whether the stream has ended inside an event that carried data. The reader then starts anew, with the last event's
    /// id and the time that it knows.
    pub fn finish(&mut self) -> bool {
        let cut = self.has_data;
        self.store.clear();
        (self.bom, self.after_cr, self.taken) = (0, false, false);
        self.id.clone_from(&self.last_id);
        self.start_line();
        self.start_event();
        cut
    }

    /// Takes in a piece of a line.
    fn take(&mut self, piece: &[u8]) {
        let mut piece = piece;
        if self.field == Field::Unnamed {
            let colon = piece.iter().position(|&byte| byte == b':').unwrap_or(piece.len());
            let (name, rest) = piece.split_at_checked(colon).unwrap_or((piece, &[]));
            if self.name.extend_from_slice(name).is_err() {
                self.field = Field::Ignored;
            }
            let Some((_, value)) = rest.split_first() else { return };
            self.end_name();
            self.after_colon = true;
            piece = value;
        }
        if !piece.is_empty() && core::mem::take(&mut self.after_colon) {
            piece = piece.strip_prefix(b" ").unwrap_or(piece);
        }
        match self.field {
            Field::Data => self.keep(piece),
            Field::Event | Field::Id | Field::Retry => {
                self.value_too_long |= self.value.extend_from_slice(piece).is_err();
            }
            Field::Unnamed | Field::Ignored => {}
        }
    }

    /// The name of the field is complete.
    fn end_name(&mut self) {
        if self.field == Field::Ignored {
            return;
        }
        self.field = match self.name.as_slice() {
            b"data" => Field::Data,
            b"event" => Field::Event,
            b"id" => Field::Id,
            b"retry" => Field::Retry,
            _ => Field::Ignored,
        };
        if self.field == Field::Data && core::mem::replace(&mut self.has_data, true) {
            self.keep(b"\n");
        }
    }

    fn keep(&mut self, piece: &[u8]) {
        let len = self.store.bytes().len().saturating_add(piece.len());
        let fits = !self.too_long && len <= self.max_bytes && self.store.append(piece);
        if !fits {
            self.too_long = true;
            self.store.clear();
        }
    }

    /// Ends a line. `true` when it ended an event that is to be told of: then `taken` says whether the store has it.
    fn end_line(&mut self) -> bool {
        let blank = self.field == Field::Unnamed && self.name.is_empty();
        if self.field == Field::Unnamed && !blank {
            self.end_name(); // a field without a colon has the empty value
        }
        match self.field {
            Field::Event => {
                let message = self.value.is_empty() || self.value.as_slice() == b"message";
                self.other_type = self.value_too_long || !message;
            }
            // A NUL makes the field void; an id that is too long names nothing that could be asked for.
            Field::Id if self.value_too_long => self.id = None,
            Field::Id if !self.value.contains(&0) => self.id = Some(self.value.clone()),
            Field::Retry if !self.value.is_empty() && !self.value_too_long => {
                self.retry_ms = number(&self.value).or(self.retry_ms);
            }
            _ => {}
        }
        self.start_line();
        if !blank {
            return false;
        }
        self.last_id.clone_from(&self.id);
        let told = !self.other_type && (self.too_long || !self.store.bytes().is_empty());
        self.taken = told && !self.too_long;
        if !self.taken {
            self.store.clear();
        }
        self.start_event();
        told
    }

    fn start_line(&mut self) {
        self.field = Field::Unnamed;
        self.name.clear();
        self.after_colon = false;
        self.value.clear();
        self.value_too_long = false;
    }

    fn start_event(&mut self) {
        (self.other_type, self.has_data, self.too_long) = (false, false, false);
    }
}

/// A number of nothing but digits; one beyond `u64` becomes its largest.
fn number(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |value, digit| {
        if digit.is_ascii_digit() {
            Some(value.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
        } else {
            None
        }
    })
}

/// One event to write. The default has nothing at all; an event needs `data`, if only an empty one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Event<'e> {
    /// The message, or what else a type of event carries. It may have several lines.
    pub data: Option<&'e [u8]>,
    /// The type; absent it is `message`. The legacy HTTP+SSE transport begins with one of type `endpoint` (LEG-30).
    pub event: Option<&'e str>,
    /// The id, for resumption in legacy sessions (LEG-24). A stream of 2025-11-25 begins with an id and empty data (LEG-25).
    pub id: Option<&'e str>,
    /// How long a client waits before it connects again, in milliseconds.
    pub retry_ms: Option<u64>,
}

/// Writes one event of an event stream, its blank line included. Each line of the data becomes a `data` line. Returns the
/// length.
///
/// # Errors
///
/// [`Misuse::EventField`] where the data is not UTF-8, or the type or id has a line end or a NUL, or the id is longer than
/// [`MAX_EVENT_ID_BYTES`]; [`TooSmall`](crate::json::TooSmall).
pub fn emit_event(event: &Event<'_>, out: &mut [u8]) -> Result<usize, ReplyError<'static>> {
    let one_line = |text: &str| !text.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
    let sound = event.event.is_none_or(one_line)
        && event.id.is_none_or(|id| one_line(id) && id.len() <= MAX_EVENT_ID_BYTES)
        && event.data.is_none_or(|data| core::str::from_utf8(data).is_ok());
    if !sound {
        return Err(Misuse::EventField.into());
    }
    let mut w = Writer::new(out);
    for (name, value) in [("event: ", event.event), ("id: ", event.id)] {
        if let Some(value) = value {
            w.raw(name.as_bytes());
            w.raw(value.as_bytes());
            w.raw(b"\n");
        }
    }
    if let Some(retry_ms) = event.retry_ms {
        w.raw(b"retry: ");
        w.natural(retry_ms);
        w.raw(b"\n");
    }
    if let Some(data) = event.data {
        write_lines(&mut w, b"data: ", data);
    }
    w.raw(b"\n");
    Ok(w.finish()?)
}

/// Writes a comment, which every reader passes over: it keeps a connection alive. Returns the length.
///
/// # Errors
///
/// [`TooSmall`](crate::json::TooSmall).
pub fn emit_comment(text: &str, out: &mut [u8]) -> Result<usize, ReplyError<'static>> {
    let mut w = Writer::new(out);
    write_lines(&mut w, b": ", text.as_bytes());
    w.raw(b"\n");
    Ok(w.finish()?)
}

/// Writes a text line by line, each behind `prefix`.
fn write_lines(w: &mut Writer<'_>, prefix: &[u8], text: &[u8]) {
    let mut rest = text;
    loop {
        let len = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let (line, tail) = rest.split_at_checked(len).unwrap_or((rest, &[]));
        w.raw(prefix);
        w.raw(line);
        w.raw(b"\n");
        rest = match tail {
            [] => return,
            [b'\r', b'\n', next @ ..] | [_, next @ ..] => next,
        };
    }
}
