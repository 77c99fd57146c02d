//! The common spelling of values.

use std::fmt::Write;

/// Appends a string, given as code points, which may be unpaired surrogates.
pub fn string(out: &mut String, points: impl IntoIterator<Item = u32>) {
    out.push('"');
    for point in points {
        match point {
            0x22 => out.push_str("\\\""),
            0x5C => out.push_str("\\\\"),
            0x0A => out.push_str("\\n"),
            0x0D => out.push_str("\\r"),
            0x09 => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            0x20..0x7F => out.push(point as u8 as char),
            0x1_0000.. => {
                let low = point - 0x1_0000;
                let _ = write!(out, "\\u{:04x}\\u{:04x}", 0xD800 + (low >> 10), 0xDC00 + (low & 0x3FF));
            }
            _ => {
                let _ = write!(out, "\\u{point:04x}");
            }
        }
    }
    out.push('"');
}

/// Appends a number.
pub fn number(out: &mut String, text: &str) {
    let _ = write!(out, "{{\"n\":\"{text}\"}}");
}

/// Whether a spelling holds an unpaired surrogate.
pub fn has_lone_surrogate(spelling: &str) -> bool {
    let mut rest = spelling.as_bytes();
    let unit = |bytes: &[u8]| -> Option<u32> {
        let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    while let Some(&first) = rest.first() {
        match unit(rest) {
            Some(0xD800..0xDC00) => match unit(&rest[6..]) {
                Some(0xDC00..0xE000) => rest = &rest[12..],
                _ => return true,
            },
            Some(0xDC00..0xE000) => return true,
            Some(_) => rest = &rest[6..],
            None => rest = &rest[if first == b'\\' { 2 } else { 1 }..],
        }
    }
    false
}
