//! Runs the shared vectors of `tests/vectors/admit.json` and `tests/vectors/reply.json`. Every disagreement is
//! reported, not only the first. What the members of a case mean is said in `tests/vectors/README.md`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::fmt::Debug;

use common::{agree, text};
use serde_json::Value;
use wireseal::json::{self, Raw, Text, scratch_len};
use wireseal::reply::{self, CacheScope, CompleteOptions, Question, ReplyError};
use wireseal::{
    Admitted, Context, Headers, LogMessage, Origins, ParamHeaders, ParamSource, ParamTable, Policy, Progress, Rejected,
    Version, VersionSet, admit,
};

const ADMIT: &str = include_str!("../../tests/vectors/admit.json");
const REPLY: &str = include_str!("../../tests/vectors/reply.json");

/// The members that describe a message and how it came.
const MESSAGE: &[&str] = &["policy", "http", "legacy_version", "tool_schema", "body", "body_b64", "body_parts"];

#[test]
fn every_admission_vector_agrees() {
    agree("admit", ADMIT, |case| {
        let faults = &mut Vec::new();
        only(case, &["id", "rules", "why", "expect"], MESSAGE, faults);
        let message = Message::of(case);
        let mut scratch = vec![0; scratch_len(message.body.len())];
        compare_admission(message.admit(&mut scratch), &case["expect"], faults);
        std::mem::take(faults)
    });
}

#[test]
fn every_reply_vector_agrees() {
    agree("reply", REPLY, |case| {
        let faults = &mut Vec::new();
        match &case["request"] {
            Value::Null => check_reply(None, case, faults),
            request => {
                only(request, &[], MESSAGE, faults);
                let message = Message::of(request);
                let mut scratch = vec![0; scratch_len(message.body.len())];
                match message.admit(&mut scratch) {
                    Ok(admitted) => check_reply(Some(&admitted), case, faults),
                    Err(rejected) => faults.push(format!("the request was refused: {}", rejected.reason().name())),
                }
            }
        }
        std::mem::take(faults)
    });
}

/// What a case gives to `admit`, owned.
struct Message {
    body: Vec<u8>,
    http: Option<Http>,
    legacy_version: Option<Version>,
    tools: Option<Tools>,
    versions: VersionSet,
    legacy: VersionSet,
    methods: Option<Vec<String>>,
    max_bytes: Option<usize>,
    max_depth: Option<usize>,
    origins: Option<Result<Vec<String>, ()>>, // Err: every origin
    hosts: Option<Vec<String>>,
}

/// The host's tools: name, schema, and what was compiled from it.
struct Tools(Vec<(String, String, ParamTable)>);

impl Tools {
    fn of(tools: &serde_json::Map<String, Value>) -> Self {
        let compiled = |schema: &str| {
            ParamTable::compile(schema.as_bytes(), &mut vec![0; scratch_len(schema.len())]).expect("a valid schema")
        };
        Tools(
            tools
                .iter()
                .map(|(name, schema)| (name.clone(), text(schema).to_owned(), compiled(text(schema))))
                .collect(),
        )
    }
}

impl ParamSource for Tools {
    fn param_headers(&self, tool: Text<'_>) -> Option<ParamHeaders<'_>> {
        let (_, schema, table) = self.0.iter().find(|(name, ..)| tool == **name)?;
        table.view(schema.as_bytes())
    }
}

struct Http {
    method: String,
    fields: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Message {
    fn of(case: &Value) -> Self {
        let policy = &case["policy"];
        let known = ["versions", "legacy", "methods", "max_bytes", "max_depth", "allowed_origins", "allowed_hosts"];
        let given = policy.as_object().into_iter().flat_map(|policy| policy.keys());
        given.for_each(|name| assert!(known.contains(&name.as_str()), "unknown policy member {name}"));
        let size = |name: &str| policy[name].as_u64().map(|n| usize::try_from(n).unwrap());
        Message {
            body: body(case),
            http: case["http"].as_object().map(|http| {
                let fields = http["headers"].as_array().unwrap().iter();
                Http {
                    method: text(&http["method"]).to_owned(),
                    fields: fields.map(|field| (latin1(&field[0]), latin1(&field[1]))).collect(),
                }
            }),
            legacy_version: case["legacy_version"].as_str().map(version),
            tools: case["tool_schema"].as_object().map(Tools::of),
            versions: versions(&policy["versions"], Policy::<String>::new().versions),
            legacy: versions(&policy["legacy"], Policy::<String>::new().legacy),
            methods: strings(&policy["methods"]),
            max_bytes: size("max_bytes"),
            max_depth: size("max_depth"),
            origins: match &policy["allowed_origins"] {
                Value::Null => None,
                Value::String(all) if all == "*" => Some(Err(())),
                list => Some(Ok(strings(list).unwrap())),
            },
            hosts: strings(&policy["allowed_hosts"]),
        }
    }

    fn admit<'a>(&'a self, scratch: &mut [u64]) -> Result<Admitted<'a>, Rejected<'a>> {
        let mut policy = Policy::<String>::new();
        policy.versions = self.versions;
        policy.legacy = self.legacy;
        policy.methods = self.methods.as_deref();
        policy.max_bytes = self.max_bytes.unwrap_or(policy.max_bytes);
        policy.max_depth = self.max_depth.unwrap_or(policy.max_depth);
        match &self.origins {
            None => {}
            Some(Err(())) => policy.allowed_origins = Origins::Any,
            Some(Ok(list)) => policy.allowed_origins = Origins::List(list),
        }
        policy.allowed_hosts = self.hosts.as_deref();
        let mut context = Context::stdio();
        let headers;
        if let Some(http) = &self.http {
            let fields = http.fields.iter().map(|(name, value)| (name.as_slice(), value.as_slice()));
            headers = Headers::collect(fields);
            context = Context::http(&headers);
            context.http_method = &http.method;
        }
        context.legacy_version = self.legacy_version;
        context.tools = self.tools.as_ref().map(|tools| tools as &dyn ParamSource);
        admit(&self.body, &context, &policy, scratch)
    }
}

fn compare_admission(verdict: Result<Admitted<'_>, Rejected<'_>>, expect: &Value, faults: &mut Vec<String>) {
    match (verdict, text(&expect["verdict"])) {
        (Ok(admitted), "admitted") => compare_view(&admitted, expect, faults),
        (Err(rejected), "rejected") => compare_refusal(&rejected, expect, faults),
        (Ok(admitted), _) => {
            let method = admitted.method();
            faults.push(format!("admitted ({method:?}), expected {}", expect["reason"]));
        }
        (Err(rejected), _) => faults.push(format!("refused ({}), expected admitted", rejected.reason().name())),
    }
}

fn compare_view(view: &Admitted<'_>, expect: &Value, faults: &mut Vec<String>) {
    let mut unknown = expect.as_object().unwrap().clone();
    unknown.remove("verdict");
    let raw = |value: Option<Raw<'_>>| value.map_or(Value::Null, |raw| utf8(raw.as_bytes()).into());
    let mut compare = |name: &str, found: Value| {
        if let Some(wanted) = unknown.remove(name) {
            same(name, &found, &wanted, faults);
        }
    };
    compare("kind", view.kind().as_str().into());
    compare("era", view.era().as_str().into());
    compare("version", view.version().map(Version::as_str).into());
    compare("id", view.id().map(|id| utf8(id.raw())).into());
    compare("method", view.method().map(decoded).into());
    compare("name", view.name().map(decoded).into());
    compare("params", raw(view.params()));
    compare("arguments", raw(view.arguments()));
    compare("request_state", view.request_state().map(decoded).into());
    compare("input_responses", raw(view.input_responses()));
    compare("client_info", raw(view.client_info()));
    compare("capabilities", raw(view.capabilities()));
    compare("log_level", view.log_level().map(decoded).into());
    compare("progress_token", raw(view.progress_token()));
    compare("cursor", view.cursor().map(decoded).into());
    compare("cancelled_id", view.cancelled_id().map(|id| utf8(id.raw())).into());
    compare("progress", view.progress().map(progress_json).into());
    compare("log_message", view.log_message().map(log_json).into());
    same("unknown members", &unknown, &serde_json::Map::new(), faults);
    // A view made anew from its offsets is the same view.
    let again = view.spans().view(view.body()).map(|view| (view.id(), view.params()));
    same("spans().view()", &again, &Some((view.id(), view.params())), faults);
}

/// The members that a vector has for it, put together again.
fn progress_json(progress: Progress<'_>) -> String {
    let [token, done] = [progress.token.raw(), progress.progress.as_bytes()].map(utf8);
    let total = progress.total.map(|total| format!(",\"total\":{}", utf8(total.as_bytes()))).unwrap_or_default();
    let message = progress.message.map(|text| format!(",\"message\":\"{}\"", utf8(text.raw()))).unwrap_or_default();
    format!("{{\"progressToken\":{token},\"progress\":{done}{total}{message}}}")
}

fn log_json(line: LogMessage<'_>) -> String {
    let logger = line.logger.map(|text| format!("\"logger\":\"{}\",", utf8(text.raw()))).unwrap_or_default();
    format!("{{\"level\":\"{}\",{logger}\"data\":{}}}", decoded(line.level), utf8(line.data.as_bytes()))
}

fn compare_refusal(rejected: &Rejected<'_>, expect: &Value, faults: &mut Vec<String>) {
    let known = ["verdict", "reason", "code", "status", "message", "id", "data", "allow", "offset", "sent"];
    only(expect, &known, &[], faults);
    let mut out = vec![0; 64 * 1024];
    let len = rejected.emit_data(&mut out).unwrap();
    let data = utf8(&out[..len]);
    let len = rejected.emit(&mut out).unwrap();
    let sent = utf8(&out[..len]);

    let wanted_id = expect["id"].as_str();
    same("reason", &Value::from(rejected.reason().name()), &expect["reason"], faults);
    same("code", &i64::from(rejected.code()), &expect["code"].as_i64().unwrap(), faults);
    same("status", &u64::from(rejected.status()), &expect["status"].as_u64().unwrap(), faults);
    same("message", &Value::from(rejected.message()), &expect["message"], faults);
    let id = rejected.id().map(|id| utf8(id.raw()));
    same("id", &id.as_deref(), &wanted_id.filter(|id| *id != "null"), faults);
    same("data", &data.as_str(), &expect["data"].as_str().unwrap_or_default(), faults);
    same("allow", &rejected.allow(), &expect["allow"].as_str(), faults);
    if let Some(offset) = expect.get("offset") {
        same("offset", &rejected.offset().map(|at| at as u64), &offset.as_u64(), faults);
    }
    same("emit()", &sent, &expected_refusal(expect), faults);
    // Too small by one byte, the buffer is refused with the size that it needs.
    if let Some(short) = len.checked_sub(1) {
        let refused = rejected.emit(&mut out[..short]).err().map(|small| small.needed);
        same("needed", &refused, &Some(len), faults);
    }
}

/// The exact bytes of a refusal, put together from its parts.
fn expected_refusal(expect: &Value) -> String {
    if !expect["sent"].as_bool().unwrap() {
        return String::new();
    }
    let id = expect["id"].as_str().map(|id| format!("\"id\":{id},")).unwrap_or_default();
    let data = expect["data"].as_str().map(|data| format!(",\"data\":{data}")).unwrap_or_default();
    let (code, message) = (&expect["code"], &expect["message"]);
    format!("{{\"jsonrpc\":\"2.0\",{id}\"error\":{{\"code\":{code},\"message\":{message}{data}}}}}")
}

fn check_reply(to: Option<&Admitted<'_>>, case: &Value, faults: &mut Vec<String>) {
    only(case, &["id", "rules", "why", "request", "call", "with", "expect"], &[], faults);
    only(&case["expect"], &["text", "status", "rejected", "misuse", "ok"], &[], faults);
    let with = &case["with"];
    let given = |name: &str| with[name].as_str();
    let bytes = |name: &str| given(name).map(str::as_bytes);
    let (mut scratch, mut out) = (vec![0; 4096], vec![0; 64 * 1024]);
    let written = |len: usize| (len, None);
    let arguments: &[&str] = match text(&case["call"]) {
        "complete" => &["result", "ttl_ms", "cache_scope", "server_info"],
        "input_required" => &["questions", "request_state", "server_info"],
        "error" => &["code", "message", "data"],
        "elicit" => &["message", "schema"],
        "resource_not_found" => &[],
        _ => &["required"],
    };
    only(with, arguments, &[], faults);
    let answer = match text(&case["call"]) {
        "complete" => {
            let options = CompleteOptions {
                ttl_ms: with["ttl_ms"].as_u64(),
                cache_scope: given("cache_scope").map(|scope| match scope {
                    "public" => CacheScope::Public,
                    _ => CacheScope::Private,
                }),
                server_info: bytes("server_info"),
            };
            reply::complete(to.unwrap(), bytes("result").unwrap(), &options, &mut scratch, &mut out).map(written)
        }
        "input_required" => {
            let questions: Vec<Question<'_>> = with["questions"]
                .as_array()
                .unwrap()
                .iter()
                .map(|pair| Question { key: text(&pair[0]), request: text(&pair[1]).as_bytes() })
                .collect();
            let (state, info) = (given("request_state"), bytes("server_info"));
            reply::input_required(to.unwrap(), &questions, state, info, &mut scratch, &mut out).map(written)
        }
        "error" => {
            let code = i32::try_from(with["code"].as_i64().unwrap()).unwrap();
            reply::error(to, code, given("message").unwrap(), bytes("data"), &mut scratch, &mut out)
                .map(|(status, len)| (len, Some(u64::from(status))))
        }
        "resource_not_found" => {
            reply::resource_not_found(to.unwrap(), &mut out).map(|(status, len)| (len, Some(u64::from(status))))
        }
        "elicit" => {
            reply::elicit(given("message").unwrap(), bytes("schema").unwrap(), &mut scratch, &mut out).map(written)
        }
        "require" => {
            let required = json::check(bytes("required").unwrap(), 64, &mut scratch).unwrap();
            wireseal::check_capabilities(required)
                .map_err(ReplyError::Misuse)
                .and_then(|()| wireseal::require(to.unwrap(), required).map_err(ReplyError::Rejected))
                .map(|()| (0, None))
        }
        other => panic!("unknown call {other}"),
    };
    let expect = &case["expect"];
    match answer {
        Ok((len, status)) => {
            let wanted = if expect["ok"] == true { Some("") } else { expect["text"].as_str() };
            same("text", &Some(utf8(&out[..len]).as_str()), &wanted, faults);
            same("status", &status, &expect["status"].as_u64(), faults);
        }
        Err(ReplyError::Rejected(rejected)) => match expect.get("rejected") {
            Some(refusal) => compare_refusal(&rejected, refusal, faults),
            None => faults.push(format!("refused ({}), expected {expect}", rejected.reason().name())),
        },
        Err(ReplyError::Misuse(misuse)) => {
            if expect["misuse"] != true {
                faults.push(format!("misuse ({misuse:?}), expected {expect}"));
            }
        }
        Err(ReplyError::TooSmall(small)) => faults.push(format!("needs {} bytes", small.needed)),
    }
}

fn same<T: PartialEq + Debug + ?Sized>(name: &str, found: &T, wanted: &T, faults: &mut Vec<String>) {
    if found != wanted {
        let short = |value: &T| {
            let text = format!("{value:?}");
            if text.len() > 400 { text.chars().take(400).collect::<String>() + "..." } else { text }
        };
        faults.push(format!("{name}: {}, expected {}", short(found), short(wanted)));
    }
}

/// A member that this runner does not know would go untested.
fn only(object: &Value, known: &[&str], more: &[&str], faults: &mut Vec<String>) {
    for name in object.as_object().unwrap().keys().map(String::as_str) {
        if !known.contains(&name) && !more.contains(&name) {
            faults.push(format!("unknown member {name}"));
        }
    }
}

/// The body of a case: `body`, `body_b64` or `body_parts`.
fn body(case: &Value) -> Vec<u8> {
    if let Some(body) = case["body"].as_str() {
        return body.as_bytes().to_vec();
    }
    if let Some(encoded) = case["body_b64"].as_str() {
        return base64(encoded);
    }
    let parts = case["body_parts"].as_array().expect("a case has a body");
    let part = |part: &Value| text(&part[0]).repeat(usize::try_from(part[1].as_u64().unwrap()).unwrap());
    parts.iter().map(part).collect::<String>().into_bytes()
}

/// Standard Base64 with padding, for the vectors' own bytes.
fn base64(encoded: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut bytes) = (0u32, 0, Vec::new());
    for byte in encoded.trim_end_matches('=').bytes() {
        let value = ALPHABET.iter().position(|&symbol| symbol == byte).expect("standard Base64");
        bits = bits << 6 | value as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

/// Header names and values are written in latin-1, so that every byte can be.
fn latin1(value: &Value) -> Vec<u8> {
    text(value).chars().map(|c| u8::try_from(u32::from(c)).expect("a byte")).collect()
}

fn versions(value: &Value, default: VersionSet) -> VersionSet {
    match strings(value) {
        Some(names) => VersionSet::of(&names.iter().map(|name| version(name)).collect::<Vec<_>>()),
        None => default,
    }
}

fn version(name: &str) -> Version {
    Version::parse(name.as_bytes()).expect("a known version")
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array().map(|list| list.iter().map(|item| text(item).to_owned()).collect())
}

fn decoded(text: Text<'_>) -> String {
    String::from_utf8(text.bytes().collect()).expect("no surrogate gets this far")
}

fn utf8(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}
