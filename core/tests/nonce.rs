//! The three sources of nonces, and the count of what a key seals. The bytes are pinned by the shared vectors of
//! `tests/vectors/nonce.json`, made by the Python reference in `tests/reference`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::HashSet;

use base64ct::{Base64UrlUnpadded, Encoding};
use common::{agree, differs, only, text};
use serde_json::{Value, json};
use wireseal::json::{Raw, Text, TooSmall, check};
use wireseal::limits::MAX_DEPTH;
use wireseal::seal::{
    Binding, Boot, DeviceNonces, Format, Formats, Fresh, Key, OpenError, ProcessNonces, SealError, Sealer,
};
use wireseal::{Misuse, Reason};

const NOW_MS: u64 = 1_785_000_000_123;
const SECRET: &[u8] = b"a secret of a test: never use it";
const STATE: &[u8] = b"free: basalt";

type Ring = Sealer<Vec<Key>, &'static str>;

fn ring(keys: Vec<Key>) -> Ring {
    Sealer::new(keys, Some("desk"), 600_000, Format::Compact, Formats::of(&[])).unwrap()
}

fn random_key() -> Key {
    Key::derive(SECRET).unwrap()
}

fn counter_key() -> Key {
    Key::derive_counter(SECRET).unwrap()
}

fn random() -> Fresh {
    Fresh::from_random([7; 20])
}

fn device(number: u32, stored: u32) -> DeviceNonces {
    let boot = Boot::after(number, stored).unwrap();
    let read_back = boot.number();
    boot.stored(read_back).unwrap()
}

fn binding() -> Binding<'static> {
    let method = Text::plain("tools/call");
    Binding { method, target: None, arguments: None, principal: Some("alice"), associated: None }
}

fn seal(sealer: &Ring, fresh: Fresh) -> Result<String, SealError> {
    let mut out = [0; 128];
    let len = sealer.seal(&binding(), STATE, NOW_MS, fresh, &mut [], &mut out)?;
    Ok(String::from_utf8(out[..len].to_vec()).unwrap())
}

fn open(sealer: &Ring, token: &str) -> Result<Vec<u8>, OpenError> {
    let mut out = [0; 128];
    let opened = sealer.open(Text::plain(token), &binding(), None, NOW_MS, &mut [], &mut out)?;
    Ok(opened.state.to_vec())
}

/// What lies behind the prefix.
fn bytes(token: &str) -> Vec<u8> {
    let mut out = vec![0; token.len()];
    Base64UrlUnpadded::decode(token.strip_prefix("w1.").unwrap(), &mut out).unwrap().to_vec()
}

/// Key id and nonce.
fn head(token: &str) -> Vec<u8> {
    bytes(token)[..16].to_vec()
}

#[test]
fn each_kind_of_nonce_needs_its_kind_of_key() {
    let wrong = Err(SealError::Misuse(Misuse::NonceMode));
    assert_eq!(seal(&ring(vec![random_key()]), device(1, 0).next().unwrap()), wrong);
    assert_eq!(seal(&ring(vec![counter_key()]), random()), wrong);
    let process = ProcessNonces::from_random([9; 20], 1);
    assert_eq!(seal(&ring(vec![counter_key()]), process.next(1).unwrap()), wrong);
    // The key that seals decides, not the others of the ring.
    let both = ring(vec![counter_key(), random_key()]);
    assert_eq!(seal(&both, random()), wrong);
    assert!(seal(&both, device(1, 0).next().unwrap()).is_ok());
}

/// RS-16: a token of one mode is nothing in the other, though prefix and secret are the same.
#[test]
fn no_token_of_one_mode_opens_in_the_other() {
    let (randoms, counters) = (ring(vec![random_key()]), ring(vec![counter_key()]));
    let token = seal(&randoms, random()).unwrap();
    let counted = seal(&counters, device(1, 0).next().unwrap()).unwrap();
    assert_eq!(open(&randoms, &token).unwrap(), STATE);
    assert_eq!(open(&counters, &counted).unwrap(), STATE);
    assert_eq!(open(&randoms, &counted), Err(OpenError::Refused(Reason::StateUnknownKey)));
    assert_eq!(open(&counters, &token), Err(OpenError::Refused(Reason::StateUnknownKey)));
    // Not under the other's key id either.
    for (sealer, token, other) in [(&randoms, &counted, &token), (&counters, &token, &counted)] {
        let moved = [&head(other)[..4], &bytes(token)[4..]].concat();
        let mut out = [0; 128];
        let moved = format!("w1.{}", Base64UrlUnpadded::encode(&moved, &mut out).unwrap());
        assert_eq!(open(sealer, &moved), Err(OpenError::Refused(Reason::StateTampered)));
    }
    // A ring of both opens both.
    let both = ring(vec![random_key(), counter_key()]);
    assert_eq!(open(&both, &token).unwrap(), STATE);
    assert_eq!(open(&both, &counted).unwrap(), STATE);
    assert_ne!(random_key().id(Format::Compact), counter_key().id(Format::Compact));
}

#[cfg(feature = "interop")]
#[test]
fn a_counter_key_serves_compact_only() {
    for &other in Format::ALL.iter().filter(|format| **format != Format::Compact) {
        for (format, accept) in [(Format::Compact, &[other][..]), (other, &[]), (other, &[Format::Compact])] {
            let keys = vec![random_key(), counter_key()];
            let refused = Sealer::new(keys, Some("desk"), 600_000, format, Formats::of(accept));
            assert_eq!(refused.err(), Some(Misuse::CounterFormat));
        }
    }
}

#[test]
fn devices_boots_and_messages_share_no_nonce() {
    let sealer = ring(vec![counter_key()]);
    let mut seen = HashSet::new();
    for (number, stored) in [(0, 0), (0, 1), (1, 0), (1, 1), (0x0100_0000, 0), (0, 0x0100_0000)] {
        let mut nonces = device(number, stored);
        for _ in 0..300 {
            assert!(seen.insert(head(&seal(&sealer, nonces.next().unwrap()).unwrap())));
        }
    }
}

#[test]
fn a_forked_child_must_make_its_own() {
    let parent = ProcessNonces::from_random([9; 20], 100);
    assert!(parent.next(100).is_ok());
    assert_eq!(parent.next(101).unwrap_err(), Misuse::NoncesInherited);
}

/// Eight threads over one sealer and one source: no nonce twice, and the key's budget is met to the token.
#[test]
fn eight_threads_share_no_nonce_and_no_budget() {
    let sealer = ring(vec![random_key().with_budget(3_001)]);
    let nonces = ProcessNonces::from_random([0xFF; 20], 1);
    let tokens: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let sealed = (0..500).map(|_| seal(&sealer, nonces.next(1).unwrap()));
            sealed.filter_map(|sealed| match sealed {
                Ok(token) => Some(token),
                Err(SealError::Misuse(Misuse::KeyExhausted)) => None,
                Err(error) => panic!("{error:?}"),
            })
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(move || work().collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!((tokens.len(), sealer.seals_left()), (3_001, 0));
    let different: HashSet<_> = tokens.iter().map(|token| head(token)).collect();
    assert_eq!(different.len(), tokens.len());
}

#[test]
fn a_key_counts_what_it_seals_and_nothing_else() {
    let sealer = ring(vec![random_key().with_budget(2), counter_key()]);
    assert_eq!(sealer.seals_left(), 2);
    // What seals nothing uses nothing up.
    let room = sealer.seal(&binding(), STATE, NOW_MS, random(), &mut [], &mut [0; 94]);
    assert_eq!(room, Err(SealError::TooSmall(TooSmall { needed: 95 })));
    let time = sealer.seal(&binding(), STATE, 0, random(), &mut [], &mut [0; 128]);
    assert_eq!(time, Err(SealError::Misuse(Misuse::ImplausibleTime)));
    assert_eq!(seal(&sealer, device(1, 0).next().unwrap()), Err(SealError::Misuse(Misuse::NonceMode)));
    assert_eq!(sealer.seals_left(), 2);

    let first = seal(&sealer, random()).unwrap();
    assert_eq!(sealer.seals_left(), 1);
    assert!(seal(&sealer, random()).is_ok());
    for _ in 0..3 {
        assert_eq!(seal(&sealer, random()), Err(SealError::Misuse(Misuse::KeyExhausted)));
    }
    // It opens as before.
    assert_eq!(open(&sealer, &first).unwrap(), STATE);
    assert_eq!(sealer.seals_left(), 0);
}

#[test]
fn a_budget_can_be_nothing_and_the_most() {
    assert_eq!(seal(&ring(vec![random_key().with_budget(0)]), random()), Err(SealError::Misuse(Misuse::KeyExhausted)));
    assert_eq!(random_key().seals_left(), wireseal::limits::MAX_SEALS);
    let sealer = ring(vec![random_key().with_budget(u32::MAX)]);
    assert!(seal(&sealer, random()).is_ok());
    assert_eq!(sealer.seals_left(), u32::MAX - 1);
}

#[test]
fn nothing_of_a_nonce_is_shown() {
    let shown = format!("{:?} {:?} {:?}", random(), ProcessNonces::from_random([9; 20], 1), device(3, 6));
    assert_eq!(shown, "Fresh { .. } ProcessNonces { .. } DeviceNonces { boot: 7, .. }");
}

// The shared vectors.

const VECTORS: &str = include_str!("../../tests/vectors/nonce.json");

#[test]
fn every_nonce_vector_agrees() {
    let mut compared = 0;
    agree("nonce", VECTORS, |case| {
        let sealer = only(&case["sealer"], &["keys", "audience", "lifetime_ms", "format", "accept"]);
        let formats = sealer["accept"].as_array().unwrap().iter().chain([&sealer["format"]]);
        if !cfg!(feature = "interop") && formats.into_iter().any(|format| format != "compact") {
            return vec![];
        }
        compared += 1;
        differs(&outcome(case), &case["expect"])
    });
    assert!(compared > 20);
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

fn unhex(value: &Value) -> Vec<u8> {
    let digits = text(value).as_bytes().chunks(2);
    digits.map(|two| u8::from_str_radix(str::from_utf8(two).unwrap(), 16).unwrap()).collect()
}

fn misused(misuse: Misuse) -> Value {
    json!({"misuse": format!("{misuse:?}")})
}

/// The sealer of a vector.
fn made(case: &Value) -> Result<Sealer<Vec<Key>, String>, Misuse> {
    let key = |key: &Value| {
        only(key, &["secret_hex", "mode"]);
        match text(&key["mode"]) {
            "random" => Key::derive(&unhex(&key["secret_hex"])),
            "counter" => Key::derive_counter(&unhex(&key["secret_hex"])),
            other => panic!("unknown mode {other}"),
        }
    };
    let keys = case["keys"].as_array().unwrap().iter().map(key).collect::<Result<Vec<_>, _>>()?;
    let named = |name: &Value| Format::parse(text(name)).unwrap();
    let accept: Vec<Format> = case["accept"].as_array().unwrap().iter().map(named).collect();
    let audience = Some(text(&case["audience"]).to_owned());
    Sealer::new(keys, audience, case["lifetime_ms"].as_u64().unwrap(), named(&case["format"]), Formats::of(&accept))
}

/// The nonce that a vector asks for.
fn nonce(case: &Value) -> Result<Fresh, Misuse> {
    let skip = number(&case["skip"]);
    if case["call"] == "process" {
        let nonces =
            ProcessNonces::from_random(unhex(&case["random_hex"]).try_into().unwrap(), number(&case["made_by"]).into());
        let next = || nonces.next(number(&case["asked_by"]).into());
        for _ in 0..skip {
            next()?;
        }
        return next();
    }
    let boot = Boot::after(number(&case["device"]), number(&case["stored"]))?;
    let read_back = case["read_back"].as_u64().map_or(boot.number(), |read| read.try_into().unwrap());
    let mut nonces = boot.stored(read_back)?;
    for _ in 0..skip {
        nonces.next()?;
    }
    nonces.next()
}

fn outcome(case: &Value) -> Value {
    let members: &[&str] = match text(&case["call"]) {
        "new" => &[],
        "open" => &["token_json"],
        "process" => &["state_hex", "skip", "random_hex", "made_by", "asked_by"],
        "device" => &["state_hex", "skip", "device", "stored", "read_back"],
        other => panic!("unknown call {other}"),
    };
    only(case, &[&["id", "rules", "why", "expect", "call", "sealer", "request", "now_ms"], members].concat());
    let sealer = match made(&case["sealer"]) {
        Ok(_) if case["call"] == "new" => return json!({"ok": true}),
        Ok(sealer) => sealer,
        Err(misuse) => return misused(misuse),
    };
    let request = only(&case["request"], &["method_json", "target_json", "arguments_json", "principal"]);
    let mut scratch = [0; 512];
    let mut part = |name: &str| check(text(&request[name]).as_bytes(), MAX_DEPTH, &mut scratch).unwrap();
    let (method, target) = (part("method_json").text().unwrap(), part("target_json").text().unwrap());
    let arguments: Raw<'_> = part("arguments_json");
    let principal = request["principal"].as_str();
    let binding = Binding { method, target: Some(target), arguments: Some(arguments), principal, associated: None };
    let now_ms = case["now_ms"].as_u64().unwrap();
    let mut out = [0; 1024];
    if case["call"] == "open" {
        let token = check(text(&case["token_json"]).as_bytes(), MAX_DEPTH, &mut []).unwrap().text().unwrap();
        return match sealer.open(token, &binding, None, now_ms, &mut scratch, &mut out) {
            Ok(opened) => {
                let state: String = opened.state.iter().map(|byte| format!("{byte:02x}")).collect();
                json!({"state_hex": state})
            }
            Err(OpenError::Refused(reason)) => json!({"reason": reason.name()}),
            Err(error) => panic!("{error:?}"),
        };
    }
    let state = unhex(&case["state_hex"]);
    let sealed = nonce(case)
        .map_err(SealError::Misuse)
        .and_then(|fresh| sealer.seal(&binding, &state, now_ms, fresh, &mut scratch, &mut out));
    match sealed {
        Ok(len) => json!({"token": str::from_utf8(&out[..len]).unwrap()}),
        Err(SealError::Misuse(misuse)) => misused(misuse),
        Err(error) => panic!("{error:?}"),
    }
}
