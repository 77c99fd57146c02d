//! Header values: legal bytes, optional white space, and the Base64 form of `Mcp-Name` and `Mcp-Param-*`
//! (basic/transports/streamable-http, "Encoding").

use base64ct::{Base64, Encoding};

use crate::json::{Text, TooSmall, Writer};

const OPEN: &[u8] = b"=?base64?";
const CLOSE: &[u8; 2] = b"?=";

/// Takes spaces and tabs off both ends, and nothing else (RFC 9110, 5.6.3).
pub(crate) fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = value {
        value = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// Whether every byte is visible ASCII, space or tab (HDR-08).
pub(crate) fn is_field_text(value: &[u8]) -> bool {
    value.iter().all(|byte| matches!(byte, 0x20..=0x7E | b'\t'))
}

/// The inside of the Base64 form. The marker is compared exactly, and its two halves may not overlap.
fn sentinel(value: &[u8]) -> Option<&[u8]> {
    value.strip_prefix(OPEN)?.strip_suffix(CLOSE.as_slice())
}

/// Whether a trimmed header value stands for this text, after decoding the Base64 form if it has it.
/// `None` when the value is broken: bytes that are not allowed, Base64 that is not canonical, or not UTF-8
/// inside.
pub(crate) fn matches(value: &[u8], text: Text<'_>) -> Option<bool> {
    if !is_field_text(value) {
        return None;
    }
    let Some(encoded) = sentinel(value) else {
        return Some(text == *value);
    };
    let mut expected = text.bytes();
    let mut equal = true;
    decode_form(encoded, |byte| equal &= expected.next() == Some(byte))?;
    Some(equal && expected.next().is_none())
}

/// Decodes the inside of the Base64 form (RFC 4648, section 4, with padding), four characters at a time. `None`
/// when it is not canonical, or not UTF-8 inside.
fn decode_form(encoded: &[u8], mut take: impl FnMut(u8)) -> Option<()> {
    let mut utf8 = Utf8::default();
    let mut rest = encoded;
    while let Some((group, tail)) = rest.split_first_chunk::<4>() {
        let mut room = [0u8; 3];
        let bytes = Base64::decode(group, &mut room).ok()?;
        if bytes.len() < 3 && !tail.is_empty() {
            return None; // padding stands at the end only
        }
        for &byte in bytes {
            utf8.push(byte)?;
            take(byte);
        }
        rest = tail;
    }
    if utf8.pending() || !rest.is_empty() { None } else { Some(()) }
}

/// Whether the text must be sent in the Base64 form (HDR-05): it has bytes other than visible ASCII and inner
/// spaces, blanks at an edge, or could be taken for the form itself.
fn needs_encoding(text: Text<'_>) -> bool {
    let mut len = 0usize;
    let mut opened = true; // so far it begins like the form
    let mut last = [0u8; 2];
    for byte in text.bytes() {
        if !matches!(byte, 0x20..=0x7E) || (len == 0 && byte == b' ') {
            return true;
        }
        opened &= OPEN.get(len).is_none_or(|&wanted| wanted == byte);
        last = [last[1], byte];
        len = len.saturating_add(1);
    }
    last[1] == b' ' || (opened && len >= OPEN.len() && last == *CLOSE)
}

/// Writes `text` as the value of `Mcp-Name` or `Mcp-Param-*`, in the Base64 form where the plain one would
/// not do.
///
/// # Errors
///
/// [`TooSmall`] with the size that `out` needs.
pub fn encode(text: &str, out: &mut [u8]) -> Result<usize, TooSmall> {
    encode_text(Text::plain(text), out)
}

/// [`encode`] for a string of a message, through its escapes. An unpaired surrogate must have been refused before.
pub(crate) fn encode_text(text: Text<'_>, out: &mut [u8]) -> Result<usize, TooSmall> {
    let mut writer = Writer::new(out);
    let mut bytes = text.bytes();
    if !needs_encoding(text) {
        if text.is_escaped() {
            bytes.for_each(|byte| writer.raw(&[byte]));
        } else {
            writer.raw(text.raw());
        }
        return writer.finish();
    }
    writer.raw(OPEN);
    while let Some(first) = bytes.next() {
        let group = match (bytes.next(), bytes.next()) {
            (None, _) => &[first][..],
            (Some(second), None) => &[first, second],
            (Some(second), Some(third)) => &[first, second, third],
        };
        // Three bytes make four characters, so this always fits.
        if let Ok(coded) = Base64::encode(group, &mut [0; 4]) {
            writer.raw(coded.as_bytes());
        }
    }
    writer.raw(CLOSE);
    writer.finish()
}

/// Reads the value of `Mcp-Name` or `Mcp-Param-*`: takes the optional white space off its ends, decodes the
/// Base64 form if it has it, and writes the text. `None` when the value is broken: a byte that is not visible
/// ASCII, space or tab (HDR-08), Base64 that is not canonical, or not UTF-8 inside.
///
/// # Errors
///
/// [`TooSmall`] with the size that `out` needs.
pub fn decode(value: &[u8], out: &mut [u8]) -> Option<Result<usize, TooSmall>> {
    let value = trim(value);
    if !is_field_text(value) {
        return None;
    }
    let Some(encoded) = sentinel(value) else {
        return Some(match out.get_mut(..value.len()) {
            Some(room) => {
                room.copy_from_slice(value);
                Ok(value.len())
            }
            None => Err(TooSmall { needed: value.len() }),
        });
    };
    let mut len = 0;
    decode_form(encoded, |byte| {
        if let Some(slot) = out.get_mut(len) {
            *slot = byte;
        }
        len += 1;
    })?;
    Some(if len <= out.len() { Ok(len) } else { Err(TooSmall { needed: len }) })
}

/// Follows UTF-8 byte by byte (RFC 3629, section 4), since what is decoded is never all in one place.
#[derive(Default)]
struct Utf8 {
    /// Continuation bytes still to come.
    missing: u8,
    /// What the next continuation byte has to lie in; only the first one of a sequence is narrower.
    low: u8,
    high: u8,
}

impl Utf8 {
    fn push(&mut self, byte: u8) -> Option<()> {
        if self.missing > 0 {
            if byte < self.low || byte > self.high {
                return None;
            }
            self.missing -= 1;
            (self.low, self.high) = (0x80, 0xBF);
            return Some(());
        }
        (self.missing, self.low, self.high) = match byte {
            0..=0x7F => (0, 0x80, 0xBF),
            0xC2..=0xDF => (1, 0x80, 0xBF),
            0xE0 => (2, 0xA0, 0xBF),
            0xED => (2, 0x80, 0x9F),
            0xE1..=0xEF => (2, 0x80, 0xBF),
            0xF0 => (3, 0x90, 0xBF),
            0xF1..=0xF3 => (3, 0x80, 0xBF),
            0xF4 => (3, 0x80, 0x8F),
            _ => return None,
        };
        Some(())
    }

    fn pending(&self) -> bool {
        self.missing > 0
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, encode, matches};
    use crate::json::{Text, TooSmall};

    fn encoded(text: &str) -> std::string::String {
        let mut out = [0; 256];
        let len = encode(text, &mut out).unwrap_or_default();
        std::string::String::from_utf8_lossy(out.get(..len).unwrap_or_default()).into_owned()
    }

    #[test]
    fn hdr_05_encodes_only_what_needs_it() {
        // The Base64 texts are Python's base64.b64encode of the UTF-8 text.
        for (text, expected) in [
            ("book_room", "book_room"),
            ("two words", "two words"),
            ("", ""),
            ("müll_sammeln", "=?base64?bcO8bGxfc2FtbWVsbg==?="),
            (" eu ", "=?base64?IGV1IA==?="),
            ("a\tb", "=?base64?YQli?="),
            ("=?base64?aGk=?=", "=?base64?PT9iYXNlNjQ/YUdrPT89?="),
            ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
            ("=?BASE64?aGk=?=", "=?BASE64?aGk=?="),
        ] {
            assert_eq!(encoded(text), expected, "{text:?}");
            assert_eq!(matches(expected.as_bytes(), Text::plain(text)), Some(true), "{text:?}");
            let mut out = [0; 64];
            assert_eq!(decode(expected.as_bytes(), &mut out), Some(Ok(text.len())), "{text:?}");
            assert_eq!(out.get(..text.len()), Some(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn hdr_07_compares_after_decoding() {
        let name = Text::plain("aGk=");
        assert_eq!(matches(b"aGk=", name), Some(true));
        assert_eq!(matches(b"=?base64?YUdrPQ==?=", name), Some(true));
        assert_eq!(matches(b"=?base64?YUdrPQ?=", name), None, "padding missing");
        assert_eq!(matches(b"=?base64?YUdrPR==?=", name), None, "spare bits set");
        assert_eq!(matches(b"=?base64?YUdr PQ==?=", name), None, "blank inside");
        assert_eq!(matches(b"=?base64?//79?=", name), None, "not UTF-8");
        for broken in
            [&b"=?base64?YUdrPQ?="[..], b"=?base64?YUdrPR==?=", b"=?base64?YUdr PQ==?=", b"=?base64?//79?=", b"\xFC"]
        {
            assert_eq!(decode(broken, &mut [0; 64]), None, "{broken:?}");
        }
        assert_eq!(decode(b"=?base64?YUdrPQ==?=", &mut [0; 3]), Some(Err(TooSmall { needed: 4 })));
        assert_eq!(matches(b"=?base64?w7w=?=", Text::plain("ü")), Some(true));
        assert_eq!(matches(b"=?base64??=", Text::plain("")), Some(true));
        assert_eq!(matches("ü".as_bytes(), Text::plain("ü")), None, "HDR-08");
        assert_eq!(matches(b"=?base64?=", Text::plain("=?base64?=")), Some(true), "too short to be the form");
    }
}
