//! The calls into the core that the conversation of `talk` does not need: the older revisions, forms and answers.

use core::hint::black_box;

use wireseal::{
    Context, Headers, Id, LogLevel, Policy, Reason, Rejected, Version, VersionSet, admit, check_content,
    check_input_responses,
    client::{ClientOptions, Received, Sent, initialize, negotiated, probe, request},
    json::check,
    legacy::{
        Event, LegacySession, ServerDescription, StreamRequest, admit_batch, admit_stream, emit_batch, emit_initialize,
        session_id,
    },
    limits::MAX_DEPTH,
    reply::{
        Change, LIST_ROOTS, Offered, Progressing, Subscriptions, elicit, elicit_url, log, notification,
        resource_not_found, sample,
    },
};

use crate::Buffers;

const INITIALIZE: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}},"clientInfo":{"name":"c","version":"1"}}}"#;
const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"open_valve","arguments":{}}}"#;
const ANSWER: &[u8] = br#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}"#;
const FAILED: &[u8] = br#"{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}"#;
const READ: &[u8] = br#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"valve://9"}}"#;
const URL: &[u8] = br#"{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://plant.example","elicitationId":"pay-\u0061"}}"#;
const SAMPLING: &[u8] = br#"{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":[{"type":"text","text":"?"}]}],"maxTokens":9,"includeContext":"thisServer","tools":[]}}"#;
const GIVEN_UP: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
const BATCH: &[u8] = br#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2}]"#;
const STREAM_HEADERS: [(&[u8], &[u8]); 3] =
    [(b"Accept", b"text/event-stream"), (b"Mcp-Session-Id", b"s"), (b"Last-Event-ID", b"4")];

const SCHEMA: &[u8] = br#"{"type":"object","properties":{"litres":{"type":"number","minimum":0.5},"mail":{"type":"string","format":"email"},"day":{"type":"string","format":"date"}}}"#;
const CONTENT: &[u8] = br#"{"litres":2.50,"mail":"operator@plant.example","day":"2026-08-04"}"#;
const ASKED: &[u8] = br#"{"r":{"method":"roots/list"},"u":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://plant.example"}},"s":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}"#;
const ANSWERED: &[u8] = br#"{"r":{"roots":[]},"u":{"action":"cancel"}}"#;
const SAMPLE: &[u8] = br#"{"messages":[{"role":"user","content":{"type":"text","text":"?"}}],"maxTokens":9}"#;

const LISTEN: &[u8] = br#"{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["valve://1"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
const WATCHED: &[u8] = br#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"open_valve","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":1,"io.modelcontextprotocol/logLevel":"info"}}}"#;

const LEGACY: VersionSet = VersionSet::of(&[Version::V2025_11_25, Version::V2025_03_26]);

/// A session of an older revision: the handshake, every kind of question, answers, one that is given up, a ping; a batch and
/// its answer; what is not there; a stream.
pub fn legacy(buffers: &mut Buffers) -> Option<usize> {
    let Buffers { scratch, out, body, .. } = buffers;
    let policy: Policy<'_> = Policy { legacy: black_box(LEGACY), ..Policy::new() };
    let mut session: LegacySession<2> = LegacySession::new(policy.legacy);
    let server = ServerDescription { info: br#"{"name":"d","version":"1"}"#, capabilities: b"{}", instructions: None };
    let len = elicit(black_box("Open it?"), black_box(SCHEMA), scratch, body).ok()?;
    let form = body.get(..len)?;
    let mut questions = [form, URL, SAMPLING, LIST_ROOTS].into_iter();
    let mut seen = 0;
    for line in [INITIALIZE, INITIALIZED, CALL, ANSWER, CALL, FAILED, CALL, CALL, GIVEN_UP] {
        let message = admit(black_box(line), &Context::stdio(), &policy, scratch).ok()?;
        match session.receive(&message).ok()? {
            Event::Initialize(handshake) => {
                seen += emit_initialize(&message, handshake.version, &black_box(server), scratch, out).ok()?;
            }
            Event::Request => {
                let (_, len) = session.request(&message, black_box(questions.next()?), scratch, out).ok()?;
                seen += len;
            }
            other => _ = black_box(other),
        }
    }
    seen += session.cancel(black_box(4), black_box(Some("late")), out).ok()?;
    let (_, len) = session.ping(out).ok()?;
    seen += len;
    let read = admit(black_box(READ), &Context::stdio(), &policy, scratch).ok()?;
    seen += resource_not_found(&read, out).ok()?.1;
    let mut refused = 0;
    let old = Context { legacy_version: Some(Version::V2025_03_26), ..Context::stdio() };
    admit_batch(black_box(BATCH), &old, &policy, scratch, |entry| {
        if let Err(rejected) = entry {
            refused += rejected.emit(out).unwrap_or(0);
        }
    })
    .ok()?;
    seen += emit_batch(black_box([ANSWER, b"", FAILED]), black_box(true), out).ok()?.1;
    seen += Rejected::of_batch(black_box(Reason::SessionNotFound)).emit(out).ok()?;
    let headers = Headers::collect(black_box(&STREAM_HEADERS).iter().copied());
    let Ok(StreamRequest::Listen { last_event_id: Some(_) }) = admit_stream(black_box("GET"), &headers, &policy) else {
        return None;
    };
    session_id(&headers).ok()?;
    (refused > 0).then_some(seen)
}

/// Every kind of question, and what came back for them.
pub fn forms(buffers: &mut Buffers) -> Option<usize> {
    let Buffers { scratch, out, .. } = buffers;
    let schema = check(black_box(SCHEMA), MAX_DEPTH, scratch).ok()?;
    let content = check(black_box(CONTENT), MAX_DEPTH, scratch).ok()?;
    check_content(schema, content).ok()?;
    let asked = check(black_box(ASKED), MAX_DEPTH, scratch).ok()?;
    let answered = check(black_box(ANSWERED), MAX_DEPTH, scratch).ok()?;
    let mut count = 0usize;
    check_input_responses(asked, Some(answered), |key, verdict| {
        count += 1;
        black_box((key, verdict));
    })
    .ok()?;
    let mut len = elicit_url(black_box("See"), black_box("https://plant.example/x"), out).ok()?;
    len += sample(black_box(SAMPLE), scratch, out).ok()?;
    (count == 3).then_some(len)
}

/// What is sent unasked: progress, a log message, a subscription from its acknowledgement to its end.
pub fn notices(buffers: &mut Buffers) -> Option<usize> {
    let Buffers { scratch, out, .. } = buffers;
    let policy: Policy<'_> = Policy::new();
    let call = admit(black_box(WATCHED), &Context::stdio(), &policy, scratch).ok()?;
    let mut progressing = Progressing::new();
    let mut seen = progressing.emit(&call, black_box(b"0.5"), black_box(Some(b"1")), Some("opening"), out).ok()?;
    seen += log(&call, LogLevel::Error, black_box(b"{\"stuck\":true}"), Some("valve"), scratch, out).ok()?;
    seen += notification(black_box("a/b"), Some(black_box(b"{\"x\":1}")), call.id(), scratch, out).ok()?;
    let listen = admit(black_box(LISTEN), &Context::stdio(), &policy, scratch).ok()?;
    let offered = Offered { tools: true, updates: true, ..Offered::default() };
    let mut all: Subscriptions<2, 320> = Subscriptions::new();
    seen += all.open(&listen, offered, out).ok()?;
    all.notify(&Change::Resource(black_box("valve://1/state")), out, |bytes| seen += bytes.len()).ok()?;
    seen += all.end(listen.id()?, Some(black_box(br#"{"name":"d","version":"1"}"#)), scratch, out).ok()?;
    (!all.cancel(call.id()?)).then_some(seen)
}

const ASKS: &[u8] = br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}},"requestState":"s"}}"#;
const OLD: &[u8] = br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","ttlMs":5}}"#;

/// The client's half: a request and its headers, what comes back, the next leg, a probe, a handshake.
pub fn client(buffers: &mut Buffers) -> Option<usize> {
    let Buffers { scratch, out, body, .. } = buffers;
    let number = |text: &'static [u8]| Id::parse(check(black_box(text), 1, &mut []).ok()?).ok();
    let (first, second) = (number(b"1")?, number(b"2")?);
    let options =
        ClientOptions { client_info: Some(br#"{"name":"c","version":"1"}"#), capabilities: br#"{"roots":{}}"# };
    let params = black_box(Some(&br#"{"name":"open_valve"}"#[..]));
    let len = request(first, black_box("tools/call"), params, &options, scratch, body).ok()?;
    let sent = Sent::read(body.get(..len)?, scratch).ok()?;
    let mut seen = 0;
    sent.headers(None, out, |name, value| seen += name.len() + value.len()).ok()?;
    let received = Received::read(black_box(ASKS), scratch).ok()?;
    seen += sent.retry(&received, black_box(br#"{"r":{"roots":[]}}"#), second, scratch, out).ok()?;
    let old = Received::read(black_box(OLD), scratch).ok()?;
    black_box((old.fresh_until_ms(&sent, 1), old.cache_scope(), old.server_info(), old.next_cursor().is_some()));
    negotiated(&old, LEGACY)?;
    seen += initialize(first, Version::V2025_11_25, &options, scratch, out).ok()?;
    let probed = probe(black_box(Some(200)), black_box(OLD), scratch);
    black_box((probed.era(), probed.choose(LEGACY)));
    Some(seen)
}
