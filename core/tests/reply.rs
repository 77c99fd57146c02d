//! The answers: `complete`, `input_required`, `error`, `elicit`, and `require`.
//!
//! What is expected was written by hand from the rules of the specification. Every answer is also read back with
//! serde_json, so that a slip of the pen in both places would have to be valid JSON as well.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers are not tests in clippy's eyes

use serde_json::Value;
use wireseal::json::{Raw, TooSmall, check, scratch_len};
use wireseal::reply::{CacheScope, CompleteOptions, Question, ReplyError, complete, elicit, error, input_required};
use wireseal::{Admitted, Context, Misuse, Policy, Reason, Version, VersionSet, admit, require};

const INFO: &[u8] = br#"{ "name": "room desk", "version": "1.0" }"#;

/// Admits a message of either era, and hands it to the test.
fn with<R>(body: &str, test: impl FnOnce(&Admitted<'_>) -> R) -> R {
    let policy =
        Policy::<&str> { legacy: VersionSet::of(&[Version::V2025_06_18, Version::V2025_11_25]), ..Policy::new() };
    let context = Context { legacy_version: Some(Version::V2025_11_25), ..Context::stdio() };
    let mut scratch = vec![0; scratch_len(body.len())];
    let message = admit(body.as_bytes(), &context, &policy, &mut scratch).expect("the test's own message is admitted");
    test(&message)
}

/// A request of 2026-07-28 with these capabilities; `params` ends in a comma, or is empty.
fn modern(id: &str, method: &str, params: &str, capabilities: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{capabilities}}}}}}}"#
    )
}

fn call(capabilities: &str) -> String {
    modern("7", "tools/call", r#""name":"book_room","#, capabilities)
}

fn list() -> String {
    modern("7", "tools/list", "", "{}")
}

const LEGACY_CALL: &str = r#"{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"name":"book_room"}}"#;
const LEGACY_LIST: &str = r#"{"jsonrpc":"2.0","id":"a-1","method":"tools/list"}"#;
const NOTIFICATION: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;

/// Runs a writer three times: with room to spare, with exactly the room, and with one byte less, which must name the
/// exact size (`TooSmall`). Returns the text, after serde_json has read it.
fn written(write: impl Fn(&mut [u8]) -> Result<usize, ReplyError<'static>>) -> Result<String, Misuse> {
    let mut out = vec![0u8; 4096];
    let len = match write(&mut out) {
        Ok(len) => len,
        Err(ReplyError::Misuse(misuse)) => return Err(misuse),
        Err(other) => panic!("{other:?}"),
    };
    let text = String::from_utf8(out[..len].to_vec()).expect("an answer is UTF-8");
    if len > 0 {
        serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert!(!text.contains('\n'), "STDIO-01: one line: {text}");
        let mut exact = vec![0u8; len];
        assert_eq!(write(&mut exact).ok(), Some(len));
        assert_eq!(exact, text.as_bytes());
        match write(&mut exact[..len - 1]) {
            Err(ReplyError::TooSmall(TooSmall { needed })) => assert_eq!(needed, len),
            other => panic!("{other:?}"),
        }
    }
    Ok(text)
}

/// Makes an error outlive its message, where it is not one that borrows from it.
fn owned<T>(result: Result<T, ReplyError<'_>>) -> Result<T, ReplyError<'static>> {
    result.map_err(|error| match error {
        ReplyError::Misuse(misuse) => ReplyError::Misuse(misuse),
        ReplyError::TooSmall(small) => ReplyError::TooSmall(small),
        ReplyError::Rejected(rejected) => panic!("{rejected:?}"),
    })
}

fn completed(body: &str, result: &str, options: &CompleteOptions<'_>) -> Result<String, Misuse> {
    with(body, |to| written(|out| owned(complete(to, result.as_bytes(), options, &mut [0; 512], out))))
}

fn plain(body: &str, result: &str) -> Result<String, Misuse> {
    completed(body, result, &CompleteOptions::default())
}

fn failed(to: Option<&str>, code: i32, message: &str, data: Option<&str>) -> Result<(u16, String), Misuse> {
    let run = |to: Option<&Admitted<'_>>| {
        let status = std::cell::Cell::new(0);
        let text = written(|out| {
            let data = data.map(str::as_bytes);
            let (code, len) = owned(error(to, code, message, data, &mut [0; 512], out))?;
            status.set(code);
            Ok(len)
        })?;
        Ok((status.get(), text))
    };
    match to {
        Some(body) => with(body, |message| run(Some(message))),
        None => run(None),
    }
}

fn asked(body: &str, questions: &[(&str, &str)], state: Option<&str>) -> Result<String, Misuse> {
    let questions: Vec<Question<'_>> =
        questions.iter().map(|&(key, request)| Question { key, request: request.as_bytes() }).collect();
    with(body, |to| written(|out| owned(input_required(to, &questions, state, None, &mut [0; 512], out))))
}

/// The `requiredCapabilities` of the refusal of a question, or of `require`.
fn refusal(rejected: &wireseal::Rejected<'_>) -> Value {
    assert_eq!(rejected.reason(), Reason::MissingCapability);
    assert_eq!((rejected.code(), rejected.status()), (-32021, 400));
    let mut out = [0u8; 1024];
    let len = rejected.emit(&mut out).expect("1024 bytes are enough");
    let body: Value = serde_json::from_slice(&out[..len]).expect("a refusal is JSON");
    assert_eq!(body["id"], serde_json::json!(7));
    assert_eq!(body["error"]["code"], serde_json::json!(-32021));
    body["error"]["data"]["requiredCapabilities"].clone()
}

fn missing(capabilities: &str, questions: &[(&str, &str)]) -> Value {
    let questions: Vec<Question<'_>> =
        questions.iter().map(|&(key, request)| Question { key, request: request.as_bytes() }).collect();
    with(&call(capabilities), |to| match input_required(to, &questions, None, None, &mut [0; 512], &mut [0; 4096]) {
        Err(ReplyError::Rejected(rejected)) => refusal(&rejected),
        other => panic!("{other:?}"),
    })
}

fn required(capabilities: &str, required: &str) -> Option<Value> {
    let mut scratch = [0; 512];
    let required: Raw<'_> = check(required.as_bytes(), 64, &mut scratch).expect("the test's own JSON");
    with(&call(capabilities), |to| require(to, required).err().map(|rejected| refusal(&rejected)))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("the test's own JSON")
}

const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"Which?","requestedSchema":{"type":"object","properties":{"room":{"type":"string","enum":["basalt","cinder"]}}}}}"#;
const URL: &str =
    r#"{"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"https://desk.example/x"}}"#;
const SAMPLE: &str = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":10}}"#;
const ROOTS: &str = r#"{"method":"roots/list"}"#;

// ---- complete ----

/// RES-01, RES-15: the result says that it is complete, and its members follow in their order.
#[test]
fn res_01_complete_is_stamped() {
    assert_eq!(
        plain(&call("{}"), r#" { "content" : [ { "type" : "text", "text" : "a  b" } ] , "isError" : false } "#)
            .unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":"a  b"}],"isError":false}}"#
    );
}

/// RES-07: an empty result has nothing but resultType.
#[test]
fn res_07_empty_result() {
    assert_eq!(plain(&call("{}"), "{}").unwrap(), r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete"}}"#);
}

/// RES-15: resultType may be given, if it is this one.
#[test]
fn res_15_result_type_of_the_host() {
    assert_eq!(
        plain(&call("{}"), r#"{"content":[],"result\u0054ype":"compl\u0065te"}"#).unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[]}}"#
    );
    for other in [r#""input_required""#, r#""task""#, r#""""#, "1", "null", "{}"] {
        let result = format!(r#"{{"resultType":{other}}}"#);
        assert_eq!(plain(&call("{}"), &result), Err(Misuse::ResultType), "{other}");
    }
}

/// ENV-06, ENV-07: the id goes back as it came, byte for byte.
#[test]
fn env_06_id_is_echoed() {
    for id in ["0", "-3", "9007199254740993", "123456789012345678901234567890", r#""""#, r#""7""#, r#""a\u00e9\/""#] {
        assert_eq!(
            plain(&modern(id, "tools/call", r#""name":"x","#, "{}"), "{}").unwrap(),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete"}}}}"#)
        );
    }
}

/// STDIO-01, RES-06: one line, whatever the host's layout; strings and numbers stay as they were written.
#[test]
fn stdio_01_white_space_is_dropped() {
    let host = "\u{feff}{\r\n\t\"structuredContent\" :\n{ \"n\" : [ 1.50e+3 ,\t-0 , \" \\\" } \\\\\" , \"\u{2028}\u{85} \\n\" ] , \"e\" : { } } }\n";
    assert_eq!(
        plain(&call("{}"), host).unwrap(),
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"resultType\":\"complete\",\"structuredContent\":{\"n\":[1.50e+3,-0,\" \\\" } \\\\\",\"\u{2028}\u{85} \\n\"],\"e\":{}}}}"
    );
}

/// CACHE-01, CACHE-19: a cacheable result has both hints, and the careful ones when nobody says otherwise.
#[test]
fn cache_01_hints_are_always_there() {
    for (method, params) in [
        ("server/discover", ""),
        ("tools/list", ""),
        ("prompts/list", ""),
        ("resources/list", ""),
        ("resources/templates/list", ""),
        ("resources/read", r#""uri":"rooms://all","#),
    ] {
        assert_eq!(
            plain(&modern("7", method, params, "{}"), r#"{"x":1}"#).unwrap(),
            r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","x":1,"ttlMs":0,"cacheScope":"private"}}"#,
            "{method}"
        );
    }
}

/// CACHE-02, CACHE-03: options and members of the host's result, the options first.
#[test]
fn cache_02_hints_of_the_host() {
    let hints = |result: &str, ttl_ms, cache_scope| {
        let options = CompleteOptions { ttl_ms, cache_scope, ..CompleteOptions::default() };
        completed(&list(), result, &options).map(|text| {
            let result = json(&text)["result"].clone();
            (result["ttlMs"].to_string(), result["cacheScope"].as_str().map(str::to_owned))
        })
    };
    let is = |ttl: &str, scope: &str| Ok((ttl.to_owned(), Some(scope.to_owned())));
    assert_eq!(hints("{}", Some(300_000), None), is("300000", "private"));
    assert_eq!(hints("{}", None, Some(CacheScope::Public)), is("0", "public"));
    assert_eq!(hints("{}", Some(u64::MAX), Some(CacheScope::Private)), is("18446744073709551615", "private"));
    assert_eq!(hints(r#"{"ttlMs":5,"cacheScope":"public","tools":[]}"#, None, None), is("5", "public"));
    assert_eq!(hints(r#"{"ttlMs":5,"cacheScope":"public"}"#, Some(6), Some(CacheScope::Private)), is("6", "private"));
    assert_eq!(hints(r#"{"ttlMs":0}"#, None, Some(CacheScope::Public)), is("0", "public"));
    for bad in ["-1", "-0", "1.0", "1e3", r#""5""#, "null", "true", "[]", "18446744073709551616"] {
        assert_eq!(hints(&format!(r#"{{"ttlMs":{bad}}}"#), None, None), Err(Misuse::CacheHint), "{bad}");
    }
    for bad in [r#""shared""#, r#""Public""#, r#""""#, "null", "0"] {
        assert_eq!(hints(&format!(r#"{{"cacheScope":{bad}}}"#), Some(1), None), Err(Misuse::CacheHint), "{bad}");
    }
    // An option does not make a wrong member right.
    assert_eq!(hints(r#"{"ttlMs":-1}"#, Some(1), None), Err(Misuse::CacheHint));
}

/// CACHE-01: the other methods of the specification have no cache hints, whichever way they come.
#[test]
fn cache_01_not_cacheable() {
    let argument = r#""ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""},"#;
    for (method, params) in [
        ("tools/call", r#""name":"x","#),
        ("prompts/get", r#""name":"x","#),
        ("completion/complete", argument),
        ("subscriptions/listen", r#""notifications":{},"#),
    ] {
        let body = modern("7", method, params, "{}");
        for host in [r#"{"ttlMs":0}"#, r#"{"cacheScope":"private"}"#] {
            assert_eq!(plain(&body, host), Err(Misuse::NotCacheable), "{method} {host}");
        }
        let ttl = CompleteOptions { ttl_ms: Some(0), ..CompleteOptions::default() };
        assert_eq!(completed(&body, "{}", &ttl), Err(Misuse::NotCacheable), "{method}");
        let scope = CompleteOptions { cache_scope: Some(CacheScope::Private), ..CompleteOptions::default() };
        assert_eq!(completed(&body, "{}", &scope), Err(Misuse::NotCacheable), "{method}");
    }
}

/// RES-06: in the result of a method that the specification does not have, ttlMs is a member like any other. (A task
/// has one, which may be null.)
#[test]
fn res_06_foreign_methods_keep_their_members() {
    let body = modern("7", "tasks/get", r#""taskId":"t","#, "{}");
    assert_eq!(
        plain(&body, r#"{"taskId":"t","ttlMs":null}"#).unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","taskId":"t","ttlMs":null}}"#
    );
    let ttl = CompleteOptions { ttl_ms: Some(0), ..CompleteOptions::default() };
    assert_eq!(completed(&body, "{}", &ttl), Err(Misuse::NotCacheable));
}

/// META-17: the server's identity is in `_meta`, beside what the host put there.
#[test]
fn meta_17_server_info() {
    let options = CompleteOptions { server_info: Some(INFO), ..CompleteOptions::default() };
    assert_eq!(
        completed(&call("{}"), r#"{"content":[]}"#, &options).unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"room desk","version":"1.0"}}}}"#
    );
    assert_eq!(
        completed(&list(), r#"{"_meta":{"com.example/a":1},"tools":[]}"#, &options).unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private","_meta":{"com.example/a":1,"io.modelcontextprotocol/serverInfo":{"name":"room desk","version":"1.0"}}}}"#
    );
    assert_eq!(
        completed(&call("{}"), r#"{"_meta":{}}"#, &options).unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"room desk","version":"1.0"}}}}"#
    );
    // What the host wrote itself wins.
    let own = r#"{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"other","version":"2"}}}"#;
    assert_eq!(
        completed(&call("{}"), own, &options).unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"other","version":"2"}}}}"#
    );
}

/// META-17: an Implementation has a name and a version, both strings.
#[test]
fn meta_17_server_info_is_checked() {
    for bad in ["{}", r#"{"name":"a"}"#, r#"{"version":"1"}"#, r#"{"name":"a","version":1}"#, r#""a""#, "[]", "null"] {
        let options = CompleteOptions { server_info: Some(bad.as_bytes()), ..CompleteOptions::default() };
        assert_eq!(completed(&call("{}"), "{}", &options), Err(Misuse::ServerInfo), "{bad}");
        let own = format!(r#"{{"_meta":{{"io.modelcontextprotocol/serverInfo":{bad}}}}}"#);
        assert_eq!(plain(&call("{}"), &own), Err(Misuse::ServerInfo), "{bad}");
    }
    let options = CompleteOptions { server_info: Some(b"{"), ..CompleteOptions::default() };
    assert_eq!(completed(&call("{}"), "{}", &options), Err(Misuse::HostJson));
}

/// ENV-11: what the host gives is held to the same rules as what the peer sends.
#[test]
fn host_json_is_checked() {
    for bad in ["", "{", "{'a':1}", r#"{"a":1,}"#, r#"{"a":1,"a":1}"#, "{} {}", r#"{"a":NaN}"#, "{\"a\":\"\n\"}"] {
        assert_eq!(plain(&call("{}"), bad), Err(Misuse::HostJson), "{bad}");
        assert_eq!(plain(LEGACY_CALL, bad), Err(Misuse::HostJson), "{bad}");
    }
    for bad in ["[]", "null", r#""{}""#, "1"] {
        assert_eq!(plain(&call("{}"), bad), Err(Misuse::HostJsonNotObject), "{bad}");
        assert_eq!(plain(&call("{}"), &format!(r#"{{"_meta":{bad}}}"#)), Err(Misuse::HostJsonNotObject), "{bad}");
    }
    let not_utf8 = b"{\"a\":\"\xff\"}";
    with(&call("{}"), |to| {
        let answer = complete(to, not_utf8, &CompleteOptions::default(), &mut [0; 64], &mut [0; 256]);
        assert!(matches!(answer, Err(ReplyError::Misuse(Misuse::HostJson))), "{answer:?}");
        let answer = complete(to, br#"{"a":{"b":1}}"#, &CompleteOptions::default(), &mut [], &mut [0; 256]);
        assert!(matches!(answer, Err(ReplyError::Misuse(Misuse::ScratchTooSmall))), "{answer:?}");
    });
}

/// ENV-17: nothing is answered to a notification.
#[test]
fn env_17_notifications_get_no_result() {
    assert_eq!(plain(NOTIFICATION, "{}"), Err(Misuse::NotARequest));
    assert_eq!(asked(NOTIFICATION, &[], Some("s")), Err(Misuse::NotARequest));
}

/// LEG-13: a response that a legacy client posts has an id, and gets no answer for all that.
#[test]
fn leg_13_responses_get_no_answer() {
    for response in
        [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#]
    {
        assert_eq!(plain(response, "{}"), Err(Misuse::NotARequest));
        assert_eq!(failed(Some(response), -32602, "m", None), Ok((400, String::new())));
    }
}

/// B45: a legacy peer gets none of the members that 2026-07-28 brought, so that one handler serves both eras.
#[test]
fn b45_legacy_results_are_plain() {
    let options = CompleteOptions { ttl_ms: Some(1), cache_scope: Some(CacheScope::Public), server_info: Some(INFO) };
    let result = r#"{ "tools" : [ ], "_meta" : { "a" : 1 } }"#;
    let expected = r#"{"jsonrpc":"2.0","id":"a-1","result":{"tools":[],"_meta":{"a":1}}}"#;
    assert_eq!(completed(LEGACY_LIST, result, &options).unwrap(), expected);
    assert_eq!(plain(LEGACY_LIST, result).unwrap(), expected);
    assert_eq!(completed(LEGACY_CALL, "{}", &options).unwrap(), r#"{"jsonrpc":"2.0","id":"a-1","result":{}}"#);
    assert_eq!(
        plain(LEGACY_LIST, r#"{"resultType":"complete","tools":[],"ttlMs":5,"cacheScope":"public"}"#).unwrap(),
        r#"{"jsonrpc":"2.0","id":"a-1","result":{"tools":[]}}"#
    );
    assert_eq!(
        plain(LEGACY_CALL, r#"{"_meta":{"a":1}}"#).unwrap(),
        r#"{"jsonrpc":"2.0","id":"a-1","result":{"_meta":{"a":1}}}"#
    );
}

// ---- input_required ----

/// MRTR-03, MRTR-05, MRTR-07: questions by key, and the state.
#[test]
fn mrtr_03_questions_and_state() {
    let capabilities = r#"{"elicitation":{},"roots":{}}"#;
    assert_eq!(
        asked(&call(capabilities), &[("room", FORM), ("a \"b\"", ROOTS)], Some("v1.\u{2028}é\n")).unwrap(),
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":{{"resultType":"input_required","inputRequests":{{"room":{FORM},"a \"b\"":{{"method":"roots/list"}}}},"requestState":"v1.\u2028é\n"}}}}"#
        )
    );
}

/// MRTR-03, MRTR-10: a state alone will do, and so will questions alone; inputRequests is then left out.
#[test]
fn mrtr_10_state_alone() {
    assert_eq!(
        asked(&call("{}"), &[], Some("s")).unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","requestState":"s"}}"#
    );
    assert_eq!(
        asked(&call(r#"{"roots":{}}"#), &[("r", ROOTS)], None).unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}}}"#
    );
}

/// MRTR-03, MRTR-04: neither is nothing.
#[test]
fn mrtr_04_neither() {
    assert_eq!(asked(&call("{}"), &[], None), Err(Misuse::NothingRequired));
}

/// META-17, MRTR-25: input_required results name the server too, and carry no cache hints even on resources/read.
#[test]
fn meta_17_on_input_required() {
    let read = modern("7", "resources/read", r#""uri":"rooms://all","#, "{}");
    let text =
        with(&read, |to| written(|out| owned(input_required(to, &[], Some("s"), Some(INFO), &mut [0; 64], out))));
    assert_eq!(
        text.unwrap(),
        r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","requestState":"s","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"room desk","version":"1.0"}}}}"#
    );
    let bad =
        with(&read, |to| written(|out| owned(input_required(to, &[], Some("s"), Some(b"{}"), &mut [0; 64], out))));
    assert_eq!(bad, Err(Misuse::ServerInfo));
}

/// MRTR-02: only three methods, and only in 2026-07-28.
#[test]
fn mrtr_02_methods() {
    for (method, params) in
        [("tools/call", r#""name":"x","#), ("prompts/get", r#""name":"x","#), ("resources/read", r#""uri":"a:b","#)]
    {
        assert!(asked(&modern("7", method, params, "{}"), &[], Some("s")).is_ok(), "{method}");
    }
    for method in ["tools/list", "server/discover", "resources/list", "prompts/list", "com.example/own", "tasks/get"] {
        let answer = asked(&modern("7", method, "", "{}"), &[], Some("s"));
        assert_eq!(answer, Err(Misuse::NoInputRequired), "{method}");
    }
    assert_eq!(asked(LEGACY_CALL, &[], Some("s")), Err(Misuse::NoInputRequired));
}

/// MRTR-05: keys are unique.
#[test]
fn mrtr_05_duplicate_keys() {
    let all = call(r#"{"roots":{}}"#);
    assert_eq!(asked(&all, &[("a", ROOTS), ("b", ROOTS), ("a", ROOTS)], None), Err(Misuse::DuplicateKey));
    assert!(asked(&all, &[("a", ROOTS), ("A", ROOTS), ("", ROOTS)], None).is_ok());
}

/// MRTR-06: three kinds of question. MRTR-07: they go out bare. (The published example of a ListRootsRequest has a
/// stray id.)
#[test]
fn mrtr_06_kinds() {
    let all = call(r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}"#);
    for good in [
        FORM,
        URL,
        SAMPLE,
        ROOTS,
        r#"{"method":"roots/list","params":{"_meta":{}}}"#,
        r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"tools":[],"includeContext":"allServers"}}"#,
    ] {
        let text = asked(&all, &[("q", good)], None).unwrap();
        assert_eq!(json(&text)["result"]["inputRequests"]["q"], json(good), "{good}");
    }
    let stray = r#"{"jsonrpc":"2.0","id":"list-roots-example","method":"roots/list"}"#;
    assert_eq!(asked(&all, &[("q", stray)], None), asked(&all, &[("q", ROOTS)], None));
    for bad in [
        "{}",
        "[]",
        r#""roots/list""#,
        r#"{"method":"ping"}"#,
        r#"{"method":"tools/call","params":{}}"#,
        r#"{"method":7}"#,
        r#"{"method":"roots/list","params":[]}"#,
        r#"{"method":"roots/list","params":null}"#,
        r#"{"method":"elicitation/create"}"#,
        r#"{"method":"sampling/createMessage"}"#,
    ] {
        assert_eq!(asked(&all, &[("q", bad)], None), Err(Misuse::InvalidQuestion), "{bad}");
    }
    for bad in [
        r#"{"method":"sampling/createMessage","params":{"messages":[]}}"#,
        r#"{"method":"sampling/createMessage","params":{"messages":{},"maxTokens":1}}"#,
        r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":"1"}}"#,
        r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"includeContext":"some"}}"#,
        r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"includeContext":null}}"#,
    ] {
        assert_eq!(asked(&all, &[("q", bad)], None), Err(Misuse::Sampling), "{bad}");
    }
    assert_eq!(asked(&all, &[("q", "{")], None), Err(Misuse::HostJson));
    assert_eq!(asked(&all, &[("q", r#"{"method":"roots/list","method":"roots/list"}"#)], None), Err(Misuse::HostJson));
}

/// ELIC-01, ELIC-02, ELIC-05, ELIC-06: the form mode.
#[test]
fn elic_01_form() {
    let all = call(r#"{"elicitation":{}}"#);
    let ask = |params: &str| {
        asked(&all, &[("q", &format!(r#"{{"method":"elicitation/create","params":{params}}}"#))], None).map(drop)
    };
    let schema = |schema: &str| ask(&format!(r#"{{"mode":"form","message":"m","requestedSchema":{schema}}}"#));
    assert_eq!(ask(r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#), Ok(()));
    assert_eq!(schema(r#"{"$schema":"x","type":"object","properties":{},"required":[]}"#), Ok(()));
    for bad in [
        r#"{"requestedSchema":{"type":"object","properties":{}}}"#,
        r#"{"message":1,"requestedSchema":{"type":"object","properties":{}}}"#,
        r#"{"message":"m"}"#,
        r#"{"mode":"voice","message":"m","requestedSchema":{"type":"object","properties":{}}}"#,
        r#"{"mode":null,"message":"m","requestedSchema":{"type":"object","properties":{}}}"#,
    ] {
        assert_eq!(ask(bad), Err(Misuse::InvalidQuestion), "{bad}");
    }
    for (bad, fault) in [
        ("{}", Misuse::FormSchema),
        ("[]", Misuse::FormSchema),
        ("null", Misuse::FormSchema),
        (r#"{"type":"object"}"#, Misuse::FormSchema),
        (r#"{"properties":{}}"#, Misuse::FormSchema),
        (r#"{"type":"array","items":{"type":"string"}}"#, Misuse::FormSchema),
        (r#"{"type":"object","properties":[]}"#, Misuse::FormSchema),
        (r#"{"type":"object","properties":{},"required":"x"}"#, Misuse::FormRequired),
        (r#"{"type":"object","properties":{},"required":[1]}"#, Misuse::FormRequired),
        (r#"{"type":"object","properties":{},"$schema":1}"#, Misuse::FormSchema),
    ] {
        assert_eq!(schema(bad), Err(fault), "{bad}");
    }
}

/// ELIC-07, ELIC-08 to ELIC-15 (types only), B95: a property has one of the five types.
#[test]
fn elic_07_property_types() {
    let mut out = [0; 512];
    let mut ask = |property: &str| {
        let schema = format!(r#"{{"type":"object","properties":{{"p":{property}}}}}"#);
        owned(elicit("m", schema.as_bytes(), &mut [0; 64], &mut out)).is_ok()
    };
    for good in [
        r#"{"type":"string","minLength":1}"#,
        r#"{"type":"number","minimum":0.5}"#,
        r#"{"type":"integer"}"#,
        r#"{"type":"boolean","default":false}"#,
        r#"{"type":"string","oneOf":[{"const":"a","title":"A"}]}"#,
        r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#,
    ] {
        assert!(ask(good), "{good}");
    }
    for bad in [
        r#"{"type":"object","properties":{}}"#,
        r#"{"oneOf":[{"const":"lo","title":"Low"}]}"#,
        r#"{"type":["string","null"]}"#,
        r#"{"type":"null"}"#,
        r##"{"$ref":"#/$defs/x"}"##,
        "true",
        "{}",
    ] {
        assert!(!ask(bad), "{bad}");
    }
}

/// ELIC-03: the URL mode.
#[test]
fn elic_03_url() {
    let all = call(r#"{"elicitation":{"url":{}}}"#);
    let ask = |rest: &str| {
        let question = format!(r#"{{"method":"elicitation/create","params":{{"mode":"url",{rest}}}}}"#);
        asked(&all, &[("q", &question)], None).map(drop)
    };
    for url in ["https://e.com/x", "http://localhost:1", "com.example+a-1:x", "https:\\/\\/e.com"] {
        assert_eq!(ask(&format!(r#""message":"m","url":"{url}""#)), Ok(()), "{url}");
    }
    for url in ["", "not a url", "e.com/x", "/x", ":x", "https:", "1a:b", "https://e.com/ x", "https://é.com"] {
        assert_eq!(ask(&format!(r#""message":"m","url":"{url}""#)), Err(Misuse::Url), "{url}");
    }
    assert_eq!(ask(r#""message":"m""#), Err(Misuse::InvalidQuestion));
    assert_eq!(ask(r#""url":"https://e.com""#), Err(Misuse::InvalidQuestion));
    assert_eq!(ask(r#""message":"m","url":7"#), Err(Misuse::InvalidQuestion));
}

/// MRTR-08, CAP-05, CAP-07: no question that this request did not declare; elicitation {} is the form mode alone, and
/// with url alone there is no form.
#[test]
fn cap_07_elicitation_modes() {
    for form in [r#"{"elicitation":{}}"#, r#"{"elicitation":{"form":{}}}"#, r#"{"elicitation":{"form":{},"url":{}}}"#] {
        assert!(asked(&call(form), &[("q", FORM)], None).is_ok(), "{form}");
    }
    for none in ["{}", r#"{"elicitation":{"url":{}}}"#, r#"{"sampling":{},"roots":{}}"#] {
        assert_eq!(missing(none, &[("q", FORM)]), json(r#"{"elicitation":{"form":{}}}"#), "{none}");
    }
    for url in [r#"{"elicitation":{"url":{}}}"#, r#"{"elicitation":{"form":{},"url":{}}}"#] {
        assert!(asked(&call(url), &[("q", URL)], None).is_ok(), "{url}");
    }
    for none in ["{}", r#"{"elicitation":{}}"#, r#"{"elicitation":{"form":{}}}"#] {
        assert_eq!(missing(none, &[("q", URL)]), json(r#"{"elicitation":{"url":{}}}"#), "{none}");
    }
}

/// MRTR-08, CAP-08, CAP-09: sampling, with tools and with context; roots.
#[test]
fn cap_08_sampling_and_roots() {
    let sample = |extra: &str| {
        format!(r#"{{"method":"sampling/createMessage","params":{{"messages":[],"maxTokens":1{extra}}}}}"#)
    };
    let plain = r#"{"sampling":{}}"#;
    assert!(asked(&call(plain), &[("q", SAMPLE)], None).is_ok());
    assert!(asked(&call(plain), &[("q", &sample(r#","includeContext":"none""#))], None).is_ok());
    assert_eq!(missing("{}", &[("q", SAMPLE)]), json(plain));
    for tools in [r#","tools":[]"#, r#","toolChoice":{"mode":"auto"}"#] {
        assert_eq!(missing(plain, &[("q", &sample(tools))]), json(r#"{"sampling":{"tools":{}}}"#), "{tools}");
        assert!(asked(&call(r#"{"sampling":{"tools":{}}}"#), &[("q", &sample(tools))], None).is_ok(), "{tools}");
    }
    let context = sample(r#","includeContext":"thisServer""#);
    assert_eq!(missing(plain, &[("q", &context)]), json(r#"{"sampling":{"context":{}}}"#));
    assert!(asked(&call(r#"{"sampling":{"context":{}}}"#), &[("q", &context)], None).is_ok());
    let both = sample(r#","includeContext":"allServers","tools":[]"#);
    let tools = r#"{"sampling":{"tools":{}}}"#;
    assert_eq!(missing(tools, &[("q", &both)]), json(r#"{"sampling":{"context":{}}}"#));
    assert_eq!(missing("{}", &[("q", ROOTS)]), json(r#"{"roots":{}}"#));
}

/// MRTR-08: the first question that is not covered decides, and a fault of the host comes before it.
#[test]
fn mrtr_08_order() {
    let some = r#"{"roots":{}}"#;
    assert_eq!(missing(some, &[("a", ROOTS), ("b", SAMPLE), ("c", FORM)]), json(r#"{"sampling":{}}"#));
    assert_eq!(asked(&call("{}"), &[("a", ROOTS), ("b", "{}")], None), Err(Misuse::InvalidQuestion));
}

// ---- require ----

/// CAP-03, CAP-05: every member and everything it names must be declared; the refusal names what is missing.
#[test]
fn cap_03_require() {
    for (declared, needed) in [
        ("{}", "{}"),
        (r#"{"elicitation":{}}"#, r#"{"elicitation":{"form":{}}}"#),
        (r#"{"elicitation":{"form":{}}}"#, r#"{"elicitation":{}}"#),
        (r#"{"elicitation":{"form":{},"url":{}}}"#, r#"{"elicitation":{"url":{}}}"#),
        (r#"{"elicitation":{"url":{}}}"#, r#"{"elicitation":{"url":{}}}"#),
        (r#"{"sampling":{"tools":{}}}"#, r#"{"sampling":{}}"#),
        (r#"{"extensions":{"com.x\/y":{"a":1}}}"#, r#"{"extensions":{"com.x/y":{"b":2}}}"#),
    ] {
        assert_eq!(required(declared, needed), None, "{declared} {needed}");
    }
    for (declared, needed, refused) in [
        ("{}", r#"{"elicitation":{}}"#, r#"{"elicitation":{}}"#),
        (r#"{"elicitation":{"url":{}}}"#, r#"{"elicitation":{}}"#, r#"{"elicitation":{}}"#),
        (r#"{"elicitation":{"url":{}}}"#, r#"{"elicitation":{"form":{}}}"#, r#"{"elicitation":{"form":{}}}"#),
        (r#"{"elicitation":{}}"#, r#"{"elicitation":{"url":{}}}"#, r#"{"elicitation":{"url":{}}}"#),
        (
            r#"{"elicitation":{"url":{}}}"#,
            r#"{"elicitation":{"form":{},"url":{}}}"#,
            r#"{"elicitation":{"form":{},"url":{}}}"#,
        ),
        (r#"{"sampling":{}}"#, r#"{"sampling":{"tools":{}}}"#, r#"{"sampling":{"tools":{}}}"#),
        (r#"{"extensions":{}}"#, r#"{"extensions":{"com.x/y":{}}}"#, r#"{"extensions":{"com.x/y":{}}}"#),
        // Only what is missing.
        (r#"{"roots":{}}"#, r#"{"roots":{},"sampling":{}}"#, r#"{"sampling":{}}"#),
    ] {
        assert_eq!(required(declared, needed), Some(json(refused)), "{declared} {needed}");
    }
    // A requirement that is none is never met: the fault shows.
    assert!(required("{}", r#""elicitation""#).is_some());
}

/// ENV-17: a notification that lacks a capability is refused without an answer.
#[test]
fn env_17_require_on_a_notification() {
    let required = check(br#"{"roots":{}}"#, 64, &mut [0; 8]).expect("the test's own JSON");
    with(NOTIFICATION, |to| {
        let rejected = require(to, required).expect_err("notifications declare nothing");
        assert_eq!(rejected.emit(&mut [0; 256]), Ok(0));
    });
}

// ---- error ----

/// ERR-15, ENV-06: code and message, the request's id, and the data.
#[test]
fn err_15_shape() {
    assert_eq!(
        failed(Some(&call("{}")), 4001, "over \"quota\"\u{2029}", Some(r#"{ "left" : 0 }"#)).unwrap(),
        (
            200,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":4001,"message":"over \"quota\"\u2029","data":{"left":0}}}"#
                .into()
        )
    );
    assert_eq!(
        failed(Some(&call("{}")), -32603, "", Some("null")).unwrap().1,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"","data":null}}"#
    );
    assert_eq!(
        failed(Some(&call("{}")), i32::MIN, "m", None).unwrap().1,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-2147483648,"message":"m"}}"#
    );
    assert_eq!(failed(Some(&call("{}")), 1, "m", Some("{")), Err(Misuse::HostJson));
}

/// ENV-13: without a message there is no id member, not a null.
#[test]
fn env_13_no_id() {
    assert_eq!(
        failed(None, -32700, "Parse error", None).unwrap(),
        (400, r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#.into())
    );
}

/// ERR-03, ERR-06 to ERR-08, ERR-18, B87: the HTTP status follows the code; towards legacy peers it is 200, since 404
/// would end their session.
#[test]
fn err_18_status() {
    let capability = Some(r#"{"requiredCapabilities":{"elicitation":{}}}"#);
    let version = Some(r#"{"supported":["2026-07-28"],"requested":"v9"}"#);
    for (code, data, status) in [
        (-32700, None, 400),
        (-32600, None, 400),
        (-32601, None, 404),
        (-32602, None, 400),
        (-32603, None, 200),
        (-32020, None, 400),
        (-32021, capability, 400),
        (-32022, version, 400),
        (-31999, None, 200),
        (-32100, None, 200),
        (0, None, 200),
        (404, None, 200),
    ] {
        assert_eq!(failed(Some(&call("{}")), code, "m", data).unwrap().0, status, "{code}");
        assert_eq!(failed(None, code, "m", data).unwrap().0, status, "{code}");
        let (legacy, text) = failed(Some(LEGACY_CALL), code, "m", data).unwrap();
        assert_eq!((legacy, &json(&text)["id"]), (200, &json(r#""a-1""#)), "{code}");
    }
}

/// ERR-09 to ERR-11: codes that 2026-07-28 retired or reserves. B89: its predecessors had their own use for them.
#[test]
fn err_10_reserved_codes() {
    for code in [-32000, -32001, -32002, -32019, -32023, -32042, -32050, -32099] {
        assert_eq!(failed(Some(&call("{}")), code, "m", None), Err(Misuse::ReservedCode), "{code}");
        assert_eq!(failed(None, code, "m", None), Err(Misuse::ReservedCode), "{code}");
        assert!(failed(Some(LEGACY_CALL), code, "m", None).is_ok(), "{code}");
    }
}

/// ERR-07, ERR-08, CAP-03: two codes define their data.
#[test]
fn err_07_data_shapes() {
    for data in [
        None,
        Some("null"),
        Some("{}"),
        Some(r#"{"requiredCapabilities":["elicitation"]}"#),
        Some(r#"{"requiredCapabilities":{"sampling":true}}"#),
    ] {
        assert_eq!(failed(Some(&call("{}")), -32021, "m", data), Err(Misuse::ErrorData), "{data:?}");
    }
    for data in [
        None,
        Some("[]"),
        Some(r#"{"supported":["a"]}"#),
        Some(r#"{"requested":"b"}"#),
        Some(r#"{"supported":"a","requested":"b"}"#),
        Some(r#"{"supported":["a",1],"requested":"b"}"#),
        Some(r#"{"supported":["a"],"requested":null}"#),
    ] {
        assert_eq!(failed(Some(&call("{}")), -32022, "m", data), Err(Misuse::ErrorData), "{data:?}");
    }
}

/// ENV-17, HTTP-07: nothing is ever written to a notification; a status tells that it was refused.
#[test]
fn env_17_notifications_get_no_error() {
    assert_eq!(failed(Some(NOTIFICATION), -32602, "m", None), Ok((400, String::new())));
    assert_eq!(failed(Some(NOTIFICATION), -32601, "m", None), Ok((404, String::new())));
    assert_eq!(failed(Some(NOTIFICATION), -32603, "m", None), Ok((400, String::new())));
}

// ---- elicit ----

/// ELIC-01: the embedded request, as `input_required` takes it.
#[test]
fn elic_01_elicit() {
    let schema = br#"{ "type" : "object", "properties" : { "room" : { "type" : "string", "enum" : [ "basalt", "cinder" ] } }, "required" : [ "room" ] }"#;
    let text = written(|out| elicit("Which \"room\"?\u{1}", schema, &mut [0; 64], out)).unwrap();
    assert_eq!(
        text,
        r#"{"method":"elicitation/create","params":{"mode":"form","message":"Which \"room\"?\u0001","requestedSchema":{"type":"object","properties":{"room":{"type":"string","enum":["basalt","cinder"]}},"required":["room"]}}}"#
    );
    assert!(asked(&call(r#"{"elicitation":{}}"#), &[("room", &text)], None).is_ok());
}

/// ELIC-06: a schema that is none.
#[test]
fn elic_06_elicit_checks_the_schema() {
    let ask = |schema: &str| written(|out| elicit("m", schema.as_bytes(), &mut [0; 64], out));
    assert_eq!(ask("{"), Err(Misuse::HostJson));
    for bad in ["{}", "[]", r#"{"type":"object"}"#, r#"{"type":"array","properties":{}}"#] {
        assert_eq!(ask(bad), Err(Misuse::FormSchema), "{bad}");
    }
}
