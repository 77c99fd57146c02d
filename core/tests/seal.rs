//! Runs the shared vectors of `tests/vectors/seal.json` and `tests/vectors/canonical.json`, and tries what no list
//! of cases can hold: every bit, every length, every size of scratch and buffer.
//!
//! The expectations in the vectors were made by the Python reference in `tests/reference`. With
//! `WIRESEAL_EXTRA_VECTORS` set to a directory, the files of the same names there run as well.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{agree, differs, only, text};
use serde_json::Value;
use wireseal::json::{Raw, Text, check, digest_scratch_len, scratch_len};
use wireseal::limits::{MAX_CONTEXT_BYTES, MAX_DEPTH, MAX_STATE_BYTES, MAX_TOKEN_BYTES};
use wireseal::seal::{
    Binding, Format, Formats, Fresh, Key, OpenError, SealError, Sealer, arguments_digest, compact_token_len,
};
use wireseal::{Context, Misuse, Policy, Reason, admit};

const SEAL: &str = include_str!("../../tests/vectors/seal.json");
const CANONICAL: &str = include_str!("../../tests/vectors/canonical.json");

type Ring = Sealer<Vec<Key>, String>;

#[test]
fn every_seal_vector_agrees() {
    run("seal", SEAL, |case| {
        let members: &[&str] = match text(&case["call"]) {
            "new" => &["call", "sealer"],
            "seal" => &["call", "sealer", "request", "state_hex", "now_ms", "random_hex"],
            "open" => &["call", "sealer", "request", "token_json", "input_responses_json", "now_ms"],
            other => panic!("unknown call {other}"),
        };
        only(case, &[&["id", "rules", "why", "expect"], members].concat());
        only(&case["sealer"], &["keys_hex", "audience", "lifetime_ms", "format", "accept"]);
        if needs_interop(&case["sealer"]) && !cfg!(feature = "interop") {
            return None;
        }
        Some(match text(&case["call"]) {
            "new" => match sealer(&case["sealer"]) {
                Ok(_) => serde_json::json!({"ok": true}),
                Err(misuse) => misused(misuse),
            },
            "seal" => seal(case),
            _ => open(case),
        })
    });
}

#[test]
fn every_canonical_vector_agrees() {
    run("canonical", CANONICAL, |case| {
        only(case, &["id", "rules", "why", "expect", "json"]);
        let json = Json::of(&case["json"]);
        let raw = json.raw();
        let mut scratch = json.scratch();
        let digest = arguments_digest(raw, &mut scratch);
        #[allow(unused_mut, reason = "without interop there is nothing more")]
        let mut found = serde_json::json!({"digest_hex": digest.map(hex).ok()});
        #[cfg(feature = "interop")]
        {
            use wireseal::seal::{python_arguments_digest, python_canonical};
            found["python_digest_hex"] = python_arguments_digest(raw, &mut scratch).map(hex).ok().into();
            if let Some(raw) = raw {
                let mut out = vec![0; raw.as_bytes().len() * 6 + 64];
                found["python"] = match python_canonical(raw, &mut scratch, &mut out) {
                    Ok(len) => std::str::from_utf8(&out[..len]).unwrap().into(),
                    Err(SealError::Refused(Reason::NumberTooLarge)) => Value::Null,
                    Err(error) => panic!("{error:?}"),
                };
            } else if case["expect"].get("python").is_some() {
                found["python"] = Value::Null;
            }
        }
        #[cfg(not(feature = "interop"))]
        for name in ["python", "python_digest_hex"] {
            if let Some(value) = case["expect"].get(name) {
                found[name] = value.clone();
            }
        }
        Some(found)
    });
}

/// Runs every case of a file; `find` says what came of it, or that this build does not have what the case is about.
fn run(name: &str, file: &str, find: impl Fn(&Value) -> Option<Value>) {
    let mut compared = 0;
    agree(name, file, |case| {
        let Some(found) = find(case) else { return vec![] };
        compared += 1;
        differs(&found, &case["expect"])
    });
    assert!(compared > 100, "{compared} cases of {name}.json were compared");
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn unhex(value: &Value) -> Vec<u8> {
    text(value).as_bytes().chunks(2).map(|two| u8::from_str_radix(str::from_utf8(two).unwrap(), 16).unwrap()).collect()
}

fn misused(misuse: Misuse) -> Value {
    serde_json::json!({"misuse": format!("{misuse:?}")})
}

fn needs_interop(sealer: &Value) -> bool {
    sealer["format"] == "python" || sealer["accept"].as_array().unwrap().iter().any(|name| name == "python")
}

fn sealer(case: &Value) -> Result<Ring, Misuse> {
    let keys =
        case["keys_hex"].as_array().unwrap().iter().map(|key| Key::derive(&unhex(key))).collect::<Result<_, _>>()?;
    let audience = case["audience"].as_str().map(str::to_owned);
    let accept: Vec<Format> =
        case["accept"].as_array().unwrap().iter().map(|name| Format::parse(text(name)).unwrap()).collect();
    let format = Format::parse(text(&case["format"])).unwrap();
    Sealer::new(keys, audience, case["lifetime_ms"].as_u64().unwrap(), format, Formats::of(&accept))
}

/// A JSON text of a vector, or none.
struct Json(Option<String>);

impl Json {
    fn of(value: &Value) -> Self {
        Json(value.as_str().map(str::to_owned))
    }

    fn scratch(&self) -> Vec<u64> {
        let len = self.0.as_ref().map_or(0, String::len);
        vec![0; scratch_len(len).max(digest_scratch_len(len))]
    }

    fn raw(&self) -> Option<Raw<'_>> {
        let text = self.0.as_ref()?;
        Some(check(text.as_bytes(), MAX_DEPTH, &mut self.scratch()).unwrap())
    }
}

/// The request of a vector, with the texts that its binding borrows.
struct Request {
    method: Json,
    target: Json,
    arguments: Json,
    principal: Option<String>,
}

impl Request {
    fn of(case: &Value) -> Self {
        only(case, &["method_json", "target_json", "arguments_json", "principal"]);
        Request {
            method: Json::of(&case["method_json"]),
            target: Json::of(&case["target_json"]),
            arguments: Json::of(&case["arguments_json"]),
            principal: case["principal"].as_str().map(str::to_owned),
        }
    }

    fn binding(&self) -> Binding<'_> {
        Binding {
            method: self.method.raw().unwrap().text().unwrap(),
            target: self.target.raw().map(|raw| raw.text().unwrap()),
            arguments: self.arguments.raw(),
            principal: self.principal.as_deref(),
            associated: None,
        }
    }
}

fn seal(case: &Value) -> Value {
    let sealer = sealer(&case["sealer"]).unwrap();
    let request = Request::of(&case["request"]);
    let fresh = || Fresh::from_random(unhex(&case["random_hex"]).try_into().unwrap());
    let (state, now_ms) = (unhex(&case["state_hex"]), case["now_ms"].as_u64().unwrap());
    let mut scratch = request.arguments.scratch();
    let mut seal = |out: &mut [u8]| sealer.seal(&request.binding(), &state, now_ms, fresh(), &mut scratch, out);
    let mut out = Vec::new();
    match seal(&mut out) {
        Err(SealError::TooSmall(room)) => out.resize(room.needed, 0),
        Err(SealError::Refused(reason)) => return serde_json::json!({"reason": reason.name()}),
        Err(SealError::Misuse(misuse)) => return misused(misuse),
        Ok(len) => panic!("{len} bytes in no room"),
    }
    let len = seal(&mut out).unwrap();
    assert_eq!(len, out.len(), "what is asked for is what is needed");
    serde_json::json!({"token": std::str::from_utf8(&out).unwrap()})
}

fn open(case: &Value) -> Value {
    let sealer = sealer(&case["sealer"]).unwrap();
    let request = Request::of(&case["request"]);
    let token = Json::of(&case["token_json"]);
    let answers = Json::of(&case["input_responses_json"]);
    let token = token.raw().unwrap().text().unwrap();
    let mut scratch = request.arguments.scratch();
    scratch.resize(scratch.len().max(answers.scratch().len()), 0);
    let mut out = vec![0; token.decoded_len()];
    let now_ms = case["now_ms"].as_u64().unwrap();
    match sealer.open(token, &request.binding(), answers.raw(), now_ms, &mut scratch, &mut out) {
        Ok(opened) => serde_json::json!({
            "state_hex": hex(opened.state),
            "issued_at_ms": opened.issued_at_ms,
            "expires_at_ms": opened.expires_at_ms,
            "key_id_hex": hex(opened.key_id),
            "token_id_hex": hex(opened.token_id),
            "reissue_key_hex": hex(opened.reissue_key),
            "format": opened.format.as_str(),
            "bound": opened.bound.names().collect::<Vec<_>>(),
        }),
        Err(OpenError::Refused(reason)) => serde_json::json!({"reason": reason.name()}),
        Err(OpenError::Misuse(misuse)) => misused(misuse),
        Err(OpenError::TooSmall(room)) => panic!("{room:?} for {}", out.len()),
    }
}

// What follows needs no vectors.

const NOW_MS: u64 = 1_785_000_000_123;
const SECRET: &[u8] = b"a secret of a test: never use it";
const STATE: &[u8] = br#""free: basalt, cinder""#;

fn fresh() -> Fresh {
    Fresh::from_random(std::array::from_fn(|i| i as u8))
}

fn desk(format: Format) -> Ring {
    let keys = vec![Key::derive(SECRET).unwrap()];
    Sealer::new(keys, Some("desk".to_owned()), 600_000, format, Formats::of(&[])).unwrap()
}

fn binding() -> Binding<'static> {
    Binding {
        method: Text::plain("tools/call"),
        target: Some(Text::plain("book_room")),
        arguments: None,
        principal: Some("alice"),
        associated: Some(b"what the signed formats are bound to"),
    }
}

/// Whether the format is bound to what the host says alone, and names no key.
fn is_signed(format: Format) -> bool {
    matches!(format.as_str(), "typescript" | "rust")
}

fn sealed(sealer: &Ring, state: &[u8]) -> String {
    let mut out = vec![0; MAX_TOKEN_BYTES];
    let len = sealer.seal(&binding(), state, NOW_MS, fresh(), &mut [0; 512], &mut out).unwrap();
    String::from_utf8(out[..len].to_vec()).unwrap()
}

/// Opens with just the room that the token needs, and returns the state or the reason.
fn opened(sealer: &Ring, token: &str, binding: &Binding<'_>) -> Result<Vec<u8>, Reason> {
    let (mut scratch, mut out) = ([0; 512], vec![0; token.len()]);
    match sealer.open(Text::plain(token), binding, None, NOW_MS, &mut scratch, &mut out) {
        Ok(opened) => Ok(opened.state.to_vec()),
        Err(OpenError::Refused(reason)) => Err(reason),
        Err(error) => panic!("{error:?}"),
    }
}

/// RS-22: 57 bytes, 79 characters.
#[test]
fn the_empty_state_has_79_characters() {
    assert_eq!(compact_token_len(0), 79);
    assert_eq!(sealed(&desk(Format::Compact), b"").len(), 79);
    for len in 0..200 {
        assert_eq!(sealed(&desk(Format::Compact), &vec![b'x'; len]).len(), compact_token_len(len));
    }
}

/// RS-17: no bit of a token can change, whatever it is changed to.
#[test]
fn every_changed_character_is_refused() {
    for &format in Format::ALL {
        let sealer = desk(format);
        let token = sealed(&sealer, STATE);
        let mut seen = Vec::new();
        for at in 0..token.len() {
            for byte in 0..0x80u8 {
                let mut changed = token.clone().into_bytes();
                if changed[at] == byte {
                    continue;
                }
                changed[at] = byte;
                let reason = opened(&sealer, std::str::from_utf8(&changed).unwrap(), &binding()).unwrap_err();
                assert!(
                    matches!(reason, Reason::StateMalformed | Reason::StateUnknownKey | Reason::StateTampered),
                    "{at} {byte}: {reason:?}"
                );
                seen.push(reason);
            }
        }
        for reason in [Reason::StateMalformed, Reason::StateUnknownKey, Reason::StateTampered] {
            // The signed formats name no key.
            assert_eq!(seen.contains(&reason), !(is_signed(format) && reason == Reason::StateUnknownKey), "{reason:?}");
        }
    }
}

/// RS-17: no part of a token is a token, and nothing can be added.
#[test]
fn every_other_length_is_refused() {
    for &format in Format::ALL {
        let sealer = desk(format);
        for state in [&b""[..], b"1", b"12", STATE] {
            let token = sealed(&sealer, state);
            assert_eq!(opened(&sealer, &token, &binding()).unwrap(), state);
            for len in 0..token.len() {
                assert!(opened(&sealer, &token[..len], &binding()).is_err());
                assert!(opened(&sealer, &token[token.len() - len..], &binding()).is_err());
            }
            for more in ["A", "AA", "AAA", "AAAA", "=", " ", "."] {
                assert!(opened(&sealer, &format!("{token}{more}"), &binding()).is_err());
            }
        }
    }
}

/// Each binding changed alone refuses with its own reason (RS-05, RS-12, RS-18, RS-19), and what was decrypted is
/// no longer in the buffer.
#[test]
fn a_refused_token_leaves_nothing_behind() {
    let arguments = br#"{"a":1}"#;
    let arguments = check(arguments, MAX_DEPTH, &mut [0; 8]).unwrap();
    let others = [
        (Binding { method: Text::plain("prompts/get"), ..binding() }, Reason::StateOtherRequest),
        (Binding { target: Some(Text::plain("book_rooms")), ..binding() }, Reason::StateOtherRequest),
        (Binding { target: None, ..binding() }, Reason::StateOtherRequest),
        (Binding { arguments: Some(arguments), ..binding() }, Reason::StateOtherRequest),
        (Binding { principal: Some("mallory"), ..binding() }, Reason::StateOtherContext),
        (Binding { principal: None, ..binding() }, Reason::StateOtherContext),
    ];
    for &format in Format::ALL {
        let sealer = desk(format);
        let token = sealed(&sealer, STATE);
        let holds = |out: &[u8]| out.windows(STATE.len()).any(|window| window == STATE);
        let (mut scratch, mut out) = ([0; 512], vec![0; token.len()]);
        sealer.open(Text::plain(&token), &binding(), None, NOW_MS, &mut scratch, &mut out).unwrap();
        assert!(holds(&out));
        for (other, reason) in others.iter().filter(|_| !is_signed(format)) {
            let found = sealer.open(Text::plain(&token), other, None, NOW_MS, &mut scratch, &mut out);
            assert_eq!(found.unwrap_err(), OpenError::Refused(*reason));
            assert!(!holds(&out), "{format:?} {reason:?}");
        }
        if is_signed(format) {
            let other = Binding { associated: Some(b"another"), ..binding() };
            let found = sealer.open(Text::plain(&token), &other, None, NOW_MS, &mut scratch, &mut out);
            assert!(matches!(found, Err(OpenError::Refused(Reason::StateOtherContext | Reason::StateTampered))));
            assert!(!holds(&out), "{format:?}");
        }
        let late = sealer.open(Text::plain(&token), &binding(), None, NOW_MS + 601_000, &mut scratch, &mut out);
        assert_eq!(late.unwrap_err(), OpenError::Refused(Reason::StateExpired));
        assert!(!holds(&out));
        // Answers that no reissue key is made of, and too little scratch for those that one is.
        for (answers, slots, expected) in [
            (&b"{\"n\":1e9999999999}"[..], 512, OpenError::Refused(Reason::NumberTooLarge)),
            (b"{\"a\":1,\"b\":2}", 0, OpenError::Misuse(Misuse::ScratchTooSmall)),
        ] {
            let mut read = [0; 8];
            let answers = check(answers, MAX_DEPTH, &mut read).unwrap();
            let mut scratch = vec![0; slots];
            let found = sealer.open(Text::plain(&token), &binding(), Some(answers), NOW_MS, &mut scratch, &mut out);
            assert_eq!(found.unwrap_err(), expected, "{format:?}");
            assert!(!holds(&out), "{format:?} {expected:?}");
        }
    }
}

/// Whatever room there is: the call succeeds with what it asked for, and with less it says the same again.
#[test]
fn too_small_says_what_is_needed() {
    for &format in Format::ALL {
        let sealer = desk(format);
        let token = sealed(&sealer, STATE);
        for room in 0..token.len() + 3 {
            let mut out = vec![0xAA; room];
            let found = sealer.seal(&binding(), STATE, NOW_MS, fresh(), &mut [], &mut out);
            if room < token.len() {
                assert_eq!(found, Err(SealError::TooSmall(wireseal::json::TooSmall { needed: token.len() })));
                assert!(out.iter().all(|&byte| byte == 0xAA), "nothing is written");
            } else {
                assert_eq!(found, Ok(token.len()));
                assert!(out.starts_with(token.as_bytes()));
            }
            let found = sealer.open(Text::plain(&token), &binding(), None, NOW_MS, &mut [0; 64], &mut out);
            match found {
                Ok(opened) => assert_eq!(opened.state, STATE),
                Err(OpenError::TooSmall(short)) => assert!(room < short.needed && short.needed <= token.len()),
                Err(error) => panic!("{error:?}"),
            }
        }
    }
}

/// RS-24, and the longest state in every format.
#[test]
fn limits_hold_at_their_edges() {
    for &format in Format::ALL {
        let audience = "\u{1}".repeat(MAX_CONTEXT_BYTES);
        let keys = vec![Key::derive(SECRET).unwrap()];
        let sealer = Sealer::new(keys, Some(audience), 600_000, format, Formats::of(&[])).unwrap();
        // The byte that takes most room in the `python` format; a number where the state is JSON.
        let byte = if is_signed(format) { b'1' } else { 1 };
        let longest = vec![byte; MAX_STATE_BYTES];
        let token = sealed(&sealer, &longest);
        assert!(token.len() <= MAX_TOKEN_BYTES);
        assert_eq!(opened(&sealer, &token, &binding()).unwrap(), longest);
        let longer = vec![1; MAX_STATE_BYTES + 1];
        let found = sealer.seal(&binding(), &longer, NOW_MS, fresh(), &mut [], &mut vec![0; MAX_TOKEN_BYTES]);
        assert_eq!(found, Err(SealError::Misuse(Misuse::StateTooLong)));
    }
    let sealer = desk(Format::Compact);
    let zeros = |len: usize| format!("w1.{}", "A".repeat(len - 3));
    assert_eq!(opened(&sealer, &zeros(MAX_TOKEN_BYTES - 1), &binding()), Err(Reason::StateUnknownKey));
    assert_eq!(opened(&sealer, &zeros(MAX_TOKEN_BYTES + 1), &binding()), Err(Reason::StateMalformed));
}

#[cfg(feature = "interop")]
#[test]
fn a_python_token_that_would_not_open_is_not_sealed() {
    let sealer = desk(Format::Python);
    let target = "\u{1}".repeat(10_000);
    let binding = Binding { target: Some(Text::plain(&target)), ..binding() };
    let mut out = vec![0; 2 * MAX_TOKEN_BYTES];
    let found = sealer.seal(&binding, &vec![1; MAX_STATE_BYTES], NOW_MS, fresh(), &mut [], &mut out);
    assert_eq!(found, Err(SealError::Misuse(Misuse::TokenTooLong)));
}

/// Values whose containers and members take as much scratch as their length allows.
fn greedy() -> Vec<String> {
    let mut values: Vec<String> =
        ["0", "\"\"", "{}", "[]", "[0]", "[[0]]", r#"{"":0}"#, r#"{"":[0]}"#].map(String::from).into();
    for depth in [2, 10, 100, MAX_DEPTH - 1] {
        values.push(format!("{}0{}", "[".repeat(depth), "]".repeat(depth)));
        values.push(format!("{}0{}", r#"{"":"#.repeat(depth), "}".repeat(depth)));
        values.push(format!("{}0{}", r#"{"":["#.repeat(depth / 2), "]}".repeat(depth / 2)));
        let tower = format!("{}0{}", "[".repeat(depth), "]".repeat(depth));
        values.push(format!("[{}]", vec![tower; 20].join(",")));
        let members: Vec<String> = (0..200).map(|i| format!("\"{}\":0", i % 1000)).collect();
        values.push(format!("{}{{{}}}{}", "[".repeat(depth), members.join(","), "]".repeat(depth)));
    }
    values.push(format!("[{}]", vec!["[0]"; 500].join(",")));
    values
}

#[test]
fn the_digest_needs_no_more_scratch_than_it_says() {
    for value in greedy() {
        let mut scratch = vec![0; scratch_len(value.len())];
        let raw = check(value.as_bytes(), MAX_DEPTH, &mut scratch).unwrap();
        let mut scratch = vec![u64::MAX; digest_scratch_len(value.len())];
        let digest = arguments_digest(Some(raw), &mut scratch).unwrap();
        // With less: the same digest or a refusal, and once refused then with everything smaller.
        let mut refused = false;
        for len in (0..scratch.len()).rev() {
            match arguments_digest(Some(raw), &mut scratch[..len]) {
                Ok(found) => assert!(found == digest && !refused),
                Err(misuse) => {
                    assert_eq!(misuse, Misuse::ScratchTooSmall);
                    refused = true;
                }
            }
        }
        assert_eq!(refused, value.len() > 2, "{value:.40}");
    }
}

/// RS-13: whatever the order of the members, the digest is the same, and it is another when two values are swapped.
#[test]
fn order_never_counts() {
    let mut seed = 1u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for count in [1usize, 2, 3, 15, 16, 17, 18, 40, 100, 1000] {
        let mut members: Vec<(String, usize)> = (0..count).map(|i| (format!("k{:b}", i * 7), i)).collect();
        let digest = |members: &[(String, usize)]| {
            let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
            let json = Json(Some(format!("{{{}}}", members.join(","))));
            arguments_digest(json.raw(), &mut json.scratch()).unwrap()
        };
        let first = digest(&members);
        for _ in 0..20 {
            for at in (1..count).rev() {
                members.swap(at, random(at + 1));
            }
            assert_eq!(digest(&members), first);
        }
        if count > 1 {
            let kept = members[0].1;
            members[0].1 = members[1].1;
            members[1].1 = kept;
            assert_ne!(digest(&members), first);
        }
    }
}

#[test]
fn a_binding_is_made_of_a_request_only() {
    let request = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":1},"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let policy: Policy<'_> = Policy::new();
    let mut scratch = [0; 64];
    let message = admit(request, &Context::stdio(), &policy, &mut scratch).unwrap();
    let binding = Binding::of(&message, Some("alice")).unwrap();
    assert!(binding.method == "tools/call" && binding.target.unwrap() == "t");
    assert_eq!(binding.arguments.unwrap().as_bytes(), br#"{"a":1}"#);
    assert_eq!(binding.principal, Some("alice"));
    let notification = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#;
    let message = admit(notification, &Context::stdio(), &policy, &mut scratch).unwrap();
    assert_eq!(Binding::of(&message, None).unwrap_err(), Misuse::NotARequest);
}

#[test]
fn nothing_secret_is_shown() {
    let sealer = desk(Format::Compact);
    let token = sealed(&sealer, STATE);
    let mut out = vec![0; token.len()];
    let opened = sealer.open(Text::plain(&token), &binding(), None, NOW_MS, &mut [], &mut out).unwrap();
    let shown = format!("{:?} {sealer:?} {opened:?} {:?}", Key::derive(SECRET).unwrap(), fresh());
    assert_eq!(
        shown,
        format!(
            "Key {{ compact_id: {id:?}, .. }} Sealer {{ lifetime_ms: 600000, format: Compact, accept: Formats(1), .. }} \
             Opened {{ state_len: 22, issued_at_ms: Some({NOW_MS}), expires_at_ms: Some({}), key_id: {id:?}, token_id: {:?}, \
             format: Compact, bound: Bound {{ method: true, target: true, arguments: true, audience: true, \
             principal: true, associated: false }}, .. }} Fresh {{ .. }}",
            NOW_MS + 600_000,
            opened.token_id,
            id = Key::derive(SECRET).unwrap().id(Format::Compact),
        )
    );
}

#[test]
fn formats_have_names() {
    for &format in Format::ALL {
        assert_eq!(Format::parse(format.as_str()), Some(format));
        assert!(Formats::of(&[format]).contains(format));
        assert!(!Formats::of(&[]).contains(format));
    }
    assert_eq!(Format::parse("Compact"), None);
}
