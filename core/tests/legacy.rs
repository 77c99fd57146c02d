//! The handshake era: batches, sessions, and their HTTP side.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use wireseal::json::scratch_len;
use wireseal::legacy::{
    Event, LegacySession, Outcome, ServerDescription, StreamRequest, admit_batch, admit_stream, emit_batch,
    emit_initialize, is_session_id, session_id,
};
use wireseal::limits::{MAX_BATCH, MAX_ELICITATION_IDS, MAX_SESSION_ID_BYTES};
use wireseal::reply::{ReplyError, complete};
use wireseal::{
    Admitted, Context, Headers, Misuse, Policy, Reason, Rejected, ServerRequest, Version, VersionSet, admit,
};

const ALL: VersionSet =
    VersionSet::of(&[Version::V2024_11_05, Version::V2025_03_26, Version::V2025_06_18, Version::V2025_11_25]);

fn policy(legacy: VersionSet) -> Policy<'static> {
    let mut policy = Policy::new();
    policy.legacy = legacy;
    policy
}

fn text(refused: &Rejected<'_>) -> String {
    let mut out = [0; 512];
    let len = refused.emit(&mut out).unwrap();
    String::from_utf8(out[..len].to_vec()).unwrap()
}

/// What a batch comes to: for each entry its method or reason with the answer; or the refusal of the whole.
fn batch(body: &str, context: &Context<'_>, policy: &Policy<'_>) -> Result<Vec<String>, (&'static str, String)> {
    let mut found = Vec::new();
    let mut scratch = vec![0; scratch_len(body.len())];
    admit_batch(body.as_bytes(), context, policy, &mut scratch, |entry| {
        found.push(match entry {
            Ok(message) => message.method().map_or("answer", |method| method.as_str().unwrap()).to_owned(),
            Err(refused) => format!("{} {}", refused.reason().name(), text(&refused)),
        });
    })
    .map(|()| found)
    .map_err(|refused| (refused.reason().name(), text(&refused)))
}

fn session_of(version: Version) -> Context<'static> {
    Context { legacy_version: Some(version), ..Context::stdio() }
}

fn old() -> Context<'static> {
    session_of(Version::V2025_03_26)
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// LEG-14: entries in order, and one bad one does not hurt the next.
#[test]
fn leg_14_batches() {
    let body = r#" [{"jsonrpc":"2.0","id":1,"method":"ping"}, {"jsonrpc":"2.0","method":"notifications/initialized"},
        7, {"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"t"}}, {"jsonrpc":"1.0","id":2,"method":"ping"},
        {"jsonrpc":"2.0","id":3,"id":4,"method":"ping"}, [] , {"jsonrpc":"2.0","id":5,"method":"ping"} ] "#;
    let found = batch(body, &old(), &policy(ALL)).unwrap();
    let error = |id: &str, message: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32600,"message":"Invalid request: {message}"}}}}"#)
    };
    assert_eq!(
        found,
        [
            "ping".to_owned(),
            "notifications/initialized".to_owned(),
            format!("not-an-object {}", error("null", "not an object")),
            "tools/call".to_owned(),
            format!("jsonrpc-version {}", error("2", "jsonrpc must be \\\"2.0\\\"")),
            format!("duplicate-member {}", error("null", "duplicate member")),
            format!("batch {}", error("null", "batches are not supported")),
            "ping".to_owned(),
        ]
    );
    let answers = r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m"}}]"#;
    assert_eq!(batch(answers, &old(), &policy(ALL)).unwrap(), ["answer", "answer"]);
}

/// LEG-15, LEG-16, LEG-17: what is refused as a whole, and what inside.
#[test]
fn leg_15_to_17_refused_batches() {
    let all = policy(ALL);
    let reason = |body: &str, context: &Context<'_>, policy: &Policy<'_>| batch(body, context, policy).unwrap_err().0;
    let one = format!("[{PING}]");
    assert_eq!(reason("[]", &old(), &all), "empty-batch");
    assert_eq!(reason(PING, &old(), &all), "not-a-batch");
    assert_eq!(reason("[1,]", &old(), &all), "invalid-json");
    assert_eq!(reason("7", &old(), &all), "not-a-batch");
    let mixed = format!(r#"[{PING},{{"jsonrpc":"2.0","id":9,"result":{{}}}}]"#);
    assert_eq!(reason(&mixed, &old(), &all), "mixed-batch");
    for version in [Version::V2024_11_05, Version::V2025_06_18, Version::V2025_11_25] {
        assert_eq!(reason(&one, &session_of(version), &all), "batch", "{version:?}");
    }
    assert_eq!(reason(&one, &Context::stdio(), &all), "batch", "nothing says that it is 2025-03-26");
    assert_eq!(reason(&one, &old(), &policy(VersionSet::of(&[Version::V2025_11_25]))), "batch");
    assert_eq!(reason(&one, &old(), &policy(VersionSet::EMPTY)), "batch");

    let initialize = r#"[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}]"#;
    assert!(batch(initialize, &old(), &all).unwrap()[0].starts_with("initialize-in-batch "));
    let modern = r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}]"#;
    assert!(batch(modern, &old(), &all).unwrap()[0].starts_with("batch "));
    let twice = r#"[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"\u0061","method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":"1","method":"ping"}]"#;
    let found = batch(twice, &old(), &all).unwrap();
    assert!(found[1].starts_with("duplicate-id ") && found[0] == "ping" && found[2..] == ["ping", "ping"], "{found:?}");
}

/// The edge of `MAX_BATCH`, and that entries may nest as deeply as messages may.
#[test]
fn batches_have_limits() {
    let many = |count: usize| {
        let entries: Vec<String> =
            (0..count).map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).collect();
        format!("[{}]", entries.join(","))
    };
    assert_eq!(batch(&many(MAX_BATCH), &old(), &policy(ALL)).unwrap().len(), MAX_BATCH);
    assert_eq!(batch(&many(MAX_BATCH + 1), &old(), &policy(ALL)).unwrap_err().0, "batch-too-long");
    let deep = |levels: usize| {
        let inner = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        format!(r#"[{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":{inner}}}}}]"#)
    };
    let mut policy = policy(ALL);
    policy.max_depth = 8;
    assert_eq!(batch(&deep(6), &old(), &policy).unwrap(), ["ping"]);
    assert_eq!(batch(&deep(7), &old(), &policy).unwrap_err().0, "too-deep");
    policy.max_bytes = 10;
    assert_eq!(batch(&deep(1), &old(), &policy).unwrap_err().0, "body-too-large");
}

/// LEG-28: over HTTP without a version header the sender is taken for 2025-03-26.
#[test]
fn leg_28_batches_over_http() {
    let fields: [(&[u8], &[u8]); 1] = [(b"mcp-session-id", b"x")];
    let none = Headers::collect(fields);
    let one = format!("[{PING}]");
    assert_eq!(batch(&one, &Context::http(&none), &policy(ALL)).unwrap(), ["ping"]);
    for (value, good) in [("2025-03-26", true), ("2025-06-18", false), ("2026-07-28", false), ("x", false)] {
        let headers = Headers::collect([(b"MCP-Protocol-Version".as_slice(), value.as_bytes())]);
        assert_eq!(batch(&one, &Context::http(&headers), &policy(ALL)).is_ok(), good, "{value}");
    }
    let twice = Headers::collect([(b"mcp-method".as_slice(), b"ping".as_slice()); 2]);
    assert_eq!(batch(&one, &Context::http(&twice), &policy(ALL)).unwrap_err().0, "duplicate-header");
    let offset = batch("[{\"a\":1}, \u{1}]", &old(), &policy(ALL)).unwrap_err();
    assert_eq!(offset.0, "invalid-json");
}

/// Admits one line in a session.
fn line<'a>(body: &'a str, version: Option<Version>) -> Admitted<'a> {
    let context = Context { legacy_version: version, ..Context::stdio() };
    admit(body.as_bytes(), &context, &policy(ALL), &mut vec![0; scratch_len(body.len())]).unwrap()
}

fn initialize(version: &str, capabilities: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{capabilities},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
    )
}

const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const CALL: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}"#;
const FORM: &[u8] = br#"{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}"#;
const URL: &[u8] =
    br#"{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://example.com"}}"#;

/// A session after its handshake.
fn ready(version: &str, capabilities: &str) -> LegacySession<2> {
    let mut session = LegacySession::new(ALL);
    let body = initialize(version, capabilities);
    assert!(matches!(session.receive(&line(&body, None)).unwrap(), Event::Initialize(_)));
    assert!(matches!(session.receive(&line(READY, session.version())).unwrap(), Event::Initialized));
    assert!(session.is_ready());
    session
}

/// LEG-06, VER-21: the revision offered where it is served, else the newest legacy one; never a modern one.
#[test]
fn leg_06_negotiation() {
    for (offered, served, answer) in [
        ("2024-11-05", ALL, Some("2024-11-05")),
        ("2025-03-26", ALL, Some("2025-03-26")),
        ("2025-06-18", ALL, Some("2025-06-18")),
        ("2025-11-25", ALL, Some("2025-11-25")),
        ("2026-07-28", ALL, Some("2025-11-25")),
        ("2099-01-01", ALL, Some("2025-11-25")),
        ("", ALL, Some("2025-11-25")),
        ("2025-11-25", VersionSet::of(&[Version::V2024_11_05, Version::V2025_06_18]), Some("2025-06-18")),
        ("2026-07-28", VersionSet::of(&[Version::V2026_07_28, Version::V2024_11_05]), Some("2024-11-05")),
        ("2025-11-25", VersionSet::EMPTY, None),
    ] {
        let mut session: LegacySession<1> = LegacySession::new(served);
        let body = initialize(offered, "{}");
        let found = session.receive(&line(&body, None));
        assert_eq!(found.is_ok(), answer.is_some(), "{offered}");
        assert_eq!(session.version().map(Version::as_str), answer, "{offered}");
    }
}

/// LEG-01: what initialize must have.
#[test]
fn leg_01_initialize_params() {
    for params in [
        "{}",
        r#"{"protocolVersion":1,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#,
        r#"{"protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"}}"#,
        r#"{"protocolVersion":"2025-11-25","capabilities":[],"clientInfo":{"name":"c","version":"1"}}"#,
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c"}}"#,
        r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#,
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#);
        let mut session: LegacySession<1> = LegacySession::new(ALL);
        let message = line(&body, None);
        let refused = session.receive(&message).unwrap_err();
        assert_eq!((refused.reason(), refused.code(), refused.status()), (Reason::InitializeParams, -32602, 200));
        assert_eq!(session.version(), None);
    }
}

/// LEG-02, LEG-45, LEG-46: the answer, by revision.
#[test]
fn leg_02_initialize_result() {
    let server = ServerDescription {
        info: br#"{"name":"s", "version":"1","title":"S","icons":[],"description":"d","websiteUrl":"u","x":1}"#,
        capabilities: br#"{"tools":{"listChanged":true},"completions":{},"tasks":{},"extensions":{},"logging":{}}"#,
        instructions: Some("Say \"hi\"."),
    };
    let body = initialize("2025-11-25", "{}");
    let message = line(&body, None);
    let write = |version| {
        let mut out = [0; 512];
        let len = emit_initialize(&message, version, &server, &mut [0; 64], &mut out).unwrap();
        String::from_utf8(out[..len].to_vec()).unwrap()
    };
    let expected = |version: &str, capabilities: &str, info: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"{version}","capabilities":{{"tools":{{"listChanged":true}},{capabilities}"logging":{{}}}},"serverInfo":{{"name":"s","version":"1",{info}"x":1}},"instructions":"Say \"hi\"."}}}}"#
        )
    };
    assert_eq!(write(Version::V2024_11_05), expected("2024-11-05", "", ""));
    assert_eq!(write(Version::V2025_03_26), expected("2025-03-26", "\"completions\":{},", ""));
    assert_eq!(write(Version::V2025_06_18), expected("2025-06-18", "\"completions\":{},", "\"title\":\"S\","));
    let newest = "\"title\":\"S\",\"icons\":[],\"description\":\"d\",\"websiteUrl\":\"u\",";
    assert_eq!(write(Version::V2025_11_25), expected("2025-11-25", "\"completions\":{},\"tasks\":{},", newest));
    let modern = emit_initialize(&message, Version::V2026_07_28, &server, &mut [0; 64], &mut [0; 512]);
    assert!(matches!(modern, Err(ReplyError::Misuse(Misuse::UnknownVersion))));
}

/// LEG-03, LEG-04, LEG-11: the order of things.
#[test]
fn leg_03_handshake() {
    let mut session: LegacySession<1> = LegacySession::new(ALL);
    let ping = line(PING, None);
    assert!(matches!(session.receive(&ping).unwrap(), Event::Ping));
    let mut out = [0; 64];
    let len = complete(&ping, b"{}", &Default::default(), &mut [0; 16], &mut out).unwrap();
    assert_eq!(out[..len], *br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(session.receive(&line(CALL, None)).unwrap_err().reason(), Reason::NotInitialized);
    assert!(matches!(session.receive(&line(READY, None)).unwrap(), Event::Ignored));
    let body = initialize("2025-06-18", "{}");
    assert!(matches!(session.receive(&line(&body, None)).unwrap(), Event::Initialize(_)));
    assert_eq!(session.receive(&line(&body, None)).unwrap_err().reason(), Reason::AlreadyInitialized);
    assert!(matches!(session.receive(&line(CALL, session.version())).unwrap(), Event::Request));
    assert!(!session.is_ready());
    assert!(matches!(session.receive(&line(READY, session.version())).unwrap(), Event::Initialized));
    assert!(matches!(session.receive(&line(READY, session.version())).unwrap(), Event::Ignored));
    assert_eq!(session.receive(&line(&body, None)).unwrap_err().reason(), Reason::AlreadyInitialized);
    let modern = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    assert_eq!(session.receive(&line(modern, session.version())).unwrap_err().reason(), Reason::ModernInSession);
    let cancelled =
        |params: &str| format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}"#);
    for (params, id) in [
        (r#"{"requestId":0}"#, Some("0")),
        (r#"{"requestId":""}"#, Some("\"\"")),
        (r#"{"requestId":{}}"#, None),
        ("{}", None),
    ] {
        let body = cancelled(params);
        let found = session.receive(&line(&body, session.version())).unwrap();
        match (found, id) {
            (Event::Cancelled(found), Some(id)) => assert_eq!(found.raw(), id.as_bytes()),
            (Event::Ignored, None) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// LEG-12, LEG-13: the server's own requests and their answers.
#[test]
fn leg_12_own_requests() {
    let mut session = ready("2025-11-25", r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}"#);
    let call = line(CALL, session.version());
    let mut out = [0; 512];
    let mut scratch = [0; 64];
    let (id, len) = session.request(&call, FORM, &mut scratch, &mut out).unwrap();
    let written = std::str::from_utf8(&out[..len]).unwrap();
    assert_eq!(
        written,
        r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}"#
    );
    let (second, len) = session.request(&call, URL, &mut scratch, &mut out).unwrap();
    assert_eq!((id, second, session.waiting()), (1, 2, 2));
    let written = std::str::from_utf8(&out[..len]).unwrap();
    assert!(
        written.ends_with(r#""params":{"mode":"url","message":"m","url":"https://example.com","elicitationId":"2"}}"#)
    );
    let full = session.request(&call, FORM, &mut scratch, &mut out);
    assert!(matches!(full, Err(ReplyError::Misuse(Misuse::TooManyRequests))));

    let answer =
        |body: &str, session: &mut LegacySession<2>| match session.receive(&line(body, session.version())).unwrap() {
            Event::Answered { id, request, outcome } => {
                let raw = match outcome {
                    Outcome::Result(raw) | Outcome::Error(raw) => raw,
                };
                Some((id, request, String::from_utf8(raw.as_bytes().to_vec()).unwrap()))
            }
            Event::Ignored => None,
            other => panic!("{other:?}"),
        };
    for stray in [r#""1""#, "3", "0", "-1", "18446744073709551617"] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{stray},"result":{{}}}}"#);
        assert_eq!(answer(&body, &mut session), None, "{stray}");
    }
    let accepted = r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}"#;
    assert_eq!(answer(accepted, &mut session), Some((1, ServerRequest::Elicit, r#"{"action":"accept"}"#.to_owned())));
    assert_eq!(answer(accepted, &mut session), None, "answered already");
    let failed = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}"#;
    assert_eq!(
        answer(failed, &mut session),
        Some((2, ServerRequest::Elicit, r#"{"code":-1,"message":"no"}"#.to_owned()))
    );

    let (id, len) = session.ping(&mut out).unwrap();
    assert_eq!(out[..len], *br#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#);
    let len = session.cancel(id, Some("late"), &mut out).unwrap();
    assert_eq!(
        out[..len],
        *br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"late"}}"#
    );
    assert_eq!(session.cancel(id, None, &mut out).unwrap(), 0);
    assert_eq!(answer(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#, &mut session), None, "given up");
    assert!(session.request(&call, FORM, &mut scratch, &mut []).is_err());
    assert_eq!(session.waiting(), 0, "what was not written is not waited for");
}

/// LEG-05, LEG-08, LEG-40, LEG-41: what a client cannot be asked.
#[test]
fn leg_41_what_a_client_can_be_asked() {
    let ask = |version: &str, capabilities: &str, question: &[u8]| {
        let mut session = ready(version, capabilities);
        let call = line(CALL, session.version());
        let mut out = [0; 512];
        match session.request(&call, question, &mut [0; 64], &mut out) {
            Ok((_, len)) => Ok(String::from_utf8(out[..len].to_vec()).unwrap()),
            Err(ReplyError::Rejected(refused)) => Err(refused.reason()),
            Err(other) => panic!("{other:?}"),
        }
    };
    let cannot = Err(Reason::ClientCannot);
    assert_eq!(ask("2025-11-25", "{}", FORM), cannot);
    assert_eq!(ask("2025-11-25", r#"{"elicitation":{}}"#, URL), cannot);
    assert_eq!(ask("2025-11-25", r#"{"elicitation":{"url":{}}}"#, FORM), cannot);
    assert_eq!(ask("2025-06-18", r#"{"elicitation":{"url":{}}}"#, URL), cannot);
    assert_eq!(ask("2025-03-26", r#"{"elicitation":{}}"#, FORM), cannot);
    assert_eq!(ask("2024-11-05", "{}", br#"{"method":"roots/list"}"#), cannot);
    let form = ask("2025-06-18", r#"{"elicitation":{}}"#, FORM).unwrap();
    assert!(!form.contains("mode") && form.contains(r#""params":{"message":"m","#), "{form}");
    assert!(ask("2024-11-05", r#"{"roots":{}}"#, br#"{"method":"roots/list"}"#).unwrap().ends_with("\"roots/list\"}"));
    let sample =
        br#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"includeContext":"thisServer"}}"#;
    assert!(ask("2024-11-05", r#"{"sampling":{}}"#, sample).is_ok());
    assert_eq!(ask("2025-11-25", r#"{"sampling":{}}"#, sample), cannot);

    // LEG-58: nothing is asked but while a request of the client's is being served.
    let mut idle = ready("2025-11-25", r#"{"roots":{}}"#);
    let note = line(r#"{"jsonrpc":"2.0","method":"a/b"}"#, idle.version());
    let refused = idle.request(&note, br#"{"method":"roots/list"}"#, &mut [0; 64], &mut [0; 256]);
    assert!(matches!(refused, Err(ReplyError::Misuse(Misuse::NotARequest))));

    let mut early: LegacySession<1> = LegacySession::new(ALL);
    let body = initialize("2025-11-25", r#"{"roots":{}}"#);
    early.receive(&line(&body, None)).unwrap();
    let call = line(CALL, early.version());
    let refused = early.request(&call, br#"{"method":"roots/list"}"#, &mut [0; 64], &mut [0; 256]);
    let Err(ReplyError::Rejected(refused)) = refused else { panic!("asked too early") };
    assert_eq!(refused.reason(), Reason::NotInitialized);
    assert_eq!((refused.id().map(|id| id.raw()), early.waiting()), (call.id().map(|id| id.raw()), 0));
}

/// LEG-41: an `elicitationId` is new in its session, as far back as [`MAX_ELICITATION_IDS`] reach.
#[test]
fn leg_41_elicitation_ids_are_remembered() {
    let mut session = ready("2025-11-25", r#"{"elicitation":{"url":{}}}"#);
    let call = line(CALL, session.version());
    let mut ask = |name: usize, out: &mut [u8]| {
        let url = std::str::from_utf8(URL).unwrap().replace("}}", &format!(r#","elicitationId":"pay-{name}"}}}}"#));
        let (id, _) = session.request(&call, url.as_bytes(), &mut [0; 64], out)?;
        session.cancel(id, None, &mut [0; 128])
    };
    assert!(matches!(ask(0, &mut []), Err(ReplyError::TooSmall(_))), "what was not written is not remembered");
    for name in 0..MAX_ELICITATION_IDS {
        assert!(ask(name, &mut [0; 256]).is_ok(), "{name}");
    }
    for name in 0..MAX_ELICITATION_IDS {
        assert!(matches!(ask(name, &mut [0; 256]), Err(ReplyError::Misuse(Misuse::ElicitationId))), "{name}");
    }
    assert!(ask(MAX_ELICITATION_IDS, &mut [0; 256]).is_ok());
    assert!(ask(0, &mut [0; 256]).is_ok(), "the oldest is forgotten");
    assert!(matches!(ask(2, &mut [0; 256]), Err(ReplyError::Misuse(Misuse::ElicitationId))));
}

/// LEG-10, LEG-22: what is refused as a whole later has a null id too, and the status of its reason.
#[test]
fn leg_10_a_batch_refused_later() {
    let refused = Rejected::of_batch(Reason::SessionNotFound);
    assert_eq!(
        (refused.status(), text(&refused).as_str()),
        (404, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Session not found"}}"#)
    );
}

/// LEG-17: the answer to a batch says how much room it needs.
#[test]
fn leg_17_room_for_the_answer_to_a_batch() {
    let answers = [b"{}".as_slice(), b"", b"{}"];
    assert_eq!(emit_batch(answers, true, &mut [0; 6]).unwrap_err().needed, 7);
    let mut out = [0; 7];
    assert_eq!((emit_batch(answers, true, &mut out), &out), (Ok((200, 7)), b"[{},{}]"));
}

/// LEG-20, LEG-21: session ids.
#[test]
fn leg_20_session_ids() {
    let longest = "s".repeat(MAX_SESSION_ID_BYTES);
    for good in ["1868a90c", "!~", longest.as_str()] {
        assert!(is_session_id(good));
        let headers = Headers::collect([(b"Mcp-Session-Id".as_slice(), good.as_bytes())]);
        assert_eq!(session_id(&headers), Ok(good));
    }
    for bad in ["a b", "\u{7f}", "é", &format!("{longest}s")] {
        assert!(!is_session_id(bad));
        let headers = Headers::collect([(b"mcp-session-id".as_slice(), bad.as_bytes())]);
        assert_eq!(session_id(&headers), Err(Reason::SessionId), "{bad}");
    }
    assert!(!is_session_id(""));
    assert_eq!(session_id(&Headers::default()), Err(Reason::SessionMissing));
    let twice = Headers::collect([(b"mcp-session-id".as_slice(), b"a".as_slice()); 2]);
    assert_eq!(session_id(&twice), Err(Reason::DuplicateHeader));
    assert_eq!((Reason::SessionMissing.status(), Reason::SessionNotFound.status()), (400, 404));
}

/// LEG-18, LEG-23, LEG-24: GET and DELETE.
#[test]
fn leg_18_streams() {
    let judge = |method: &str, fields: &[(&str, &str)], policy: &Policy<'_>| {
        let fields: Vec<(&[u8], &[u8])> = fields.iter().map(|(n, v)| (n.as_bytes(), v.as_bytes())).collect();
        let headers = Headers::collect(fields);
        match admit_stream(method, &headers, policy) {
            Ok(StreamRequest::Listen { last_event_id }) => Ok(last_event_id.map(str::to_owned)),
            Ok(StreamRequest::End) => Ok(Some("END".to_owned())),
            Err(refused) => Err((refused.reason().name(), refused.status())),
        }
    };
    let all = policy(ALL);
    let events = ("accept", "text/event-stream");
    assert_eq!(judge("GET", &[events], &all), Ok(None));
    assert_eq!(judge("GET", &[], &all), Ok(None));
    assert_eq!(judge("GET", &[events, ("last-event-id", "s1-42")], &all), Ok(Some("s1-42".to_owned())));
    assert_eq!(judge("GET", &[events, ("last-event-id", "\u{1}")], &all), Err(("header-value", 400)));
    assert_eq!(
        judge("GET", &[events, ("Last-Event-ID", "a"), ("last-event-id", "b")], &all),
        Err(("duplicate-header", 400))
    );
    assert_eq!(judge("GET", &[("accept", "application/json")], &all), Err(("not-acceptable", 406)));
    assert_eq!(judge("DELETE", &[("mcp-protocol-version", "2025-11-25")], &all), Ok(Some("END".to_owned())));
    assert_eq!(judge("GET", &[("mcp-protocol-version", "2026-07-28")], &all), Err(("http-method", 405)));
    assert_eq!(judge("GET", &[("mcp-protocol-version", "banana")], &all), Err(("unsupported-version", 400)));
    assert_eq!(judge("GET", &[("origin", "https://evil.example")], &all), Err(("origin-not-allowed", 403)));
    assert_eq!(judge("PUT", &[], &all), Err(("stream-method", 405)));
    assert_eq!(judge("POST", &[], &all), Err(("stream-method", 405)));
    let newer = policy(VersionSet::of(&[Version::V2025_11_25]));
    assert_eq!(judge("GET", &[], &newer), Err(("version-header-missing", 400)));
    assert_eq!(judge("GET", &[events], &policy(VersionSet::EMPTY)), Err(("http-method", 405)));
    assert_eq!(judge("DELETE", &[], &policy(VersionSet::EMPTY)), Err(("http-method", 405)));
}
