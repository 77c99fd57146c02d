//! serde_json: a visitor that keeps the order of members and notices repeated names.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::{Verdict, spell};

/// Under this name serde_json hands over a number's text with `arbitrary_precision`.
pub const NUMBER: &str = "$serde_json::private::Number";

struct Speller<'o> {
    out: &'o mut String,
    duplicate: &'o mut bool,
}

impl Speller<'_> {
    fn again(&mut self) -> Speller<'_> {
        Speller { out: self.out, duplicate: self.duplicate }
    }
}

impl<'de> DeserializeSeed<'de> for Speller<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Speller<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.out.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.out.push_str("null");
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        spell::number(self.out, &value.to_string());
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        spell::number(self.out, &value.to_string());
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        spell::string(self.out, value.chars().map(u32::from));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
        self.out.push('[');
        let mut end = self.out.len();
        while elements.next_element_seed(self.again())?.is_some() {
            self.out.push(',');
            end = self.out.len() - 1;
        }
        self.out.truncate(end);
        self.out.push(']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let mut names = HashSet::new();
        let mut first = true;
        while let Some(name) = members.next_key::<String>()? {
            if first && name == NUMBER {
                spell::number(self.out, &members.next_value::<String>()?);
                return Ok(());
            }
            self.out.push_str(if first { "{\"o\":[[" } else { ",[" });
            first = false;
            spell::string(self.out, name.chars().map(u32::from));
            self.out.push(',');
            members.next_value_seed(self.again())?;
            self.out.push(']');
            *self.duplicate |= !names.insert(name);
        }
        self.out.push_str(if first { "{\"o\":[]}" } else { "]}" });
        Ok(())
    }
}

/// A number as serde_json keeps it: every digit, and the exponent with `e` and a sign.
pub fn number(out: &mut String, text: &str) {
    match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => {
            let sign = if exponent.starts_with(['+', '-']) { "" } else { "+" };
            spell::number(out, &format!("{digits}e{sign}{exponent}"));
        }
        None => spell::number(out, text),
    }
}

/// What serde_json says, and whether it refuses because of an unpaired surrogate, which its strings cannot hold.
pub fn read(document: &[u8]) -> (Verdict, bool) {
    let mut deserializer = serde_json::Deserializer::from_slice(document);
    deserializer.disable_recursion_limit();
    let (mut out, mut duplicate) = (String::new(), false);
    let speller = Speller { out: &mut out, duplicate: &mut duplicate };
    match speller.deserialize(&mut deserializer).and_then(|()| deserializer.end()) {
        Ok(()) if duplicate => (Verdict::Duplicate(out), false),
        Ok(()) => (Verdict::Accepted(out), false),
        Err(error) => {
            let error = error.to_string();
            (Verdict::Refused, error.contains("surrogate") || error.contains("end of hex escape"))
        }
    }
}
