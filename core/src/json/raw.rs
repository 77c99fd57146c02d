//! Walks a checked document without copying it.
//!
//! Everything here trusts that the scanner has passed the bytes: it looks for delimiters only. On bytes that
//! were never checked it may return nonsense, but it neither panics nor loops for ever.

use core::fmt;

use super::Text;

/// What a JSON value is, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// An object.
    Object,
    /// An array.
    Array,
    /// A string.
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// `null`.
    Null,
}

/// One value of a checked document, as it came: a span of the input that starts at the value's first byte
/// and ends after its last.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(&'a [u8]);

impl<'a> Raw<'a> {
    /// A span that the scanner has passed.
    pub(crate) const fn from_checked(span: &'a [u8]) -> Self {
        Raw(span)
    }

    /// The bytes as they came.
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// What the value is.
    pub fn kind(&self) -> ValueKind {
        match self.0.first() {
            Some(b'{') => ValueKind::Object,
            Some(b'[') => ValueKind::Array,
            Some(b'"') => ValueKind::String,
            Some(b't' | b'f') => ValueKind::Bool,
            Some(b'n') => ValueKind::Null,
            _ => ValueKind::Number,
        }
    }

    /// The text of a string; `None` for any other value.
    pub fn text(&self) -> Option<Text<'a>> {
        match self.0 {
            [b'"', inside @ .., b'"'] => Some(Text::from_wire(inside, inside.contains(&b'\\'))),
            _ => None,
        }
    }

    /// The members of an object in the order they came; empty for any other value.
    pub fn members(&self) -> Members<'a> {
        Members(Walk::inside(self.0, b'{'))
    }

    /// The elements of an array in order; empty for any other value.
    pub fn elements(&self) -> Elements<'a> {
        Elements(Walk::inside(self.0, b'['))
    }

    /// Whether the value is an object with a string of this name.
    pub(crate) fn has_string(self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.kind() == ValueKind::String)
    }

    /// The member of an object with this name, compared exactly and through escapes.
    pub fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.members().find(|(key, _)| *key == *name).map(|(_, value)| value)
    }
}

/// Shows the value as it was written. Meant for tests and for the host's own logs.
impl fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(core::str::from_utf8(self.0).unwrap_or("<raw>"))
    }
}

/// The members of an object; made by [`Raw::members`].
#[derive(Clone, Debug)]
pub struct Members<'a>(Walk<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Text<'a>, Raw<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.0.value()?.text()?;
        self.0.skip(b':');
        let value = self.0.value()?;
        self.0.skip(b',');
        Some((key, value))
    }
}

/// The elements of an array; made by [`Raw::elements`].
#[derive(Clone, Debug)]
pub struct Elements<'a>(Walk<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = Raw<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let value = self.0.value()?;
        self.0.skip(b',');
        Some(value)
    }
}

/// The rest of a container's inside.
#[derive(Clone, Debug)]
struct Walk<'a>(&'a [u8]);

impl<'a> Walk<'a> {
    fn inside(span: &'a [u8], open: u8) -> Self {
        match span {
            [first, inside @ .., _] if *first == open => Walk(inside),
            _ => Walk(&[]),
        }
    }

    /// Skips white space, and one `byte` if it comes next.
    fn skip(&mut self, byte: u8) {
        self.0 = self.0.trim_ascii_start();
        if let Some((&first, rest)) = self.0.split_first()
            && first == byte
        {
            self.0 = rest;
        }
    }

    /// Takes the next value.
    fn value(&mut self) -> Option<Raw<'a>> {
        let bytes = self.0.trim_ascii_start();
        let (value, rest) = bytes.split_at_checked(value_len(bytes))?;
        self.0 = rest;
        if value.is_empty() { None } else { Some(Raw(value)) }
    }
}

/// How long the value is that starts at the first byte.
pub(crate) fn value_len(bytes: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 2 + inside_len(bytes.get(at + 1..).unwrap_or_default());
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                if depth <= 1 {
                    return at + depth; // with no container open this bracket belongs to the parent
                }
                depth -= 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// How long the inside of a string is whose opening quote stands before the first byte.
pub(crate) fn inside_len(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}
