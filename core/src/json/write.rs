//! Writes JSON into a caller's buffer, and counts what would not fit.

use super::Raw;

/// A bounded writer: it appends while there is room and goes on counting when there is none, so that one
/// call tells the caller how large the buffer has to be.
#[derive(Debug)]
pub(crate) struct Writer<'o> {
    out: &'o mut [u8],
    len: usize,
}

/// The buffer is too small; `needed` bytes would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooSmall {
    /// The size, in bytes, that the same call needs.
    pub needed: usize,
}

impl<'o> Writer<'o> {
    pub(crate) fn new(out: &'o mut [u8]) -> Self {
        Writer { out, len: 0 }
    }

    /// Appends bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        // Cut to the length of `bytes` in one step: that the lengths are equal is then plain to the optimiser.
        if let Some(room) = self.out.get_mut(self.len..).and_then(|rest| rest.get_mut(..bytes.len())) {
            room.copy_from_slice(bytes);
        }
        self.len = self.len.saturating_add(bytes.len());
    }

    /// Appends the inside of a JSON string for plain text, escaping what RFC 8259 requires. U+2028, U+2029
    /// and U+0085 are escaped too: readers that split lines by Unicode's rules would cut a message in two.
    pub(crate) fn escaped(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut plain = 0; // where the run that needs no escape began
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let (skip, escape): (usize, [u8; 6]) = match byte {
                b'"' | b'\\' => (1, [b'\\', byte, 0, 0, 0, 0]),
                b'\n' => (1, *b"\\n\0\0\0\0"),
                b'\r' => (1, *b"\\r\0\0\0\0"),
                b'\t' => (1, *b"\\t\0\0\0\0"),
                0..0x20 => (1, [b'\\', b'u', b'0', b'0', hex(byte >> 4), hex(byte & 15)]),
                0xC2 if bytes.get(at + 1) == Some(&0x85) => (2, *b"\\u0085"),
                0xE2 if bytes.get(at + 1) == Some(&0x80) => match bytes.get(at + 2) {
                    Some(0xA8) => (3, *b"\\u2028"),
                    Some(0xA9) => (3, *b"\\u2029"),
                    _ => (0, [0; 6]),
                },
                _ => (0, [0; 6]),
            };
            if skip == 0 {
                at += 1;
                continue;
            }
            self.raw(bytes.get(plain..at).unwrap_or_default());
            let len = escape.iter().position(|&b| b == 0).unwrap_or(escape.len());
            self.raw(escape.get(..len).unwrap_or_default());
            at += skip;
            plain = at;
        }
        self.raw(bytes.get(plain..).unwrap_or_default());
    }

    /// Appends a JSON string, quotes included.
    pub(crate) fn string(&mut self, text: &str) {
        self.raw(b"\"");
        self.escaped(text);
        self.raw(b"\"");
    }

    /// Appends an integer in plain decimal.
    pub(crate) fn integer(&mut self, value: i64) {
        if value < 0 {
            self.raw(b"-");
        }
        self.natural(value.unsigned_abs());
    }

    /// Appends an integer that is not negative, in plain decimal.
    pub(crate) fn natural(&mut self, value: u64) {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        let mut rest = value;
        loop {
            at = at.saturating_sub(1);
            if let Some(slot) = digits.get_mut(at) {
                *slot = b'0' + (rest % 10) as u8;
            }
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.raw(digits.get(at..).unwrap_or_default());
    }

    /// Appends milliseconds as seconds in the shortest decimal: the digits that JavaScript and Python print for the same
    /// binary64.
    #[cfg(feature = "interop")]
    pub(crate) fn seconds(&mut self, ms: u64) {
        self.natural(ms / 1000);
        let rest = (ms % 1000) as u16;
        if rest != 0 {
            let digit = |value: u16| b'0' + (value % 10) as u8;
            let mut digits: &[u8] = &[b'.', digit(rest / 100), digit(rest / 10), digit(rest)];
            while let [shorter @ .., b'0'] = digits {
                digits = shorter;
            }
            self.raw(digits);
        }
    }

    /// Appends a checked value without the white space between its tokens. Strings stay as they came.
    pub(crate) fn minified(&mut self, value: Raw<'_>) {
        let mut rest = value.as_bytes();
        while !rest.is_empty() {
            let (run, tail) = rest.split_at_checked(dense_len(rest)).unwrap_or((rest, &[]));
            self.raw(run);
            rest = tail.trim_ascii_start();
        }
    }

    /// How many bytes were written, or how many would have been needed.
    pub(crate) fn finish(self) -> Result<usize, TooSmall> {
        if self.len <= self.out.len() { Ok(self.len) } else { Err(TooSmall { needed: self.len }) }
    }
}

/// How far the bytes go before white space that is outside of strings.
fn dense_len(bytes: &[u8]) -> usize {
    let mut in_string = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' if !in_string => break,
            b'"' => in_string = !in_string,
            b'\\' => at += 1, // what is escaped ends nothing
            _ => {}
        }
        at += 1;
    }
    at.min(bytes.len())
}

/// One hexadecimal digit in lower case.
pub(crate) const fn hex(nibble: u8) -> u8 {
    if nibble < 10 { b'0' + nibble } else { b'a' + (nibble - 10) }
}
