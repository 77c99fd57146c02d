//! Streams read a second time: the whole of one at once, with all the memory it takes.

use wireseal::Reason;
use wireseal::limits::MAX_EVENT_ID_BYTES;

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// A message, or why there is none.
pub type Item = Result<Vec<u8>, Reason>;

/// What comes out of a stream, what is left at its end, and for events the last id and the time to wait.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub items: Vec<Item>,
    pub incomplete: bool,
    pub id: Option<String>,
    pub retry_ms: Option<u64>,
}

/// What a fuzz input starts with: the limit, and how the stream is cut.
pub fn settings(data: &[u8]) -> Option<(usize, Cuts, &[u8])> {
    let (&[limit, seed], stream) = data.split_first_chunk::<2>()?;
    let limit = [1, 2, 3, 8, 16, 64, 1024, 8192][usize::from(limit % 8)];
    Some((limit, Cuts(u32::from(seed)), stream))
}

/// Lengths of pieces, 0 to 15.
#[derive(Clone, Copy)]
pub struct Cuts(u32);

impl Cuts {
    /// Cuts a stream in pieces.
    pub fn pieces<'s>(&mut self, stream: &'s [u8]) -> Vec<&'s [u8]> {
        let mut rest = stream;
        let mut all = Vec::new();
        while !rest.is_empty() {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (piece, tail) = rest.split_at(((self.0 >> 28) as usize).min(rest.len()));
            all.push(piece);
            rest = tail;
        }
        all
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| b" \t\r\n".contains(byte))
}

/// The stream without its mark; `None` when it is nothing but a part of one.
fn unmarked(stream: &[u8]) -> Option<&[u8]> {
    let cut = !stream.is_empty() && stream.len() < MARK.len() && MARK.starts_with(stream);
    if cut { None } else { Some(stream.strip_prefix(MARK).unwrap_or(stream)) }
}

/// Newline-delimited messages.
pub fn lines(stream: &[u8], limit: usize) -> Reading {
    let mut reading = Reading::default();
    let Some(stream) = unmarked(stream) else { return Reading { incomplete: true, ..reading } };
    let mut lines: Vec<&[u8]> = stream.split(|&byte| byte == b'\n').collect();
    let rest = lines.pop().unwrap_or_default();
    for line in lines {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > limit {
            reading.items.push(Err(Reason::BodyTooLarge));
        } else if line.starts_with(MARK) {
            reading.items.push(Err(Reason::InvalidJson));
        } else if !is_blank(line) {
            reading.items.push(Ok(line.to_vec()));
        }
    }
    if rest.strip_suffix(b"\r").unwrap_or(rest).len() > limit {
        reading.items.push(Err(Reason::BodyTooLarge));
    } else {
        reading.incomplete = !is_blank(rest);
    }
    reading
}

/// The lines of an event stream that have ended, and the rest.
fn event_lines(stream: &[u8]) -> (Vec<Vec<u8>>, Vec<u8>) {
    let (mut lines, mut line) = (Vec::new(), Vec::new());
    let mut bytes = stream.iter().peekable();
    while let Some(&byte) = bytes.next() {
        if byte == b'\r' || byte == b'\n' {
            lines.push(std::mem::take(&mut line));
            if byte == b'\r' && bytes.peek() == Some(&&b'\n') {
                bytes.next();
            }
        } else {
            line.push(byte);
        }
    }
    (lines, line)
}

/// Name and value of a line, and whether it has a colon.
fn field(line: &[u8]) -> (&[u8], &[u8], bool) {
    match line.iter().position(|&byte| byte == b':') {
        None => (line, b"", false),
        Some(at) => (&line[..at], line[at + 1..].strip_prefix(b" ").unwrap_or(&line[at + 1..]), true),
    }
}

/// Server-sent events.
pub fn events(stream: &[u8], limit: usize) -> Reading {
    let mut reading = Reading::default();
    let Some(stream) = unmarked(stream) else { return Reading { incomplete: true, ..reading } };
    let (lines, rest) = event_lines(stream);
    let (mut last, mut next): (Vec<u8>, Vec<u8>) = (vec![], vec![]);
    let (mut data, mut kind, mut told): (Vec<Vec<u8>>, Vec<u8>, bool) = (vec![], vec![], false);
    let is_message = |kind: &[u8]| kind.is_empty() || kind == b"message";
    for line in lines {
        if line.is_empty() {
            last.clone_from(&next);
            let message = data.join(&b'\n');
            if is_message(&kind) && message.len() <= limit && !is_blank(&message) {
                reading.items.push(Ok(message));
            }
            (data, kind, told) = (vec![], vec![], false);
            continue;
        }
        let (name, value, _) = field(&line);
        match name {
            b"data" => data.push(value.to_vec()),
            b"event" => kind = value.to_vec(),
            b"id" if !value.contains(&0) => next = value.to_vec(),
            b"retry"
                if !value.is_empty() && value.len() <= MAX_EVENT_ID_BYTES && value.iter().all(u8::is_ascii_digit) =>
            {
                let digits = std::str::from_utf8(value).expect("digits");
                reading.retry_ms = Some(digits.parse().unwrap_or(u64::MAX));
            }
            _ => {}
        }
        if is_message(&kind) && data.join(&b'\n').len() > limit && !told {
            reading.items.push(Err(Reason::BodyTooLarge));
            told = true;
        }
    }
    if let (b"data", value, true) = field(&rest) {
        data.push(value.to_vec());
    }
    let message = data.join(&b'\n');
    if is_message(&kind) && message.len() > limit && !told {
        reading.items.push(Err(Reason::BodyTooLarge));
        told = true;
    }
    let inside = !rest.is_empty() && !rest.starts_with(b":");
    reading.incomplete = is_message(&kind) && !told && (inside || !is_blank(&message));
    reading.id = String::from_utf8(last).ok().filter(|id| !id.is_empty() && id.len() <= MAX_EVENT_ID_BYTES);
    reading
}
