//! The digest of arguments at scale: 100,000 members, nested as deep as a policy allows by default, in hostile shapes.
//! What is expected is written here once more, the slow way: the encoding of docs/tokens.md over an ordered map.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};
use wireseal::json::{check, digest_scratch_len, scratch_len};
use wireseal::limits::{DEFAULT_MAX_DEPTH, MAX_DEPTH};
use wireseal::seal::arguments_digest;
use wireseal::{Misuse, Reason};

const MEMBERS: usize = 100_000;

/// A value as the encoding sees it.
enum Value {
    Small(u32),
    Array(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

impl Value {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Value::Small(number) => {
                // Digits without zeros at the end, and the place of the first one.
                let text = number.to_string();
                let digits = text.trim_end_matches('0');
                let exponent = if digits.is_empty() { 0 } else { text.len() as u32 - 1 };
                out.extend_from_slice(&[b'd', 0]);
                out.extend_from_slice(&exponent.to_be_bytes());
                out.extend_from_slice(&(digits.len() as u32).to_be_bytes());
                out.extend_from_slice(digits.as_bytes());
            }
            Value::Array(elements) => {
                out.push(b'a');
                out.extend_from_slice(&(elements.len() as u32).to_be_bytes());
                elements.iter().for_each(|element| element.encode(out));
            }
            Value::Object(members) => {
                out.push(b'o');
                out.extend_from_slice(&(members.len() as u32).to_be_bytes());
                for (name, value) in members {
                    out.extend_from_slice(&(name.len() as u32).to_be_bytes());
                    out.extend_from_slice(name.as_bytes());
                    value.encode(out);
                }
            }
        }
    }

    fn digest(&self) -> [u8; 32] {
        let mut encoding = Vec::new();
        self.encode(&mut encoding);
        Sha256::digest(encoding).into()
    }
}

/// An object of so many members as JSON, in an order that is not theirs, and as the encoding sees it.
fn object(names: impl Iterator<Item = String>, spell: fn(&str) -> String) -> (String, Value) {
    let mut members: Vec<(String, u32)> = names.zip(0..).collect();
    let value = members.iter().map(|(name, number)| (name.clone(), Value::Small(*number))).collect();
    let mut random = 2026u64;
    for last in (1..members.len()).rev() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        members.swap(last, (random >> 33) as usize % (last + 1));
    }
    let members: Vec<String> = members.iter().map(|(name, number)| format!("\"{}\":{number}", spell(name))).collect();
    (format!("{{{}}}", members.join(",")), Value::Object(value))
}

/// In so many arrays and objects, one around the other.
fn wrapped((mut json, mut value): (String, Value), depth: usize) -> (String, Value) {
    for level in 0..depth {
        if level % 2 == 0 {
            json = format!("[{json}]");
            value = Value::Array(vec![value]);
        } else {
            json = format!("{{\"z\":{json},\"a\":7}}");
            value = Value::Object(BTreeMap::from([("z".into(), value), ("a".into(), Value::Small(7))]));
        }
    }
    (json, value)
}

/// Every character that has one as an escape.
fn escaped(name: &str) -> String {
    name.chars().map(|letter| format!("\\u{:04x}", letter as u32)).collect()
}

/// The digest with so much scratch.
fn digested(json: &str, slots: usize) -> Result<[u8; 32], Misuse> {
    let mut scratch = vec![0; scratch_len(json.len())];
    let raw = check(json.as_bytes(), MAX_DEPTH, &mut scratch).unwrap();
    arguments_digest(Some(raw), &mut vec![0; slots])
}

/// RS-13, in the shapes that cost most.
#[test]
fn a_hundred_thousand_members_have_the_digest_of_their_value() {
    let plain = |name: &str| name.to_owned();
    let long = "a beginning that is as long as two lines of a cache, sixty-four.";
    let shapes = [
        object((0..MEMBERS).map(|number| number.to_string()), plain),
        object((0..MEMBERS).map(|number| format!("{long}{number:06}")), plain),
        object((0..10_000).map(|number| format!("{number:06}")), escaped),
        // Names of which each is the beginning of the next, as far as the size of a body goes.
        object((0..1_000).map(|number| "x".repeat(number)), plain),
        object((0..MEMBERS).filter_map(|number| char::from_u32(number as u32 + 0x1_0000)).map(String::from), plain),
    ];
    for (number, shape) in shapes.into_iter().enumerate() {
        let (json, value) = wrapped(shape, DEFAULT_MAX_DEPTH - 1);
        let mut scratch = vec![0; scratch_len(json.len())];
        let raw = check(json.as_bytes(), DEFAULT_MAX_DEPTH, &mut scratch).unwrap();
        let mut scratch = vec![0; digest_scratch_len(json.len())];
        assert_eq!(arguments_digest(Some(raw), &mut scratch).unwrap(), value.digest(), "shape {number}");
        let deeper = format!("[{json}]");
        let refused = check(deeper.as_bytes(), DEFAULT_MAX_DEPTH, &mut vec![0; scratch_len(deeper.len())]).unwrap_err();
        assert_eq!(refused.reason, Reason::TooDeep);
    }
}

/// One slot for each member that is open at once and two for each container, as the documentation says; with one
/// less the digest is refused, never made of less.
#[test]
fn scratch_for_a_hundred_thousand_members() {
    for members in [1, 16, 17, MEMBERS] {
        let (json, value) = object((0..members).map(|number| number.to_string()), |name| name.to_owned());
        assert_eq!(digested(&json, members + 1), Err(Misuse::ScratchTooSmall));
        assert_eq!(digested(&json, members + 2), Ok(value.digest()));
        // The scanner refuses what it cannot remember, with a reason for the peer.
        let refused = check(json.as_bytes(), MAX_DEPTH, &mut vec![0; members]).unwrap_err();
        assert_eq!(refused.reason, Reason::TooManyMembers);
        // Ten containers around it: five arrays, and five objects of a member more.
        let (json, value) = wrapped((json, value), 10);
        assert_eq!(digested(&json, members + 1 + 10), Err(Misuse::ScratchTooSmall));
        assert_eq!(digested(&json, members + 2 + 10 * 2 + 5 * 2), Ok(value.digest()));
    }
}
