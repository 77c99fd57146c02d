//! A tool's schema, the arguments of a call and its header fields, beside a second reading of the same rules.
//!
//! Input: the schema, a line with `--`, the arguments, another such line, and header lines.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wireseal::json::{Raw, check, scratch_len};
use wireseal::limits::{MAX_DEPTH, MAX_PARAM_HEADERS};
use wireseal::{Headers, ParamHeaders, ParamTable, Reason, SchemaError, SchemaFault};
use wireseal_fuzz::param::{Mirrored, agrees, mirrored, sent, value_at};
use wireseal_fuzz::{Field, header_lines, parse, part, rules, written};

fuzz_target!(|data: &[u8]| {
    let (schema, rest) = part(data);
    let (arguments, rest) = part(rest);
    let read = parse(schema).ok();
    let table = match compile(schema) {
        Ok(table) => table,
        Err(error) => return refused(&error, schema, read.as_ref()),
    };
    let headers = table.view(schema).expect("the schema of the table");
    // What serde_json cannot read, an unpaired surrogate, is no fault here.
    let expected = read.map(|read| mirrored(&read).expect("every annotation is valid"));
    if let Some(expected) = &expected {
        let mut names: Vec<_> = expected.iter().map(|(token, _)| format!("Mcp-Param-{token}").into_bytes()).collect();
        let mut found: Vec<_> = headers.names().map(|name| written(|out| name.emit(out))).collect();
        names.sort();
        found.sort();
        assert_eq!(found, names);
    }
    let (fields, _) = header_lines(rest);
    let mut scratch = vec![0; scratch_len(arguments.len())];
    let arguments_read = parse(arguments).ok();
    let Ok(raw) = check(arguments, MAX_DEPTH, &mut scratch) else {
        _ = headers.verify(None, &Headers::collect(fields.iter().copied()));
        return;
    };
    let verdict = headers.verify(Some(raw), &Headers::collect(fields.iter().copied()));
    if let (Some(expected), Some(arguments)) = (&expected, &arguments_read) {
        checked(verdict, expected, arguments, &fields);
    }
    emitted(&headers, raw, expected.as_deref().zip(arguments_read.as_ref()));
});

/// With all the scratch that it can need; with less it is the same or a refusal.
fn compile(schema: &[u8]) -> Result<ParamTable, SchemaError> {
    let mut scratch = vec![0; scratch_len(schema.len())];
    let all = ParamTable::compile(schema, &mut scratch);
    for slots in [0, 1, 3, 8, 20] {
        match ParamTable::compile(schema, &mut scratch[..slots]) {
            Err(error) if error.fault == SchemaFault::ScratchTooSmall => {}
            Err(error) => assert_eq!(all.as_ref().err(), Some(&error)),
            Ok(_) => assert!(all.is_ok()),
        }
    }
    all
}

/// A schema that is refused: what the second reading says of it, and the place.
fn refused(error: &SchemaError, schema: &[u8], read: Option<&serde_json::Value>) {
    assert!(error.offset <= schema.len());
    assert_ne!(error.fault, SchemaFault::ScratchTooSmall);
    let pointer = String::from_utf8(written(|out| error.emit_pointer(schema, out))).expect("a pointer is UTF-8");
    let Some(read) = read else { return };
    match error.fault {
        SchemaFault::InvalidJson => panic!("serde_json reads it"),
        SchemaFault::NotAnObject => assert!(!read.is_object()),
        SchemaFault::TooManyHeaders | SchemaFault::TooManySteps => {
            assert!(mirrored(read).is_none_or(
                |all| all.len() > MAX_PARAM_HEADERS || all.iter().map(|(_, path)| path.len()).sum::<usize>() > 64
            ));
        }
        fault if fault.is_of_header() => assert!(mirrored(read).is_none(), "{fault:?}"),
        _ => {}
    }
    if error.fault.is_of_header() {
        let place = read.pointer(&pointer).expect("the pointer leads somewhere");
        assert!(place.get("x-mcp-header").is_some(), "{pointer}");
    }
}

/// The header that a call has for a parameter.
fn header<'h>(fields: &[Field<'h>], token: &str) -> Vec<&'h [u8]> {
    wireseal_fuzz::values(fields, &format!("Mcp-Param-{token}"))
}

/// The verdict on a call, but for its reason.
fn checked(verdict: Result<(), Reason>, expected: &[Mirrored], arguments: &serde_json::Value, fields: &[Field<'_>]) {
    if matches!(verdict, Err(Reason::DuplicateHeader | Reason::TooManyParamHeaders)) {
        return;
    }
    let mut sure = true;
    let right =
        expected.iter().all(|(token, path)| match (value_at(arguments, path), header(fields, token).as_slice()) {
            (None, given) => given.is_empty(),
            (Some(value), [given]) => {
                sure &= !value.is_number() || sent(value).is_some(); // fractions agree by a rule of their own
                agrees(given, value)
            }
            (Some(_), _) => false,
        });
    assert!(!sure || verdict.is_ok() == right, "{verdict:?}");
}

/// What is sent passes, and with any byte of a value changed it does not.
fn emitted(headers: &ParamHeaders<'_>, raw: Raw<'_>, read: Option<(&[Mirrored], &serde_json::Value)>) {
    let Ok(fields) = headers.emit(Some(raw)) else {
        if let Some((expected, arguments)) = read {
            let values = expected.iter().filter_map(|(_, path)| value_at(arguments, path));
            assert!(values.into_iter().any(|value| sent(value).is_none()));
        }
        return;
    };
    let mut fields: Vec<_> =
        fields.map(|field| (written(|out| field.name().emit(out)), written(|out| field.emit_value(out)))).collect();
    if let Some((expected, arguments)) = read {
        for (token, path) in expected {
            let name = format!("Mcp-Param-{token}").into_bytes();
            let found = fields.iter().find(|(other, _)| *other == name).map(|(_, value)| rules::decode(value));
            assert_eq!(found.map(|text| text.expect("a good value")), value_at(arguments, path).and_then(sent));
        }
    }
    let verify = |fields: &[(Vec<u8>, Vec<u8>)]| {
        headers.verify(Some(raw), &Headers::collect(fields.iter().map(|(name, value)| (&name[..], &value[..]))))
    };
    assert_eq!(verify(&fields), Ok(()));
    for number in 0..fields.len() {
        for at in [0, fields[number].1.len() / 2, fields[number].1.len().saturating_sub(1)] {
            let Some(byte) = fields[number].1.get_mut(at) else { continue };
            *byte ^= 1;
            assert!(matches!(verify(&fields), Err(Reason::ParamMismatch | Reason::HeaderValue)), "{fields:?}");
            fields[number].1[at] ^= 1;
        }
        let gone = fields.remove(number);
        assert_eq!(verify(&fields), Err(Reason::ParamHeaderMissing));
        fields.insert(number, gone);
    }
}
