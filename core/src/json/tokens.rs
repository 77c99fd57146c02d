//! Goes through a checked document token by token, each byte once, for readers that keep their own stack.
//!
//! Like the walks of `raw`, it trusts that the scanner has passed the bytes; on others it may yield nonsense, but it
//! neither panics nor loops for ever.

use super::raw::value_len;
use super::{Raw, Text};

/// One token of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Token<'a> {
    /// `{` or `[`.
    Open(u8),
    /// `}` or `]`.
    Close,
    /// The name of a member.
    Key(Text<'a>),
    /// A string, a number or a literal.
    Scalar,
}

/// The rest of a document.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    /// From this place on, in bytes from the start: that of a token or of what separates two.
    pub(crate) const fn from(bytes: &'a [u8], at: usize) -> Self {
        Tokens { bytes, at }
    }

    /// Where the next token begins, past white space and what separates members.
    pub(crate) fn settle(&mut self) -> usize {
        while let Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') = self.bytes.get(self.at) {
            self.at += 1;
        }
        self.at
    }

    /// The first byte of the next token.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        let at = self.settle();
        self.bytes.get(at).copied()
    }

    /// Takes the next token; `None` at the end.
    pub(crate) fn take(&mut self) -> Option<Token<'a>> {
        let first = self.peek()?;
        match first {
            b'{' | b'[' => {
                self.at += 1;
                Some(Token::Open(first))
            }
            b'}' | b']' => {
                self.at += 1;
                Some(Token::Close)
            }
            _ => {
                let text = self.value().text();
                // Only a name is followed by a colon.
                match text {
                    Some(key) if self.before_colon() => Some(Token::Key(key)),
                    _ => Some(Token::Scalar),
                }
            }
        }
    }

    /// Takes the next value, whatever is inside of it.
    pub(crate) fn value(&mut self) -> Raw<'a> {
        let at = self.settle();
        let rest = self.bytes.get(at..).unwrap_or_default();
        let (value, _) = rest.split_at_checked(value_len(rest)).unwrap_or((rest, &[]));
        self.at = at.saturating_add(value.len().max(1)); // a byte that starts no value ends nothing
        Raw::from_checked(value)
    }

    fn before_colon(&self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        rest.trim_ascii_start().first() == Some(&b':')
    }
}
