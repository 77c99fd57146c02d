//! Tool parameters in headers, read a second time over serde_json's values, to hold the core against.

use serde_json::Value;

use crate::rules;

const TYPES: [&str; 3] = ["integer", "string", "boolean"];
const MAPS: [&str; 5] = ["patternProperties", "dependentSchemas", "$defs", "definitions", "dependencies"];
const SCHEMAS: [&str; 16] = [
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];

/// One mirrored parameter: the value of `x-mcp-header`, and the names on its path.
pub type Mirrored = (String, Vec<String>);

/// Those of a schema; `None` when an annotation is invalid.
pub fn mirrored(schema: &Value) -> Option<Vec<Mirrored>> {
    let mut found = Vec::new();
    walk(schema, Some(&[]), &mut found)?;
    let mut tokens: Vec<_> = found.iter().map(|(token, _)| token.to_ascii_lowercase()).collect();
    tokens.sort();
    if tokens.windows(2).any(|pair| pair[0] == pair[1]) { None } else { Some(found) }
}

fn walk(schema: &Value, path: Option<&[String]>, found: &mut Vec<Mirrored>) -> Option<()> {
    let Some(members) = schema.as_object() else { return Some(()) };
    if let Some(annotation) = members.get("x-mcp-header") {
        let path = path.filter(|path| !path.is_empty())?;
        let token = annotation.as_str().filter(|token| is_token(token))?;
        members.get("type")?.as_str().filter(|name| TYPES.contains(name))?;
        found.push((token.to_owned(), path.to_vec()));
    }
    for (keyword, value) in members {
        match value {
            Value::Object(inner) if keyword == "properties" => {
                for (name, schema) in inner {
                    let longer = path.map(|path| [path, std::slice::from_ref(name)].concat());
                    walk(schema, longer.as_deref(), found)?;
                }
            }
            Value::Object(inner) if MAPS.contains(&keyword.as_str()) => {
                inner.values().try_for_each(|schema| walk(schema, None, found))?;
            }
            Value::Object(_) if SCHEMAS.contains(&keyword.as_str()) => walk(value, None, found)?,
            Value::Array(inner) if SCHEMAS.contains(&keyword.as_str()) => {
                inner.iter().try_for_each(|schema| walk(schema, None, found))?;
            }
            _ => {}
        }
    }
    Some(())
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| ('!'..='~').contains(&c) && !"\"(),/:;<=>?@[\\]{}".contains(c))
}

/// The value at the end of a path; `None` for null as well.
pub fn value_at<'a>(arguments: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(arguments, |value, name| value.as_object()?.get(name)).filter(|value| !value.is_null())
}

/// What a header for this value says, decoded; `None` when no header can carry it.
pub fn sent(value: &Value) -> Option<String> {
    match value {
        Value::Bool(value) => Some(value.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => whole(&number.to_string()).map(|value| value.to_string()),
        _ => None,
    }
}

/// A whole number of at most 2^53 - 1, by moving the point in its digits.
fn whole(number: &str) -> Option<i64> {
    let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or((1, mantissa), |rest| (-1, rest));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{before}{after}");
    if digits.trim_matches('0').is_empty() {
        return Some(0);
    }
    // An exponent that i64 does not hold is beyond all sense, whatever the digits are in an input of this size.
    let point = i64::try_from(before.len()).ok()?.checked_add(power.trim_start_matches('+').parse().ok()?)?;
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    let digits = digits.trim_start_matches('0');
    let places = usize::try_from(point - i64::try_from(zeros).ok()?).ok()?;
    if places == 0 || places > 16 || digits.trim_end_matches('0').len() > places {
        return None;
    }
    let padded: String = digits.chars().chain(std::iter::repeat('0')).take(places).collect();
    padded.parse().ok().filter(|value| *value < 1i64 << 53).map(|value: i64| sign * value)
}

/// Whether a header agrees with a value that is a string, a boolean or a whole number.
pub fn agrees(header: &[u8], value: &Value) -> bool {
    let (Some(said), Some(meant)) = (rules::decode(header), sent(value)) else { return false };
    if !value.is_number() {
        return said == meant;
    }
    let digits = said.strip_prefix('-').unwrap_or(&said);
    let (before, after) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = [before, after].iter().all(|part| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit()));
    let needless = before.len() > 1 && before.starts_with('0');
    plain && !needless && said.len() <= 64 && whole(&said).is_some_and(|value| value.to_string() == meant)
}
