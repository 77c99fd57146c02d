//! The three sources of nonces, and the count of what a key seals. What the bytes are is pinned by
//! `tests/vectors/nonce.json`, made by the Python reference.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashSet;

use base64ct::{Base64UrlUnpadded, Encoding};
use wireseal::json::{Text, TooSmall};
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
    Binding { method: Text::plain("tools/call"), target: None, arguments: None, principal: Some("alice") }
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
    for (format, accept) in [(Format::Compact, &[Format::Python][..]), (Format::Python, &[])] {
        let keys = vec![random_key(), counter_key()];
        let refused = Sealer::new(keys, Some("desk"), 600_000, format, Formats::of(accept));
        assert_eq!(refused.err(), Some(Misuse::CounterFormat));
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
