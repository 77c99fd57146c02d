//! The core never allocates: each call runs under a global allocator that stops the process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Write, stderr};
use std::process::{Command, abort};

use wireseal::json::{self, Text, scratch_len};
use wireseal::legacy::{
    self, LegacySession, ServerDescription, admit_batch, admit_stream, emit_batch, emit_initialize, session_id,
};
use wireseal::once::{Claim, Finished, Once, Rows, Settings, Slot, Verdict};
use wireseal::reply::{self, CompleteOptions, Question};
use wireseal::seal::{Binding, Boot, Format, Formats, Fresh, Key, ProcessNonces, Sealer};
use wireseal::stream::{Event, Lent, Line, LineFramer, SseEvent, SseReader, emit_comment, emit_event};
use wireseal::{
    Admitted, Context, Headers, ParamHeaders, ParamSource, ParamTable, Policy, Reason, Rejected, Version, VersionSet,
    admit,
};

/// The system's allocator, except while [`without_alloc`] runs on this thread.
struct Guard;

thread_local! {
    static FORBIDDEN: Cell<bool> = const { Cell::new(false) };
}

#[global_allocator]
static GUARD: Guard = Guard;

/// Stops the process: an allocator must not unwind, so a panic proper is not allowed here.
fn check() {
    if FORBIDDEN.replace(false) {
        let _ = stderr().write_all(b"an allocation where none is allowed\n");
        abort();
    }
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Guard {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        check();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        check();
        // SAFETY: the caller keeps the contract of `dealloc`, and `pointer` came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs `work` with every allocation and release on this thread forbidden.
fn without_alloc<T>(work: impl FnOnce() -> T) -> T {
    FORBIDDEN.set(true);
    let result = work();
    FORBIDDEN.set(false);
    result
}

const NOW_MS: u64 = 1_785_000_000_000;
const STATE: &[u8] = br#"["basalt","cinder"]"#;
const CALL: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}},"name":"book_room","arguments":{"date":"2026-08-04","attendees":6,"notes":[{"a":1.50,"b":"\u00fc"},[]]}}}"#;
const QUESTION: &[u8] = br#"{"method":"elicitation/create","params":{"mode":"form","message":"Which room?","requestedSchema":{"type":"object","properties":{"room":{"type":"string","enum":["basalt","cinder"]}}}}}"#;
const HEADERS: [(&[u8], &[u8]); 3] =
    [(b"mcp-protocol-version", b"2026-07-28"), (b"mcp-method", b"tools/call"), (b"mcp-name", b"book_room")];

fn admitted<'a>(body: &'a str, scratch: &mut [u64]) -> Result<Admitted<'a>, Rejected<'a>> {
    let policy: Policy<'_> = Policy::new();
    admit(body.as_bytes(), &Context::http(&Headers::collect(HEADERS)), &policy, scratch)
}

/// The older revisions: the handshake, a question and its answer, a ping, a batch and its answer, a stream.
#[test]
fn legacy_sessions_allocate_nothing() {
    const INITIALIZE: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"url":{}}},"clientInfo":{"name":"c","version":"1"}}}"#;
    const READY: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    const READ: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}"#;
    const URL: &[u8] = br#"{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"a:b","elicitationId":"\u0061"}}"#;
    const ANSWER: &[u8] = br#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}"#;
    const BATCH: &[u8] = br#"[{"jsonrpc":"2.0","id":1,"method":"ping"},7]"#;
    let (mut scratch, mut out) = ([0u64; 64], [0u8; 512]);
    without_alloc(|| {
        let served = VersionSet::of(&[Version::V2025_03_26, Version::V2025_11_25]);
        let policy: Policy<'_> = Policy { legacy: served, ..Policy::new() };
        let server =
            ServerDescription { info: br#"{"name":"s","version":"1"}"#, capabilities: b"{}", instructions: None };
        let mut session: LegacySession<2> = LegacySession::new(served);
        let mut answered = 0;
        for line in [INITIALIZE, READY, READ, ANSWER] {
            let message = admit(line, &Context::stdio(), &policy, &mut scratch).unwrap();
            match session.receive(&message).unwrap() {
                legacy::Event::Initialize(handshake) => {
                    emit_initialize(&message, handshake.version, &server, &mut scratch, &mut out).unwrap();
                }
                legacy::Event::Request => {
                    session.request(&message, URL, &mut scratch, &mut out).unwrap();
                    reply::resource_not_found(&message, &mut out).unwrap();
                }
                legacy::Event::Answered { .. } => answered += 1,
                _ => {}
            }
        }
        let (id, _) = session.ping(&mut out).unwrap();
        session.cancel(id, Some("late"), &mut out).unwrap();
        let old = Context { legacy_version: Some(Version::V2025_03_26), ..Context::stdio() };
        let mut entries = 0;
        admit_batch(BATCH, &old, &policy, &mut scratch, |_| entries += 1).unwrap();
        let (status, _) = emit_batch([ANSWER], false, &mut out).unwrap();
        let headers = Headers::collect([(b"mcp-session-id".as_slice(), b"s".as_slice())]);
        assert!(admit_stream("DELETE", &headers, &policy).is_ok() && session_id(&headers).is_ok());
        assert_eq!((answered, entries, status), (1, 2, 200));
    });
}

#[test]
fn counted_nonces_and_their_keys_allocate_nothing() {
    let mut token = [0u8; 128];
    let mut scratch = vec![0u64; scratch_len(4096)];
    let call = admitted(CALL, &mut scratch).unwrap();
    let binding = Binding::of(&call, Some("anna")).unwrap();
    without_alloc(|| {
        let key = Key::derive_counter(b"a secret of a test: never use it").unwrap().with_budget(10);
        let sealer = Sealer::new([key], Some("desk"), 600_000, Format::Compact, Formats::of(&[])).unwrap();
        let mut nonces = Boot::after(1, 6).and_then(|boot| boot.stored(7)).unwrap();
        let fresh = nonces.next().unwrap();
        sealer.seal(&binding, STATE, NOW_MS, fresh, &mut scratch, &mut token).unwrap();
        let process = ProcessNonces::from_random([0x42; 20], 1);
        // Of the wrong kind for this key, and refused.
        sealer.seal(&binding, STATE, NOW_MS, process.next(1).unwrap(), &mut scratch, &mut token).unwrap_err();
        assert_eq!(sealer.seals_left(), 9);
    });
}

#[test]
fn admit_seal_open_and_reply_allocate_nothing() {
    for &format in Format::ALL {
        let mut scratch = vec![0u64; scratch_len(4096)];
        let (mut token, mut state, mut out) = ([0u8; 1024], [0u8; 1024], [0u8; 4096]);

        let key = without_alloc(|| Key::derive(b"a secret of a test: never use it")).unwrap();
        let sealer = without_alloc(|| Sealer::new([key], Some("desk"), 600_000, format, Formats::of(&[]))).unwrap();

        let call = without_alloc(|| admitted(CALL, &mut scratch)).unwrap();
        let mut binding = without_alloc(|| Binding::of(&call, Some("anna"))).unwrap();
        binding.associated = Some(b"what a signed token is bound to");
        let fresh = Fresh::from_random([0x42; 20]);
        let len = without_alloc(|| sealer.seal(&binding, STATE, NOW_MS, fresh, &mut scratch, &mut token)).unwrap();
        let text = std::str::from_utf8(&token[..len]).unwrap();
        let questions = [Question { key: "room", request: QUESTION }];
        without_alloc(|| reply::input_required(&call, &questions, Some(text), None, &mut scratch, &mut out)).unwrap();

        let answer = r#""inputResponses":{"room":{"action":"accept","content":{"room":"cinder"}}}"#;
        let retry = CALL.replacen("\"_meta\"", &format!("\"requestState\":\"{text}\",{answer},\"_meta\""), 1);
        let call = without_alloc(|| admitted(&retry, &mut scratch)).unwrap();
        let mut binding = without_alloc(|| Binding::of(&call, Some("anna"))).unwrap();
        binding.associated = Some(b"what a signed token is bound to");
        let token = call.request_state().unwrap();
        let answers = call.input_responses();
        let opened =
            without_alloc(|| sealer.open(token, &binding, answers, NOW_MS + 1, &mut scratch, &mut state)).unwrap();
        assert_eq!(opened.state, STATE);
        let result = br#"{"content":[{"type":"text","text":"cinder"}]}"#;
        if opened.issued_at_ms.is_some() {
            let rows = Rows::new([0u8; 4 * 64], 4);
            let claim = without_alloc(|| Claim::of(&opened, Some("anna"))).unwrap();
            let mut once = without_alloc(|| Once::new([Slot::FREE; 4], rows, Settings::for_slots(4), NOW_MS)).unwrap();
            let acted = without_alloc(|| match once.claim(&claim, NOW_MS + 2) {
                Ok(Verdict::Claimed(ticket)) => once.finish(ticket, Some(result), NOW_MS + 3),
                _ => Finished::Late,
            });
            assert_eq!(acted, Finished::Kept);
            assert!(without_alloc(|| matches!(once.find(&claim, NOW_MS + 4), Ok(Some(Verdict::Done(_))))));
        } else {
            assert_eq!(Claim::of(&opened, Some("anna")).unwrap_err(), Reason::StateUndated);
        }
        let options = CompleteOptions::default();
        without_alloc(|| reply::complete(&call, result, &options, &mut scratch, &mut out)).unwrap();
        without_alloc(|| reply::error(Some(&call), 100, "no room", Some(b"{}"), &mut scratch, &mut out)).unwrap();

        let other = Binding::of(&call, Some("berta")).unwrap();
        let refused = without_alloc(|| sealer.open(token, &other, None, NOW_MS + 1, &mut scratch, &mut state).is_err());
        assert!(refused, "the token is anna's");
    }
}

#[test]
fn notifications_allocate_nothing() {
    let wishes =
        r#""progressToken":1,"io.modelcontextprotocol/logLevel":"info","io.modelcontextprotocol/protocolVersion""#;
    let call = CALL.replacen(r#""io.modelcontextprotocol/protocolVersion""#, wishes, 1);
    let listen = CALL.replacen("tools/call", "subscriptions/listen", 1).replacen(
        "\"_meta\"",
        r#""notifications":{"toolsListChanged":true},"_meta""#,
        1,
    );
    let mut scratch = vec![0u64; 128];
    let mut out = [0u8; 1024];
    let call = admitted(&call, &mut scratch).unwrap();
    let policy: Policy<'_> = Policy::new();
    let listen = admit(listen.as_bytes(), &Context::stdio(), &policy, &mut scratch).unwrap();
    let offered = reply::Offered { tools: true, ..reply::Offered::default() };
    let mut told = 0;
    without_alloc(|| {
        let mut progressing = reply::Progressing::new();
        assert!(progressing.emit(&call, b"1", Some(b"2"), Some("half"), &mut out).unwrap() > 0);
        let level = wireseal::LogLevel::Error;
        assert!(reply::log(&call, level, b"[1]", Some("l"), &mut scratch, &mut out).unwrap() > 0);
        let params = Some(&br#"{"a":1}"#[..]);
        assert!(reply::notification("a/b", params, listen.id(), &mut scratch, &mut out).unwrap() > 0);
        let mut all: reply::Subscriptions<2, 1024> = reply::Subscriptions::new();
        assert!(all.open(&listen, offered, &mut out).unwrap() > 0);
        all.notify(&reply::Change::Tools, &mut out, |_| told += 1).unwrap();
        assert!(all.end(listen.id().unwrap(), None, &mut scratch, &mut out).unwrap() > 0);
    });
    assert_eq!(told, 1);
}

#[test]
fn the_clients_half_allocates_nothing() {
    use wireseal::client::{ClientOptions, Received, Sent, initialize, probe, request};

    let asks = br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s"}}"#;
    let (mut scratch, mut body, mut out) = ([0u64; 64], [0u8; 1024], [0u8; 1024]);
    without_alloc(|| {
        let id = |text: &'static [u8]| wireseal::Id::parse(json::check(text, 1, &mut []).unwrap()).unwrap();
        let options = ClientOptions { client_info: Some(br#"{"name":"c","version":"1"}"#), capabilities: b"{}" };
        let params = Some(&br#"{"name":"t"}"#[..]);
        let len = request(id(b"1"), "tools/call", params, &options, &mut scratch, &mut body).unwrap();
        let sent = Sent::read(&body[..len], &mut scratch).unwrap();
        let mut count = 0;
        sent.headers(None, &mut out, |_, _| count += 1).unwrap();
        assert_eq!(count, 5);
        let received = Received::read(asks, &mut scratch).unwrap();
        assert!(sent.retry(&received, b"{}", id(b"2"), &mut scratch, &mut out).unwrap() > 0);
        assert!(initialize(id(b"1"), Version::V2025_11_25, &options, &mut scratch, &mut out).unwrap() > 0);
        assert!(probe(Some(400), asks, &mut scratch).versions().next().is_none());
    });
}

#[test]
fn refusals_allocate_nothing() {
    let twice = CALL.replacen("\"id\":7", "\"id\":7,\"id\":7", 1);
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let version = CALL.replacen("2026-07-28", "2099-01-01", 1);
    let bodies = ["", "{", "[]", "7", twice.as_str(), deep.as_str(), version.as_str(), r#"{"jsonrpc":"2.0","id":1}"#];
    let mut scratch = vec![0u64; scratch_len(16 * 1024)];
    let mut out = [0u8; 1024];
    for body in bodies {
        let rejected = without_alloc(|| admitted(body, &mut scratch)).unwrap_err();
        without_alloc(|| rejected.emit(&mut out)).unwrap();
    }
}

/// The one tool, whatever it is called.
struct Tool<'t>(&'t ParamTable);

const SCHEMA: &[u8] =
    br#"{"properties":{"date":{"type":"string","x-mcp-header":"Date"},"attendees":{"type":"integer","x-mcp-header":"N"}}}"#;

impl ParamSource for Tool<'_> {
    fn param_headers(&self, _: Text<'_>) -> Option<ParamHeaders<'_>> {
        self.0.view(SCHEMA)
    }
}

#[test]
fn tool_parameters_allocate_nothing() {
    let mut scratch = vec![0u64; scratch_len(4096)];
    let table = without_alloc(|| ParamTable::compile(SCHEMA, &mut scratch)).unwrap();
    let tool = Tool(&table);
    let policy: Policy<'_> = Policy::new();
    let params: [(&[u8], &[u8]); 2] = [(b"mcp-param-date", b"2026-08-04"), (b"Mcp-Param-N", b"=?base64?Ni4w?=")];
    for (count, admitted) in [(2, true), (1, false)] {
        let verdict = without_alloc(|| {
            let headers = Headers::collect(HEADERS.into_iter().chain(params).take(3 + count));
            let context = Context { tools: Some(&tool), ..Context::http(&headers) };
            admit(CALL.as_bytes(), &context, &policy, &mut scratch).is_ok()
        });
        assert_eq!(verdict, admitted);
    }
    let arguments = without_alloc(|| json::check(br#"{"date":"\u00fc","attendees":6e0}"#, 4, &mut scratch)).unwrap();
    let mut out = [0u8; 64];
    let written = without_alloc(|| {
        let fields = table.view(SCHEMA).unwrap().emit(Some(arguments)).unwrap();
        fields.map(|field| field.name().emit(&mut out).unwrap() + field.emit_value(&mut out).unwrap()).sum::<usize>()
    });
    assert_eq!(written, "Mcp-Param-Date".len() + "=?base64?w7w=?=".len() + "Mcp-Param-N".len() + "6".len());
    let invalid = br#"{"properties":{"a":{"items":{"x-mcp-header":"A"}}}}"#;
    let error = without_alloc(|| ParamTable::compile(invalid, &mut scratch)).unwrap_err();
    let len = without_alloc(|| error.emit_pointer(invalid, &mut out)).unwrap();
    assert_eq!(&out[..len], b"/properties/a/items");
}

/// Runs on a thread with a stack as a device may have one.
fn on_little_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(work);
    assert!(thread.is_ok_and(|thread| thread.join().is_ok()));
}

const JUNK: &[u8] = b"{ nope\nINFO starting\n\n[]\n7\n\"\n\xFF\xFE\n{}\n{\"jsonrpc\":\"2.0\"}\r\n\0\0\n\xEF\xBB\xBF{}\n\
    {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":7}\n\
    [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n\
    01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345\
    01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345\n";

const GOOD: &[u8] = br#"{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

/// STDIO-03, STDIO-04, B18: a million lines of junk, each judged, none of which hurts the next. Memory is constant: what is lent
/// has a fixed size, nothing is allocated, and the stack is small.
#[test]
fn a_million_lines_of_junk_before_a_good_one() {
    const ROUNDS: usize = 1_000_000 / 14 + 1;
    on_little_stack(|| {
        let policy: Policy<'_> = Policy::new();
        let (mut memory, mut scratch, mut out) = ([0u8; 200], [0u64; 16], [0u8; 512]);
        let (mut refused, mut answered, mut admitted) = (0, 0, 0);
        without_alloc(|| {
            let mut framer = LineFramer::new(Lent::new(&mut memory), 200);
            let mut judge = |line: Line<'_>| {
                let verdict = line.into_result().and_then(|line| admit(line, &Context::stdio(), &policy, &mut scratch));
                match verdict {
                    Ok(message) => admitted += usize::from(message.id().is_some_and(|id| id.raw() == b"7")),
                    Err(rejected) => {
                        refused += 1;
                        answered += usize::from(rejected.emit(&mut out).unwrap() > 0);
                    }
                }
            };
            for round in 0..ROUNDS {
                // In pieces of another size each time, so that in turn it is cut everywhere.
                for mut chunk in JUNK.chunks(1 + round % 97) {
                    while let Some(line) = framer.next(&mut chunk) {
                        judge(line);
                    }
                }
            }
            for mut chunk in [&GOOD[..100], &GOOD[100..], b"\r\n"] {
                while let Some(line) = framer.next(&mut chunk) {
                    judge(line);
                }
            }
        });
        // Every line but the blank one; neither the response nor the notification is answered.
        assert_eq!((refused, answered, admitted), (ROUNDS * 14, ROUNDS * 12, 1));
    });
}

/// HTTP-12, B104: fifty thousand events that are no messages, and messages that are junk.
#[test]
fn fifty_thousand_junk_events_before_a_good_one() {
    const EVENTS: &[u8] = b": ping\n\nevent: ping\ndata: x\r\n\r\ndata:\n\ndata: { nope\n\nx: 1\r\rid: 1\ndata: 0123456789012345678901234567890123\
        456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567\
        456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567\n\n";
    const ROUNDS: usize = 50_000 / 6 + 1;
    on_little_stack(|| {
        let policy: Policy<'_> = Policy::new();
        let (mut memory, mut scratch) = ([0u8; 200], [0u64; 16]);
        let (mut junk, mut long, mut admitted) = (0, 0, 0);
        without_alloc(|| {
            let mut reader = SseReader::new(Lent::new(&mut memory), 200);
            let mut judge = |event: SseEvent<'_>| match event {
                SseEvent::Refused(_) => long += 1,
                SseEvent::Message(data) => match admit(data, &Context::stdio(), &policy, &mut scratch) {
                    Ok(message) => admitted += usize::from(message.id().is_some_and(|id| id.raw() == b"7")),
                    Err(_) => junk += 1,
                },
            };
            for round in 0..ROUNDS {
                // In pieces of another size each time, so that in turn it is cut everywhere.
                for mut chunk in EVENTS.chunks(1 + round % 97) {
                    while let Some(event) = reader.next(&mut chunk) {
                        judge(event);
                    }
                }
            }
            let mut event = [0; 400];
            let len = emit_event(&Event { data: Some(GOOD), ..Event::default() }, &mut event).unwrap();
            let mut chunk = &event[..len];
            while let Some(event) = reader.next(&mut chunk) {
                judge(event);
            }
            assert_eq!(reader.last_event_id(), Some("1"));
            assert!(emit_comment("ping", &mut event).is_ok());
        });
        assert_eq!((junk, long, admitted), (ROUNDS, ROUNDS, 1));
    });
}

/// Without this, a guard that never bites would look like success.
#[test]
fn the_guard_bites() {
    const PLANT: &str = "WIRESEAL_PLANT_AN_ALLOCATION";
    if std::env::var_os(PLANT).is_some() {
        without_alloc(|| std::hint::black_box(Box::new(1)));
        return;
    }
    let itself = std::env::current_exe().unwrap();
    let run = |planted: bool| {
        let mut command = Command::new(&itself);
        command.args(["--nocapture", "--exact", if planted { "the_guard_bites" } else { "refusals_allocate_nothing" }]);
        if planted {
            command.env(PLANT, "1");
        }
        command.output().unwrap()
    };
    let bitten = run(true);
    assert!(!bitten.status.success());
    assert!(String::from_utf8_lossy(&bitten.stderr).contains("an allocation where none is allowed"));
    assert!(run(false).status.success(), "the same run without the plant passes");
}
