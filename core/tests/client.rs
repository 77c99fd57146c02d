//! Runs `tests/vectors/client.json`: the client's half; and holds what it builds against the server's half.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{agree, differs, only, text};
use serde_json::{Value, json};
use wireseal::client::{ClientOptions, Received, Sent, initialize, negotiated, probe, request};
use wireseal::json::{TooSmall, check, scratch_len};
use wireseal::limits::MAX_TTL_MS;
use wireseal::reply::{CacheScope, ReplyError};
use wireseal::{Context, Headers, Id, ParamHeaders, ParamSource, ParamTable, Policy, Version, VersionSet, admit};

const CLIENT: &str = include_str!("../../tests/vectors/client.json");

#[test]
fn every_client_vector_agrees() {
    agree("client", CLIENT, |case| {
        let with = &case["with"];
        let found = match text(&case["call"]) {
            "request" => requested(with),
            "read" => read(with),
            "retry" => retried(with),
            "probe" => probed(with),
            "initialize" => initialized(with),
            "negotiated" => settled(with),
            "fresh" => fresh(with),
            other => panic!("unknown call {other}"),
        };
        differs(&found, &case["expect"])
    });
}

fn id(text: &Value) -> Id<'_> {
    Id::parse(check(common::text(text).as_bytes(), 1, &mut []).unwrap()).unwrap()
}

fn scratch(body: &str) -> Vec<u64> {
    vec![0; scratch_len(body.len())]
}

fn fault(error: &ReplyError<'_>) -> Value {
    match error {
        ReplyError::Misuse(fault) => json!({"misuse": format!("{fault:?}")}),
        ReplyError::Rejected(refused) => {
            assert_eq!(refused.emit(&mut []), Ok(0), "there is nothing to send");
            json!({"rejected": refused.reason().name()})
        }
        other => panic!("{other:?}"),
    }
}

struct Tool {
    schema: String,
    table: ParamTable,
}

impl Tool {
    fn of(schema: &Value) -> Option<Self> {
        let schema = schema.as_str()?.to_owned();
        let table = ParamTable::compile(schema.as_bytes(), &mut scratch(&schema)).unwrap();
        Some(Tool { schema, table })
    }

    fn view(&self) -> ParamHeaders<'_> {
        self.table.view(self.schema.as_bytes()).unwrap()
    }
}

impl ParamSource for Tool {
    fn param_headers(&self, _: wireseal::json::Text<'_>) -> Option<ParamHeaders<'_>> {
        Some(self.view())
    }
}

/// A body that was written, its headers, and what a server says to both: it admits them.
fn out(body: &str, tool: Option<&Tool>) -> Value {
    let mut memory = scratch(body);
    let sent = Sent::read(body.as_bytes(), &mut memory).unwrap();
    let view = tool.map(Tool::view);
    let mut fields: Vec<(String, String)> = Vec::new();
    let given = sent.headers(view.as_ref(), &mut [0; 512], |name, value| fields.push((name.into(), value.into())));
    if let Err(error) = given {
        return fault(&error);
    }
    let headers = Headers::collect(fields.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes())));
    let context = Context { tools: tool.map(|tool| tool as &dyn ParamSource), ..Context::http(&headers) };
    let policy: Policy = Policy::new();
    admit(body.as_bytes(), &context, &policy, &mut scratch(body)).unwrap();
    json!({"body": body, "headers": fields})
}

fn options(with: &Value) -> ClientOptions<'_> {
    let plain = ClientOptions::default();
    ClientOptions {
        client_info: with["client_info"].as_str().map(str::as_bytes),
        capabilities: with["capabilities"].as_str().map_or(plain.capabilities, str::as_bytes),
    }
}

fn requested(with: &Value) -> Value {
    only(with, &["id", "method", "params", "client_info", "capabilities", "tool_schema"]);
    let mut body = [0; 2048];
    let params = with["params"].as_str().map(str::as_bytes);
    let result = request(id(&with["id"]), text(&with["method"]), params, &options(with), &mut [0; 64], &mut body);
    match result {
        Ok(len) => out(std::str::from_utf8(&body[..len]).unwrap(), Tool::of(&with["tool_schema"]).as_ref()),
        Err(error) => fault(&error),
    }
}

fn read(with: &Value) -> Value {
    only(with, &["body"]);
    let body = text(&with["body"]);
    let received = match Received::read(body.as_bytes(), &mut scratch(body)) {
        Ok(received) => received,
        Err(refused) => {
            assert_eq!(refused.emit(&mut []), Ok(0), "nothing is answered to a response");
            return json!({"rejected": refused.reason().name(), "offset": refused.offset()});
        }
    };
    let raw = |raw: Option<wireseal::json::Raw<'_>>| raw.map(|raw| String::from_utf8(raw.as_bytes().to_vec()).unwrap());
    let decoded = |text: wireseal::json::Text<'_>| String::from_utf8(text.bytes().collect()).unwrap();
    let complete = received.result_type() == Some(wireseal::client::ResultType::Complete);
    json!({
        "id": received.id().map(|id| std::str::from_utf8(id.raw()).unwrap().to_owned()),
        "result_type": received.result_type().map(|kind| kind.as_str()),
        "ttl_ms": received.ttl_ms(),
        "cache_scope": complete.then(|| received.cache_scope().as_str()),
        "input_requests": raw(received.input_requests()),
        "request_state": received.request_state().map(decoded),
        "next_cursor": received.next_cursor().map(decoded),
        "server_info": raw(received.server_info()),
        "error": raw(received.error()),
    })
}

fn retried(with: &Value) -> Value {
    only(with, &["sent", "received", "responses", "id", "tool_schema"]);
    let (first, answer) = (text(&with["sent"]), text(&with["received"]));
    let (mut one, mut two) = (scratch(first), scratch(answer));
    let sent = Sent::read(first.as_bytes(), &mut one).unwrap();
    let received = Received::read(answer.as_bytes(), &mut two).unwrap();
    let mut body = [0; 2048];
    let responses = text(&with["responses"]).as_bytes();
    match sent.retry(&received, responses, id(&with["id"]), &mut [0; 64], &mut body) {
        Ok(len) => out(std::str::from_utf8(&body[..len]).unwrap(), Tool::of(&with["tool_schema"]).as_ref()),
        Err(error) => fault(&error),
    }
}

fn probed(with: &Value) -> Value {
    only(with, &["status", "body"]);
    let body = text(&with["body"]);
    let status = with["status"].as_u64().map(|status| status as u16);
    let mut memory = scratch(body);
    let found = probe(status, body.as_bytes(), &mut memory);
    let versions: Vec<String> = found.versions().map(|version| version.as_str().unwrap().to_owned()).collect();
    let chosen = found.choose(VersionSet::of(&[Version::V2026_07_28])).map(Version::as_str);
    json!({"era": found.era().as_str(), "versions": versions, "chosen": chosen})
}

fn version(name: &Value) -> Version {
    Version::parse(text(name).as_bytes()).unwrap()
}

fn initialized(with: &Value) -> Value {
    only(with, &["id", "version", "client_info", "capabilities"]);
    let mut body = [0; 512];
    match initialize(id(&with["id"]), version(&with["version"]), &options(with), &mut [0; 64], &mut body) {
        Ok(len) => {
            let body = std::str::from_utf8(&body[..len]).unwrap();
            let policy: Policy = Policy { legacy: VersionSet::of(&[version(&with["version"])]), ..Policy::new() };
            admit(body.as_bytes(), &Context::stdio(), &policy, &mut scratch(body)).unwrap();
            json!({"body": body})
        }
        Err(error) => fault(&error),
    }
}

fn settled(with: &Value) -> Value {
    only(with, &["body", "versions"]);
    let body = text(&with["body"]);
    let mut memory = scratch(body);
    let received = Received::read(body.as_bytes(), &mut memory).unwrap();
    let mine: Vec<Version> = with["versions"].as_array().unwrap().iter().map(version).collect();
    json!({"version": negotiated(&received, VersionSet::of(&mine)).map(Version::as_str)})
}

fn fresh(with: &Value) -> Value {
    only(with, &["sent", "received", "received_ms"]);
    let (first, answer) = (text(&with["sent"]), text(&with["received"]));
    let (mut one, mut two) = (scratch(first), scratch(answer));
    let sent = Sent::read(first.as_bytes(), &mut one).unwrap();
    let received = Received::read(answer.as_bytes(), &mut two).unwrap();
    assert!(received.ttl_ms() <= MAX_TTL_MS && received.cache_scope() == CacheScope::Private);
    json!({"until_ms": received.fresh_until_ms(&sent, with["received_ms"].as_u64().unwrap())})
}

/// Whatever room there is: with too little the needed size is told.
#[test]
fn too_little_room() {
    let needed = |result: Result<usize, ReplyError<'_>>| match result {
        Err(ReplyError::TooSmall(TooSmall { needed })) => needed,
        other => panic!("{other:?}"),
    };
    let options = ClientOptions { client_info: Some(br#"{"name":"c","version":"1"}"#), ..ClientOptions::default() };
    let number = json!("1");
    let one = id(&number);
    let params = Some(&br#"{"name":"t"}"#[..]);
    let build = |out: &mut [u8]| request(one, "tools/call", params, &options, &mut [0; 16], out);
    let len = needed(build(&mut []));
    let mut body = vec![0; len];
    assert_eq!(needed(build(&mut body[..len - 1])), len);
    assert_eq!(build(&mut body).unwrap(), len);
    let mut memory = [0; 32];
    let sent = Sent::read(&body, &mut memory).unwrap();
    let mut count = 0;
    assert!(matches!(
        sent.headers(None, &mut [], |_, _| count += 1),
        Err(ReplyError::TooSmall(TooSmall { needed: 1 }))
    ));
    assert!(sent.headers(None, &mut [0; 1], |_, _| count += 1).is_ok());
    assert_eq!(count, 4 + 5);
    let len = needed(initialize(one, Version::V2025_11_25, &options, &mut [0; 16], &mut []));
    assert_eq!(initialize(one, Version::V2025_11_25, &options, &mut [0; 16], &mut vec![0; len]).unwrap(), len);
}
