//! Whether the `Mcp-Param-*` fields of a call say what its arguments say.

use core::cmp::Ordering;

use super::ParamHeaders;
use super::compile::same_name;
use crate::http::{Headers, decode_header_value, matches};
use crate::json::number::Decimal;
use crate::json::{Raw, Text, ValueKind};
use crate::limits::MAX_PARAM_NUMBER_BYTES;
use crate::reason::Reason;

impl ParamHeaders<'_> {
    /// Compares the fields of a call with its arguments, the parameters in the order of the schema; the first fault
    /// decides. Fields that the schema does not name are ignored (PRM-28).
    ///
    /// What is compared with is the value that the body has, whatever type the schema declares for it: an argument of
    /// the wrong type is no mismatch while the header agrees. `arguments` that are absent or `null` have no values.
    ///
    /// # Errors
    ///
    /// [`Reason::DuplicateHeader`] and [`Reason::TooManyParamHeaders`], which `admit` has found before;
    /// [`Reason::ParamHeaderMissing`], [`Reason::ParamHeaderUnexpected`], [`Reason::ParamMismatch`],
    /// [`Reason::ParamOutOfRange`], [`Reason::ParamNotPrimitive`], [`Reason::HeaderValue`].
    pub fn verify(&self, arguments: Option<Raw<'_>>, headers: &Headers<'_>) -> Result<(), Reason> {
        if headers.repeated {
            return Err(Reason::DuplicateHeader);
        }
        if headers.too_many_params {
            return Err(Reason::TooManyParamHeaders);
        }
        if self.is_empty() {
            return Ok(());
        }
        let found = self.resolve(arguments);
        for name in self.named() {
            let text = name.text(self.schema);
            let is = |field: &&(&[u8], &[u8])| same_name(text, field.0.iter().copied());
            let header = headers.params.iter().find(is).map(|(_, value)| *value);
            check(found.get(usize::from(name.step)).copied().flatten(), header)?;
        }
        Ok(())
    }
}

/// One argument and the header that mirrors it.
fn check(argument: Option<Raw<'_>>, header: Option<&[u8]>) -> Result<(), Reason> {
    let Some(argument) = argument.filter(|argument| argument.kind() != ValueKind::Null) else {
        return if header.is_some() { Err(Reason::ParamHeaderUnexpected) } else { Ok(()) };
    };
    let text = match argument.kind() {
        ValueKind::Number => return check_number(argument, header),
        ValueKind::Bool => Some(Text::plain(if argument.as_bytes().len() == 4 { "true" } else { "false" })),
        _ => argument.text(),
    };
    // An object or array has no header form, so nothing could make the header true (PRM-24).
    let text = text.ok_or(Reason::ParamNotPrimitive)?;
    match matches(header.ok_or(Reason::ParamHeaderMissing)?, text) {
        None => Err(Reason::HeaderValue),
        Some(true) => Ok(()),
        Some(false) => Err(Reason::ParamMismatch),
    }
}

/// A number agrees with a plain decimal of the same value, to the last digit (PRM-27). One that the header form cannot
/// carry is refused even where the header is missing as well (PRM-07).
fn check_number(argument: Raw<'_>, header: Option<&[u8]>) -> Result<(), Reason> {
    let value = Decimal::read(argument.as_bytes()).filter(in_range).ok_or(Reason::ParamOutOfRange)?;
    let mut room = [0; MAX_PARAM_NUMBER_BYTES];
    let decoded = match decode_header_value(header.ok_or(Reason::ParamHeaderMissing)?, &mut room) {
        None => return Err(Reason::HeaderValue),
        Some(Err(_)) => return Err(Reason::ParamMismatch),
        Some(Ok(len)) => room.get(..len).unwrap_or_default(),
    };
    let said = if is_plain_decimal(decoded) { Decimal::read(decoded) } else { None };
    if said.is_some_and(|said| same_value(&said, &value)) { Ok(()) } else { Err(Reason::ParamMismatch) }
}

/// An optional minus, digits without a needless zero in front, and perhaps a point and more digits.
fn is_plain_decimal(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, fraction) =
        match digits.iter().position(|&byte| byte == b'.').and_then(|at| digits.split_at_checked(at)) {
            Some((whole, rest)) => (whole, rest.get(1..).unwrap_or_default()),
            None => (digits, &b"0"[..]),
        };
    let is_number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number(whole) && is_number(fraction) && !matches!(whole, [b'0', _, ..])
}

fn same_value(a: &Decimal<'_>, b: &Decimal<'_>) -> bool {
    a.negative == b.negative && a.exponent == b.exponent && digits(a).eq(digits(b))
}

/// The digits of a number, the first not zero and the last neither.
pub(super) fn digits<'a>(number: &Decimal<'a>) -> impl Iterator<Item = u8> + use<'a> {
    let (whole, fraction) = number.digits();
    whole.iter().chain(fraction).copied()
}

/// Whether a number's magnitude is at most 2^53 - 1 (PRM-07).
pub(super) fn in_range(number: &Decimal<'_>) -> bool {
    match number.exponent.cmp(&15) {
        Ordering::Less => true,
        Ordering::Equal => digits(number).cmp(LARGEST.iter().copied()) != Ordering::Greater,
        Ordering::Greater => false,
    }
}

/// The digits of [`MAX_PARAM_INTEGER`](crate::limits::MAX_PARAM_INTEGER).
const LARGEST: &[u8; 16] = b"9007199254740991";

#[cfg(test)]
mod tests {
    use super::{LARGEST, is_plain_decimal};
    use crate::limits::MAX_PARAM_INTEGER;

    #[test]
    fn the_digits_are_those_of_the_limit() {
        let digits = core::str::from_utf8(LARGEST).ok().and_then(|digits| digits.parse().ok());
        assert_eq!(digits, Some(MAX_PARAM_INTEGER));
    }

    #[test]
    fn prm_27_only_plain_decimals_are_numbers() {
        for good in ["0", "-0", "42", "-42", "42.0", "42.50", "0.5", "9007199254740993"] {
            assert!(is_plain_decimal(good.as_bytes()), "{good}");
        }
        for bad in [
            "", "-", "+42", "042", "00", "-01", "4e1", "4E1", "42.", ".5", "1.2.3", "1_0", "0x1", " 1", "1 ", "--1",
            "٣",
        ] {
            assert!(!is_plain_decimal(bad.as_bytes()), "{bad}");
        }
    }
}
