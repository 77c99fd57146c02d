//! The W3C formats of `traceparent`, `tracestate` and `baggage` in `_meta` (META-15, META-16).
//!
//! A value that breaks its format is dropped, as W3C Trace Context asks; it never fails the call.

use core::iter::Peekable;

use heapless::Vec;

use crate::json::{Bytes, Text};
use crate::limits::{MAX_BAGGAGE_BYTES, MAX_BAGGAGE_MEMBERS, MAX_TRACESTATE_MEMBERS};

/// The trace context of a message: each value well formed, or absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceContext<'a> {
    /// W3C Trace Context, `traceparent`.
    pub traceparent: Option<Text<'a>>,
    /// W3C Trace Context, `tracestate`; absent where there is no valid `traceparent`.
    pub tracestate: Option<Text<'a>>,
    /// W3C Baggage.
    pub baggage: Option<Text<'a>>,
}

impl<'a> TraceContext<'a> {
    pub(crate) fn read(parent: Option<Text<'a>>, state: Option<Text<'a>>, baggage: Option<Text<'a>>) -> Self {
        let traceparent = parent.filter(|text| is_traceparent(*text));
        let tracestate = state.filter(|text| traceparent.is_some() && is_tracestate(*text));
        TraceContext { traceparent, tracestate, baggage: baggage.filter(|text| is_baggage(*text)) }
    }
}

/// W3C Trace Context, 3.2: `version "-" trace-id "-" parent-id "-" flags`, in lower-case hexadecimal. A version
/// after 00 may append more behind a further hyphen.
fn is_traceparent(text: Text<'_>) -> bool {
    let mut bytes = text.bytes();
    let mut field = |digits: usize, hyphen: bool| {
        let (mut zero, mut all_f) = (true, true);
        for _ in 0..digits {
            match bytes.next()? {
                digit @ (b'0'..=b'9' | b'a'..=b'f') => {
                    zero &= digit == b'0';
                    all_f &= digit == b'f';
                }
                _ => return None,
            }
        }
        if hyphen && bytes.next() != Some(b'-') { None } else { Some((zero, all_f)) }
    };
    let Some((version_zero, version_ff)) = field(2, true) else { return false };
    let ids_ok = matches!(field(32, true), Some((false, _))) && matches!(field(16, true), Some((false, _)));
    if version_ff || !ids_ok || field(2, false).is_none() {
        return false;
    }
    match bytes.next() {
        None => true,
        Some(next) => !version_zero && next == b'-',
    }
}

/// Skips optional white space.
fn skip_blanks(bytes: &mut Peekable<Bytes<'_>>) {
    while bytes.next_if(|byte| matches!(byte, b' ' | b'\t')).is_some() {}
}

/// W3C Trace Context, 3.3: members `key=value` separated by commas, at most 32, no key twice; members may be
/// empty.
fn is_tracestate(text: Text<'_>) -> bool {
    let mut bytes = text.bytes().peekable();
    let mut keys: Vec<Peekable<Bytes<'_>>, MAX_TRACESTATE_MEMBERS> = Vec::new();
    loop {
        skip_blanks(&mut bytes);
        if !matches!(bytes.peek(), None | Some(b',')) {
            let start = bytes.clone();
            let same = |other: &Peekable<Bytes<'_>>| until_equals(other.clone()).eq(until_equals(start.clone()));
            if keys.iter().any(same) || !state_key(&mut bytes) || !state_value(&mut bytes) || keys.push(start).is_err()
            {
                return false;
            }
        }
        match bytes.next() {
            None => return true,
            Some(b',') => {}
            Some(_) => return false,
        }
    }
}

fn until_equals(bytes: Peekable<Bytes<'_>>) -> impl Iterator<Item = u8> {
    bytes.take_while(|&byte| byte != b'=')
}

/// A key begins with a small letter or digit and has at most 256 characters. Takes the equals sign too.
fn state_key(bytes: &mut Peekable<Bytes<'_>>) -> bool {
    if !matches!(bytes.next(), Some(b'a'..=b'z' | b'0'..=b'9')) {
        return false;
    }
    let mut len = 1;
    loop {
        match bytes.next() {
            Some(b'=') => return len <= 256,
            Some(b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'*' | b'/' | b'@') => len += 1,
            _ => return false,
        }
    }
}

/// A value has 1 to 256 printable ASCII characters other than comma and equals sign, the last no space.
fn state_value(bytes: &mut Peekable<Bytes<'_>>) -> bool {
    let (mut len, mut significant) = (0, 0);
    while let Some(byte) = bytes.next_if(|byte| matches!(byte, 0x20..=0x2B | 0x2D..=0x3C | 0x3E..=0x7E)) {
        len += 1;
        if byte != b' ' {
            significant = len;
        }
    }
    // Blanks at the end belong to the separator, not to the value.
    skip_blanks(bytes);
    significant > 0 && significant <= 256
}

/// W3C Baggage, 3.2: members `key=value;property`, separated by commas.
fn is_baggage(text: Text<'_>) -> bool {
    if text.decoded_len() > MAX_BAGGAGE_BYTES {
        return false;
    }
    let mut bytes = text.bytes().peekable();
    let mut members = 0;
    loop {
        members += 1;
        if members > MAX_BAGGAGE_MEMBERS || !pair(&mut bytes, true) {
            return false;
        }
        while bytes.next_if_eq(&b';').is_some() {
            if !pair(&mut bytes, false) {
                return false;
            }
        }
        match bytes.next() {
            None => return true,
            Some(b',') => {}
            Some(_) => return false,
        }
    }
}

/// `key = value` with blanks around each; the value may be missing in a property.
fn pair(bytes: &mut Peekable<Bytes<'_>>, value_required: bool) -> bool {
    skip_blanks(bytes);
    let mut key = false;
    while bytes.next_if(|&byte| is_tchar(byte)).is_some() {
        key = true;
    }
    skip_blanks(bytes);
    if bytes.next_if_eq(&b'=').is_none() {
        return key && !value_required;
    }
    skip_blanks(bytes);
    while bytes.next_if(|byte| matches!(byte, 0x21 | 0x23..=0x2B | 0x2D..=0x3A | 0x3C..=0x5B | 0x5D..=0x7E)).is_some() {
    }
    skip_blanks(bytes);
    key
}

/// RFC 9110, 5.6.2: `tchar`.
pub(crate) fn is_tchar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::{is_baggage, is_traceparent, is_tracestate};
    use crate::json::Text;
    use std::string::String;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    #[test]
    fn meta_16_traceparent() {
        let ok = |text: &str| is_traceparent(Text::plain(text));
        assert!(ok(PARENT));
        assert!(ok("cc-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-what-the-future-adds"));
        for bad in [
            "abc",
            "",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "ff-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
            "00-0AF7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
            "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-1",
            "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-x",
            "cc-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01x",
            "00_0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
        ] {
            assert!(!ok(bad), "{bad}");
        }
    }

    #[test]
    fn meta_15_tracestate() {
        let ok = |text: &str| is_tracestate(Text::plain(text));
        for good in
            ["a=1", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "a=1 , b=2", "", "a=1,,b=2", "1@x=v", "a= b", "a=b "]
        {
            assert!(ok(good), "{good:?}");
        }
        for bad in ["a", "a=", "=1", "A=1", "a=1,a=2", "a=b=c", "a =1", "a=é", "a=  "] {
            assert!(!ok(bad), "{bad:?}");
        }
        let many = |n: usize| (0..n).fold(String::new(), |text, i| text + &std::format!("k{i}=v,"));
        assert!(ok(&many(32)));
        assert!(!ok(&many(33)));
        let long = |n: usize| String::from("a=") + &"v".repeat(n);
        assert!(ok(&long(256)));
        assert!(!ok(&long(257)));
        assert!(is_tracestate(Text::from_wire(b"t\\/x=1,b=2", true)), "an escaped slash is a slash");
        assert!(!is_tracestate(Text::from_wire(b"a=1,\\u0061=2", true)), "the same key in other spelling");
    }

    #[test]
    fn meta_15_baggage() {
        let ok = |text: &str| is_baggage(Text::plain(text));
        for good in ["a=1", "a=1,b=2", "a=1;p;q=2 , b = 3", "a=", "k=%20x"] {
            assert!(ok(good), "{good:?}");
        }
        for bad in ["", "a", "=1", "a=1,", "a=1;", "a=\"x\"", "a=ü", "a b=1", "a=1 2"] {
            assert!(!ok(bad), "{bad:?}");
        }
        let long = |n: usize| String::from("a=") + &"v".repeat(n - 2);
        assert!(ok(&long(8192)));
        assert!(!ok(&long(8193)));
        let many = |n: usize| (1..n).fold(String::from("a=1"), |text, _| text + ",a=1");
        assert!(ok(&many(180)));
        assert!(!ok(&many(181)));
    }
}
