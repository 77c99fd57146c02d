//! The exact value of a JSON number, by its digits: no float is ever made of it.

use core::cmp::Ordering;

use crate::limits::MAX_EXPONENT;

/// A number's value, however it was spelt: sign, digits without zeros at either end, and the power of ten of
/// the first digit. Zero has no digits, no sign and exponent 0.
///
/// The digits stay where they are in the document, so they come in two pieces: those before the decimal point
/// and those after.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal<'a> {
    /// Below zero. `-0` is zero.
    pub(crate) negative: bool,
    /// The value is d.ddd times ten to this power; at most [`MAX_EXPONENT`] in magnitude.
    pub(crate) exponent: i32,
    whole: &'a [u8],
    fraction: &'a [u8],
}

impl<'a> Decimal<'a> {
    /// Reads a number that the scanner has passed. `None` when its exponent is beyond [`MAX_EXPONENT`].
    pub(crate) fn read(number: &'a [u8]) -> Option<Self> {
        let (negative, number) = match number {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, number),
        };
        let (mantissa, power) = match cut(number, |byte| byte | 0x20 == b'e') {
            Some((mantissa, power)) => (mantissa, written_exponent(power)),
            None => (number, 0),
        };
        let (whole, fraction) = cut(mantissa, |byte| byte == b'.').unwrap_or((mantissa, &[]));
        let whole = trim_start(whole);
        let fraction = trim_end(fraction);
        let (whole, fraction, place) = if whole.is_empty() {
            let digits = trim_start(fraction);
            (whole, digits, -1 - (fraction.len() - digits.len()) as i64)
        } else if fraction.is_empty() {
            (trim_end(whole), fraction, whole.len() as i64 - 1)
        } else {
            (whole, fraction, whole.len() as i64 - 1)
        };
        if whole.is_empty() && fraction.is_empty() {
            return Some(Decimal { negative: false, exponent: 0, whole, fraction });
        }
        let exponent = power.saturating_add(place);
        if !(-MAX_EXPONENT..=MAX_EXPONENT).contains(&exponent) {
            return None;
        }
        Some(Decimal { negative, exponent: exponent as i32, whole, fraction })
    }

    /// The digits, first those before the decimal point.
    pub(crate) fn digits(&self) -> (&'a [u8], &'a [u8]) {
        (self.whole, self.fraction)
    }

    /// How many digits there are; 0 for zero.
    pub(crate) fn count(&self) -> usize {
        self.whole.len() + self.fraction.len()
    }
}

impl Decimal<'_> {
    /// Whether the value is a whole number, however it was spelt.
    pub(crate) fn is_integer(&self) -> bool {
        // The last digit is not zero: it must stand before the decimal point.
        i64::try_from(self.count()).is_ok_and(|count| count <= i64::from(self.exponent).saturating_add(1).max(0))
    }

    /// The value of a whole number that is not negative; one beyond `u64` becomes its largest.
    pub(crate) fn natural(&self) -> Option<u64> {
        if self.negative || !self.is_integer() {
            return None;
        }
        if self.count() == 0 {
            return Some(0);
        }
        if self.exponent > 19 {
            return Some(u64::MAX);
        }
        let mut value = 0u64;
        let mut digits = self.whole.iter().chain(self.fraction);
        for _ in 0..=self.exponent {
            let digit = digits.next().map_or(0, |digit| u64::from(digit.wrapping_sub(b'0')));
            value = value.saturating_mul(10).saturating_add(digit);
        }
        Some(value)
    }
}

/// The order of the values.
impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        // Zero has no digits and exponent 0: where it stands is told by its sign among -1, 0 and 1.
        let sign = |number: &Self| match (number.count(), number.negative) {
            (0, _) => 0i8,
            (_, true) => -1,
            _ => 1,
        };
        let magnitude = || {
            let digits = self.whole.iter().chain(self.fraction);
            self.exponent.cmp(&other.exponent).then_with(|| digits.cmp(other.whole.iter().chain(other.fraction)))
        };
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => magnitude(),
            _ => magnitude().reverse(),
        })
    }
}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal<'_> {}

#[cfg(feature = "interop")]
impl Decimal<'_> {
    /// Whether the value is exactly one.
    pub(crate) fn is_one(&self) -> bool {
        !self.negative && self.exponent == 0 && self.whole.iter().chain(self.fraction).eq(b"1")
    }

    /// The value times 1000, rounded down and rounded up; what lies outside of `u64` becomes its nearest end.
    /// Seconds become milliseconds so.
    pub(crate) fn thousandfold(&self) -> (u64, u64) {
        if self.negative || self.count() == 0 {
            return (0, 0);
        }
        let places = i64::from(self.exponent) + 4; // digits before the decimal point after the multiplication
        if places > 20 {
            return (u64::MAX, u64::MAX);
        }
        let mut floor = 0u64;
        let mut digits = self.whole.iter().chain(self.fraction);
        for _ in 0..places.max(0) {
            let digit = digits.next().map_or(0, |digit| u64::from(digit.wrapping_sub(b'0')));
            match floor.checked_mul(10).and_then(|tens| tens.checked_add(digit)) {
                Some(value) => floor = value,
                None => return (u64::MAX, u64::MAX),
            }
        }
        // No digit is left but for a rest: the last one is not zero.
        (floor, if digits.next().is_some() { floor.saturating_add(1) } else { floor })
    }
}

/// The exponent as written, with what is beyond all sense cut off.
fn written_exponent(text: &[u8]) -> i64 {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut value = 0i64;
    for digit in digits {
        value = value.saturating_mul(10).saturating_add(i64::from(digit.wrapping_sub(b'0')));
    }
    // Far beyond any exponent that the digits of a body could bring back into range, and far from overflow.
    let value = value.min(1 << 40);
    if negative { -value } else { value }
}

/// Cuts at the first byte that fits; that byte is in neither piece.
fn cut(bytes: &[u8], fits: impl Fn(u8) -> bool) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|&byte| fits(byte))?;
    let (head, tail) = bytes.split_at_checked(at)?;
    Some((head, tail.get(1..)?))
}

fn trim_start(mut digits: &[u8]) -> &[u8] {
    while let [b'0', rest @ ..] = digits {
        digits = rest;
    }
    digits
}

fn trim_end(mut digits: &[u8]) -> &[u8] {
    while let [rest @ .., b'0'] = digits {
        digits = rest;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    /// Each row is one value: `RS-13`, equal exactly when the value is.
    const SAME: &[&[&str]] = &[
        &["0", "-0", "0.0", "-0.000", "0e0", "0E+99999999999999999999", "-0.0e-7"],
        &["1", "1.0", "10e-1", "0.1e1", "1e0", "1E+0", "100000000000000000000e-20", "0.00001e5"],
        &["-1", "-1.0", "-10e-1"],
        &["9007199254740992", "9007199254740992.0", "9.007199254740992e15"],
        &["9007199254740993", "9007199254740993.000"],
        &["120", "1.2e2", "12E1", "120.00", "0.012e4"],
        &["0.1", "1e-1", "0.10", "10e-2"],
        &["101.01", "10101e-2"],
        &["1e1000000", "10e999999", "0.01e1000002"],
        &["1e-1000000", "0.1e-999999", "100e-1000002"],
    ];

    fn value(text: &str) -> Option<(bool, i32, std::string::String)> {
        let number = Decimal::read(text.as_bytes())?;
        let (whole, fraction) = number.digits();
        let digits = whole.iter().chain(fraction).map(|&b| char::from(b)).collect();
        Some((number.negative, number.exponent, digits))
    }

    #[test]
    fn spellings_agree_and_values_differ() {
        for (i, row) in SAME.iter().enumerate() {
            for (j, other) in SAME.iter().enumerate() {
                for a in *row {
                    for b in *other {
                        assert!(value(a).is_some());
                        assert_eq!(value(a) == value(b), i == j, "{a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn values_have_an_order() {
        let rising = [
            "-1e1000000",
            "-1.21e2",
            "-121",
            "-120.5",
            "-12",
            "-1.5",
            "-1",
            "-0.5",
            "-1e-9",
            "0",
            "1e-1000000",
            "1e-9",
            "0.05",
            "0.5",
            "0.51",
            "1",
            "1.0000000000000000000001",
            "9",
            "10",
            "9007199254740992",
            "9007199254740993",
            "1e16",
            "1.1e16",
            "1e1000000",
        ];
        // -1.21e2 and -121 are the same value; every other pair differs.
        let same = |i: usize, j: usize| i == j || (i.min(j) == 1 && i.max(j) == 2);
        for (i, a) in rising.iter().enumerate() {
            for (j, b) in rising.iter().enumerate() {
                let (a, b) = (Decimal::read(a.as_bytes()).unwrap(), Decimal::read(b.as_bytes()).unwrap());
                assert_eq!(a.cmp(&b), if same(i, j) { std::cmp::Ordering::Equal } else { i.cmp(&j) }, "{i} {j}");
            }
        }
    }

    #[test]
    fn whole_numbers_are_told_from_others() {
        for (text, natural) in [
            ("0", Some(0)),
            ("-0.0", Some(0)),
            ("1e2", Some(100)),
            ("1.20e1", Some(12)),
            ("120e-1", Some(12)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", Some(u64::MAX)),
            ("1e1000000", Some(u64::MAX)),
            ("-1", None),
            ("1.5", None),
            ("1e-1", None),
            ("0.1", None),
        ] {
            let number = Decimal::read(text.as_bytes()).unwrap();
            assert_eq!(number.natural(), natural, "{text}");
            assert_eq!(number.is_integer(), natural.is_some() || text == "-1", "{text}");
        }
    }

    #[test]
    fn exponents_have_a_limit() {
        for text in [
            "1e1000001",
            "10e1000000",
            "-1e1000001",
            "1e-1000001",
            "0.1e-1000000",
            "1e99999999999999999999",
            "1e-99999999999999999999",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    #[cfg(feature = "interop")]
    #[test]
    fn seconds_become_milliseconds() {
        for (text, floor, ceil) in [
            ("0", 0, 0),
            ("-1.5", 0, 0),
            ("1", 1000, 1000),
            ("1.5", 1500, 1500),
            ("1.0005", 1000, 1001),
            ("0.0001", 0, 1),
            ("1e-1000000", 0, 1),
            ("1.7850000001239e9", 1_785_000_000_123, 1_785_000_000_124),
            ("18446744073709551.615", u64::MAX, u64::MAX),
            ("18446744073709551.6149", u64::MAX - 1, u64::MAX),
            ("18446744073709551.616", u64::MAX, u64::MAX),
            ("1e17", u64::MAX, u64::MAX),
            ("1e1000000", u64::MAX, u64::MAX),
        ] {
            assert_eq!(Decimal::read(text.as_bytes()).map(|n| n.thousandfold()), Some((floor, ceil)), "{text}");
        }
        assert!(["1", "1.0", "10e-1"].iter().all(|t| Decimal::read(t.as_bytes()).is_some_and(|n| n.is_one())));
        assert!(
            ["-1", "1.1", "10", "0", "11"].iter().all(|t| Decimal::read(t.as_bytes()).is_some_and(|n| !n.is_one()))
        );
    }
}
