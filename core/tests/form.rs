//! Runs `tests/vectors/form.json`: schemas of forms, content, answers to questions, parameters of sampling.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{agree, differs};
use serde_json::Value;
use wireseal::json::{Raw, Text, check, scratch_len};
use wireseal::reply::{ReplyError, sample};
use wireseal::{ContentError, Misuse, Verdict, check_content, check_input_responses, check_requested_schema, limits};

const FORM: &str = include_str!("../../tests/vectors/form.json");

#[test]
fn every_form_vector_agrees() {
    agree("form", FORM, |case| differs(&run(case), &case["expect"]));
}

fn run(case: &Value) -> Value {
    let text = |name: &str| case[name].as_str();
    if let Some(params) = text("sample") {
        let mut out = vec![0; params.len() + 64];
        return match sample(params.as_bytes(), &mut vec![0; scratch_len(params.len())], &mut out) {
            Ok(len) => {
                let written: Value = serde_json::from_slice(&out[..len]).unwrap();
                let params: Value = serde_json::from_str(params).unwrap();
                assert_eq!(written, serde_json::json!({"method": "sampling/createMessage", "params": params}));
                serde_json::json!({"ok": true})
            }
            Err(ReplyError::Misuse(fault)) => misuse(fault),
            Err(other) => panic!("{other:?}"),
        };
    }
    if let Some(requests) = text("requests") {
        return answers(checked(requests), text("responses").map(checked));
    }
    let schema = checked(text("schema").unwrap());
    let Some(content) = text("content") else {
        return match check_requested_schema(schema) {
            Ok(()) => serde_json::json!({"ok": true}),
            Err(error) => serde_json::json!({
                "misuse": format!("{:?}", error.fault),
                "property": error.property.map(|name| name.as_str().unwrap()),
            }),
        };
    };
    match check_content(schema, checked(content)) {
        Ok(()) => serde_json::json!({"ok": true}),
        Err(ContentError::Misuse(fault)) => misuse(fault),
        Err(ContentError::Refused { reason, member }) => {
            assert_eq!((reason.code(), reason.status()), (-32602, 400));
            serde_json::json!({"reason": reason.name(), "member": member.map(decoded)})
        }
    }
}

fn answers(requests: Raw<'_>, responses: Option<Raw<'_>>) -> Value {
    let (mut missing, mut invalid) = (Vec::new(), serde_json::Map::new());
    let checked = check_input_responses(requests, responses, |key, verdict| match verdict {
        Verdict::Answered => {}
        Verdict::Missing => missing.push(decoded(key)),
        Verdict::Invalid { reason, member } => {
            invalid.insert(decoded(key), serde_json::json!([reason.name(), member.map(decoded)]));
        }
    });
    match checked {
        Ok(()) => serde_json::json!({"missing": missing, "invalid": invalid}),
        Err(fault) => misuse(fault),
    }
}

fn misuse(fault: Misuse) -> Value {
    serde_json::json!({"misuse": format!("{fault:?}")})
}

fn decoded(text: Text<'_>) -> String {
    String::from_utf8(text.bytes().collect()).unwrap()
}

fn checked(text: &str) -> Raw<'_> {
    check(text.as_bytes(), limits::MAX_DEPTH, &mut vec![0; scratch_len(text.len())]).unwrap()
}

fn form(count: usize, property: impl Fn(usize) -> String, required: bool) -> String {
    let all: Vec<String> = (0..count).map(|i| format!("\"p{i}\":{}", property(i))).collect();
    let names: Vec<String> = (0..count).filter(|_| required).map(|i| format!("\"p{i}\"")).collect();
    format!(r#"{{"type":"object","properties":{{{}}},"required":[{}]}}"#, all.join(","), names.join(","))
}

/// The edges of `MAX_FORM_PROPERTIES`, `MAX_FORM_OPTIONS`, `MAX_FORM_OPTIONS_BYTES`, `MAX_FORM_ITEMS` and `MAX_QUESTIONS`.
#[test]
fn limits_hold_at_their_edges() {
    let text = |_: usize| r#"{"type":"string"}"#.to_owned();
    let most = form(limits::MAX_FORM_PROPERTIES, text, true);
    assert_eq!(check_requested_schema(checked(&most)), Ok(()));
    let over = form(limits::MAX_FORM_PROPERTIES + 1, text, false);
    assert_eq!(check_requested_schema(checked(&over)).unwrap_err().fault, Misuse::FormSchema);

    // Every one of the required members counts, the last as well as the first.
    let content = |leave_out: usize| {
        let all: Vec<String> =
            (0..limits::MAX_FORM_PROPERTIES).filter(|i| *i != leave_out).map(|i| format!(r#""p{i}":"x""#)).collect();
        format!("{{{}}}", all.join(","))
    };
    assert_eq!(check_content(checked(&most), checked(&content(usize::MAX))), Ok(()));
    for left_out in [0, 63, 64, limits::MAX_FORM_PROPERTIES - 1] {
        let content = content(left_out);
        let Err(ContentError::Refused { reason, member }) = check_content(checked(&most), checked(&content)) else {
            panic!("{left_out}");
        };
        assert_eq!((reason.name(), decoded(member.unwrap())), ("form-missing", format!("p{left_out}")));
    }

    let options = |count: usize| {
        let all: Vec<String> = (0..count).map(|i| format!("\"o{i}\"")).collect();
        form(1, |_| format!(r#"{{"type":"array","items":{{"type":"string","enum":[{}]}}}}"#, all.join(",")), false)
    };
    assert_eq!(check_requested_schema(checked(&options(limits::MAX_FORM_OPTIONS))), Ok(()));
    let over = options(limits::MAX_FORM_OPTIONS + 1);
    assert_eq!(check_requested_schema(checked(&over)).unwrap_err().fault, Misuse::FormOptions);

    // The brackets, the quotes and the comma count.
    let long = |bytes: usize| {
        let other = "x".repeat(bytes - r#"["a",""]"#.len());
        form(1, |_| format!(r#"{{"type":"string","enum":["a","{other}"]}}"#), false)
    };
    assert_eq!(check_requested_schema(checked(&long(limits::MAX_FORM_OPTIONS_BYTES))), Ok(()));
    let over = long(limits::MAX_FORM_OPTIONS_BYTES + 1);
    assert_eq!(check_requested_schema(checked(&over)).unwrap_err().fault, Misuse::FormOptions);

    let (select, selected) = (options(1), |count: usize| format!(r#"{{"p0":[{}]}}"#, vec![r#""o0""#; count].join(",")));
    assert_eq!(check_content(checked(&select), checked(&selected(limits::MAX_FORM_ITEMS))), Ok(()));
    assert!(check_content(checked(&select), checked(&selected(limits::MAX_FORM_ITEMS + 1))).is_err());

    let questions = |count: usize| {
        let all: Vec<String> = (0..count).map(|i| format!(r#""q{i}":{{"method":"roots/list"}}"#)).collect();
        format!("{{{}}}", all.join(","))
    };
    let (most, over) = (questions(limits::MAX_QUESTIONS), questions(limits::MAX_QUESTIONS + 1));
    assert_eq!(check_input_responses(checked(&most), None, |_, verdict| assert_eq!(verdict, Verdict::Missing)), Ok(()));
    assert_eq!(check_input_responses(checked(&over), None, |_, _| ()), Err(Misuse::TooManyQuestions));
}
