//! Server-sent events: the lines of an event stream (HTML Living Standard, 9.2.5 and 9.2.6).

use heapless::Vec;

use super::{Start, Store, is_blank};
use crate::json::{TooSmall, Writer};
use crate::limits::MAX_EVENT_ID_BYTES;
use crate::reason::{Misuse, Reason};
use crate::reject::{Answer, Rejected};
use crate::reply::ReplyError;

/// What an [`SseReader`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SseEvent<'a> {
    /// The data of one event, its lines joined by line feeds: a message.
    Message(&'a [u8]),
    /// An event with more data than the limit ([`Reason::BodyTooLarge`]), told once and as soon as that is known; or one that
    /// the end of the stream cuts short ([`Reason::Incomplete`]).
    Refused(Reason),
}

impl<'a> SseEvent<'a> {
    /// The message, or its refusal. Nothing is ever sent for one: streams of events go one way.
    ///
    /// # Errors
    ///
    /// [`Rejected`] for [`SseEvent::Refused`].
    pub const fn into_result(self) -> Result<&'a [u8], Rejected<'static>> {
        match self {
            SseEvent::Message(data) => Ok(data),
            SseEvent::Refused(reason) => Err(Rejected::new(reason).answered(Answer::Silence)),
        }
    }
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
    /// No name at all.
    Comment,
    /// A field that has no meaning.
    Ignored,
}

/// Reads an event stream.
///
/// Lines end with LF, CR LF or CR; one space after the colon is passed over; `data` lines are joined. Comments, events
/// of other types than `message`, and events with nothing but white space for data are passed over (they keep a connection
/// alive); so is a byte order mark at the start. An event that the end of the stream cuts short is never handed out.
#[derive(Debug)]
pub struct SseReader<S> {
    store: S,
    max_bytes: usize,
    // Of the stream:
    start: Start,
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
    value_has_nul: bool,
    // Of the event:
    other_type: bool,
    has_data: bool,
    size: Size,
}

/// Whether the data of an event fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Fits,
    TooLong,
    /// It does not, and that has been told.
    Told,
}

impl<S: Store> SseReader<S> {
    /// Events may have `max_bytes` of data, and no more than `store` has room for.
    pub fn new(store: S, max_bytes: usize) -> Self {
        SseReader {
            max_bytes: max_bytes.min(store.room()),
            store,
            start: Start::Mark(0),
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
            value_has_nul: false,
            other_type: false,
            has_data: false,
            size: Size::Fits,
        }
    }

    /// The id of the last event that ended, for the `Last-Event-ID` of a legacy session (LEG-24). `None` before the first
    /// id, after an empty one, and after one that is not UTF-8 or has more than [`MAX_EVENT_ID_BYTES`]: whoever went on
    /// from the one before would get messages twice.
    pub fn last_event_id(&self) -> Option<&str> {
        let id = core::str::from_utf8(self.last_id.as_deref()?).ok()?;
        if id.is_empty() { None } else { Some(id) }
    }

    /// How long to wait before a new connection, in milliseconds, where the stream said so (LEG-25).
    pub const fn retry_ms(&self) -> Option<u64> {
        self.retry_ms
    }

    /// The next event that ends in `chunk`, or is refused there, and moves `chunk` behind it. `None` when all of `chunk` has
    /// been taken in: call again with what arrives next.
    pub fn next(&mut self, chunk: &mut &[u8]) -> Option<SseEvent<'_>> {
        if core::mem::take(&mut self.taken) {
            self.store.clear();
        }
        let no_mark = self.start.pass(chunk);
        self.take(no_mark);
        while let Some((&byte, rest)) = chunk.split_first() {
            if core::mem::take(&mut self.after_cr) && byte == b'\n' {
                *chunk = rest;
                continue;
            }
            if byte == b'\n' || byte == b'\r' {
                *chunk = rest;
                self.after_cr = byte == b'\r';
                if self.end_line() {
                    return Some(SseEvent::Message(self.store.bytes()));
                }
            } else {
                let len = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(chunk.len());
                let (piece, rest) = chunk.split_at_checked(len)?;
                *chunk = rest;
                self.take(piece);
            }
            if self.size == Size::TooLong && !self.other_type {
                self.size = Size::Told;
                return Some(SseEvent::Refused(Reason::BodyTooLarge));
            }
        }
        None
    }

    /// What the end of the stream leaves behind: an event without the empty line that ends it is never a message, and
    /// neither is a line without its end, unless it is a comment. The reader then starts anew, with the last event's id
    /// and the time that it knows.
    pub fn finish(&mut self) -> Option<SseEvent<'static>> {
        let in_line = self.start.is_cut() || !self.is_line_empty() && self.field != Field::Comment;
        let has_data = !(self.taken || is_blank(self.store.bytes()));
        let cut = self.size == Size::Fits && !self.other_type && (in_line || has_data);
        self.store.clear();
        (self.start, self.after_cr, self.taken) = (Start::Mark(0), false, false);
        self.id.clone_from(&self.last_id);
        self.start_line();
        self.start_event();
        if cut { Some(SseEvent::Refused(Reason::Incomplete)) } else { None }
    }

    /// Nothing of a line has come.
    fn is_line_empty(&self) -> bool {
        self.field == Field::Unnamed && self.name.is_empty()
    }

    /// Takes in a piece of a line.
    fn take(&mut self, piece: &[u8]) {
        let mut piece = piece;
        if self.field == Field::Unnamed {
            let colon = piece.iter().position(|&byte| byte == b':').unwrap_or(piece.len());
            let (name, rest) = piece.split_at_checked(colon).unwrap_or((piece, &[]));
            if self.name.extend_from_slice(name).is_err() {
                self.field = Field::Ignored; // longer than any that has a meaning
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
                self.value_has_nul |= piece.contains(&0);
            }
            Field::Unnamed | Field::Comment | Field::Ignored => {}
        }
    }

    /// The name of the field is complete.
    fn end_name(&mut self) {
        if self.field == Field::Ignored {
            return;
        }
        self.field = match self.name.as_slice() {
            b"" => Field::Comment,
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
        if self.size != Size::Fits {
            return;
        }
        let len = self.store.bytes().len().saturating_add(piece.len());
        let fits = len <= self.max_bytes && self.store.append(piece);
        if !fits {
            self.size = Size::TooLong;
            self.store.clear();
        }
    }

    /// Ends a line. `true` when it ended a message, which the store then has.
    fn end_line(&mut self) -> bool {
        let blank = self.is_line_empty();
        if self.field == Field::Unnamed && !blank {
            self.end_name(); // a field without a colon has the empty value
        }
        match self.field {
            Field::Event => {
                let message = self.value.is_empty() || self.value.as_slice() == b"message";
                self.other_type = self.value_too_long || !message;
            }
            // A NUL makes the field void; an id that is too long names nothing that could be asked for.
            Field::Id if self.value_has_nul => {}
            Field::Id if self.value_too_long => self.id = None,
            Field::Id => self.id = Some(self.value.clone()),
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
        self.taken = !self.other_type && self.size == Size::Fits && !is_blank(self.store.bytes());
        if !self.taken {
            self.store.clear();
        }
        self.start_event();
        self.taken
    }

    fn start_line(&mut self) {
        self.field = Field::Unnamed;
        self.name.clear();
        self.after_colon = false;
        self.value.clear();
        (self.value_too_long, self.value_has_nul) = (false, false);
    }

    fn start_event(&mut self) {
        (self.other_type, self.has_data, self.size) = (false, false, Size::Fits);
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
/// [`MAX_EVENT_ID_BYTES`]; [`TooSmall`].
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
/// [`TooSmall`] with the size that `out` needs.
pub fn emit_comment(text: &str, out: &mut [u8]) -> Result<usize, TooSmall> {
    let mut w = Writer::new(out);
    write_lines(&mut w, b": ", text.as_bytes());
    w.raw(b"\n");
    w.finish()
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
