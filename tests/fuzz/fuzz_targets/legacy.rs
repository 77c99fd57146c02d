//! One session of an older client: whatever comes in whatever order, and what the server asks in between.
//!
//! Input: lines. `<` a message comes in; `?` a question is asked during the last request; `.` a ping is sent; `!` a request of the
//! server's is given up; `[` a batch comes in.
#![no_main]

use std::collections::{BTreeMap, HashSet};

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use wireseal::json::scratch_len;
use wireseal::legacy::{Event, LegacySession, ServerDescription, admit_batch, emit_initialize, read_initialize};
use wireseal::reply::ReplyError;
use wireseal::{Admitted, Context, Kind, Policy, Version, VersionSet, admit};
use wireseal_fuzz::{answer, parse, use_all, walk};

const LEGACY: VersionSet =
    VersionSet::of(&[Version::V2024_11_05, Version::V2025_03_26, Version::V2025_06_18, Version::V2025_11_25]);
const SERVER: ServerDescription<'_> = ServerDescription {
    info: br#"{"name":"s","version":"1","title":"t"}"#,
    capabilities: br#"{"tools":{},"completions":{}}"#,
    instructions: Some("use it"),
};
/// The byte order mark, which is passed over.
const MARK: &[u8] = b"\xEF\xBB\xBF";
/// How many requests of the server's can wait.
const WAITING: usize = 4;

fuzz_target!(|data: &[u8]| {
    let policy: Policy<'_> = Policy { legacy: LEGACY, ..Policy::new() };
    let mut session: LegacySession<WAITING> = LegacySession::new(LEGACY);
    let mut waiting: BTreeMap<u64, String> = BTreeMap::new();
    let mut elicitations: HashSet<String> = HashSet::new();
    let mut during: Option<Admitted<'_>> = None;
    for line in data.split(|byte| *byte == b'\n').take(64) {
        let Some((&what, rest)) = line.split_first() else { continue };
        let mut scratch = vec![0; scratch_len(rest.len())];
        let mut out = vec![0; rest.len() + 1024];
        match what {
            b'<' => {
                let context = Context { legacy_version: session.version(), ..Context::stdio() };
                match admit(rest, &context, &policy, &mut scratch) {
                    Ok(message) => {
                        came(&mut session, &message, &mut waiting);
                        if message.kind() == Kind::Request {
                            during = Some(message);
                        }
                    }
                    Err(refused) => _ = answer(&refused),
                }
            }
            b'?' => {
                let Some(during) = &during else { continue };
                match session.request(during, rest, &mut scratch, &mut out) {
                    Ok((id, len)) => {
                        let sent = sent(&out[..len], id, &mut waiting);
                        assert!(session.is_ready());
                        // serde_json takes no unpaired surrogate.
                        if let Ok(asked) = parse(rest.strip_prefix(MARK).unwrap_or(rest)) {
                            same(&session, &sent.expect("what is sent is JSON"), &asked, &mut elicitations);
                        }
                    }
                    Err(ReplyError::Rejected(refused)) => _ = answer(&refused).expect("a request is answered"),
                    Err(ReplyError::TooSmall(_)) => panic!("room enough"),
                    Err(ReplyError::Misuse(_)) => {}
                }
            }
            b'.' => match session.ping(&mut out) {
                Ok((id, len)) => assert!(sent(&out[..len], id, &mut waiting).is_some()),
                Err(error) => assert!(waiting.len() == WAITING, "{error:?}"),
            },
            b'!' => {
                let id = std::str::from_utf8(rest).ok().and_then(|digits| digits.parse().ok()).unwrap_or(1);
                let len = session.cancel(id, Some("late"), &mut out).expect("room enough");
                assert_eq!(len > 0, waiting.remove(&id).is_some());
                if len > 0 {
                    assert_eq!(parse(&out[..len]).expect("JSON")["params"]["requestId"], id);
                }
            }
            b'[' => batch(rest, &session, &policy, &mut scratch),
            _ => {}
        }
        assert_eq!(session.waiting(), waiting.len());
    }
});

/// Whether an elicitation of the older revisions names its mode.
fn modes<const N: usize>(session: &LegacySession<N>, sent: &Value, asked: &Value) -> bool {
    let modern = session.version() == Some(Version::V2025_11_25) || sent["method"] != "elicitation/create";
    modern && asked["params"].get("mode").is_some()
}

/// Holds what is sent against what was to be asked.
fn same<const N: usize>(
    session: &LegacySession<N>,
    sent: &Value,
    asked: &Value,
    elicitations: &mut HashSet<String>, // fewer than are remembered
) {
    assert_eq!(sent["method"], asked["method"]);
    assert_eq!(sent["params"].get("mode").is_some(), modes(session, sent, asked));
    if sent["method"] == "elicitation/create" && sent["params"]["mode"] == "url" {
        let name = sent["params"]["elicitationId"].as_str().expect("an elicitationId");
        assert!(elicitations.insert(name.to_owned()), "{name} is used once");
    }
}

/// Notes a request that is sent, and reads it, where serde_json can.
fn sent(bytes: &[u8], id: u64, waiting: &mut BTreeMap<u64, String>) -> Option<Value> {
    let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"");
    let method = bytes.strip_prefix(head.as_bytes()).and_then(|rest| rest.split(|byte| *byte == b'"').next());
    let method = std::str::from_utf8(method.expect("a request")).expect("a method");
    assert!(waiting.insert(id, method.to_owned()).is_none(), "an id is used once");
    assert!(!bytes.contains(&b'\n') && std::str::from_utf8(bytes).is_ok());
    parse(bytes).ok()
}

fn came(session: &mut LegacySession<WAITING>, message: &Admitted<'_>, waiting: &mut BTreeMap<u64, String>) {
    use_all(message);
    let before = (session.version(), session.is_ready());
    match session.receive(message) {
        Ok(Event::Initialize(handshake)) => {
            assert!(before.0.is_none() && LEGACY.contains(handshake.version));
            assert_eq!(session.version(), Some(handshake.version));
            assert!(read_initialize(message, LEGACY).is_ok());
            let (mut scratch, mut out) = ([0; 64], vec![0; message.body().len() + 1024]);
            let len = emit_initialize(message, handshake.version, &SERVER, &mut scratch, &mut out).expect("an answer");
            let sent = parse(&out[..len]).expect("JSON");
            assert_eq!(sent["result"]["protocolVersion"], handshake.version.as_str());
        }
        Ok(Event::Answered { id, request, .. }) => {
            assert_eq!(waiting.remove(&id).as_deref(), Some(request.method()));
        }
        Ok(Event::Initialized) => assert!(!before.1 && session.is_ready()),
        Ok(Event::Request) => assert!(before.0.is_some()),
        Ok(_) => {}
        Err(refused) => {
            _ = answer(&refused);
            assert_eq!((session.version(), session.is_ready()), before, "a refusal changes nothing");
        }
    }
}

fn batch(body: &[u8], session: &LegacySession<WAITING>, policy: &Policy<'_>, scratch: &mut [u64]) {
    let context = Context { legacy_version: session.version(), ..Context::stdio() };
    let mut count = 0;
    let judged = admit_batch(body, &context, policy, scratch, |entry| {
        count += 1;
        match entry {
            Ok(message) => {
                use_all(&message);
                message.params().into_iter().for_each(walk);
            }
            Err(refused) => _ = answer(&refused),
        }
    });
    match judged {
        Ok(()) => {
            assert_eq!(session.version(), Some(Version::V2025_03_26));
            // serde_json takes no unpaired surrogate.
            if let Ok(read) = parse(body.strip_prefix(MARK).unwrap_or(body)) {
                assert_eq!(read.as_array().map(Vec::len), Some(count));
            }
        }
        Err(refused) => {
            assert_eq!(count, 0, "refused as a whole");
            _ = answer(&refused);
        }
    }
}
