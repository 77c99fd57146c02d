//! One message through the ladder, and everything that can be asked of the outcome; what was admitted is compared
//! with serde_json's reading of the body.
//!
//! Input: four bytes that choose the policy, the transport, the legacy session and the scratch; header lines up to an
//! empty one; the body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use wireseal::json::{Raw, check, scratch_len};
use wireseal::{
    Admitted, Context, Era, Headers, Kind, Origins, Policy, Reason, Version, VersionSet, admit, decode_header_value,
    reply, require,
};
use wireseal_fuzz::{answer, header_lines, parse, touch_all, use_all, values};
use wireseal_json_tests::{Verdict, serde_reader};

const LEGACY: VersionSet =
    VersionSet::of(&[Version::V2024_11_05, Version::V2025_03_26, Version::V2025_06_18, Version::V2025_11_25]);
const PLAIN: Policy<'_> = Policy::new();
const POLICIES: [Policy<'_>; 8] = [
    PLAIN,
    Policy { legacy: LEGACY, ..PLAIN },
    Policy { versions: VersionSet::EMPTY, legacy: LEGACY, ..PLAIN },
    Policy { methods: Some(&["tools/call", "tools/list", "initialize", "x/y"]), legacy: LEGACY, ..PLAIN },
    Policy { max_bytes: 400, max_depth: 4, ..PLAIN },
    Policy {
        allowed_origins: Origins::List(&["https://desk.example", "http://[::1]:80"]),
        allowed_hosts: Some(&["desk.example", "[::1]:8080"]),
        ..PLAIN
    },
    Policy { allowed_origins: Origins::Any, methods: Some(&[]), ..PLAIN },
    Policy { legacy: VersionSet::of(&[Version::V2025_03_26]), max_depth: 256, ..PLAIN },
];

fuzz_target!(|data: &[u8]| {
    let Some((&[policy, transport, session, scratch], rest)) = data.split_first_chunk::<4>() else { return };
    let policy = &POLICIES[usize::from(policy & 7)];
    let (fields, body) = header_lines(rest);
    let headers = Headers::collect(fields.iter().copied());
    let context = Context {
        http_method: if transport == b'g' { "GET" } else { "POST" },
        headers: if transport == b's' { None } else { Some(&headers) },
        legacy_version: Version::ALL.get(usize::from(session.wrapping_sub(b'0'))).copied(),
        tools: None,
    };
    let mut full = vec![0; scratch_len(body.len())];
    let verdict = admit(body, &context, policy, &mut full);
    let mut less = vec![0; full.len() * usize::from(scratch & 15) / 16];
    let with_less = admit(body, &context, policy, &mut less);
    match (&verdict, &with_less) {
        (_, Err(rejected)) if rejected.reason() == Reason::TooManyMembers => {
            answer(rejected);
        }
        (Ok(a), Ok(b)) => {
            assert_eq!((a.kind(), a.era(), a.version(), a.id()), (b.kind(), b.era(), b.version(), b.id()))
        }
        (Err(a), Err(b)) => assert_eq!((a.reason(), a.id(), a.offset()), (b.reason(), b.id(), b.offset())),
        (a, b) => panic!("{a:?}, with less scratch {b:?}"),
    }
    match verdict {
        Ok(message) => {
            let headers = context.headers.is_some().then_some(&*fields);
            admitted(&message, policy, headers, &mut full);
            let view = message.spans().view(body).expect("the same length");
            assert_eq!(format!("{view:?}"), format!("{message:?}"));
            assert!(message.spans().view(&body[1..]).is_none());
            let mut other = body.to_vec();
            other.reverse();
            touch_all(&message.spans().view(&other).expect("the same length"));
            other.fill(*b"\"\\{[u:,".get(usize::from(scratch >> 4)).unwrap_or(&0xFF));
            touch_all(&message.spans().view(&other).expect("the same length"));
        }
        Err(rejected) => {
            let answer = answer(&rejected);
            let reason = rejected.reason();
            assert!(rejected.offset().is_none_or(|offset| offset <= body.len()));
            if reason as u16 >= 200 {
                // The body was scanned: with the same result as by itself.
                let alone = check(body, policy.max_depth, &mut full).map_err(|error| (error.reason, error.offset));
                match alone {
                    Err((alone, offset)) => assert_eq!((reason, rejected.offset()), (alone, Some(offset))),
                    Ok(_) => assert!(reason as u16 >= 300 && rejected.offset().is_none()),
                }
            }
            if let (Some(answer), Ok(value)) = (answer, parse(body)) {
                assert!(answer.get("id").is_none_or(|id| id.is_null() || Some(id) == value.get("id")));
                assert!(rejected.id().is_none() || ids(body) == 1, "of several ids none is the one");
            }
        }
    }
});

/// How many members of the top object are called id.
fn ids(body: &[u8]) -> usize {
    match serde_reader::read(body).0 {
        Verdict::Accepted(spelling) | Verdict::Duplicate(spelling) => {
            let value = parse(spelling.as_bytes()).expect("a spelling is JSON");
            let members = value["o"].as_array().map(Vec::as_slice).unwrap_or_default();
            members.iter().filter(|member| member[0] == "id").count()
        }
        Verdict::Refused => 0,
    }
}

fn admitted(message: &Admitted<'_>, policy: &Policy<'_>, headers: Option<&[(&[u8], &[u8])]>, scratch: &mut [u64]) {
    use_all(message);
    let modern = message.era() == Era::Modern;
    let served = if modern { policy.versions } else { policy.legacy };
    assert!(message.version().map_or(!modern, |version| version.era() == message.era() && served.contains(version)));
    if message.kind() == Kind::Request {
        let method = message.method().expect("a request has a method");
        let own = !modern && (method == "initialize" || method == "ping"); // the session's
        assert!(own || policy.methods.is_none_or(|methods| methods.iter().any(|name| method == *name)));
        assert!(!modern || message.known_method().is_none_or(|method| method.modern));
        if let Some(fields) = headers.filter(|_| modern) {
            mirrored(message, fields);
        }
    }
    let body = message.body();
    let text = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    match parse(text) {
        Ok(value) => same(message, &value, modern),
        // An unpaired surrogate, which serde_json's strings cannot hold.
        Err(error) => {
            let error = error.to_string();
            assert!(["surrogate", "end of hex escape"].iter().any(|known| error.contains(known)), "{error}");
        }
    }
    replies(message, scratch);
}

/// A modern request over HTTP was admitted only if each mirrored header is there once and says the same.
fn mirrored(message: &Admitted<'_>, fields: &[(&[u8], &[u8])]) {
    let decoded = |text: Option<wireseal::json::Text<'_>>| text.map(|text| text.bytes().collect::<Vec<u8>>());
    let version = message.version().map(|version| version.as_str().as_bytes());
    assert_eq!(values(fields, "mcp-protocol-version"), version.into_iter().collect::<Vec<_>>());
    assert_eq!(values(fields, "MCP-METHOD"), decoded(message.method()).iter().collect::<Vec<_>>());
    if let Some(name) = decoded(message.name()) {
        let [header] = values(fields, "Mcp-Name")[..] else { panic!("one Mcp-Name") };
        let mut room = vec![0; header.len()];
        let length = decode_header_value(header, &mut room).expect("a header value").expect("it fits");
        assert_eq!(room[..length], name);
    }
}

/// The accessors say what serde_json reads at the same places.
fn same(message: &Admitted<'_>, body: &Value, modern: bool) {
    const META: &str = "io.modelcontextprotocol/";
    let at = |path: &[&str]| path.iter().try_fold(body, |value, name| value.as_object()?.get(*name));
    let present = |path: &[&str]| at(path).filter(|value| !value.is_null());
    let object = |path: &[&str]| at(path).filter(|value| value.is_object());
    let meta = |name: &str| object(&["params", "_meta", &format!("{META}{name}")]);
    let meta_text = |name: &str| at(&["params", "_meta", &format!("{META}{name}")]).filter(|value| value.is_string());
    let is = |raw: Option<Raw<'_>>, expected: Option<&Value>| {
        let value = raw.map(|raw| parse(raw.as_bytes()).expect("a part of a JSON text"));
        assert_eq!(value.as_ref(), expected);
    };
    let says = |text: Option<wireseal::json::Text<'_>>, expected: Option<&Value>| {
        let text = text.map(|text| String::from_utf8(text.bytes().collect()).expect("no unpaired surrogate"));
        assert_eq!(text.as_deref(), expected.and_then(Value::as_str));
    };
    let kind = match (at(&["method"]).is_some(), at(&["id"]).is_some(), at(&["result"]).is_some()) {
        (true, true, _) => Kind::Request,
        (true, false, _) => Kind::Notification,
        (false, _, true) => Kind::Response,
        (false, _, false) => Kind::Error,
    };
    assert_eq!(message.kind(), kind);
    assert_eq!(at(&["jsonrpc"]), Some(&Value::from("2.0")));
    let id = message.id().map(|id| parse(id.raw()).expect("an id is JSON"));
    assert_eq!(id.as_ref(), present(&["id"]));
    assert!(id.is_none_or(|id| id.is_string() || id.is_number()));
    says(message.method(), at(&["method"]));
    is(message.params(), at(&["params"]));
    is(message.meta(), at(&["params", "_meta"]));
    is(message.arguments(), object(&["params", "arguments"]));
    is(message.client_info(), meta("clientInfo"));
    is(message.capabilities(), meta("clientCapabilities"));
    says(message.log_level(), meta_text("logLevel"));
    let token = present(&["params", "_meta", "progressToken"]);
    if message.progress_token().is_some() || kind == Kind::Request {
        is(message.progress_token(), token);
    }
    is(message.result(), at(&["result"]));
    is(message.error(), at(&["error"]));
    says(message.request_state(), present(&["params", "requestState"]).filter(|_| modern));
    is(message.input_responses(), object(&["params", "inputResponses"]).filter(|_| modern));
    let name = match at(&["method"]).and_then(Value::as_str) {
        Some("tools/call" | "prompts/get") => at(&["params", "name"]),
        Some("resources/read") => at(&["params", "uri"]),
        _ => None,
    };
    says(message.name(), name);
    let name_is_uri = at(&["method"]) == Some(&Value::from("resources/read"));
    if modern && kind == Kind::Request {
        says(message.method(), at(&["method"]));
        let version = message.version().map(|version| Value::from(version.as_str()));
        assert_eq!(version.as_ref(), meta_text("protocolVersion"));
        // Where a null or nothing can stand, nothing else has passed.
        let optional = [meta("clientInfo"), at(&["params", "_meta", &format!("{META}clientInfo")])];
        assert!(optional[0] == optional[1] || optional[1] == Some(&Value::Null));
        assert!(message.capabilities().is_some());
        assert_eq!(object(&["params", "inputResponses"]), at(&["params", "inputResponses"]));
        let arguments = present(&["params", "arguments"]);
        assert!(message.name().is_none() || name_is_uri || arguments.is_none_or(Value::is_object));
        assert!(present(&["params", "requestState"]).is_none_or(Value::is_string));
    }
}

/// Answers to what was admitted are JSON, and carry its id.
fn replies(message: &Admitted<'_>, scratch: &mut [u64]) {
    let required = b"{\"elicitation\":{\"url\":{}},\"sampling\":{\"tools\":{}},\"extensions\":{\"com.example/x\":{}}}";
    let mut own = [0; 64];
    let required = check(required, 8, &mut own).expect("JSON");
    if let Err(rejected) = require(message, required) {
        answer(&rejected);
    }
    let mut room = vec![0; message.body().len() + 512];
    let check_reply = |room: &[u8]| {
        let reply = parse(room).expect("an answer is JSON");
        let id = message.id().map(|id| parse(id.raw()).expect("an id is JSON"));
        assert_eq!(reply.get("id"), id.as_ref());
    };
    match reply::complete(message, b"{\"a\":[1]}", &reply::CompleteOptions::default(), scratch, &mut room) {
        Ok(length) => check_reply(&room[..length]),
        Err(_) => assert!(message.kind() != Kind::Request),
    }
    match reply::error(Some(message), -32603, "Internal error", None, scratch, &mut room) {
        Ok((_, length)) if message.kind() == Kind::Request => check_reply(&room[..length]),
        other => assert!(matches!(other, Ok((400.., 0))), "nothing is sent to what is no request"),
    }
}
