//! The tokens of two official SDKs that are signed and not encrypted: everybody who holds one can read its state.
//!
//! `typescript` (`@modelcontextprotocol/server`, `createRequestStateCodec`): a JSON body in base64url, a dot, and the
//! HMAC over what stands before the dot. `rust` (`rmcp`): a binary body and its HMAC, each in base64url. Both sign with the
//! ring secret itself. Neither knows of methods, targets or principals: what the host binds them to, it says itself
//! ([`Binding::associated`](super::Binding)).

use core::ops::Range;

use hmac::Mac as _;
use subtle::ConstantTimeEq;

use super::binding::first;
use super::key::{HmacSha256, Key};
use super::{Facts, Format, Inner, OpenError, SealError, base64, time};
use crate::json::number::Decimal;
use crate::json::{BYTE_ORDER_MARK, Raw, Text, TooSmall, ValueKind, Writer, check};
use crate::limits::{MAX_DEPTH, MAX_STATE_BYTES, MAX_TOKEN_BYTES};
use crate::reason::{Misuse, Reason};

const MALFORMED: OpenError = OpenError::Refused(Reason::StateMalformed);
/// A MAC in base64url.
const MAC_TEXT: usize = 43;
/// A binding tag in base64url.
const TAG_TEXT: usize = 22;
/// The expiry at the front of a `rust` body.
const EXPIRY: usize = 8;

/// Signs a state into the front of `out`; returns the token's length.
pub(super) fn seal(
    format: Format,
    key: &Key,
    facts: &Facts<'_>,
    lifetime_ms: u64,
    state: &[u8],
    scratch: &mut [u64],
    out: &mut [u8],
) -> Result<usize, SealError> {
    if state.len() > MAX_STATE_BYTES {
        return Err(Misuse::StateTooLong.into());
    }
    if format == Format::Typescript && !state.is_empty() {
        check_payload(state, scratch)?;
    }
    // The token is not bound to it, but what reads it makes a reissue key of it: one that fails there is not sealed.
    facts.binding.arguments_digest(scratch)?;
    let tag = match facts.binding.associated {
        Some(associated) if format == Format::Typescript => Some(bind_tag(key, associated)?),
        _ => None,
    };
    let body = |out: &mut [u8]| {
        let mut writer = Writer::new(out);
        write_body(format, facts, lifetime_ms, state, tag.as_ref(), &mut writer);
        match writer.finish() {
            Ok(len) => len,
            Err(TooSmall { needed }) => needed,
        }
    };
    let prefix = prefix(format);
    let body_len = body(&mut []);
    let signed = prefix.len().saturating_add(base64::encoded_len(body_len));
    let len = signed.saturating_add(1 + MAC_TEXT);
    if len > MAX_TOKEN_BYTES {
        return Err(Misuse::TokenTooLong.into());
    }
    let too_small = TooSmall { needed: len };
    let token = out.get_mut(..len).ok_or(too_small)?;
    let (head, rest) = token.split_at_mut_checked(prefix.len()).ok_or(too_small)?;
    for (slot, byte) in head.iter_mut().zip(prefix) {
        *slot = *byte;
    }
    let (text, last) = rest.split_at_mut_checked(signed - prefix.len()).ok_or(too_small)?;
    // The body stands at the end of its text, and is encoded from there over the whole of it.
    let start = text.len().checked_sub(body_len).ok_or(too_small)?;
    let room = text.get_mut(start..).ok_or(too_small)?;
    if body(room) != body_len {
        return Err(too_small.into());
    }
    let mut mac = Mac::start(format, key, facts.binding.associated)?;
    if format == Format::Rust {
        mac.put(room);
    }
    base64::encode_tail(text, body_len).ok_or(too_small)?;
    if format == Format::Typescript {
        mac.put(prefix);
        mac.put(text);
    }
    let (dot, mac_text) = last.split_first_mut().ok_or(too_small)?;
    *dot = b'.';
    base64::encode(&mac.finish(), mac_text).ok_or(too_small)?;
    Ok(len)
}

/// Whether a state can stand in the body of a `typescript` token: JSON that is whole inside of one more object.
fn check_payload(state: &[u8], scratch: &mut [u64]) -> Result<(), Misuse> {
    if state.starts_with(BYTE_ORDER_MARK) {
        return Err(Misuse::StateNotJson);
    }
    match check(state, MAX_DEPTH - 1, scratch) {
        Ok(_) => Ok(()),
        Err(error) if error.reason == Reason::TooManyMembers => Err(Misuse::ScratchTooSmall),
        Err(_) => Err(Misuse::StateNotJson),
    }
}

fn write_body(
    format: Format,
    facts: &Facts<'_>,
    lifetime_ms: u64,
    state: &[u8],
    tag: Option<&[u8; 16]>,
    out: &mut Writer<'_>,
) {
    if format == Format::Rust {
        out.raw(&facts.now_ms.saturating_add(lifetime_ms).to_be_bytes());
        out.raw(state);
        return;
    }
    out.raw(b"{");
    if !state.is_empty() {
        out.raw(b"\"p\":");
        out.raw(state);
        out.raw(b",");
    }
    out.raw(b"\"exp\":");
    // From the whole second on, as the SDK counts; with a fraction where the lifetime has one.
    out.seconds((facts.now_ms / 1000 * 1000).saturating_add(lifetime_ms));
    if let Some(tag) = tag {
        let mut text = [0u8; TAG_TEXT];
        let len = base64::encode(tag, &mut text).unwrap_or_default();
        out.raw(b",\"b\":\"");
        out.raw(text.get(..len).unwrap_or_default());
        out.raw(b"\"");
    }
    out.raw(b"}");
}

/// Decodes a token into `out`, finds the key that signed it, and checks what it says. Returns the key, what the token
/// says, and where in `out` its body is; the state's place is inside of that.
pub(super) fn open<'k>(
    format: Format,
    keys: &'k [Key],
    allow_endless: bool,
    token: Text<'_>,
    facts: &Facts<'_>,
    scratch: &mut [u64],
    out: &mut [u8],
) -> Result<(&'k Key, Inner, Range<usize>), OpenError> {
    let needed = token.decoded_len();
    let text = token.decode(out).ok_or(TooSmall { needed })?;
    let prefix = prefix(format);
    let (signed, mac_text) = text.split_at_mut_checked(needed.saturating_sub(1 + MAC_TEXT)).ok_or(MALFORMED)?;
    let mut mac = [0u8; 32];
    match mac_text.split_first() {
        Some((b'.', mac_text)) if base64::decode(mac_text, &mut mac) == Some(mac.len()) => {}
        _ => return Err(MALFORMED),
    }
    let key = match format {
        Format::Typescript => signer(format, keys, facts, &[signed], &mac)?,
        _ => None,
    };
    if format == Format::Typescript && key.is_none() {
        return Err(Reason::StateTampered.into());
    }
    let body = signed.get_mut(prefix.len()..).ok_or(MALFORMED)?;
    let len = base64::decode_in_place(body).ok_or(MALFORMED)?;
    let body = body.get_mut(..len).ok_or(MALFORMED)?;
    let key = match key {
        Some(key) => key,
        None => signer(format, keys, facts, &[body], &mac)?.ok_or(Reason::StateTampered)?,
    };
    let place = prefix.len()..prefix.len() + len;
    let arguments = facts.binding.arguments_digest(scratch).map_err(super::refuse_number)?;
    let (state, expires_at_ms) = match format {
        Format::Typescript => read_json(key, body, facts, scratch)?,
        _ => read_binary(body, allow_endless, facts.now_ms)?,
    };
    Ok((key, Inner { state, issued_at_ms: None, expires_at_ms, arguments, arguments_bound: false }, place))
}

/// The key whose MAC this is. Every key is tried, whichever fits.
fn signer<'k>(
    format: Format,
    keys: &'k [Key],
    facts: &Facts<'_>,
    parts: &[&[u8]],
    mac: &[u8; 32],
) -> Result<Option<&'k Key>, Misuse> {
    let mut found = None;
    for key in keys {
        let mut own = Mac::start(format, key, facts.binding.associated)?;
        for part in parts {
            own.put(part);
        }
        if bool::from(own.finish().ct_eq(mac)) {
            found = Some(key);
        }
    }
    Ok(found)
}

/// The body of a `typescript` token: where the payload stands, and from when on the token is no longer good.
fn read_json(
    key: &Key,
    body: &[u8],
    facts: &Facts<'_>,
    scratch: &mut [u64],
) -> Result<(Range<usize>, Option<u64>), OpenError> {
    let document = check(body, MAX_DEPTH, scratch).map_err(|error| match error.reason {
        Reason::TooManyMembers => OpenError::Misuse(Misuse::ScratchTooSmall),
        _ => MALFORMED,
    })?;
    if document.kind() != ValueKind::Object {
        return Err(MALFORMED);
    }
    let exp = document.get("exp").filter(|exp| exp.kind() == ValueKind::Number).ok_or(MALFORMED)?;
    let (exp_ms, _) = Decimal::read(exp.as_bytes()).ok_or(MALFORMED)?.thousandfold();
    // Good while the whole second of the present is not beyond it.
    let expires_at_ms = (exp_ms / 1000).saturating_add(1).saturating_mul(1000);
    let same = match (document.get("b"), facts.binding.associated) {
        (None, None) => true,
        (Some(claim), Some(associated)) => {
            let mut text = [0u8; TAG_TEXT];
            base64::encode(&bind_tag(key, associated)?, &mut text).ok_or(MALFORMED)?;
            is_text(claim, &text)
        }
        _ => false,
    };
    time::judge(0, expires_at_ms, facts.now_ms)?;
    if !same {
        return Err(Reason::StateOtherContext.into());
    }
    Ok((document.get("p").map_or(0..0, |payload| super::span(body, payload.as_bytes())), Some(expires_at_ms)))
}

/// Whether a value is a string of this text; compared in constant time where the lengths agree.
fn is_text(value: Raw<'_>, text: &[u8; TAG_TEXT]) -> bool {
    let mut room = [0u8; TAG_TEXT];
    value.text().and_then(|claim| claim.decode(&mut room).map(|claim| bool::from(claim.ct_eq(text)))).unwrap_or(false)
}

/// The body of a `rust` token. An expiry of 0 means none, and such a token is taken only where the host allows it: it
/// can be played back for ever.
fn read_binary(body: &[u8], allow_endless: bool, now_ms: u64) -> Result<(Range<usize>, Option<u64>), OpenError> {
    let (expiry, _) = body.split_first_chunk::<EXPIRY>().ok_or(MALFORMED)?;
    let place = EXPIRY..body.len();
    let expires_at_ms = match i64::from_be_bytes(*expiry) {
        0 if allow_endless => return Ok((place, None)),
        0 => return Err(MALFORMED),
        // Good in its last millisecond too.
        expiry => u64::try_from(expiry).map_or(0, |expiry| expiry.saturating_add(1)),
    };
    time::judge(0, expires_at_ms, now_ms)?;
    Ok((place, Some(expires_at_ms)))
}

const fn prefix(format: Format) -> &'static [u8] {
    match format {
        Format::Rust => b"rs1.",
        _ => b"v1.",
    }
}

/// The tag that stands for a binding in a `typescript` token.
fn bind_tag(key: &Key, associated: &[u8]) -> Result<[u8; 16], Misuse> {
    let mut mac = Mac(key.signing.start()?);
    mac.put(b"mcp.requestState.bind:");
    mac.put(associated);
    Ok(first(&mac.finish()))
}

/// A MAC under the ring secret.
struct Mac(HmacSha256);

impl Mac {
    /// Begins with what a `rust` token is bound to; a `typescript` one has its binding in the body.
    fn start(format: Format, key: &Key, associated: Option<&[u8]>) -> Result<Self, Misuse> {
        let mut mac = Mac(key.signing.start()?);
        if format == Format::Rust {
            let associated = associated.unwrap_or_default();
            mac.put(b"rmcp/mrtr/request-state/v1");
            mac.put(&(associated.len() as u64).to_be_bytes());
            mac.put(associated);
        }
        Ok(mac)
    }

    /// Not inlined, as for other hashes here.
    #[inline(never)]
    fn put(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(self) -> [u8; 32] {
        self.0.finalize().into_bytes().into()
    }
}
