//! What the fuzz targets share.

pub mod param;
pub mod rules;
pub mod stream;

use wireseal::json::{Raw, Text, ValueKind};
use wireseal::{Admitted, Rejected};

/// Goes through a value and everything in it, by every accessor.
pub fn walk(raw: Raw<'_>) {
    let (mut members, mut elements) = (0, 0);
    for (name, value) in raw.members() {
        members += 1;
        text(name);
        walk(value);
    }
    for element in raw.elements() {
        elements += 1;
        walk(element);
    }
    if let Some(inside) = raw.text() {
        text(inside);
    }
    match raw.kind() {
        ValueKind::Object => assert!(elements == 0 && raw.text().is_none()),
        ValueKind::Array => assert!(members == 0 && raw.text().is_none()),
        _ => assert!(members == 0 && elements == 0),
    }
    assert!(raw.get("no member has this name, or almost none").is_none() || members > 0);
}

/// Reads a text by every accessor.
pub fn text(text: Text<'_>) {
    let length = text.decoded_len();
    assert!(length <= text.raw().len());
    let mut room = vec![0; length];
    let decoded = text.decode(&mut room).map(|out| out.to_vec());
    assert_eq!(decoded.as_deref(), Some(&*text.bytes().collect::<Vec<u8>>()));
    assert!(text == *decoded.unwrap_or_default());
    if let Some(plain) = text.as_str() {
        assert!(!text.is_escaped() && text == plain);
    }
    std::hint::black_box((text.has_lone_surrogate(), format!("{text:?}")));
}

/// Calls every accessor of an admitted message.
pub fn use_all(message: &Admitted<'_>) {
    let raws = [
        message.params(),
        message.arguments(),
        message.meta(),
        message.capabilities(),
        message.client_info(),
        message.input_responses(),
        message.progress_token(),
        message.result(),
        message.error(),
    ];
    raws.into_iter().flatten().for_each(walk);
    let texts = [message.method(), message.name(), message.log_level(), message.request_state(), message.cursor()];
    texts.into_iter().flatten().for_each(text);
    for id in [message.id(), message.subscription_id(), message.cancelled_id()].into_iter().flatten() {
        std::hint::black_box((id.raw(), id.text().map(text)));
    }
    if let Some(progress) = message.progress() {
        progress.message.map(text);
        [progress.progress].into_iter().chain(progress.total).for_each(walk);
    }
    if let Some(line) = message.log_message() {
        line.logger.map(text);
        walk(line.data);
    }
    std::hint::black_box((message.kind(), message.era(), message.version(), message.known_method()));
    std::hint::black_box(format!("{:?}", message.trace_context()));
}

/// Calls every accessor of a view over bytes that nobody checked: whatever they say, they end.
pub fn touch_all(message: &Admitted<'_>) {
    let raws = [
        message.params(),
        message.arguments(),
        message.meta(),
        message.capabilities(),
        message.client_info(),
        message.input_responses(),
        message.progress_token(),
        message.result(),
        message.error(),
    ];
    for raw in raws.into_iter().flatten() {
        let texts = raw.members().map(|(name, _)| name).chain(raw.elements().filter_map(|element| element.text()));
        let seen: usize = texts.map(|text| text.decoded_len() + usize::from(text.has_lone_surrogate())).sum();
        std::hint::black_box((seen, raw.get("a"), raw.kind(), format!("{raw:?}")));
    }
    let texts = [message.method(), message.name(), message.log_level(), message.request_state(), message.cursor()];
    for text in texts.into_iter().flatten() {
        let mut room = vec![0; text.decoded_len()];
        std::hint::black_box((text.decode(&mut room).is_some(), text.as_str(), text.cmp(&text)));
    }
    std::hint::black_box((message.id(), message.subscription_id(), message.known_method(), message.cancelled_id()));
    std::hint::black_box(format!("{:?} {:?}", message.progress(), message.log_message()));
    std::hint::black_box(format!("{:?}", message.trace_context()));
}

/// A header field: name and value.
pub type Field<'h> = (&'h [u8], &'h [u8]);

/// Header fields as lines, `name: value`, up to an empty line; and what follows it.
pub fn header_lines(mut data: &[u8]) -> (Vec<Field<'_>>, &[u8]) {
    let mut fields = Vec::new();
    while let Some(end) = data.iter().position(|&byte| byte == b'\n') {
        let line = &data[..end];
        data = &data[end + 1..];
        if line.is_empty() {
            break;
        }
        match line.iter().position(|&byte| byte == b':') {
            Some(colon) => fields.push((&line[..colon], &line[colon + 1..])),
            None => fields.push((line, &[])),
        }
    }
    (fields, data)
}

/// Up to a line with two dashes, and what follows it.
pub fn part(data: &[u8]) -> (&[u8], &[u8]) {
    match data.windows(4).position(|four| four == b"\n--\n") {
        Some(end) => (&data[..end], &data[end + 4..]),
        None => (data, &[]),
    }
}

/// The value without blanks around it.
pub fn trimmed(value: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = value.iter().position(|byte| !is_blank(byte)).unwrap_or(value.len());
    let end = value.iter().rposition(|byte| !is_blank(byte)).map_or(start, |last| last + 1);
    &value[start..end]
}

/// The trimmed values of a header.
pub fn values<'h>(fields: &[(&[u8], &'h [u8])], name: &str) -> Vec<&'h [u8]> {
    let named = fields.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name.as_bytes()));
    named.map(|(_, value)| trimmed(value)).collect()
}

/// serde_json's reading of a text, however deep.
///
/// # Errors
///
/// serde_json's.
pub fn parse(text: &[u8]) -> serde_json::Result<serde_json::Value> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    deserializer.disable_recursion_limit();
    let value = serde::Deserialize::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// What a writer leaves in a buffer of just the size that it asks for.
pub fn written(write: impl Fn(&mut [u8]) -> Result<usize, wireseal::json::TooSmall>) -> Vec<u8> {
    let needed = match write(&mut []) {
        Ok(length) => return vec![0; length],
        Err(too_small) => too_small.needed,
    };
    let mut short = vec![0; needed - 1];
    assert_eq!(write(&mut short).map_err(|too_small| too_small.needed), Err(needed));
    let mut out = vec![0; needed];
    assert_eq!(write(&mut out), Ok(needed));
    out
}

/// The answer to a refusal, by every accessor; what is sent is JSON.
pub fn answer(rejected: &Rejected<'_>) -> Option<serde_json::Value> {
    let reason = rejected.reason();
    assert_eq!(rejected.code(), reason.code());
    assert_eq!(rejected.message(), reason.message());
    assert!(matches!(rejected.status(), 200 | 400 | 403..=406 | 413 | 415));
    assert_eq!(rejected.allow().is_some(), rejected.status() == 405);
    let body = written(|out| rejected.emit(out));
    let data = written(|out| rejected.emit_data(out));
    let data: Option<serde_json::Value> =
        if data.is_empty() { None } else { Some(serde_json::from_slice(&data).expect("data is JSON")) };
    if body.is_empty() {
        return None;
    }
    assert!(!body.iter().any(|byte| *byte < 0x20), "an answer is one line");
    let answer: serde_json::Value = serde_json::from_slice(&body).expect("an answer is JSON");
    assert_eq!(answer["jsonrpc"], "2.0");
    assert_eq!(answer["error"]["code"], rejected.code());
    assert_eq!(answer["error"]["message"], rejected.message());
    assert_eq!(answer["error"].get("data"), data.as_ref());
    if let Some(id) = rejected.id() {
        assert_eq!(answer["id"], serde_json::from_slice::<serde_json::Value>(id.raw()).expect("an id is JSON"));
    }
    Some(answer)
}
