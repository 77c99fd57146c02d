//! The token of the official Python SDK (`mcp` on PyPI, `RequestStateSecurity(keys=...)`): AES-256-GCM over JSON
//! claims, and the canonical JSON that its arguments digest is taken over.

use core::fmt::{self, Write as _};

use subtle::ConstantTimeEq;

use super::binding::first;
use super::envelope::ForFormat;
use super::key::Key;
use super::{Facts, Format, Fresh, Inner, OpenError, SealError, base64, envelope, refuse_number, time};
use crate::json::digest::Sha256;
use crate::json::number::Decimal;
use crate::json::order::{Sink, walk};
use crate::json::{Raw, Text, TooSmall, ValueKind, Writer, check, hex, hex4};
use crate::limits::{MAX_DEPTH, MAX_PYTHON_INT_DIGITS, MAX_STATE_BYTES, MAX_TOKEN_BYTES};
use crate::reason::{Misuse, Reason};

/// The key's fingerprint in the tokens.
pub(super) fn key_id(key: &[u8; 32]) -> [u8; 4] {
    let mut hash = Sha256::new();
    hash.put(b"mcp/request-state/v1/kid:");
    hash.put(key);
    first(&hash.finish())
}

pub(super) fn seal(
    key: &Key,
    facts: &Facts<'_>,
    lifetime_ms: u64,
    state: &[u8],
    fresh: Fresh,
    scratch: &mut [u64],
    out: &mut [u8],
) -> Result<usize, SealError> {
    if state.len() > MAX_STATE_BYTES {
        return Err(Misuse::StateTooLong.into());
    }
    let state = Text::plain(core::str::from_utf8(state).map_err(|_| Misuse::StateNotText)?);
    let digest = bound_arguments_digest(facts, scratch)?;
    let (nonce, salt) = fresh.split();
    let claims = |out: &mut [u8]| -> usize {
        let mut writer = Writer::new(out);
        write_claims(facts, lifetime_ms, state, &digest, salt, &mut writer);
        match writer.finish() {
            Ok(len) => len,
            Err(TooSmall { needed }) => needed,
        }
    };
    let len = claims(&mut []);
    if envelope::token_len(len) > MAX_TOKEN_BYTES {
        return Err(Misuse::TokenTooLong.into());
    }
    envelope::seal(&ForFormat { format: Format::Python, key }, nonce, len, out, |body| {
        (claims(body) == len).then_some(())
    })
}

fn write_claims(
    facts: &Facts<'_>,
    lifetime_ms: u64,
    state: Text<'_>,
    digest: &[u8; 16],
    salt: [u8; 8],
    out: &mut Writer<'_>,
) {
    let binding = facts.binding;
    out.raw(b"{\"v\":1,\"iat\":");
    out.seconds(facts.now_ms);
    out.raw(b",\"exp\":");
    out.seconds(facts.now_ms + lifetime_ms);
    out.raw(b",\"m\":");
    put_string(binding.method, out);
    out.raw(b",\"t\":");
    put_string(binding.target.unwrap_or(Text::plain("")), out);
    out.raw(b",\"a\":");
    write_base64(digest, out);
    out.raw(b",\"s\":");
    put_string(state, out);
    if let Some(audience) = facts.audience {
        out.raw(b",\"aud\":");
        put_string(Text::plain(audience), out);
    }
    if let Some(principal) = binding.principal {
        let mut claim = [0u8; 24];
        for (slot, byte) in claim.iter_mut().zip(salt.into_iter().chain(principal_tag(&salt, principal))) {
            *slot = byte;
        }
        out.raw(b",\"p\":");
        write_base64(&claim, out);
    }
    out.raw(b"}");
}

/// At most 24 bytes, as a JSON string.
fn write_base64(bytes: &[u8], out: &mut Writer<'_>) {
    let mut text = [0u8; 32];
    out.raw(b"\"");
    let len = base64::encode(bytes, &mut text).unwrap_or_default();
    out.raw(text.get(..len).unwrap_or_default());
    out.raw(b"\"");
}

/// A salted hash of the principal, so that tokens do not show who they are for.
fn principal_tag(salt: &[u8; 8], principal: &str) -> [u8; 16] {
    let mut hash = Sha256::new();
    hash.put(b"mcp/request-state/principal:");
    hash.put(salt);
    hash.put(principal.as_bytes());
    first(&hash.finish())
}

/// The claims of a token, as far as they are read.
struct Claims<'a> {
    issued_at_ms: (u64, u64),
    expires_at_ms: (u64, u64),
    method: Text<'a>,
    target: Text<'a>,
    digest: Text<'a>,
    state: Text<'a>,
    audience: Option<Text<'a>>,
    principal: Option<([u8; 8], [u8; 16])>,
}

impl<'a> Claims<'a> {
    /// Reads the claims; `None` when one is missing or has the wrong type. As for the SDK, members that it does
    /// not know count for nothing, and an audience or principal that is `null` counts as absent.
    fn read(claims: Raw<'a>) -> Option<Self> {
        let (mut version, mut iat, mut exp) = (None, None, None);
        let (mut method, mut target, mut digest, mut state) = (None, None, None, None);
        let (mut audience, mut principal) = (None, None);
        for (name, value) in claims.members() {
            let mut room = [0u8; 3];
            let slot = match name.decode(&mut room).as_deref() {
                Some(b"v") => &mut version,
                Some(b"iat") => &mut iat,
                Some(b"exp") => &mut exp,
                Some(b"m") => &mut method,
                Some(b"t") => &mut target,
                Some(b"a") => &mut digest,
                Some(b"s") => &mut state,
                Some(b"aud") => &mut audience,
                Some(b"p") => &mut principal,
                _ => continue,
            };
            *slot = Some(value);
        }
        let number = |value: Option<Raw<'a>>| match value {
            Some(value) if value.kind() == ValueKind::Number => Decimal::read(value.as_bytes()),
            _ => None,
        };
        let text = |value: Option<Raw<'a>>| value?.text();
        let unless_null = |value: Option<Raw<'a>>| value.filter(|value| value.kind() != ValueKind::Null);
        if !number(version)?.is_one() {
            return None;
        }
        Some(Claims {
            issued_at_ms: number(iat)?.thousandfold(),
            expires_at_ms: number(exp)?.thousandfold(),
            method: text(method)?,
            target: text(target)?,
            digest: text(digest)?,
            state: text(state)?,
            audience: match unless_null(audience) {
                Some(value) => Some(value.text()?),
                None => None,
            },
            principal: match unless_null(principal) {
                Some(value) => Some(read_principal(value.text()?)?),
                None => None,
            },
        })
    }
}

/// Salt and hash of a principal claim.
fn read_principal(claim: Text<'_>) -> Option<([u8; 8], [u8; 16])> {
    let (mut text, mut bytes) = ([0u8; 32], [0u8; 24]);
    if base64::decode(claim.decode(&mut text)?, &mut bytes)? != bytes.len() {
        return None;
    }
    let [salt @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = bytes;
    let [_, _, _, _, _, _, _, _, tag @ ..] = bytes;
    Some((salt, tag))
}

/// Checks the decrypted claims and leaves the state, decoded, where it stands.
pub(super) fn verify(plaintext: &mut [u8], facts: &Facts<'_>, scratch: &mut [u64]) -> Result<Inner, OpenError> {
    const MALFORMED: OpenError = OpenError::Refused(Reason::StateMalformed);
    let document = check(plaintext, MAX_DEPTH, scratch).map_err(|error| match error.reason {
        Reason::TooManyMembers => OpenError::Misuse(Misuse::ScratchTooSmall),
        _ => MALFORMED,
    })?;
    let claims = Claims::read(document).ok_or(MALFORMED)?;
    if claims.state.has_lone_surrogate() {
        return Err(MALFORMED);
    }
    // Seconds with any fraction are compared with whole milliseconds: rounding up decides as the exact value does.
    let (issued_at_ms, issued_up) = claims.issued_at_ms;
    let (_, expires_at_ms) = claims.expires_at_ms;
    time::judge(issued_up, expires_at_ms, facts.now_ms)?;
    let binding = facts.binding;
    let digest = bound_arguments_digest(facts, scratch).map_err(refuse_number)?;
    let arguments = binding.arguments_digest(scratch).map_err(refuse_number)?;
    let mut text = [0u8; 22];
    base64::encode(&digest, &mut text).ok_or(MALFORMED)?;
    if claims.method != binding.method
        || claims.target != binding.target.unwrap_or(Text::plain(""))
        || !claims.digest.bytes().eq(text)
    {
        return Err(Reason::StateOtherRequest.into());
    }
    let audience = match (claims.audience, facts.audience) {
        (None, None) => true,
        (Some(claim), Some(audience)) => claim == *audience,
        _ => false,
    };
    let principal = match (claims.principal, binding.principal) {
        (None, None) => true,
        (Some((salt, tag)), Some(principal)) => bool::from(principal_tag(&salt, principal).ct_eq(&tag)),
        _ => false,
    };
    if !audience || !principal {
        return Err(Reason::StateOtherContext.into());
    }
    let escaped = claims.state.is_escaped();
    let state = super::span(plaintext, claims.state.raw());
    let state = match plaintext.get_mut(state.clone()) {
        Some(text) if escaped => state.start..state.start + unescape_in_place(text).ok_or(MALFORMED)?,
        _ => state,
    };
    let arguments_bound = !is_resource_read(facts);
    Ok(Inner {
        state,
        issued_at_ms: Some(issued_at_ms),
        expires_at_ms: Some(expires_at_ms),
        arguments,
        arguments_bound,
    })
}

/// Decodes the inside of a checked JSON string over itself; the text is never longer than its spelling. Returns
/// its length, or `None` for a surrogate without its pair.
fn unescape_in_place(text: &mut [u8]) -> Option<usize> {
    let (mut read, mut write) = (0, 0);
    while let Some(&byte) = text.get(read) {
        read += 1;
        let mut utf8 = [byte, 0, 0, 0];
        let mut len = 1;
        if byte == b'\\' {
            let kind = *text.get(read)?;
            read += 1;
            if kind == b'u' {
                let mut point = hex4(text.get(read..read + 4)?)?;
                read += 4;
                if (0xD800..0xDC00).contains(&point) {
                    let [b'\\', b'u', low @ ..] = text.get(read..read + 6)? else { return None };
                    let low = hex4(low)?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
                    point = 0x1_0000 + ((point - 0xD800) << 10) + low;
                    read += 6;
                }
                len = char::from_u32(point)?.encode_utf8(&mut utf8).len();
            } else {
                utf8 = [unescaped(kind), 0, 0, 0];
            }
        }
        for &byte in utf8.get(..len)? {
            *text.get_mut(write)? = byte;
            write += 1;
        }
    }
    Some(write)
}

/// What a short escape stands for.
fn unescaped(kind: u8) -> u8 {
    match kind {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 0x08,
        b'f' => 0x0C,
        other => other,
    }
}

/// The digest that the SDK binds: of the arguments, or of `{}` where it binds none.
fn bound_arguments_digest(facts: &Facts<'_>, scratch: &mut [u64]) -> Result<[u8; 16], Misuse> {
    python_arguments_digest(facts.binding.arguments.filter(|_| !is_resource_read(facts)), scratch)
}

/// The SDK binds a resource by its URI alone.
fn is_resource_read(facts: &Facts<'_>) -> bool {
    facts.binding.method == "resources/read"
}

/// The arguments digest of the `python` format: the first 16 bytes of SHA-256 over the canonical JSON, where
/// absent arguments, and any that Python takes for false (`null`, `false`, a zero, `""`, `[]`), count as `{}`.
///
/// # Errors
///
/// As [`python_canonical`], but for [`SealError::TooSmall`].
pub fn python_arguments_digest(arguments: Option<Raw<'_>>, scratch: &mut [u64]) -> Result<[u8; 16], Misuse> {
    let mut canonical = Canonical(Sha256::new());
    match arguments.filter(|arguments| !is_false(*arguments)) {
        Some(arguments) => walk(arguments, scratch, &mut canonical)?,
        None => canonical.0.put(b"{}"),
    }
    Ok(first(&canonical.0.finish()))
}

/// Writes what Python's `json.dumps(json.loads(value), sort_keys=True, separators=(",", ":"))` gives, and returns
/// its length. It is the text that the `python` format's arguments digest is taken over, and serves to find out why
/// two implementations disagree.
///
/// # Errors
///
/// [`Misuse::NumberTooLarge`] for an integer of more than [`MAX_PYTHON_INT_DIGITS`] digits, which Python does not
/// read, and for a number beyond [`MAX_EXPONENT`](crate::limits::MAX_EXPONENT), which WireSeal's own digest does
/// not have. [`Misuse::ScratchTooSmall`]; [`SealError::TooSmall`] with the length when `out` is too small.
pub fn python_canonical(value: Raw<'_>, scratch: &mut [u64], out: &mut [u8]) -> Result<usize, SealError> {
    let mut canonical = Canonical(Writer::new(out));
    walk(value, scratch, &mut canonical)?;
    Ok(canonical.0.finish()?)
}

/// What is false to Python.
fn is_false(value: Raw<'_>) -> bool {
    match value.kind() {
        ValueKind::Null => true,
        ValueKind::Bool => value.as_bytes() == b"false",
        // A number that has no digest is left for the walk to refuse.
        ValueKind::Number => {
            Decimal::read(value.as_bytes()).is_some() && binary64(value.as_bytes()).is_some_and(|number| number == 0.0)
        }
        ValueKind::String => value.as_bytes() == b"\"\"",
        ValueKind::Array => value.elements().next().is_none(),
        ValueKind::Object => value.members().next().is_none(),
    }
}

/// Where canonical JSON goes.
trait Put {
    fn put(&mut self, bytes: &[u8]);
}

impl Put for Sha256 {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        Sha256::put(self, bytes);
    }
}

impl Put for Writer<'_> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.raw(bytes);
    }
}

struct Canonical<P>(P);

impl<P: Put> Sink for Canonical<P> {
    fn literal(&mut self, first: u8) {
        self.0.put(match first {
            b't' => b"true",
            b'f' => b"false",
            _ => b"null",
        });
    }

    fn number(&mut self, number: &[u8]) -> Result<(), Misuse> {
        if number.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            return put_float(number, &mut self.0).ok_or(Misuse::NumberTooLarge);
        }
        let digits = number.strip_prefix(b"-").unwrap_or(number);
        if digits.len() > MAX_PYTHON_INT_DIGITS {
            return Err(Misuse::NumberTooLarge);
        }
        self.0.put(if digits == b"0" { digits } else { number });
        Ok(())
    }

    fn string(&mut self, text: Text<'_>) {
        put_string(text, &mut self.0);
    }

    fn open(&mut self, bracket: u8, _count: usize) {
        self.0.put(&[bracket]);
    }

    fn next(&mut self) {
        self.0.put(b",");
    }

    fn name(&mut self, text: Text<'_>) {
        put_string(text, &mut self.0);
        self.0.put(b":");
    }

    fn close(&mut self, bracket: u8) {
        self.0.put(if bracket == b'{' { b"}" } else { b"]" });
    }
}

/// A string with everything outside of U+0020 to U+007E escaped, as `ensure_ascii` does.
fn put_string(text: Text<'_>, out: &mut impl Put) {
    out.put(b"\"");
    let plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\';
    if !text.is_escaped() && text.raw().iter().all(|&byte| plain(byte)) {
        out.put(text.raw());
    } else {
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                byte if plain(byte) => out.put(&[byte]),
                b'"' => out.put(b"\\\""),
                b'\\' => out.put(b"\\\\"),
                b'\n' => out.put(b"\\n"),
                b'\r' => out.put(b"\\r"),
                b'\t' => out.put(b"\\t"),
                0x08 => out.put(b"\\b"),
                0x0C => out.put(b"\\f"),
                _ => {
                    let mut tail = || u32::from(bytes.next().unwrap_or(0x80)) & 0x3F;
                    let lead = u32::from(byte);
                    let point = match byte {
                        0..0x80 => lead,
                        0x80..0xE0 => (lead & 0x1F) << 6 | tail(),
                        0xE0..0xF0 => (lead & 0x0F) << 12 | tail() << 6 | tail(),
                        0xF0.. => (lead & 0x07) << 18 | tail() << 12 | tail() << 6 | tail(),
                    };
                    put_escape(point, out);
                }
            }
        }
    }
    out.put(b"\"");
}

/// `\uxxxx`, twice above U+FFFF.
fn put_escape(point: u32, out: &mut impl Put) {
    let unit = |unit: u32| {
        let nibble = |shift: u32| hex((unit >> shift & 15) as u8);
        [b'\\', b'u', nibble(12), nibble(8), nibble(4), nibble(0)]
    };
    match point.checked_sub(0x1_0000) {
        Some(above) => {
            out.put(&unit(0xD800 + (above >> 10)));
            out.put(&unit(0xDC00 + (above & 0x3FF)));
        }
        None => out.put(&unit(point)),
    }
}

fn binary64(number: &[u8]) -> Option<f64> {
    core::str::from_utf8(number).ok()?.parse().ok()
}

/// The shortest digits that give the same binary64 back, laid out as Python's `repr` does.
fn put_float(number: &[u8], out: &mut impl Put) -> Option<()> {
    Decimal::read(number)?;
    let value = binary64(number)?;
    if value.is_sign_negative() {
        out.put(b"-");
    }
    if value.is_infinite() {
        out.put(b"Infinity");
        return Some(());
    }
    let digits = shortest(value.abs())?;
    let text = digits.bytes.get(..digits.len)?;
    let at = text.iter().position(|&byte| byte == b'e')?;
    let head = text.get(..1)?;
    let tail = text.get(2..at).unwrap_or_default(); // the digits after the point, if any
    let power = text.get(at + 1..)?;
    let (below, power) = match power {
        [b'-', digits @ ..] => (true, digits),
        _ => (false, power),
    };
    let exponent = power.iter().fold(0usize, |value, digit| value * 10 + usize::from(digit.wrapping_sub(b'0')));
    const ZEROS: &[u8] = b"0000000000000000";
    match (below, exponent) {
        (false, 0..16) => {
            out.put(head);
            if let Some(zeros) = exponent.checked_sub(tail.len()) {
                out.put(tail);
                out.put(ZEROS.get(..zeros)?);
                out.put(b".0");
            } else {
                let (whole, fraction) = tail.split_at_checked(exponent)?;
                out.put(whole);
                out.put(b".");
                out.put(fraction);
            }
        }
        (true, 1..=4) => {
            out.put(b"0.");
            out.put(ZEROS.get(..exponent - 1)?);
            out.put(head);
            out.put(tail);
        }
        _ => {
            out.put(head);
            if !tail.is_empty() {
                out.put(b".");
                out.put(tail);
            }
            out.put(if below { b"e-" } else { b"e+" });
            if power.len() < 2 {
                out.put(b"0");
            }
            out.put(power);
        }
    }
    Some(())
}

/// The shortest digits that give the value back, of these the nearest, of two as near the even ones; as `d.ddde-7`.
///
/// `{:e}` does not promise the last of these: halfway between two it takes the greater. That can only happen where
/// neighbours are closer than binary64 can tell apart, which is from the sixteenth digit on.
fn shortest(value: f64) -> Option<Digits> {
    let mut digits = Digits { bytes: [0; 32], len: 0 };
    write!(digits, "{value:e}").ok()?;
    let count = digits.bytes.iter().take_while(|&&byte| byte != b'e').filter(|byte| byte.is_ascii_digit()).count();
    if count >= 16 {
        let mut even = Digits { bytes: [0; 32], len: 0 };
        write!(even, "{value:.*e}", count - 1).ok()?; // rounds halves to even
        if binary64(even.bytes.get(..even.len)?) == Some(value) {
            return Some(even);
        }
    }
    Some(digits)
}

/// Room for the digits of one binary64.
struct Digits {
    bytes: [u8; 32],
    len: usize,
}

impl fmt::Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            *self.bytes.get_mut(self.len).ok_or(fmt::Error)? = byte;
            self.len += 1;
        }
        Ok(())
    }
}
