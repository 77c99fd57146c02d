//! Tokens of every format: made up, spoilt, and made by somebody who has the key but not our manners.
//!
//! Input: a byte for what to do, then the token's text, how to spoil a good one, or the body to sign.
#![no_main]

use std::sync::OnceLock;

use base64ct::{Base64UrlUnpadded, Encoding};
use hmac::{Hmac, KeyInit, Mac};
use libfuzzer_sys::fuzz_target;
use sha2::Sha256;
use wireseal::json::{Text, scratch_len};
use wireseal::limits::MAX_STATE_BYTES;
use wireseal::seal::{Binding, Format, Formats, Fresh, Key, OpenError, Opened, SealError, Sealer};
use wireseal_fuzz::parse;

const SECRET: &[u8] = b"a secret of a test: never use it";
const NOW_MS: u64 = 1_785_000_000_123;
const BINDING: &[u8] = b"alice";

type Ring = Sealer<Vec<Key>, &'static str>;

/// One that mints each format, and opens them all.
fn sealers() -> &'static [Ring] {
    static ALL: OnceLock<Vec<Ring>> = OnceLock::new();
    ALL.get_or_init(|| {
        let ring = |format: &Format| {
            let keys = vec![Key::derive(SECRET).expect("a key")];
            let all = Formats::of(Format::ALL);
            Sealer::new(keys, Some("desk"), 600_000, *format, all).expect("a sealer").allowing_endless()
        };
        Format::ALL.iter().map(ring).collect()
    })
}

fn binding() -> Binding<'static> {
    Binding {
        method: Text::plain("tools/call"),
        target: Some(Text::plain("book_room")),
        arguments: None,
        principal: Some("alice"),
        associated: Some(BINDING),
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&what, rest)) = data.split_first() else { return };
    let sealer = &sealers()[usize::from(what) % Format::ALL.len()];
    match what / 8 % 3 {
        0 => made_up(sealer, rest),
        1 => spoilt(sealer, rest),
        _ => signed(sealer, rest),
    }
});

/// Opens with all the room that is asked for. The state of a refused token is nowhere afterwards.
fn open(sealer: &Ring, token: &str, state: &[u8]) -> Result<Vec<u8>, OpenError> {
    let mut out = vec![0; token.len()];
    let mut scratch = vec![0; scratch_len(token.len())];
    let opened = |opened: Opened<'_>| {
        std::hint::black_box(format!("{opened:?} {:?}", opened.bound.names().collect::<Vec<_>>()));
        opened.state.to_vec()
    };
    let result = sealer.open(Text::plain(token), &binding(), None, NOW_MS, &mut scratch, &mut out).map(opened);
    if let Err(error) = result {
        assert!(!matches!(error, OpenError::TooSmall(_)), "the token's length is room enough");
        let leaves = out.windows(state.len().max(1)).any(|part| part == state);
        assert!(state.len() < 8 || state.iter().all(|byte| *byte == 0) || !leaves, "{error:?} leaves the state");
    }
    result
}

/// Nobody who lacks the key makes a token.
fn made_up(sealer: &Ring, rest: &[u8]) {
    let Ok(text) = std::str::from_utf8(rest) else { return };
    for prefix in ["", "w1.", "v1.", "rs1."] {
        let token = format!("{prefix}{text}");
        assert!(matches!(open(sealer, &token, b""), Err(OpenError::Refused(_))), "{token}");
    }
}

/// A token opens as it was made, and with anything changed it does not.
fn spoilt(sealer: &Ring, rest: &[u8]) {
    let (state, changes) = rest.split_at(rest.len() / 2);
    let mut out = vec![0; 8 * state.len() + 512];
    let fresh = Fresh::from_random([7; 20]);
    let mut scratch = vec![0; scratch_len(state.len())];
    let len = match sealer.seal(&binding(), state, NOW_MS, fresh, &mut scratch, &mut out) {
        Ok(len) => len,
        Err(SealError::TooSmall(_)) => panic!("room enough"),
        Err(_) => {
            let text = std::str::from_utf8(state).is_ok();
            assert!(match sealer.format() {
                Format::Typescript => true, // also what repeats a member, or is too deep
                Format::Python => !text || state.len() > MAX_STATE_BYTES,
                _ => state.len() > MAX_STATE_BYTES,
            });
            return;
        }
    };
    let token = std::str::from_utf8(&out[..len]).expect("a token is text").to_owned();
    let opened = open(sealer, &token, state).expect("what is sealed opens");
    if sealer.format() == Format::Typescript {
        let read = |text: &[u8]| if text.is_empty() { None } else { Some(parse(text).ok()) };
        assert_eq!(read(&opened), read(state));
    } else {
        assert_eq!(opened, state);
    }
    let mut other = token.clone().into_bytes();
    for change in changes.chunks_exact(3).take(8) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % other.len();
        other[at] ^= change[2] & 0x7F;
    }
    if let Ok(other) = std::str::from_utf8(&other)
        && other != token
    {
        assert!(matches!(open(sealer, other, state), Err(OpenError::Refused(_))), "{other}");
    }
    for cut in [0, len / 2, len - 1] {
        assert!(matches!(open(sealer, &token[..cut], state), Err(OpenError::Refused(_))));
    }
}

fn mac(parts: &[&[u8]]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET).expect("a key of any length");
    parts.iter().for_each(|part| mac.update(part));
    Base64UrlUnpadded::encode_string(&mac.finalize().into_bytes())
}

/// A body that its signer did not make with care.
fn signed(sealer: &Ring, body: &[u8]) {
    let text = Base64UrlUnpadded::encode_string(body);
    let length = (BINDING.len() as u64).to_be_bytes();
    let rust = format!("rs1.{text}.{}", mac(&[b"rmcp/mrtr/request-state/v1", &length, BINDING, body]));
    match (open(sealer, &rust, body.get(8..).unwrap_or_default()), body.split_first_chunk::<8>()) {
        (Ok(state), Some((expiry, payload))) => {
            let expiry = i64::from_be_bytes(*expiry);
            assert!(state == payload && (expiry == 0 || u64::try_from(expiry).is_ok_and(|end| end >= NOW_MS)));
        }
        (Ok(_), None) => panic!("no expiry"),
        (Err(error), _) => assert!(matches!(error, OpenError::Refused(_)), "{error:?}"),
    }
    let head = format!("v1.{text}");
    let typescript = format!("{head}.{}", mac(&[head.as_bytes()]));
    match open(sealer, &typescript, body) {
        Ok(state) => {
            // serde_json takes no unpaired surrogate, which a payload may carry.
            if let Ok(read) = parse(body) {
                assert!(read["exp"].is_number() && read.get("b").is_some());
                assert_eq!(read.get("p"), if state.is_empty() { None } else { parse(&state).ok() }.as_ref());
            }
        }
        Err(error) => assert!(matches!(error, OpenError::Refused(_)), "{error:?}"),
    }
    // With a tag that fits, as far as the body is an object.
    if let Some(rest) = body.strip_prefix(b"{")
        && !rest.trim_ascii_start().starts_with(b"}")
    {
        let tagged = [format!("{{\"b\":\"{}\",", tag()).as_bytes(), rest].concat();
        let head = format!("v1.{}", Base64UrlUnpadded::encode_string(&tagged));
        let token = format!("{head}.{}", mac(&[head.as_bytes()]));
        match open(sealer, &token, &tagged) {
            Ok(state) => {
                if let Ok(read) = parse(&tagged) {
                    assert_eq!(read.get("p"), if state.is_empty() { None } else { parse(&state).ok() }.as_ref());
                }
            }
            Err(error) => assert!(matches!(error, OpenError::Refused(_)), "{error:?}"),
        }
    }
}

/// The tag of the binding in a `typescript` token.
fn tag() -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET).expect("a key of any length");
    mac.update(b"mcp.requestState.bind:");
    mac.update(BINDING);
    Base64UrlUnpadded::encode_string(&mac.finalize().into_bytes()[..16])
}
