//! Runs `tests/vectors/notice.json`: what a server sends unasked; and what no list of cases can hold.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{agree, differs, only, text};
use serde_json::{Value, json};
use wireseal::json::{TooSmall, check, scratch_len};
use wireseal::limits::MAX_ID_BYTES;
use wireseal::reply::{Change, Offered, Progressing, ReplyError, Subscription, Subscriptions, log, notification};
use wireseal::{Admitted, Context, Id, LogLevel, Misuse, Policy, Reason, Rejected, Version, VersionSet, admit};

const NOTICE: &str = include_str!("../../tests/vectors/notice.json");

#[test]
fn every_notice_vector_agrees() {
    agree("notice", NOTICE, |case| {
        let with = &case["with"];
        let found = match text(&case["call"]) {
            "notification" => notified(with),
            "progress" => progressed(with),
            "log" => logged(with),
            "subscription" => subscribed(with),
            other => panic!("unknown call {other}"),
        };
        differs(&found, &case["expect"])
    });
}

fn sent(result: Result<usize, ReplyError<'_>>, out: &[u8]) -> Value {
    match result {
        Ok(len) => json!({"text": String::from_utf8(out[..len].to_vec()).unwrap()}),
        Err(ReplyError::Misuse(fault)) => json!({"misuse": format!("{fault:?}")}),
        Err(ReplyError::Rejected(refused)) => rejection(&refused),
        Err(other) => panic!("{other:?}"),
    }
}

fn rejection(refused: &Rejected<'_>) -> Value {
    let mut out = [0; 1024];
    let len = refused.emit(&mut out).unwrap();
    let answer = std::str::from_utf8(&out[..len]).unwrap();
    json!({"rejected": refused.reason().name(), "status": refused.status(), "answer": answer})
}

fn admitted<'a>(body: &'a str, version: &Value) -> Admitted<'a> {
    let version = version.as_str().map(|name| Version::parse(name.as_bytes()).unwrap());
    let mut policy: Policy = Policy::new();
    policy.legacy = version.map_or(policy.legacy, |version| VersionSet::of(&[version]));
    let context = Context { legacy_version: version, ..Context::stdio() };
    admit(body.as_bytes(), &context, &policy, &mut vec![0; scratch_len(body.len())]).unwrap()
}

fn notified(with: &Value) -> Value {
    only(with, &["method", "params", "subscription_id"]);
    let id = with["subscription_id"].as_str().map(|id| Id::parse(check(id.as_bytes(), 1, &mut []).unwrap()).unwrap());
    let params = with["params"].as_str().map(str::as_bytes);
    let mut out = [0; 1024];
    let result = notification(text(&with["method"]), params, id, &mut [0; 64], &mut out);
    sent(result, &out)
}

fn progressed(with: &Value) -> Value {
    only(with, &["request", "version", "steps"]);
    let request = admitted(text(&with["request"]), &with["version"]);
    let mut progressing = Progressing::new();
    let steps = with["steps"].as_array().unwrap().iter().map(|step| {
        only(step, &["progress", "total", "message"]);
        let (progress, total) = (text(&step["progress"]).as_bytes(), step["total"].as_str().map(str::as_bytes));
        let mut out = [0; 1024];
        let result = progressing.emit(&request, progress, total, step["message"].as_str(), &mut out);
        sent(result, &out)
    });
    steps.collect()
}

fn logged(with: &Value) -> Value {
    only(with, &["request", "version", "level", "data", "logger"]);
    let request = admitted(text(&with["request"]), &with["version"]);
    let level = LogLevel::parse(text(&with["level"])).unwrap();
    let mut out = [0; 1024];
    let data = text(&with["data"]).as_bytes();
    let result = log(&request, level, data, with["logger"].as_str(), &mut [0; 64], &mut out);
    sent(result, &out)
}

fn subscribed(with: &Value) -> Value {
    only(with, &["request", "offered", "changes"]);
    let request = admitted(text(&with["request"]), &Value::Null);
    let offers = |name: &str| with["offered"].as_array().unwrap().iter().any(|one| one == name);
    let offered = Offered {
        tools: offers("tools"),
        prompts: offers("prompts"),
        resources: offers("resources"),
        updates: offers("updates"),
    };
    let one = match Subscription::of(&request, offered) {
        Ok(one) => one,
        Err(error) => return sent(Err(error), &[]),
    };
    let mut out = [0; 1024];
    let mut put = |write: &dyn Fn(&mut [u8]) -> usize| {
        let len = write(&mut out);
        String::from_utf8(out[..len].to_vec()).unwrap()
    };
    let acknowledged = put(&|out| one.acknowledge(out).unwrap());
    let changes = with["changes"].as_array().unwrap().iter().map(|change| match text(&change[0]) {
        "tools" => Change::Tools,
        "prompts" => Change::Prompts,
        "resources" => Change::Resources,
        _ => Change::Resource(text(&change[1])),
    });
    let told: Vec<String> = changes
        .map(|change| {
            let notice = put(&|out| one.notify(&change, out).unwrap());
            assert_eq!(notice.is_empty(), !one.wants(&change));
            notice
        })
        .collect();
    let ended = put(&|out| one.end(None, &mut [], out).unwrap());
    json!({"acknowledged": acknowledged, "sent": told, "ended": ended})
}

fn listen(id: &str, filter: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{{"notifications":{filter},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

const TOOLS: Offered = Offered { tools: true, prompts: false, resources: false, updates: false };

fn told<const N: usize, const B: usize>(all: &Subscriptions<N, B>, change: &Change<'_>) -> Vec<String> {
    let mut sent = Vec::new();
    all.notify(change, &mut [0; 1024], |bytes| sent.push(String::from_utf8(bytes.to_vec()).unwrap())).unwrap();
    sent
}

#[test]
fn sub_21_a_registry_of_fixed_size() {
    let bodies = ["1", "\"1\"", "2"].map(|id| listen(id, r#"{"toolsListChanged":true}"#));
    let requests = bodies.each_ref().map(|body| admitted(body, &Value::Null));
    let mut all: Subscriptions<2, 400> = Subscriptions::new();
    let mut out = [0; 512];
    let mut open = |all: &mut Subscriptions<2, 400>, at: usize| match all.open(&requests[at], TOOLS, &mut out) {
        Ok(len) => Ok(String::from_utf8(out[..len].to_vec()).unwrap()),
        Err(ReplyError::Rejected(refused)) => Err((refused.reason(), refused.code())),
        Err(other) => panic!("{other:?}"),
    };
    assert!(open(&mut all, 0).unwrap().contains(r#""notifications":{"toolsListChanged":true}"#));
    assert_eq!(open(&mut all, 0), Err((Reason::DuplicateId, -32600)));
    open(&mut all, 1).unwrap(); // a string is no number
    assert_eq!(open(&mut all, 2), Err((Reason::SubscriptionsFull, -32603)));
    let sent = told(&all, &Change::Tools);
    assert!(sent.len() == 2 && sent[0].contains("subscriptionId\":1}") && sent[1].contains("subscriptionId\":\"1\"}"));
    assert!(told(&all, &Change::Prompts).is_empty());
    // SUB-13, CANC-06: given up by the client, nothing is answered.
    assert!(all.cancel(requests[0].id().unwrap()) && !all.cancel(requests[0].id().unwrap()));
    open(&mut all, 2).unwrap();
    // SUB-14: ended by the server, once.
    let info = br#"{"name":"s","version":"1"}"#;
    let mut out = [0; 512];
    let len = all.end(requests[2].id().unwrap(), Some(info), &mut [0; 16], &mut out).unwrap();
    assert_eq!(
        std::str::from_utf8(&out[..len]).unwrap(),
        r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":2,"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}"#
    );
    assert_eq!(all.end(requests[2].id().unwrap(), None, &mut [], &mut out).unwrap(), 0);
    assert_eq!((all.len(), told(&all, &Change::Tools).len()), (1, 1));
}

/// A request that the registry has no room for is refused, whatever else is open.
#[test]
fn a_request_too_long_for_the_registry() {
    let body = listen("1", r#"{"toolsListChanged":true}"#);
    let request = admitted(&body, &Value::Null);
    let mut out = [0; 512];
    let mut none: Subscriptions<1, 8> = Subscriptions::default();
    let refused = none.open(&request, TOOLS, &mut out);
    assert!(matches!(refused, Err(ReplyError::Rejected(refused)) if refused.reason() == Reason::SubscriptionsFull));
    assert!(none.is_empty());
}

/// Whatever room there is: with too little the needed size is told and nothing has happened.
#[test]
fn too_little_room_changes_nothing() {
    let body = listen("1", r#"{"toolsListChanged":true}"#);
    let request = admitted(&body, &Value::Null);
    let mut all: Subscriptions<1, 512> = Subscriptions::new();
    let needed = |result: Result<usize, ReplyError<'_>>| match result {
        Err(ReplyError::TooSmall(TooSmall { needed })) => needed,
        other => panic!("{other:?}"),
    };
    let len = needed(all.open(&request, TOOLS, &mut []));
    assert!(all.is_empty());
    assert_eq!(all.open(&request, TOOLS, &mut vec![0; len]).unwrap(), len);
    let mut calls = 0;
    let short = all.notify(&Change::Tools, &mut [0; 20], |_| calls += 1).map(|()| 0);
    let len = needed(short);
    all.notify(&Change::Tools, &mut vec![0; len], |_| calls += 1).unwrap();
    assert_eq!(calls, 1);
    let len = needed(all.end(request.id().unwrap(), None, &mut [], &mut []));
    assert_eq!(all.len(), 1);
    assert_eq!(all.end(request.id().unwrap(), None, &mut [], &mut vec![0; len]).unwrap(), len);

    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":1}}}"#;
    let call = admitted(call, &json!("2025-11-25"));
    let mut progressing = Progressing::new();
    let len = needed(progressing.emit(&call, b"1", None, None, &mut [0; 9]));
    assert_eq!(progressing.emit(&call, b"1", None, None, &mut vec![0; len]).unwrap(), len);
    assert!(matches!(
        progressing.emit(&call, b"1", None, None, &mut vec![0; len]),
        Err(ReplyError::Misuse(Misuse::ProgressNotRising))
    ));
}

/// The longest id there can be.
#[test]
fn an_id_at_its_limit() {
    let id = |len: usize| format!("\"{}\"", "i".repeat(len));
    let parse = |text: &str| Id::parse(check(text.as_bytes(), 1, &mut []).unwrap()).map(|_| ());
    assert_eq!((parse(&id(MAX_ID_BYTES)), parse(&id(MAX_ID_BYTES + 1))), (Ok(()), Err(Reason::InvalidId)));
}
