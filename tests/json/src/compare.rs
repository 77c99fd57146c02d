//! One document through all readers.

use wireseal::Reason;
use wireseal::json::{JsonError, check, scratch_len};

use crate::{Verdict, core_reader, serde_reader, spell};

/// The byte order mark of UTF-8.
pub const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Compares the readers on one document; `python` is Python's verdict on it, without a byte order mark.
///
/// # Errors
///
/// What is wrong.
pub fn compare(document: &[u8], max_depth: usize, python: Option<&Verdict>) -> Result<&'static str, String> {
    let (body, bom) = match document.strip_prefix(BOM) {
        Some(body) => (body, true),
        None => (document, false),
    };
    if bom && serde_reader::read(document).0 != Verdict::Refused {
        return Err("serde_json accepts a byte order mark: no difference any more".into());
    }
    let ours = check(document, max_depth, &mut vec![0u64; scratch_len(document.len())]);
    if let Err(error) = &ours {
        check_offset(document, max_depth, error)?;
    }
    let accepted = match &ours {
        Err(JsonError { reason: Reason::TooDeep, .. }) => return Ok("too deep"),
        Err(JsonError { reason: Reason::InvalidJson | Reason::InvalidUtf8, .. }) => None,
        Err(JsonError { reason: Reason::DuplicateMember, offset }) => {
            duplicate_stands_at(body, offset - (document.len() - body.len()))?;
            Some(None)
        }
        Err(error) => return Err(format!("unexpected {error:?}")),
        Ok(raw) => Some(Some(*raw)),
    };
    let agrees = |other: &Verdict, number: core_reader::Number| match (&accepted, other) {
        (None, Verdict::Refused) | (Some(None), Verdict::Duplicate(_)) => true,
        (Some(Some(raw)), Verdict::Accepted(spelling)) => core_reader::spelling(*raw, number) == *spelling,
        _ => false,
    };
    if let Some(python) = python
        && !agrees(python, spell::number)
    {
        return Err(format!("WireSeal {ours:?}, Python {python:?}"));
    }
    let (serde, surrogate) = serde_reader::read(body);
    if surrogate && accepted.is_some() {
        // Refused by serde_json: rightly, if there is one. What is in it was compared with Python's value.
        let spelling = match (python, &accepted) {
            (Some(Verdict::Accepted(spelling) | Verdict::Duplicate(spelling)), _) => spelling.clone(),
            (_, Some(Some(raw))) => core_reader::spelling(*raw, spell::number),
            _ => return Ok("unpaired surrogate"),
        };
        let found = spell::has_lone_surrogate(&spelling);
        return if found { Ok("unpaired surrogate") } else { Err(format!("serde_json {serde:?}")) };
    }
    if !agrees(&serde, serde_reader::number) {
        // An object with this name looks to serde_json's users like a number.
        if document.windows(serde_reader::NUMBER.len()).any(|part| part == serde_reader::NUMBER.as_bytes()) {
            return Ok("serde_json's own name");
        }
        return Err(format!("WireSeal {ours:?}, serde_json {serde:?}"));
    }
    Ok(match (&accepted, bom) {
        (None, _) => "refused",
        (Some(None), _) => "duplicate",
        (Some(Some(_)), true) => "accepted, after a byte order mark",
        (Some(Some(_)), false) => "accepted",
    })
}

/// The offset is where it has to be, as far as that can be told without a second parser.
fn check_offset(document: &[u8], max_depth: usize, error: &JsonError) -> Result<(), String> {
    let utf8 = std::str::from_utf8(document).map_or_else(|error| error.valid_up_to(), str::len);
    let right = match error.reason {
        Reason::InvalidUtf8 => error.offset == utf8 && utf8 < document.len(),
        Reason::InvalidJson => error.offset < utf8 || (error.offset == utf8 && utf8 == document.len()),
        Reason::TooDeep => {
            let opener = matches!(document.get(error.offset), Some(b'[' | b'{'));
            opener && open_at(&document[..error.offset]).len() == max_depth
        }
        _ => document.get(error.offset) == Some(&b'"'),
    };
    if right { Ok(()) } else { Err(format!("{error:?}, valid UTF-8 up to {utf8}")) }
}

/// What closes the containers that are open after the first bytes of a JSON text.
fn open_at(prefix: &[u8]) -> Vec<u8> {
    let mut closers = Vec::new();
    let (mut inside, mut escaped) = (false, false);
    for &byte in prefix {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            _ if inside => {}
            b'{' => closers.push(b'}'),
            b'[' => closers.push(b']'),
            b'}' | b']' => {
                closers.pop();
            }
            _ => {}
        }
    }
    closers
}

/// The text cut off before the repeated name repeats nothing; with the name it does.
fn duplicate_stands_at(body: &[u8], offset: usize) -> Result<(), String> {
    let before = body[..offset].trim_ascii_end();
    let length = body[offset + 1..].iter().scan(false, |escaped, &byte| {
        let end = byte == b'"' && !*escaped;
        *escaped = byte == b'\\' && !*escaped;
        Some(end)
    });
    let name_end = offset + 2 + length.take_while(|end| !end).count();
    let closed = |prefix: &[u8], filler: &[u8]| {
        let mut text = [prefix, filler].concat();
        text.extend(open_at(prefix).iter().rev());
        text
    };
    let without = before.strip_suffix(b",").map(|before| closed(before, b""));
    let with = closed(&body[..name_end], b":0");
    let without = without.map(|text| serde_reader::read(&text));
    match (&without, serde_reader::read(&with)) {
        (Some((Verdict::Accepted(_), _)), (Verdict::Duplicate(_), _)) => Ok(()),
        (Some((_, true)), _) | (_, (_, true)) => Ok(()), // an unpaired surrogate: serde_json cannot say
        (without, with) => Err(format!("duplicate at {offset}: without it {without:?}, with it {with:?}")),
    }
}
