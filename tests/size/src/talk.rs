//! The calls into the core, each measured by itself.

use core::hint::black_box;

use wireseal::{
    Admitted, Context, Headers, ParamHeaders, ParamSource, ParamTable, Policy, admit,
    json::Text,
    once::{Claim, Finished, Once, Rows, Settings, Slot, Verdict},
    reply::{CompleteOptions, Question, complete, input_required},
    seal::{Binding, Boot, DeviceNonces, Format, Formats, Fresh, Key, ProcessNonces, Sealer},
    stream::{Event, Lent, LineFramer, SseReader, emit_comment, emit_event},
};

use crate::{
    Buffers,
    board::{report, stack_of},
    more,
};

const NOW_MS: u64 = 1_785_000_000_000;
const SECRET: &[u8] = b"a secret of a test: never use it";
const PRINCIPAL: Option<&str> = Some("operator");

const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}},"name":"open_valve","arguments":{"valve":3,"litres":2.5}}}"#;
const RETRY_HEAD: &[u8] = br#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}},"name":"open_valve","arguments":{"litres":2.50,"valve":3},"inputResponses":{"sure":{"action":"accept","content":{"yes":true}}},"requestState":""#;
const RETRY_TAIL: &[u8] = br#""}}"#;
const BROKEN: &[u8] = br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"_meta":{},"_meta":{}}}"#;
const QUESTION: &[u8] = br#"{"method":"elicitation/create","params":{"mode":"form","message":"Open it?","requestedSchema":{"type":"object","properties":{"yes":{"type":"boolean"}}}}}"#;
const HEADERS: [(&[u8], &[u8]); 3] =
    [(b"MCP-Protocol-Version", b"2026-07-28"), (b"Mcp-Method", b"tools/call"), (b"Mcp-Name", b"open_valve")];

/// The tool, as the device offers it, and one that nobody should.
const SCHEMA: &[u8] = br#"{"type":"object","properties":{"valve":{"type":"integer","x-mcp-header":"Valve"},"place":{"properties":{"hall":{"type":"string","x-mcp-header":"Hall"}}}}}"#;
const BAD_SCHEMA: &[u8] =
    br#"{"type":"object","properties":{"valve":{"anyOf":[{"type":"integer","x-mcp-header":"Valve"}]}}}"#;
const PARAMS: [(&[u8], &[u8]); 1] = [(b"Mcp-Param-Valve", b"3.0")];

/// The device's one tool.
struct Tool(ParamTable);

impl ParamSource for Tool {
    fn param_headers(&self, tool: Text<'_>) -> Option<ParamHeaders<'_>> {
        if tool == "open_valve" { self.0.view(black_box(SCHEMA)) } else { None }
    }
}

type Ring = Sealer<[Key; 1], &'static str>;

/// The ring of a device that has no entropy.
fn sealer() -> Option<Ring> {
    ring(Key::derive_counter(black_box(SECRET)).ok()?.with_budget(black_box(1000)))
}

fn ring(key: Key) -> Option<Ring> {
    Sealer::new([key], Some("valves"), black_box(600_000), Format::Compact, Formats::of(&[])).ok()
}

/// The nonces of this boot, as if the flash had kept its number.
fn booted() -> Option<DeviceNonces> {
    let boot = Boot::after(black_box(17), black_box(6)).ok()?;
    let stored = black_box(boot.number());
    boot.stored(stored).ok()
}

/// Admits as a server on HTTP does.
fn admitted<'a>(body: &'a [u8], scratch: &mut [u64]) -> Option<Admitted<'a>> {
    let headers = Headers::collect(black_box(&HEADERS).iter().copied());
    let policy: Policy<'_> = Policy::new();
    admit(body, &Context::http(&headers), &policy, scratch).ok()
}

/// The first leg: seals what the second will need, and asks.
fn ask(ring: &Ring, nonces: &mut DeviceNonces, buffers: &mut Buffers) -> Option<usize> {
    let Buffers { scratch, token, out, .. } = buffers;
    let call = admitted(black_box(CALL), scratch)?;
    let fresh = nonces.next().ok()?;
    let binding = Binding::of(&call, black_box(PRINCIPAL)).ok()?;
    let len = ring.seal(&binding, black_box(b"valve 3"), NOW_MS, fresh, scratch, token).ok()?;
    let text = core::str::from_utf8(token.get(..len)?).ok()?;
    let questions = [Question { key: black_box("sure"), request: black_box(QUESTION) }];
    input_required(&call, &questions, Some(text), None, scratch, out).ok()?;
    Some(len)
}

/// The nonces of hosts that have entropy, under a key for them, which the device's own nonces do not fit.
fn randoms(device: &mut DeviceNonces, buffers: &mut Buffers) -> Option<u32> {
    let Buffers { scratch, token, .. } = buffers;
    let ring = ring(Key::derive(black_box(SECRET)).ok()?)?;
    let process = ProcessNonces::from_random(black_box([0x42; 20]), black_box(7));
    let binding =
        Binding { method: Text::plain("tools/call"), target: None, arguments: None, principal: None, associated: None };
    for fresh in [Fresh::from_random(black_box([0x42; 20])), process.next(black_box(7)).ok()?] {
        ring.seal(&binding, black_box(b"valve 3"), NOW_MS, fresh, scratch, token).ok()?;
    }
    let refused = ring.seal(&binding, black_box(b""), NOW_MS, device.next().ok()?, scratch, token);
    refused.err().map(|_| ring.seals_left())
}

/// The second leg: opens the state and completes.
fn answer(ring: &Ring, len: usize, buffers: &mut Buffers) -> Option<usize> {
    let Buffers { scratch, state, out, body, .. } = buffers;
    let call = admitted(black_box(body.get(..len)?), scratch)?;
    let binding = Binding::of(&call, black_box(PRINCIPAL)).ok()?;
    let opened = ring
        .open(call.request_state()?, &binding, call.input_responses(), black_box(NOW_MS + 1000), scratch, state)
        .ok()?;
    black_box((opened.state, opened.token_id, opened.reissue_key));
    let claim = Claim::of(&opened, black_box(PRINCIPAL)).ok()?;
    let result = act(&claim, black_box(br#"{"content":[{"type":"text","text":"open"}]}"#))?;
    complete(&call, &result, &CompleteOptions::default(), scratch, out).ok()
}

/// Acts once, and is asked again: first a claim that is let go, then one whose result is kept.
fn act(claim: &Claim, result: &[u8; 43]) -> Option<[u8; 43]> {
    let results = Rows::new([0u8; 4 * 64], black_box(4));
    let mut once = Once::new([Slot::FREE; 4], results, black_box(Settings::for_slots(4)), black_box(NOW_MS)).ok()?;
    for happened in black_box([false, true]) {
        let Ok(Verdict::Claimed(ticket)) = once.claim(claim, black_box(NOW_MS + 1000)) else { return None };
        let kept = match black_box(happened) {
            true => once.finish(ticket, black_box(Some(result)), black_box(NOW_MS + 1001)) == Finished::Kept,
            false => once.release(ticket, black_box(NOW_MS + 1001)),
        };
        kept.then_some(())?;
    }
    let other = Claim::new(black_box([7; 16]), [8; 16], Some(NOW_MS), Some(NOW_MS + 1), black_box(None)).ok()?;
    if let Ok(Verdict::Claimed(ticket)) = once.claim(&other, black_box(NOW_MS)) {
        once.abandon(ticket, black_box(NOW_MS));
    }
    match once.find(claim, black_box(NOW_MS + 1002)) {
        Ok(Some(Verdict::Done(first))) => first.first_chunk().copied(),
        _ => None,
    }
}

/// A message that is refused: the answer is written all the same.
fn refuse(buffers: &mut Buffers) -> Option<usize> {
    let Buffers { scratch, out, .. } = buffers;
    let policy: Policy<'_> = Policy::new();
    let rejected = admit(black_box(BROKEN), &black_box(Context::stdio()), &policy, scratch).err()?;
    rejected.emit(out).ok()
}

/// Tool parameters in headers: checked on the way in, written as a client does, and a schema that is refused.
fn params(buffers: &mut Buffers) -> Option<usize> {
    let Buffers { scratch, out, .. } = buffers;
    let tool = Tool(ParamTable::compile(black_box(SCHEMA), scratch).ok()?);
    let headers = Headers::collect(black_box(&HEADERS).iter().chain(black_box(&PARAMS)).copied());
    let context = Context { tools: Some(&tool), ..Context::http(&headers) };
    let policy: Policy<'_> = Policy::new();
    let call = admit(black_box(CALL), &context, &policy, scratch).ok()?;
    for field in tool.param_headers(call.name()?)?.emit(call.arguments()).ok()? {
        field.name().emit(out).ok()?;
        field.emit_value(out).ok()?;
    }
    let refused = ParamTable::compile(black_box(BAD_SCHEMA), scratch).err()?;
    refused.emit_pointer(black_box(BAD_SCHEMA), out).ok()
}

/// A stream of lines and one of events, in pieces, the last of them too long; and events written.
fn streams(buffers: &mut Buffers) -> Option<usize> {
    let Buffers { scratch, out, state, token, .. } = buffers;
    let policy: Policy<'_> = Policy::new();
    let mut framer = LineFramer::new(Lent::new(state), black_box(256));
    for piece in [CALL, b"\r\n{ nope\n", CALL, CALL] {
        let mut chunk = black_box(piece);
        while let Some(line) = framer.next(&mut chunk) {
            let verdict = line.into_result().and_then(|line| admit(line, &Context::stdio(), &policy, scratch));
            match verdict {
                Ok(message) => {
                    black_box((message.cursor(), message.cancelled_id(), message.progress(), message.log_message()));
                }
                Err(rejected) => _ = black_box(rejected.emit(out).ok()?),
            }
        }
    }
    black_box(framer.finish());
    let event = Event { data: Some(CALL), event: Some("message"), id: Some("7"), retry_ms: Some(3000) };
    let len = emit_event(&black_box(event), out).ok()?;
    let mut reader = SseReader::new(Lent::new(token), black_box(256));
    for piece in out.get(..len)?.chunks(100) {
        let mut chunk = piece;
        while let Some(event) = reader.next(&mut chunk) {
            black_box(event.into_result().is_ok());
        }
    }
    black_box((reader.last_event_id(), reader.retry_ms()));
    black_box(reader.finish());
    emit_comment(black_box("still here"), out).ok()
}

/// Puts the sealed state into the second request, as a client does.
fn retry(token_len: usize, buffers: &mut Buffers) -> Option<usize> {
    let token = buffers.token.get(..token_len)?;
    let bytes = RETRY_HEAD.iter().chain(token).chain(RETRY_TAIL);
    let mut len = 0;
    for (slot, byte) in buffers.body.iter_mut().zip(bytes) {
        *slot = *byte;
        len += 1;
    }
    Some(len)
}

/// The whole conversation; 0, or the number of the step that failed.
pub fn talk(buffers: &mut Buffers) -> u32 {
    let mut ring = None;
    report(c"stack_ring", stack_of(&mut || ring = sealer()));
    let (Some(ring), Some(mut nonces)) = (ring, booted()) else { return 1 };
    let mut done = None;
    report(c"stack_admit", stack_of(&mut || done = admitted(black_box(CALL), &mut buffers.scratch).map(|_| 0)));
    if done.is_none() {
        return 2;
    }
    report(c"stack_ask", stack_of(&mut || done = ask(&ring, &mut nonces, buffers)));
    let Some(token) = done else { return 3 };
    let Some(len) = retry(token, buffers) else { return 4 };
    report(c"stack_answer", stack_of(&mut || done = answer(&ring, len, buffers)));
    if done.is_none() {
        return 5;
    }
    report(c"stack_refuse", stack_of(&mut || done = refuse(buffers)));
    if done.is_none() {
        return 6;
    }
    report(c"stack_params", stack_of(&mut || done = params(buffers)));
    if done.is_none() {
        return 7;
    }
    report(c"stack_streams", stack_of(&mut || done = streams(buffers)));
    if done.is_none() {
        return 8;
    }
    if randoms(&mut nonces, buffers) != Some(u32::MAX - 2) {
        return 9;
    }
    report(c"stack_legacy", stack_of(&mut || done = more::legacy(buffers)));
    if done.is_none() {
        return 10;
    }
    report(c"stack_forms", stack_of(&mut || done = more::forms(buffers)));
    if done.is_none() {
        return 11;
    }
    report(c"stack_notices", stack_of(&mut || done = more::notices(buffers)));
    if done.is_none() {
        return 12;
    }
    report(c"stack_client", stack_of(&mut || done = more::client(buffers)));
    if done.is_none() {
        return 13;
    }
    #[cfg(feature = "planted")]
    return u32::from(buffers.out[black_box(0) + token]);
    #[cfg(not(feature = "planted"))]
    0
}
