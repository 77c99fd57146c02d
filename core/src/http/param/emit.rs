//! The `Mcp-Param-*` fields that a call must have.

use super::check::{digits, in_range};
use super::{PREFIX, ParamHeaders};
use crate::http::encode_text;
use crate::json::number::Decimal;
use crate::json::{Raw, Text, TooSmall, ValueKind, Writer};
use crate::limits::MAX_PARAM_HEADERS;
use crate::reason::Misuse;

impl<'s> ParamHeaders<'s> {
    /// The fields that mirror these arguments, in the order of the schema. An argument that is absent or `null` has
    /// none (PRM-12); nor has any where `arguments` is absent or no object.
    ///
    /// # Errors
    ///
    /// An argument that no header can carry, which the host has to keep from being called with:
    /// [`Misuse::ParamNotPrimitive`] (an object, an array or a fraction), [`Misuse::ParamOutOfRange`] (PRM-07),
    /// [`Misuse::ParamSurrogate`].
    pub fn emit<'a>(&self, arguments: Option<Raw<'a>>) -> Result<ParamFields<'s, 'a>, Misuse> {
        let found = self.resolve(arguments);
        let mut values = [None; MAX_PARAM_HEADERS];
        for (name, slot) in self.named().iter().zip(&mut values) {
            if let Some(argument) = found.get(usize::from(name.step)).copied().flatten() {
                *slot = Value::of(argument)?;
            }
        }
        Ok(ParamFields { headers: *self, values, at: 0 })
    }
}

/// What a header carries.
#[derive(Clone, Copy, Debug)]
enum Value<'a> {
    Text(Text<'a>),
    Integer(i64),
}

impl<'a> Value<'a> {
    /// `None` for `null`.
    fn of(argument: Raw<'a>) -> Result<Option<Self>, Misuse> {
        match argument.kind() {
            ValueKind::Null => return Ok(None),
            ValueKind::Bool => {
                let text = if argument.as_bytes().len() == 4 { "true" } else { "false" };
                return Ok(Some(Value::Text(Text::plain(text))));
            }
            ValueKind::Number => return integer(argument).map(|value| Some(Value::Integer(value))),
            _ => {}
        }
        let text = argument.text().ok_or(Misuse::ParamNotPrimitive)?;
        if text.has_lone_surrogate() { Err(Misuse::ParamSurrogate) } else { Ok(Some(Value::Text(text))) }
    }
}

/// The exact value of a whole number, however it is spelt: `1e3` is 1000, `42.0` is 42.
fn integer(argument: Raw<'_>) -> Result<i64, Misuse> {
    let number = Decimal::read(argument.as_bytes()).filter(in_range).ok_or(Misuse::ParamOutOfRange)?;
    // The first digit counts ten to the exponent, so a whole number has no more digits than these.
    let places = usize::try_from(number.exponent.saturating_add(1)).unwrap_or_default();
    if number.count() > places {
        return Err(Misuse::ParamNotPrimitive);
    }
    // In range, it has at most 16 places.
    let padded = digits(&number).chain(core::iter::repeat(b'0'));
    let places = if number.count() == 0 { 0 } else { places };
    let value = padded
        .take(places)
        .fold(0i64, |value, digit| value.wrapping_mul(10).wrapping_add(i64::from(digit.wrapping_sub(b'0'))));
    Ok(if number.negative { -value } else { value })
}

/// The fields of one call; made by [`ParamHeaders::emit`].
#[derive(Clone, Debug)]
pub struct ParamFields<'s, 'a> {
    headers: ParamHeaders<'s>,
    values: [Option<Value<'a>>; MAX_PARAM_HEADERS],
    at: usize,
}

impl<'s, 'a> Iterator for ParamFields<'s, 'a> {
    type Item = ParamField<'s, 'a>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let name = self.headers.named().get(self.at)?;
            let value = self.values.get(self.at).copied().flatten();
            self.at += 1;
            if let Some(value) = value {
                return Some(ParamField { name: ParamName(name.text(self.headers.schema)), value });
            }
        }
    }
}

/// The name of a header field; made by [`ParamHeaders::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamName<'s>(pub(super) Text<'s>);

impl<'s> ParamName<'s> {
    /// The value of `x-mcp-header`: an RFC 9110 token, perhaps spelt with JSON escapes.
    pub const fn token(&self) -> Text<'s> {
        self.0
    }

    /// Writes the whole name: `Mcp-Param-` and the token (PRM-01).
    ///
    /// # Errors
    ///
    /// [`TooSmall`] with the size that `out` needs.
    pub fn emit(&self, out: &mut [u8]) -> Result<usize, TooSmall> {
        let mut writer = Writer::new(out);
        writer.raw(PREFIX.as_bytes());
        self.0.bytes().for_each(|byte| writer.raw(&[byte]));
        writer.finish()
    }
}

/// One header field of a call.
#[derive(Clone, Copy, Debug)]
pub struct ParamField<'s, 'a> {
    name: ParamName<'s>,
    value: Value<'a>,
}

impl<'s> ParamField<'s, '_> {
    /// The field's name.
    pub const fn name(&self) -> ParamName<'s> {
        self.name
    }

    /// Writes the field's value: a string plain or in the Base64 form, an integer in decimal, a boolean in lower case
    /// (PRM-16 to PRM-20).
    ///
    /// # Errors
    ///
    /// [`TooSmall`] with the size that `out` needs.
    pub fn emit_value(&self, out: &mut [u8]) -> Result<usize, TooSmall> {
        match self.value {
            Value::Text(text) => encode_text(text, out),
            Value::Integer(value) => {
                let mut writer = Writer::new(out);
                writer.integer(value);
                writer.finish()
            }
        }
    }
}
