//! `Once`: the shared scripts of `tests/vectors/once.json`, and what they cannot say.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail so")]

use std::collections::HashMap;

use serde_json::Value;
use wireseal::limits::{DEFAULT_LEASE_MS, MAX_LEASE_MS, MAX_ONCE_SLOTS, MAX_SKEW_MS, MAX_TIME_MS, MIN_TIME_MS};
use wireseal::once::{Claim, Finished, Once, Results, Rows, Settings, Slot, Ticket, Verdict};
use wireseal::seal::{Binding, Format, Formats, Fresh, Key, Sealer};
use wireseal::{Misuse, Reason, json::Text};

const VECTORS: &str = include_str!("../../tests/vectors/once.json");
const NOW_MS: u64 = 1_785_000_000_000;

type Table = Once<Vec<Slot>, Rows<Vec<u8>>>;

fn table(capacity: usize, row: usize, settings: Settings) -> Table {
    Once::new(vec![Slot::FREE; capacity], Rows::new(vec![0; capacity * row], capacity), settings, NOW_MS).unwrap()
}

/// A label as the vectors have them: its bytes, padded with zeros.
fn label(text: &str) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..text.len()].copy_from_slice(text.as_bytes());
    bytes
}

fn at(offset: &Value) -> u64 {
    NOW_MS.checked_add_signed(offset.as_i64().unwrap()).unwrap()
}

fn claim_of(wish: &Value) -> Result<Claim, Reason> {
    let time = |name: &str| wish[name].as_i64().map(|_| at(&wish[name]));
    let text = |name: &str| wish[name].as_str().unwrap();
    let (issued, expires) = (time("issued"), time("expires"));
    Claim::new(label(text("token")), label(text("answers")), issued, expires, wish["principal"].as_str())
}

/// What a verdict is called in the vectors, and the result.
fn told(verdict: Verdict<'_>) -> (String, Option<String>, Option<Ticket>) {
    match verdict {
        Verdict::Claimed(ticket) => ("claimed".into(), None, Some(ticket)),
        Verdict::InFlight => (Reason::OnceInFlight.name().into(), None, None),
        Verdict::Done(result) => ("done".into(), Some(String::from_utf8(result.to_vec()).unwrap()), None),
        Verdict::Refused(reason) => (reason.name().into(), None, None),
    }
}

fn step(once: &mut Table, step: &Value, tickets: &mut HashMap<String, Ticket>) -> (String, Option<String>) {
    let now_ms = at(&step["at"]);
    let mut ticket = |name: &str| tickets.remove(step[name].as_str()?);
    if let Some(ticket) = ticket("finish") {
        let finished = once.finish(ticket, step["result"].as_str().map(str::as_bytes), now_ms);
        let word = match finished {
            Finished::Kept => "kept",
            Finished::WithoutResult => "without-result",
            Finished::Late => "late",
        };
        return (word.into(), None);
    }
    if let Some(ticket) = ticket("release") {
        return (if once.release(ticket, now_ms) { "released" } else { "late" }.into(), None);
    }
    if let Some(ticket) = ticket("abandon") {
        once.abandon(ticket, now_ms);
        return (String::new(), None);
    }
    let found = if step["find"].is_object() {
        match claim_of(&step["find"]) {
            Ok(claim) => once.find(&claim, now_ms).unwrap().map_or(("unseen".into(), None, None), told),
            Err(reason) => (reason.name().into(), None, None),
        }
    } else {
        match claim_of(&step["claim"]) {
            Ok(claim) => told(once.claim(&claim, now_ms).unwrap()),
            Err(reason) => (reason.name().into(), None, None),
        }
    };
    let (word, result, ticket) = found;
    if let Some(ticket) = ticket {
        tickets.insert(step["as"].as_str().expect("a claim that succeeds has a name").into(), ticket);
    }
    (word, result)
}

#[test]
fn every_once_vector_agrees() {
    let document: Value = serde_json::from_str(VECTORS).unwrap();
    assert_eq!(document["format"], "wireseal-once/1");
    let cases = document["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    let mut faults = Vec::new();
    for case in cases {
        let number = |name: &str| case["table"][name].as_u64().unwrap();
        let settings =
            Settings { lease_ms: number("lease_ms"), share: number("share") as usize, skew_ms: number("skew_ms") };
        let mut once = table(number("capacity") as usize, number("max_result_bytes") as usize, settings);
        let mut tickets = HashMap::new();
        for (index, one) in case["steps"].as_array().unwrap().iter().enumerate() {
            let (word, result) = step(&mut once, one, &mut tickets);
            let expected = if one["expect"] == "done" { one["result"].as_str() } else { None };
            if word != one["expect"].as_str().unwrap_or_default() || result.as_deref() != expected {
                faults.push(format!("{} step {index}: {word} {result:?}", case["id"]));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn rs_08_one_sealed_token_acts_once() {
    let key = Key::derive(b"a secret of a test: never use it").unwrap();
    let sealer = Sealer::new([key], Some("desk"), 600_000, Format::Compact, Formats::of(&[])).unwrap();
    let binding = Binding {
        method: Text::plain("tools/call"),
        target: Some(Text::plain("book_room")),
        arguments: None,
        principal: Some("alice"),
        associated: None,
    };
    let (mut scratch, mut token, mut out) = ([0u64; 64], [0u8; 256], [0u8; 256]);
    let fresh = Fresh::from_random([9; 20]);
    let len = sealer.seal(&binding, b"x", NOW_MS, fresh, &mut scratch, &mut token).unwrap();
    let text = Text::plain(std::str::from_utf8(&token[..len]).unwrap());
    let mut claim_with = |answers: &str| {
        let mut checked = [0u64; 64];
        let answers = wireseal::json::check(answers.as_bytes(), 8, &mut checked).unwrap();
        let opened = sealer.open(text, &binding, Some(answers), NOW_MS + 1, &mut scratch, &mut out).unwrap();
        Claim::of(&opened, binding.principal).unwrap()
    };
    let first = claim_with(r#"{"room":{"action":"accept","content":{"room":"cinder"}}}"#);
    let again = claim_with(r#"{ "room": {"content": {"room": "cinder"}, "action": "accept"} }"#);
    let other = claim_with(r#"{"room":{"action":"accept","content":{"room":"basalt"}}}"#);

    let mut once = table(4, 32, Settings::for_slots(4));
    let Verdict::Claimed(ticket) = once.claim(&first, NOW_MS + 2).unwrap() else { panic!("not claimed") };
    assert_eq!(once.finish(ticket, Some(b"cinder"), NOW_MS + 3), Finished::Kept);
    assert!(matches!(once.claim(&again, NOW_MS + 4), Ok(Verdict::Done(b"cinder"))));
    assert!(matches!(once.claim(&other, NOW_MS + 5), Ok(Verdict::Refused(Reason::StateUsed))));
    assert_eq!((once.len(NOW_MS + 6), once.is_empty(NOW_MS + 600_000 + MAX_SKEW_MS)), (1, true));
}

#[test]
fn settings_have_edges() {
    let sound = Settings::for_slots(8);
    assert_eq!(sound, Settings { lease_ms: DEFAULT_LEASE_MS, share: 1, skew_ms: 0 });
    assert_eq!((Settings::for_slots(1).share, Settings::for_slots(80).share), (1, 10));
    let made = |slots: usize, settings: Settings, now_ms: u64| {
        Once::new(vec![Slot::FREE; slots], Rows::new([0u8; 0], slots), settings, now_ms).map(|_| ())
    };
    for slots in [1, MAX_ONCE_SLOTS] {
        assert_eq!(made(slots, Settings::for_slots(slots), NOW_MS), Ok(()));
    }
    for slots in [0, MAX_ONCE_SLOTS + 1] {
        assert_eq!(made(slots, Settings::for_slots(slots), NOW_MS), Err(Misuse::OnceSlots));
    }
    for lease_ms in [1, MAX_LEASE_MS] {
        assert_eq!(made(8, Settings { lease_ms, ..sound }, NOW_MS), Ok(()));
    }
    for lease_ms in [0, MAX_LEASE_MS + 1] {
        assert_eq!(made(8, Settings { lease_ms, ..sound }, NOW_MS), Err(Misuse::OnceLease));
    }
    assert_eq!(made(8, Settings { share: 8, ..sound }, NOW_MS), Ok(()));
    for share in [0, 9] {
        assert_eq!(made(8, Settings { share, ..sound }, NOW_MS), Err(Misuse::OnceShare));
    }
    assert_eq!(made(8, Settings { skew_ms: MAX_SKEW_MS, ..sound }, NOW_MS), Ok(()));
    assert_eq!(made(8, Settings { skew_ms: MAX_SKEW_MS + 1, ..sound }, NOW_MS), Err(Misuse::OnceSkew));
    for now_ms in [MIN_TIME_MS, MAX_TIME_MS] {
        assert_eq!(made(8, sound, now_ms), Ok(()));
    }
    for now_ms in [MIN_TIME_MS - 1, MAX_TIME_MS + 1] {
        assert_eq!(made(8, sound, now_ms), Err(Misuse::ImplausibleTime));
        let claim = Claim::new([1; 16], [2; 16], Some(NOW_MS), Some(NOW_MS + 1), None).unwrap();
        let mut once = table(8, 0, sound);
        assert_eq!(once.claim(&claim, now_ms).map(|_| ()).unwrap_err(), Misuse::ImplausibleTime);
        assert_eq!(once.find(&claim, now_ms).map(|_| ()).unwrap_err(), Misuse::ImplausibleTime);
    }
}

#[test]
fn rows_keep_what_fits_and_wipe_what_is_forgotten() {
    let mut memory = [0xAAu8; 10];
    let mut rows = Rows::new(&mut memory[..], 3);
    assert_eq!(rows.row_len(), 3);
    assert!(rows.keep(2, b"xyz") && rows.keep(0, b"") && !rows.keep(1, b"long"));
    assert!(!rows.keep(9, b"x") && !rows.keep(usize::MAX, b"x"), "no such slot");
    assert_eq!((rows.kept(2, 3), rows.kept(0, 0), rows.kept(9, 1)), (Some(&b"xyz"[..]), Some(&b""[..]), None));
    rows.forget(2, 3);
    assert_eq!(memory, [0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA, 0, 0, 0, 0xAA]);
    assert_eq!(Rows::new([0u8; 4], 0).row_len(), 0);
}

#[test]
fn what_a_slot_kept_is_wiped_with_its_token() {
    let mut results = [0u8; 8];
    let claim = |token: u8, expires: u64| Claim::new([token; 16], [0; 16], Some(NOW_MS), Some(expires), None).unwrap();
    {
        let mut slots = [Slot::FREE; 1];
        let settings = Settings::for_slots(1);
        let mut once = Once::new(&mut slots[..], Rows::new(&mut results[..], 1), settings, NOW_MS).unwrap();
        let Verdict::Claimed(ticket) = once.claim(&claim(1, NOW_MS + 10), NOW_MS).unwrap() else { panic!("claim") };
        once.finish(ticket, Some(b"secret"), NOW_MS + 1);
        let later = NOW_MS + 10 + MAX_SKEW_MS;
        assert!(matches!(once.claim(&claim(2, later + 1), later), Ok(Verdict::Claimed(_))));
    }
    assert_eq!(results, [0; 8]);
}

#[test]
fn debug_shows_neither_keys_nor_principals() {
    let claim = Claim::new([1; 16], [0xC7; 16], Some(NOW_MS), Some(NOW_MS + 9), Some("alice")).unwrap();
    let mut once = table(1, 4, Settings::for_slots(1));
    let verdict = format!("{:?}", once.claim(&claim, NOW_MS));
    let shown = format!("{claim:?} {once:?} {verdict} {:?}", Slot::FREE);
    let principal = format!("{:?}", claim.principal_id());
    assert!(!shown.contains("199") && !shown.contains(&principal) && !shown.contains("alice"), "{shown}");
}
