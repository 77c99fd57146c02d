//! A form's schema and the content that answers it.
//!
//! Input: the schema, a line with `--`, the content.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use wireseal::json::{check, scratch_len};
use wireseal::limits::MAX_DEPTH;
use wireseal::reply::elicit;
use wireseal::{ContentError, Misuse, check_content, check_requested_schema};
use wireseal_fuzz::{parse, part};

fuzz_target!(|data: &[u8]| {
    let (schema, content) = part(data);
    let (mut one, mut two) = (vec![0; scratch_len(schema.len())], vec![0; scratch_len(content.len())]);
    let Ok(form) = check(schema, MAX_DEPTH, &mut one) else { return };
    let sound = check_requested_schema(form);
    if let Err(error) = &sound {
        let named = error
            .property
            .is_none_or(|name| form.get("properties").is_some_and(|all| all.members().any(|(key, _)| key == name)));
        assert!(named, "{error:?}");
    }
    // What is asked is what was checked.
    let (mut scratch, mut out) = (vec![0; scratch_len(schema.len())], vec![0; schema.len() + 256]);
    let asked = elicit("?", schema, &mut scratch, &mut out);
    assert_eq!(asked.is_ok(), sound.is_ok());
    if let (Ok(len), Ok(read)) = (asked, parse(schema.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(schema))) {
        assert_eq!(parse(&out[..len]).expect("JSON")["params"]["requestedSchema"], read);
    }
    let Ok(values) = check(content, MAX_DEPTH, &mut two) else { return };
    match check_content(form, values) {
        Ok(()) => {
            // Whether an option is there twice is looked at when the form is asked.
            assert!(sound.is_ok() || sound.is_err_and(|error| error.fault == Misuse::FormOptions));
            if let (Ok(form), Ok(values)) = (parse(schema), parse(content)) {
                agrees(&form, &values);
            }
        }
        Err(ContentError::Misuse(_)) => assert!(sound.is_err()),
        Err(ContentError::Refused { reason, .. }) => {
            assert!(reason.code() == -32602 && reason.status() == 400);
        }
    }
});

/// What holds of any content that passed, read a second time.
fn agrees(form: &Value, values: &Value) {
    let values = values.as_object().expect("content is an object");
    for name in form["required"].as_array().into_iter().flatten() {
        assert!(values.contains_key(name.as_str().expect("a name")));
    }
    for (name, value) in values {
        let Some(property) = form["properties"].get(name) else {
            assert_ne!(form.get("additionalProperties"), Some(&Value::Bool(false)));
            continue;
        };
        match property["type"].as_str().expect("a type") {
            "string" => {
                let text = value.as_str().expect("a string");
                let length = |name: &str| property[name].as_u64();
                let count = text.chars().count() as u64;
                assert!(length("minLength").is_none_or(|min| count >= min));
                assert!(length("maxLength").is_none_or(|max| count <= max));
                if let Some(all) = property["enum"].as_array() {
                    assert!(all.contains(value) || property.get("oneOf").is_some());
                }
            }
            "boolean" => assert!(value.is_boolean()),
            "number" | "integer" => assert!(value.is_number()),
            "array" => assert!(value.as_array().expect("a list").iter().all(Value::is_string)),
            other => panic!("{other}"),
        }
    }
}
