//! WireSeal's reader: its verdict, and its value by walking what it checked.

use wireseal::json::{Raw, Text, ValueKind};

use crate::spell;

/// The code points of a text. WireSeal hands out generalised UTF-8: an unpaired surrogate as three bytes.
fn points(text: Text<'_>) -> Vec<u32> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(first) = bytes.next() {
        let (mut point, more) = match first {
            0..0x80 => (u32::from(first), 0),
            0xC0..0xE0 => (u32::from(first & 0x1F), 1),
            0xE0..0xF0 => (u32::from(first & 0x0F), 2),
            _ => (u32::from(first & 0x07), 3),
        };
        for _ in 0..more {
            point = point << 6 | u32::from(bytes.next().expect("a continuation byte") & 0x3F);
        }
        out.push(point);
    }
    out
}

fn text(out: &mut String, text: Text<'_>) {
    let points = points(text);
    // The other ways to the same text agree with this one.
    let lone = points.iter().any(|point| (0xD800..0xE000).contains(point));
    assert_eq!(text.has_lone_surrogate(), lone, "has_lone_surrogate of {text:?}");
    let bytes: Vec<u8> = text.bytes().collect();
    assert_eq!(text.decoded_len(), bytes.len(), "decoded_len of {text:?}");
    let mut room = vec![0u8; bytes.len()];
    assert_eq!(text.decode(&mut room).map(|out| &*out), Some(&*bytes), "decode of {text:?}");
    if let Some(short) = bytes.len().checked_sub(1) {
        assert!(text.decode(&mut vec![0u8; short]).is_none(), "decode of {text:?} without the room");
    }
    match text.as_str() {
        Some(plain) => assert_eq!(plain.as_bytes(), bytes, "as_str of {text:?}"),
        None => assert!(text.is_escaped(), "as_str of {text:?}"),
    }
    assert_eq!(text, *bytes, "equality of {text:?}");
    spell::string(out, points);
}

/// How a number is spelt.
pub type Number = fn(&mut String, &str);

/// Appends a value. Recurses, which the limit on nesting allows a test to do.
fn value(out: &mut String, raw: Raw<'_>, number: Number) {
    match raw.kind() {
        ValueKind::Object => {
            out.push_str("{\"o\":[");
            for (index, (name, member)) in raw.members().enumerate() {
                out.push_str(if index > 0 { ",[" } else { "[" });
                text(out, name);
                out.push(',');
                value(out, member, number);
                out.push(']');
            }
            out.push_str("]}");
        }
        ValueKind::Array => {
            out.push('[');
            for (index, element) in raw.elements().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                value(out, element, number);
            }
            out.push(']');
        }
        ValueKind::String => text(out, raw.text().expect("a string has text")),
        ValueKind::Number => number(out, std::str::from_utf8(raw.as_bytes()).expect("digits are ASCII")),
        ValueKind::Bool | ValueKind::Null => {
            out.push_str(std::str::from_utf8(raw.as_bytes()).expect("a literal is ASCII"));
        }
    }
}

/// A value in the common spelling, with numbers spelt by `number`.
pub fn spelling(raw: Raw<'_>, number: Number) -> String {
    let mut out = String::new();
    value(&mut out, raw, number);
    out
}
