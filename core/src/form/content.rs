//! What a person filled in, against the form that was asked (ELIC-21, ELIC-23).

use super::format::Format;
use super::schema::{Field, Form, Options, number};
use crate::json::{Raw, Text, ValueKind};
use crate::limits::MAX_FORM_ITEMS;
use crate::reason::{Misuse, Reason};

/// Why content does not answer a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentError<'a> {
    /// The content is at fault.
    Refused {
        /// What is wrong.
        reason: Reason,
        /// The member that is; `None` where it is the content itself.
        member: Option<Text<'a>>,
    },
    /// The host's own schema is.
    Misuse(Misuse),
}

/// Checks the `content` of an accepted elicitation against the `requestedSchema` that was asked with: both are checked
/// values. Values are compared exactly: lengths in code points, numbers by their digits.
///
/// A member that the schema does not name passes if its value is one that content can have, unless the schema says
/// `"additionalProperties": false`.
///
/// # Errors
///
/// [`ContentError`]. The faults of the content are those of [`Reason`] that begin with `form-`.
pub fn check_content<'a>(schema: Raw<'a>, content: Raw<'a>) -> Result<(), ContentError<'a>> {
    let form = Form::read(schema).map_err(|error| ContentError::Misuse(error.fault))?;
    let refused = |reason, member| Err(ContentError::Refused { reason, member });
    if content.kind() != ValueKind::Object {
        return refused(Reason::FormContent, None);
    }
    let mut seen = 0u128; // one bit for each required name: as many as a form can have
    for (name, value) in content.members() {
        for (bit, _) in (0u32..128).zip(form.required()).filter(|(_, required)| *required == name) {
            seen |= 1 << bit;
        }
        let checked = match form.property(name) {
            Some(property) => match Field::read(property) {
                Ok(field) => field.check(value),
                Err(fault) => return Err(ContentError::Misuse(fault)),
            },
            None if form.open => check_foreign(value),
            None => Err(Reason::FormUnknown),
        };
        if let Err(reason) = checked {
            return refused(reason, Some(name));
        }
    }
    match (0u32..128).zip(form.required()).find(|(bit, _)| seen >> bit & 1 == 0) {
        Some((_, missing)) => refused(Reason::FormMissing, Some(missing)),
        None => Ok(()),
    }
}

/// Whether the form has a member that must be filled in.
pub(crate) fn requires_content(schema: Raw<'_>) -> bool {
    Form::read(schema).is_ok_and(|form| form.required().next().is_some())
}

/// Content holds strings, numbers, booleans and lists of strings, and nothing else (ELIC-21).
fn check_foreign(value: Raw<'_>) -> Result<(), Reason> {
    match value.kind() {
        ValueKind::String | ValueKind::Number | ValueKind::Bool => Ok(()),
        ValueKind::Array if value.elements().all(|one| one.kind() == ValueKind::String) => Ok(()),
        _ => Err(Reason::FormType),
    }
}

impl Field<'_> {
    /// Checks one value.
    pub(super) fn check(&self, value: Raw<'_>) -> Result<(), Reason> {
        match *self {
            Field::Text { min, max, format } => check_text(value.text().ok_or(Reason::FormType)?, min, max, format),
            Field::Choice(options) => check_option(value, options),
            Field::Number { integer, min, max } => check_number(value, integer, min, max),
            Field::Flag if value.kind() == ValueKind::Bool => Ok(()),
            Field::Flag => Err(Reason::FormType),
            Field::Choices { options, min, max } => {
                if value.kind() != ValueKind::Array {
                    return Err(Reason::FormType);
                }
                let count = value.elements().count();
                if count > MAX_FORM_ITEMS || !within(count, min, max) {
                    return Err(Reason::FormCount);
                }
                value.elements().try_for_each(|one| check_option(one, options))
            }
        }
    }
}

fn check_text(
    text: Text<'_>,
    min: Option<Raw<'_>>,
    max: Option<Raw<'_>>,
    format: Option<Format>,
) -> Result<(), Reason> {
    if text.has_lone_surrogate() {
        return Err(Reason::LoneSurrogate);
    }
    // Code points: every byte but those that continue one.
    let length = text.bytes().filter(|byte| byte & 0xC0 != 0x80).count();
    if !within(length, min, max) {
        return Err(Reason::FormLength);
    }
    if format.is_none_or(|format| format.fits(text)) { Ok(()) } else { Err(Reason::FormFormat) }
}

fn check_option(value: Raw<'_>, options: Options<'_>) -> Result<(), Reason> {
    let text = value.text().ok_or(Reason::FormType)?;
    if options.has(text) { Ok(()) } else { Err(Reason::FormOption) }
}

fn check_number(value: Raw<'_>, integer: bool, min: Option<Raw<'_>>, max: Option<Raw<'_>>) -> Result<(), Reason> {
    if value.kind() != ValueKind::Number {
        return Err(Reason::FormType);
    }
    let value = number(value).ok_or(Reason::NumberTooLarge)?;
    if integer && !value.is_integer() {
        return Err(Reason::FormType);
    }
    let low = min.and_then(number).is_none_or(|min| min <= value);
    let high = max.and_then(number).is_none_or(|max| value <= max);
    if low && high { Ok(()) } else { Err(Reason::FormRange) }
}

/// Whether a count lies between two bounds, which the grammar has found to be natural numbers.
fn within(count: usize, min: Option<Raw<'_>>, max: Option<Raw<'_>>) -> bool {
    let natural = |bound: Raw<'_>| number(bound).and_then(|bound| bound.natural());
    let count = count as u64;
    min.and_then(natural).is_none_or(|min| min <= count) && max.and_then(natural).is_none_or(|max| count <= max)
}
