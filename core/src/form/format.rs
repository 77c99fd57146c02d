//! The four formats that a text field can ask for (ELIC-09).

use crate::json::Text;

/// A format of JSON Schema 2020-12 (Validation, 7.3).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Email,
    Uri,
    Date,
    DateTime,
}

/// The longest date-time that is read, in bytes: no clock measures more than a dozen decimals of a second.
const MAX_DATE_TIME: usize = 64;
/// The longest email address, in bytes (RFC 5321, 4.5.3.1.3, without the angle brackets).
const MAX_EMAIL: usize = 254;

impl Format {
    pub(super) fn find(name: Text<'_>) -> Option<Self> {
        let known =
            [("email", Format::Email), ("uri", Format::Uri), ("date", Format::Date), ("date-time", Format::DateTime)];
        known.into_iter().find(|(format, _)| name == **format).map(|(_, format)| format)
    }

    pub(super) fn fits(self, text: Text<'_>) -> bool {
        let mut buffer = [0u8; MAX_EMAIL];
        let short = |text: Text<'_>, buffer: &mut [u8], fits: fn(&[u8]) -> bool| {
            let mut len = 0;
            for byte in text.bytes() {
                let Some(slot) = buffer.get_mut(len) else { return false };
                *slot = byte;
                len += 1;
            }
            buffer.get(..len).is_some_and(fits)
        };
        match self {
            Format::Email => short(text, &mut buffer, is_email),
            Format::Date => short(text, &mut buffer, is_date),
            Format::DateTime => short(text, buffer.get_mut(..MAX_DATE_TIME).unwrap_or_default(), is_date_time),
            Format::Uri => is_uri(text),
        }
    }
}

/// A mailbox without quotes and without address literals (RFC 5321, 4.1.2: Dot-string and Domain).
fn is_email(text: &[u8]) -> bool {
    let Some(at) = text.iter().rposition(|&byte| byte == b'@') else { return false };
    let (Some(local), Some(domain)) = (text.get(..at), text.get(at + 1..)) else { return false };
    let atom = |part: &[u8]| {
        !part.is_empty()
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(byte))
    };
    let label = |part: &[u8]| {
        part.len() <= 63
            && part.first().is_some_and(u8::is_ascii_alphanumeric)
            && part.last().is_some_and(u8::is_ascii_alphanumeric)
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    local.len() <= 64 && local.split(|&byte| byte == b'.').all(atom) && domain.split(|&byte| byte == b'.').all(label)
}

/// `full-date` of RFC 3339, 5.6: a day that the calendar has.
fn is_date(text: &[u8]) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return false };
    let (Some(year), Some(month), Some(day)) =
        (decimal(&[*y1, *y2, *y3, *y4]), decimal(&[*m1, *m2]), decimal(&[*d1, *d2]))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// `date-time` of RFC 3339, 5.6. A leap second is one where it is 23:59:60 in UTC.
fn is_date_time(text: &[u8]) -> bool {
    let Some((date, rest)) = text.split_at_checked(10) else { return false };
    let [b'T' | b't', h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = rest else { return false };
    let (Some(hour), Some(minute), Some(second)) = (decimal(&[*h1, *h2]), decimal(&[*m1, *m2]), decimal(&[*s1, *s2]))
    else {
        return false;
    };
    let zone = match rest {
        [b'.', digits @ ..] => {
            let len = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match digits.get(len..) {
                Some(zone) if len > 0 => zone,
                _ => return false,
            }
        }
        zone => zone,
    };
    let offset = match zone {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => match (decimal(&[*h1, *h2]), decimal(&[*m1, *m2])) {
            (Some(hours @ 0..=23), Some(minutes @ 0..=59)) => {
                let minutes = i32::from(hours) * 60 + i32::from(minutes);
                if *sign == b'-' { -minutes } else { minutes }
            }
            _ => return false,
        },
        _ => return false,
    };
    let utc = (i32::from(hour) * 60 + i32::from(minute) - offset).rem_euclid(24 * 60);
    is_date(date) && hour < 24 && minute < 60 && (second < 60 || (second == 60 && utc == 24 * 60 - 1))
}

fn decimal(digits: &[u8]) -> Option<u16> {
    digits.iter().try_fold(0u16, |value, digit| {
        if digit.is_ascii_digit() { value.checked_mul(10)?.checked_add(u16::from(digit - b'0')) } else { None }
    })
}

/// A URI with a scheme (RFC 3986, 3), by its characters: which of them stand where inside an authority is left to
/// whoever resolves it.
pub(crate) fn is_uri(text: Text<'_>) -> bool {
    let mut scheme = 0usize; // how many characters of the scheme have passed
    let mut colon = false;
    let mut rest = false;
    let mut fragment = false;
    let mut percent = 0u8; // how many hexadecimal digits are due
    for byte in text.bytes() {
        let fits = match byte {
            _ if percent > 0 => byte.is_ascii_hexdigit(),
            b'%' => colon,
            b'#' => colon && !fragment,
            _ if colon => byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=".contains(&byte),
            b':' => scheme > 0,
            b'a'..=b'z' | b'A'..=b'Z' => true,
            b'0'..=b'9' | b'+' | b'-' | b'.' => scheme > 0,
            _ => false,
        };
        if !fits {
            return false;
        }
        percent = if byte == b'%' { 2 } else { percent.saturating_sub(1) };
        fragment |= byte == b'#';
        rest = colon;
        colon |= byte == b':';
        scheme = scheme.saturating_add(1);
    }
    rest && percent == 0
}
