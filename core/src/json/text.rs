//! Strings of a checked document: compared and decoded through their escapes, without a copy.

use core::cmp::Ordering;
use core::fmt;

/// A JSON string as it stands in the document, between its quotes.
///
/// The scanner has proven that it is valid UTF-8 and that every escape is well formed, so nothing here can
/// fail but for want of room. Two values are equal when they decode to the same text, however spelt.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    raw: &'a [u8],
    escaped: bool,
}

impl<'a> Text<'a> {
    /// Text that stands for itself, such as a host's own string: nothing in it is an escape.
    pub const fn plain(text: &'a str) -> Self {
        Text { raw: text.as_bytes(), escaped: false }
    }

    /// The inside of a string of a checked document.
    pub(crate) const fn from_wire(raw: &'a [u8], escaped: bool) -> Self {
        Text { raw, escaped }
    }

    /// The bytes as they came, without the quotes.
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// Whether the raw bytes hold an escape; if not, they are the text itself.
    pub const fn is_escaped(&self) -> bool {
        self.escaped
    }

    /// The text as a string slice, where no escape stands in the way.
    pub fn as_str(&self) -> Option<&'a str> {
        if self.escaped { None } else { core::str::from_utf8(self.raw).ok() }
    }

    /// The decoded bytes, one by one: UTF-8, in which an unpaired surrogate escape becomes the three bytes
    /// that its code point would have (generalised UTF-8), so that two different texts never decode alike.
    /// The order of these bytes is the order of code points.
    pub fn bytes(&self) -> Bytes<'a> {
        Bytes { rest: self.raw, escaped: self.escaped, pending: [0; 4], at: 0, len: 0 }
    }

    /// How many bytes [`bytes`](Text::bytes) yields.
    pub fn decoded_len(&self) -> usize {
        if self.escaped { self.bytes().count() } else { self.raw.len() }
    }

    /// Whether an escaped surrogate stands without its pair.
    pub fn has_lone_surrogate(&self) -> bool {
        // Only a surrogate has 0xED followed by 0xA0..=0xBF in generalised UTF-8.
        let mut last = 0u8;
        self.escaped
            && self.bytes().any(|byte| {
                let found = last == 0xED && byte >= 0xA0;
                last = byte;
                found
            })
    }

    #[cold]
    fn decodes_to(&self, other: &[u8]) -> bool {
        self.bytes().eq(other.iter().copied())
    }

    /// Decodes into the front of `out`. `None` when `out` is too small; needs
    /// [`decoded_len`](Text::decoded_len) bytes, and never more than `raw().len()`.
    pub fn decode<'o>(&self, out: &'o mut [u8]) -> Option<&'o mut [u8]> {
        if !self.escaped {
            let out = out.get_mut(..self.raw.len())?;
            out.copy_from_slice(self.raw);
            return Some(out);
        }
        let mut len = 0;
        for byte in self.bytes() {
            *out.get_mut(len)? = byte;
            len += 1;
        }
        out.get_mut(..len)
    }
}

impl PartialEq for Text<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        if self.escaped || other.escaped { self.bytes().eq(other.bytes()) } else { self.raw == other.raw }
    }
}

impl Eq for Text<'_> {}

/// The order of code points, and so of the decoded bytes; unpaired surrogates come where their number puts them.
impl Ord for Text<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.escaped || other.escaped { self.bytes().cmp(other.bytes()) } else { self.raw.cmp(other.raw) }
    }
}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq<[u8]> for Text<'_> {
    #[inline]
    fn eq(&self, other: &[u8]) -> bool {
        if self.escaped { self.decodes_to(other) } else { self.raw == other }
    }
}

impl PartialEq<str> for Text<'_> {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        *self == *other.as_bytes()
    }
}

impl PartialEq<&str> for Text<'_> {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

/// Shows the text as it was written. Meant for tests and for the host's own logs.
impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match core::str::from_utf8(self.raw) {
            Ok(raw) => write!(f, "\"{raw}\""),
            Err(_) => f.write_str("<text>"),
        }
    }
}

/// The decoded bytes of a [`Text`]; made by [`Text::bytes`].
#[derive(Clone, Debug)]
pub struct Bytes<'a> {
    rest: &'a [u8],
    escaped: bool,
    pending: [u8; 4],
    at: u8,
    len: u8,
}

impl Iterator for Bytes<'_> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        if self.at < self.len {
            let byte = self.pending.get(usize::from(self.at)).copied();
            self.at += 1;
            return byte;
        }
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        if first != b'\\' || !self.escaped {
            return Some(first);
        }
        let (&kind, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(match kind {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 0x08,
            b'f' => 0x0C,
            b'u' => {
                let point = self.code_point();
                return Some(self.push(point));
            }
            other => other, // a quote, a backslash or a slash: the scanner lets nothing else pass
        })
    }
}

impl Bytes<'_> {
    /// Reads the digits of a `\u` escape, and the second half of a pair when one follows.
    fn code_point(&mut self) -> u32 {
        let unit = self.unit().unwrap_or(0xFFFD);
        if (0xD800..0xDC00).contains(&unit)
            && let Some([b'\\', b'u', tail @ ..]) = self.rest.get(..6)
            && let Some(low) = hex4(tail)
            && (0xDC00..0xE000).contains(&low)
        {
            self.rest = self.rest.get(6..).unwrap_or_default();
            return 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        }
        unit
    }

    fn unit(&mut self) -> Option<u32> {
        let value = hex4(self.rest.get(..4)?);
        self.rest = self.rest.get(4..).unwrap_or_default();
        value
    }

    /// Encodes `point`, keeps all but the first byte for the next calls, and returns the first.
    fn push(&mut self, point: u32) -> u8 {
        let low = |shift: u32| 0x80 | ((point >> shift) & 0x3F) as u8;
        let (bytes, len) = if point < 0x80 {
            ([point as u8, 0, 0, 0], 1)
        } else if point < 0x800 {
            ([0xC0 | (point >> 6) as u8, low(0), 0, 0], 2)
        } else if point < 0x1_0000 {
            ([0xE0 | (point >> 12) as u8, low(6), low(0), 0], 3)
        } else {
            ([0xF0 | (point >> 18) as u8, low(12), low(6), low(0)], 4)
        };
        self.pending = bytes;
        self.at = 1;
        self.len = len;
        bytes[0]
    }
}

/// Four hexadecimal digits as a number.
pub(crate) fn hex4(digits: &[u8]) -> Option<u32> {
    if digits.len() != 4 {
        return None;
    }
    let mut value = 0;
    for &digit in digits {
        value = value << 4 | char::from(digit).to_digit(16)?;
    }
    Some(value)
}
