//! Sealing and opening, and the digest that binds arguments.

use std::hint::black_box;

use wireseal::json::{Raw, Text, digest_scratch_len};
use wireseal::seal::{Binding, Format, Formats, Fresh, Key, Sealer, arguments_digest};
use wireseal::{Context, Policy, admit};

const NOW_MS: u64 = 1_785_000_000_000;
const STATE: &[u8] = b"{\"asked\":\"room\",\"free\":[\"basalt\",\"cinder\",\"flint\"],\"round\":1234}";

type Ring = Sealer<[Key; 1], &'static str>;

#[inline(never)]
fn measured_seal(ring: &Ring, binding: &Binding<'_>, scratch: &mut [u64], out: &mut [u8]) -> usize {
    ring.seal(binding, STATE, NOW_MS, Fresh::from_random([7; 20]), scratch, out).expect("it seals")
}

#[inline(never)]
fn measured_open(ring: &Ring, binding: &Binding<'_>, token: Text<'_>, scratch: &mut [u64], out: &mut [u8]) -> usize {
    ring.open(token, binding, None, NOW_MS + 1, scratch, out).expect("it opens").state.len()
}

#[inline(never)]
fn measured_digest(arguments: Raw<'_>, scratch: &mut [u64]) -> &'static str {
    arguments_digest(Some(arguments), scratch).map_or_else(|misuse| misuse.message(), |_| "accepted")
}

/// Seals for the request, and opens again where that is what is asked for.
pub fn sealing(body: &[u8], opens: bool) -> &'static str {
    let policy: Policy<'_> = Policy::new();
    let mut scratch = vec![0; digest_scratch_len(body.len())];
    let message = admit(body, &Context::stdio(), &policy, &mut scratch).expect("a request");
    let binding = Binding::of(&message, Some("alice")).expect("a request");
    let key = Key::derive(&[7; 32]).expect("a secret");
    let ring: Ring = Sealer::new([key], Some("room-desk"), 600_000, Format::Compact, Formats::of(&[])).expect("a ring");
    let (mut token, mut state) = ([0; 256], [0; 256]);
    if !opens {
        measured_seal(black_box(&ring), black_box(&binding), black_box(&mut scratch), black_box(&mut token));
        return "accepted";
    }
    let fresh = Fresh::from_random([7; 20]);
    let len = ring.seal(&binding, STATE, NOW_MS, fresh, &mut scratch, &mut token).expect("it seals");
    let text = Text::plain(std::str::from_utf8(&token[..len]).expect("a token"));
    let ring = black_box(&ring);
    let len = measured_open(ring, black_box(&binding), black_box(text), black_box(&mut scratch), black_box(&mut state));
    assert_eq!(len, STATE.len());
    "accepted"
}

/// Digests the arguments, with as much scratch as is said to suffice.
pub fn digest(arguments: Raw<'_>) -> &'static str {
    let mut scratch = vec![0; digest_scratch_len(arguments.as_bytes().len())];
    measured_digest(black_box(arguments), black_box(&mut scratch))
}
