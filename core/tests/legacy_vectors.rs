//! Runs `tests/vectors/legacy.json`: batches, sessions, streams and session ids of the handshake era.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{agree, differs};
use serde_json::{Value, json};
use wireseal::json::scratch_len;
use wireseal::legacy::{
    Event, LegacySession, Outcome, ServerDescription, StreamRequest, admit_batch, admit_stream, emit_batch,
    emit_initialize, session_id,
};
use wireseal::reply::{ReplyError, complete};
use wireseal::{Admitted, Context, Headers, Policy, Rejected, Version, VersionSet, admit};

const FILE: &str = include_str!("../../tests/vectors/legacy.json");

#[test]
fn every_legacy_vector_agrees() {
    agree("legacy", FILE, |case| {
        let faults = if case["steps"].is_array() { script(case) } else { one(case) };
        faults.map_or(vec![], |(found, expected)| differs(&found, &expected))
    });
}

fn one(case: &Value) -> Option<(Value, Value)> {
    let found = if case["batch"].is_string() {
        batch(case)
    } else if case["answers"].is_array() {
        answers(case)
    } else if case["stream"].is_string() {
        stream(case)
    } else {
        let fields = fields(&case["session_headers"]);
        match session_id(&headers(&fields)) {
            Ok(id) => json!({"session": id}),
            Err(reason) => json!({"rejected": reason.name(), "status": reason.status()}),
        }
    };
    (found != case["expect"]).then(|| (found, case["expect"].clone()))
}

fn version(name: &Value) -> Option<Version> {
    name.as_str().map(|name| Version::parse(name.as_bytes()).unwrap())
}

fn policy(case: &Value) -> Policy<'static> {
    let mut policy = Policy::new();
    let legacy: Vec<Version> =
        case["policy"]["legacy"].as_array().unwrap().iter().map(|name| version(name).unwrap()).collect();
    policy.legacy = VersionSet::of(&legacy);
    policy.max_bytes = case["policy"]["max_bytes"].as_u64().map_or(policy.max_bytes, |bytes| bytes as usize);
    policy.max_depth = case["policy"]["max_depth"].as_u64().map_or(policy.max_depth, |depth| depth as usize);
    policy
}

/// Names and values are latin-1, so that every byte can be written.
fn fields(list: &Value) -> Vec<(Vec<u8>, Vec<u8>)> {
    let latin1 = |text: &Value| text.as_str().unwrap().chars().map(|char| u8::try_from(char).unwrap()).collect();
    list.as_array().unwrap().iter().map(|pair| (latin1(&pair[0]), latin1(&pair[1]))).collect()
}

fn headers(fields: &[(Vec<u8>, Vec<u8>)]) -> Headers<'_> {
    Headers::collect(fields.iter().map(|(name, value)| (name.as_slice(), value.as_slice())))
}

fn answer(refused: &Rejected<'_>) -> String {
    let mut out = vec![0; 2048];
    let len = refused.emit(&mut out).unwrap();
    String::from_utf8(out[..len].to_vec()).unwrap()
}

fn batch(case: &Value) -> Value {
    let body = case["batch"].as_str().unwrap();
    let fields = if case["headers"].is_null() { Vec::new() } else { fields(&case["headers"]) };
    let read = headers(&fields);
    let mut context = if case["headers"].is_null() { Context::stdio() } else { Context::http(&read) };
    context.legacy_version = version(&case["legacy_version"]);
    let mut found = Vec::new();
    let judged =
        admit_batch(body.as_bytes(), &context, &policy(case), &mut vec![0; scratch_len(body.len())], |entry| {
            found.push(match entry {
                Ok(message) => json!({"method": message.method().map(|method| method.as_str().unwrap())}),
                Err(refused) => json!({"reason": refused.reason().name(), "answer": answer(&refused)}),
            });
        });
    match judged {
        Ok(()) => Value::Array(found),
        Err(refused) => {
            assert!(found.is_empty(), "no entry is judged before the whole is");
            rejection(&refused)
        }
    }
}

fn answers(case: &Value) -> Value {
    let answers = case["answers"].as_array().unwrap().iter().map(|answer| answer.as_str().unwrap().as_bytes());
    let mut out = [0; 256];
    let (status, len) = emit_batch(answers, case["refused"] == true, &mut out).unwrap();
    json!({"status": status, "text": std::str::from_utf8(&out[..len]).unwrap()})
}

fn stream(case: &Value) -> Value {
    let fields = fields(&case["headers"]);
    match admit_stream(case["stream"].as_str().unwrap(), &headers(&fields), &policy(case)) {
        Ok(StreamRequest::Listen { last_event_id }) => json!({"listen": last_event_id}),
        Ok(StreamRequest::End) => json!({"end": true}),
        Err(refused) => {
            let mut found = json!({"rejected": refused.reason().name(), "status": refused.status()});
            if let Some(allow) = refused.allow() {
                found["allow"] = allow.into();
            }
            found
        }
    }
}

fn rejection(refused: &Rejected<'_>) -> Value {
    json!({"rejected": refused.reason().name(), "status": refused.status(), "answer": answer(refused)})
}

fn line<'a>(body: &'a str, version: Option<Version>, policy: &Policy<'_>) -> Admitted<'a> {
    let context = Context { legacy_version: version, ..Context::stdio() };
    admit(body.as_bytes(), &context, policy, &mut vec![0; scratch_len(body.len())]).unwrap()
}

/// The first step that goes another way.
fn script(case: &Value) -> Option<(Value, Value)> {
    let policy = policy(case);
    let mut session: LegacySession<8> = LegacySession::new(policy.legacy);
    for step in case["steps"].as_array().unwrap() {
        let found = self::step(step, &mut session, &policy);
        if found != step["expect"] {
            return Some((found, step["expect"].clone()));
        }
    }
    None
}

fn step(step: &Value, session: &mut LegacySession<8>, policy: &Policy<'_>) -> Value {
    let mut out = vec![0; 2048];
    if let Some(id) = step["cancel"].as_u64() {
        let len = session.cancel(id, step["reason"].as_str(), &mut out).unwrap();
        return json!({"text": String::from_utf8(out[..len].to_vec()).unwrap()});
    }
    if step["ping"] == true {
        let (id, len) = session.ping(&mut out).unwrap();
        return json!({"text": String::from_utf8(out[..len].to_vec()).unwrap(), "id": id});
    }
    if let Some(question) = step["request"].as_str() {
        let during = line(step["during"].as_str().unwrap(), session.version(), policy);
        return match session.request(&during, question.as_bytes(), &mut [0; 256], &mut out) {
            Ok((id, len)) => json!({"text": String::from_utf8(out[..len].to_vec()).unwrap(), "id": id}),
            Err(ReplyError::Rejected(refused)) => rejection(&refused),
            Err(ReplyError::Misuse(fault)) => json!({"misuse": format!("{fault:?}")}),
            Err(other) => panic!("{other:?}"),
        };
    }
    let message = line(step["receive"].as_str().unwrap(), session.version(), policy);
    let event = match session.receive(&message) {
        Ok(event) => event,
        Err(refused) => return rejection(&refused),
    };
    let named = |name: &str| json!({"event": name});
    let mut found = match event {
        Event::Initialize(handshake) => {
            let server = ServerDescription {
                info: br#"{"name":"s","version":"1"}"#,
                capabilities: br#"{"tools":{}}"#,
                instructions: None,
            };
            let len = emit_initialize(&message, handshake.version, &server, &mut [0; 64], &mut out).unwrap();
            json!({"event": "initialize", "reply": std::str::from_utf8(&out[..len]).unwrap()})
        }
        Event::Ping => {
            let len = complete(&message, b"{}", &Default::default(), &mut [0; 16], &mut out).unwrap();
            json!({"event": "ping", "reply": std::str::from_utf8(&out[..len]).unwrap()})
        }
        Event::Initialized => named("initialized"),
        Event::Request => named("request"),
        Event::Notification => named("notification"),
        Event::Ignored => named("ignored"),
        Event::Cancelled(id) => json!({"event": "cancelled", "cancelled": std::str::from_utf8(id.raw()).unwrap()}),
        Event::Answered { id, request, outcome } => {
            let (name, raw) = match outcome {
                Outcome::Result(raw) => ("result", raw),
                Outcome::Error(raw) => ("error", raw),
            };
            let raw = std::str::from_utf8(raw.as_bytes()).unwrap();
            json!({"event": "answered", "id": id, "method": request.method(), name: raw})
        }
    };
    if step["expect"]["version"].is_string() {
        found["version"] = session.version().map(Version::as_str).into();
    }
    found
}
