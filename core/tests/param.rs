//! Runs the shared vectors of `tests/vectors/param.json`, whose expectations come from the Python reference in
//! `tests/reference`, and tries what no list of cases can hold: every prefix, every size of scratch and buffer, every
//! change of one byte. With `WIRESEAL_EXTRA_VECTORS` set to a directory that has a `param.json`, that runs as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{agree, differs, only, text};
use serde_json::{Value, json};
use wireseal::json::{Raw, TooSmall, check, scratch_len};
use wireseal::limits::{MAX_DEPTH, MAX_PARAM_HEADERS, MAX_SCHEMA_BYTES};
use wireseal::{Headers, ParamHeaders, ParamTable, Reason, SchemaError, SchemaFault};

const PARAM: &str = include_str!("../../tests/vectors/param.json");

#[test]
fn every_param_vector_agrees() {
    agree("param", PARAM, |case| differs(&run(case), &case["expect"]));
}

/// What comes of one case.
fn run(case: &Value) -> Value {
    let members: &[&str] = match text(&case["call"]) {
        "compile" => &[],
        "emit" => &["arguments"],
        "verify" => &["arguments", "headers"],
        other => panic!("unknown call {other}"),
    };
    only(case, &[&["id", "rules", "why", "expect", "call", "schema"], members].concat());
    let schema = text(&case["schema"]).as_bytes();
    let table = match compile(schema) {
        Ok(table) => table,
        Err(error) if error.fault.is_of_header() => {
            return json!({"fault": error.fault.name(), "pointer": pointer(&error, schema)});
        }
        Err(error) => return json!({"fault": error.fault.name()}),
    };
    let headers = table.view(schema).unwrap();
    let document = case["arguments"].as_str();
    let arguments = document.map(parsed);
    match text(&case["call"]) {
        "compile" => json!({"names": names(&headers)}),
        "emit" => match headers.emit(arguments) {
            Err(misuse) => json!({"misuse": format!("{misuse:?}")}),
            Ok(fields) => {
                let all: Vec<_> = fields
                    .map(|field| (written(|out| field.name().emit(out)), written(|out| field.emit_value(out))))
                    .collect();
                let given = all.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
                assert_eq!(headers.verify(arguments, &Headers::collect(given)), Ok(()), "{}", case["id"]);
                json!({"headers": all})
            }
        },
        _ => {
            let fields = pairs(&case["headers"]);
            match headers.verify(arguments, &collect(&fields)) {
                Ok(()) => json!({"ok": true}),
                Err(reason) => {
                    assert_eq!((reason.code(), reason.status()), (-32020, 400));
                    json!({"reason": reason.name()})
                }
            }
        }
    }
}

fn compile(schema: &[u8]) -> Result<ParamTable, SchemaError> {
    ParamTable::compile(schema, &mut vec![0; scratch_len(schema.len())])
}

fn parsed(text: &str) -> Raw<'_> {
    check(text.as_bytes(), MAX_DEPTH, &mut vec![0; scratch_len(text.len())]).unwrap()
}

fn names(headers: &ParamHeaders<'_>) -> Vec<String> {
    let names: Vec<_> = headers.names().map(|name| written(|out| name.emit(out))).collect();
    assert_eq!((names.len(), names.is_empty()), (headers.len(), headers.is_empty()));
    names
}

fn pointer(error: &SchemaError, schema: &[u8]) -> String {
    written(|out| error.emit_pointer(schema, out))
}

/// What is written into a buffer of just the size that was asked for; one byte less is refused.
fn written(write: impl Fn(&mut [u8]) -> Result<usize, TooSmall>) -> String {
    let Err(TooSmall { needed }) = write(&mut []) else { return String::new() };
    assert_eq!(write(&mut vec![0; needed - 1]), Err(TooSmall { needed }));
    let mut out = vec![0; needed];
    assert_eq!(write(&mut out), Ok(needed));
    String::from_utf8(out).unwrap()
}

fn pairs(fields: &Value) -> Vec<(Vec<u8>, Vec<u8>)> {
    let latin1 = |value: &Value| text(value).chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    fields.as_array().unwrap().iter().map(|field| (latin1(&field[0]), latin1(&field[1]))).collect()
}

fn collect(fields: &[(Vec<u8>, Vec<u8>)]) -> Headers<'_> {
    Headers::collect(fields.iter().map(|(name, value)| (name.as_slice(), value.as_slice())))
}

const DESK: &str = r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
    "site":{"properties":{"zone":{"x-mcp-header":"Zone","default":[{}],"type":"integer"}}},"flag":{"items":[{}],
    "type":"boolean","x-mcp-header":"Flag"}},"allOf":[{"not":{"enum":[{"x-mcp-header":0}]}}]}"#;

#[test]
fn a_cut_schema_is_no_schema() {
    assert!(compile(DESK.as_bytes()).is_ok());
    for end in 0..DESK.len() {
        let error = compile(&DESK.as_bytes()[..end]).unwrap_err();
        assert_eq!(error.fault, SchemaFault::InvalidJson, "{end}");
        pointer(&error, &DESK.as_bytes()[..end]);
    }
    assert_eq!(compile(b"{\"a\":\"\xFF\"}").unwrap_err().fault, SchemaFault::InvalidJson, "not UTF-8");
    assert_eq!(compile(b"\xEF\xBB\xBF {\"x-mcp-header\":\"A\"}").unwrap_err().offset, 20, "behind a byte order mark");
}

#[test]
fn scratch_is_refused_until_it_suffices() {
    let need = (0..).find(|&len| {
        let compiled = ParamTable::compile(DESK.as_bytes(), &mut vec![0; len]);
        assert!(compiled.is_ok() || compiled.is_err_and(|error| error.fault == SchemaFault::ScratchTooSmall));
        compiled.is_ok()
    });
    assert!(need.is_some_and(|need| (3..20).contains(&need)), "{need:?}");
    // Arrays need none while the JSON is checked, but do when they hold schemas.
    let lists = format!("{}{}{}", "{\"allOf\":[".repeat(10), "{}", "]}".repeat(10));
    assert_eq!(ParamTable::compile(lists.as_bytes(), &mut [0; 20]).unwrap_err().fault, SchemaFault::ScratchTooSmall);
    assert!(ParamTable::compile(lists.as_bytes(), &mut [0; 21]).is_ok());
}

#[test]
fn a_view_needs_its_schema() {
    let table = compile(DESK.as_bytes()).unwrap();
    assert!(table.view(&DESK.as_bytes()[1..]).is_none());
    // Over other bytes of the same length nothing is true, and nothing fails.
    let mut other = DESK.as_bytes().to_vec();
    let arguments = r#"{"region":"x","site":{"zone":1},"flag":true,"":{"":0}}"#;
    for at in 0..other.len() {
        for byte in [b'"', b'\\', 0xED, b'}', 0] {
            let kept = std::mem::replace(&mut other[at], byte);
            let view = table.view(&other).unwrap();
            let fields = [(&b"Mcp-Param-Region"[..], &b"x"[..])];
            let _ = std::hint::black_box((
                view.verify(Some(parsed(arguments)), &Headers::collect(fields)),
                format!("{view:?}"),
            ));
            for field in view.emit(Some(parsed(arguments))).into_iter().flatten() {
                let _ = std::hint::black_box((field.name().emit(&mut [0; 64]), field.emit_value(&mut [0; 64])));
            }
            other[at] = kept;
        }
    }
}

#[test]
fn faults_point_at_the_annotation() {
    for (schema, marked) in [
        (r#"{"properties":{"a":{"type":"string","x-mcp-header": 5}}}"#, " 5"),
        (r#"{"properties":{"a":{"x-mcp-header":"A","type":[]}}}"#, "\"A\""),
        (r#"{"not":{"x-mcp-header":[{}]}}"#, "[{}]"),
        (r#"{"a":1,"a":2}"#, "\"a\":2"),
        (r#"{"a":1]"#, "]"),
        ("  [1]", "[1]"),
    ] {
        let offset = schema.rfind(marked).unwrap() + usize::from(marked.starts_with(' '));
        assert_eq!(compile(schema.as_bytes()).unwrap_err().offset, offset, "{schema}");
    }
    // Of a fault that is no annotation's, the pointer leads as far as the text can be followed.
    let error = compile(br#"{"a":[{},{"b":{"c":0,"c":1}}]}"#).unwrap_err();
    assert_eq!(pointer(&error, br#"{"a":[{},{"b":{"c":0,"c":1}}]}"#), "/a/1/b");
}

#[test]
fn a_schema_has_a_largest_size() {
    let mut schema = vec![b' '; MAX_SCHEMA_BYTES];
    schema[..2].copy_from_slice(b"{}");
    assert!(ParamTable::compile(&schema, &mut [0; 1]).is_ok());
    schema.push(b' ');
    let error = ParamTable::compile(&schema, &mut [0; 1]).unwrap_err();
    assert_eq!((error.fault, error.offset), (SchemaFault::TooLarge, MAX_SCHEMA_BYTES));
}

#[test]
fn faults_have_names_of_their_own() {
    for (number, fault) in SchemaFault::ALL.iter().enumerate() {
        assert!(SchemaFault::ALL[..number].iter().all(|other| other.name() != fault.name()));
        assert_eq!(fault.is_of_header(), fault.name().starts_with("header-"));
        assert!(!fault.message().is_empty());
    }
    assert!(SchemaFault::TooLarge.message().contains(&MAX_SCHEMA_BYTES.to_string()));
    assert!(SchemaFault::TooDeep.message().contains(&MAX_DEPTH.to_string()));
    assert!(SchemaFault::TooManyHeaders.message().contains(&MAX_PARAM_HEADERS.to_string()));
}

/// PRM-24, PRM-27: whatever byte of a value is changed, the header is no longer true.
#[test]
fn one_changed_byte_is_a_mismatch() {
    let table = compile(DESK.as_bytes()).unwrap();
    let headers = table.view(DESK.as_bytes()).unwrap();
    for arguments in [
        r#"{"region":"us west 1","site":{"zone":-9007199254740991},"flag":false}"#,
        r#"{"region":" büro","site":{"zone":1e15},"flag":true}"#,
        r#"{"region":"","site":{"zone":0},"flag":null}"#,
    ] {
        let arguments = Some(parsed(arguments));
        let mut fields: Vec<_> = headers
            .emit(arguments)
            .unwrap()
            .map(|field| {
                (written(|out| field.name().emit(out)).into_bytes(), written(|out| field.emit_value(out)).into_bytes())
            })
            .collect();
        assert_eq!(headers.verify(arguments, &collect(&fields)), Ok(()));
        for field in 0..fields.len() {
            for at in 0..fields[field].1.len() {
                let kept = fields[field].1[at];
                for byte in (0..=255).filter(|&byte| byte != kept) {
                    fields[field].1[at] = byte;
                    let verdict = headers.verify(arguments, &collect(&fields));
                    assert!(matches!(verdict, Err(Reason::ParamMismatch | Reason::HeaderValue)), "{fields:?}");
                }
                fields[field].1[at] = kept;
            }
            let gone = fields.remove(field);
            assert_eq!(headers.verify(arguments, &collect(&fields)), Err(Reason::ParamHeaderMissing));
            fields.insert(field, gone);
        }
    }
}
