//! Seals a server's state into the `requestState` that a client carries back, and opens it again for the same
//! request only (basic/patterns/mrtr of the specification).
//!
//! ```
//! use wireseal::json::Text;
//! use wireseal::seal::{Binding, Format, Formats, Fresh, Key, Sealer};
//!
//! let ring = [Key::derive(b"32 or more bytes that nobody knows").map_err(|m| m.message())?];
//! let sealer = Sealer::new(ring, Some("room-desk"), 600_000, Format::Compact, Formats::of(&[]))
//!     .map_err(|m| m.message())?;
//! let binding = Binding {
//!     method: Text::plain("tools/call"),
//!     target: Some(Text::plain("book_room")),
//!     arguments: None,
//!     principal: Some("alice"),
//!     associated: None,
//! };
//! let now_ms = 1_785_000_000_000;
//! let (mut scratch, mut token, mut out) = ([0u64; 32], [0u8; 128], [0u8; 128]);
//! # let random = [7; 20];
//! let fresh = Fresh::from_random(random); // 20 bytes from the platform's generator, never twice the same
//! let len = sealer.seal(&binding, b"asked", now_ms, fresh, &mut scratch, &mut token).map_err(|_| "seal")?;
//!
//! let text = Text::plain(core::str::from_utf8(&token[..len]).map_err(|_| "text")?);
//! let opened = sealer.open(text, &binding, None, now_ms + 5000, &mut scratch, &mut out).map_err(|_| "open")?;
//! assert_eq!(opened.state, b"asked");
//!
//! let other = Binding { principal: Some("mallory"), ..binding };
//! assert!(sealer.open(text, &other, None, now_ms + 5000, &mut scratch, &mut out).is_err());
//! # Ok::<(), &str>(())
//! ```

use core::fmt;
use core::ops::Range;

use zeroize::Zeroize;

use envelope::ForFormat;

use crate::json::digest::digest;
use crate::json::{Raw, Text, TooSmall};
use crate::limits::{MAX_CONTEXT_BYTES, MAX_KEYS, MAX_TOKEN_BYTES};
use crate::reason::{Misuse, Reason};

mod base64;
mod binding;
#[cfg(feature = "interop")]
mod codec;
mod compact;
mod envelope;
mod key;
mod nonce;
#[cfg(feature = "interop")]
mod python;
#[cfg(feature = "interop")]
mod signed;
mod time;

pub(crate) use binding::first;
pub use binding::{Binding, arguments_digest};
#[cfg(feature = "interop")]
pub use codec::{Codec, CodecKey};
pub use key::Key;
pub use nonce::{Boot, DeviceNonces, Fresh, ProcessNonces};
#[cfg(feature = "interop")]
pub use python::{python_arguments_digest, python_canonical};
pub(crate) use time::{judge as judge_times, plausible};

/// A token format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// WireSeal's own, `w1.`: the default.
    Compact,
    /// The official Python SDK's built-in one, `v1.`.
    #[cfg(feature = "interop")]
    Python,
    /// The official TypeScript SDK's, `v1.` with a dot inside: signed, readable by the client. Its state is the JSON text of
    /// the payload; an empty one stands for none.
    #[cfg(feature = "interop")]
    Typescript,
    /// The official Rust SDK's, `rs1.`: signed, readable by the client.
    #[cfg(feature = "interop")]
    Rust,
}

impl Format {
    /// Every format that this build knows.
    pub const ALL: &'static [Format] = &[
        Format::Compact,
        #[cfg(feature = "interop")]
        Format::Python,
        #[cfg(feature = "interop")]
        Format::Typescript,
        #[cfg(feature = "interop")]
        Format::Rust,
    ];

    /// The format with this name.
    pub fn parse(name: &str) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| format.as_str() == name)
    }

    /// The stable name: `"compact"`, `"python"`, `"typescript"` or `"rust"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Compact => "compact",
            #[cfg(feature = "interop")]
            Format::Python => "python",
            #[cfg(feature = "interop")]
            Format::Typescript => "typescript",
            #[cfg(feature = "interop")]
            Format::Rust => "rust",
        }
    }

    /// The prefix of the formats that are encrypted.
    const fn prefix(self) -> [u8; 3] {
        match self {
            #[cfg(feature = "interop")]
            Format::Python => *b"v1.",
            _ => *b"w1.",
        }
    }

    /// The format that a token claims to have. Two formats begin alike; a dot inside tells them apart.
    fn of(token: Text<'_>) -> Option<Format> {
        let begins = |prefix: &str| token.bytes().take(prefix.len()).eq(prefix.bytes());
        if begins("w1.") {
            return Some(Format::Compact);
        }
        #[cfg(feature = "interop")]
        {
            if begins("rs1.") {
                return Some(Format::Rust);
            }
            if begins("v1.") {
                return match token.bytes().skip(3).filter(|byte| *byte == b'.').take(2).count() {
                    0 => Some(Format::Python),
                    1 => Some(Format::Typescript),
                    _ => None,
                };
            }
        }
        None
    }

    /// Whether the format is signed and not encrypted, and bound to what the host says alone.
    const fn is_signed(self) -> bool {
        match self {
            #[cfg(feature = "interop")]
            Format::Typescript | Format::Rust => true,
            _ => false,
        }
    }

    /// The least plaintext that a token of this format can have.
    const fn least_plaintext(self) -> usize {
        match self {
            Format::Compact => compact::CLAIMS,
            #[cfg(feature = "interop")]
            _ => 0,
        }
    }
}

/// The length of the `compact` token around a state of so many bytes. (For the other formats the sealer says how
/// long a token is when the buffer is too small.)
pub const fn compact_token_len(state_len: usize) -> usize {
    envelope::token_len(compact::CLAIMS.saturating_add(state_len))
}

/// A set of token formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formats(u8);

impl Formats {
    /// The set of these formats.
    pub const fn of(mut formats: &[Format]) -> Self {
        let mut set = 0;
        while let [format, rest @ ..] = formats {
            set |= 1 << *format as u8;
            formats = rest;
        }
        Formats(set)
    }

    /// Whether the format is in the set.
    pub const fn contains(self, format: Format) -> bool {
        self.0 >> (format as u8) & 1 == 1
    }
}

/// Why nothing was sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealError {
    /// The request cannot be bound: [`Reason::NumberTooLarge`], the peer's fault.
    Refused(Reason),
    /// A wrong argument of the host's.
    Misuse(Misuse),
    /// `out` is too small.
    TooSmall(TooSmall),
}

impl From<Misuse> for SealError {
    fn from(misuse: Misuse) -> Self {
        match misuse {
            Misuse::NumberTooLarge => SealError::Refused(Reason::NumberTooLarge),
            other => SealError::Misuse(other),
        }
    }
}

impl From<TooSmall> for SealError {
    fn from(too_small: TooSmall) -> Self {
        SealError::TooSmall(too_small)
    }
}

/// Why a token was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// The token is refused. The reason is for the host's log; on the wire all are one.
    Refused(Reason),
    /// A wrong argument of the host's.
    Misuse(Misuse),
    /// `out` is too small.
    TooSmall(TooSmall),
}

impl From<Reason> for OpenError {
    fn from(reason: Reason) -> Self {
        OpenError::Refused(reason)
    }
}

impl From<Misuse> for OpenError {
    fn from(misuse: Misuse) -> Self {
        match misuse {
            Misuse::NumberTooLarge => OpenError::Refused(Reason::NumberTooLarge),
            other => OpenError::Misuse(other),
        }
    }
}

impl From<TooSmall> for OpenError {
    fn from(too_small: TooSmall) -> Self {
        OpenError::TooSmall(too_small)
    }
}

/// Which bindings of a token were verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bound {
    /// The method is the one that the token was sealed for.
    pub method: bool,
    /// The target is, its absence included.
    pub target: bool,
    /// The arguments are, their absence included. The `python` format leaves those of `resources/read` out.
    pub arguments: bool,
    /// The sealer has an audience, and it is the token's.
    pub audience: bool,
    /// A principal was named, and it is the token's.
    pub principal: bool,
    /// What the host said that the token is bound to, it is: `typescript` and `rust`, which verify nothing else.
    pub associated: bool,
}

impl Bound {
    /// The names of those that were verified, in the order of the fields.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("method", self.method),
            ("target", self.target),
            ("arguments", self.arguments),
            ("audience", self.audience),
            ("principal", self.principal),
            ("binding", self.associated),
        ];
        all.into_iter().filter(|(_, verified)| *verified).map(|(name, _)| name)
    }
}

/// A token that was verified against the request it came with.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Opened<'o> {
    /// The state, as it was sealed.
    pub state: &'o [u8],
    /// When it was sealed, in Unix milliseconds; `None` in the formats that do not say.
    pub issued_at_ms: Option<u64>,
    /// From when on it is no longer good, in Unix milliseconds; `None` where it never ends
    /// ([`Sealer::allowing_endless`]).
    pub expires_at_ms: Option<u64>,
    /// The id of the key that opened it.
    pub key_id: [u8; 4],
    /// The token's name: equal for equal tokens.
    pub token_id: [u8; 16],
    /// Equal for a true reissue, which is the same token with the same request and the same answers (but for the
    /// JSON-RPC id); different when anything differs.
    pub reissue_key: [u8; 16],
    /// Its format.
    pub format: Format,
    /// What it was bound to, and was verified to be.
    pub bound: Bound,
}

/// Shows neither the state nor the reissue key.
impl fmt::Debug for Opened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened")
            .field("state_len", &self.state.len())
            .field("issued_at_ms", &self.issued_at_ms)
            .field("expires_at_ms", &self.expires_at_ms)
            .field("key_id", &self.key_id)
            .field("token_id", &self.token_id)
            .field("format", &self.format)
            .field("bound", &self.bound)
            .finish_non_exhaustive()
    }
}

/// Seals and opens tokens under a ring of keys.
///
/// The first key seals, every key opens: roll a new key out as `[old, new]`, then `[new, old]`, then, one
/// lifetime later, `[new]`.
pub struct Sealer<K, A> {
    keys: K,
    audience: Option<A>,
    lifetime_ms: u64,
    format: Format,
    accept: Formats,
    allow_unbound: bool,
    allow_endless: bool,
}

/// Shows nothing of the keys.
impl<K, A> fmt::Debug for Sealer<K, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealer")
            .field("lifetime_ms", &self.lifetime_ms)
            .field("format", &self.format)
            .field("accept", &self.accept)
            .finish_non_exhaustive()
    }
}

/// What a token is sealed for, or shown with.
struct Facts<'r> {
    binding: &'r Binding<'r>,
    audience: Option<&'r str>,
    now_ms: u64,
}

/// What the claims of a verified token say.
struct Inner {
    /// Where the state is in the plaintext.
    state: Range<usize>,
    issued_at_ms: Option<u64>,
    expires_at_ms: Option<u64>,
    /// WireSeal's digest of the arguments.
    arguments: [u8; 32],
    arguments_bound: bool,
}

impl<K: AsRef<[Key]>, A: AsRef<str>> Sealer<K, A> {
    /// A sealer that mints `format` and opens it and those in `accept`.
    ///
    /// `audience` names the service, so that services that share keys do not open each other's tokens; `None`
    /// opens only what was sealed without one. `lifetime_ms` is how long a token is good.
    ///
    /// # Errors
    ///
    /// [`Misuse::NoKeys`], [`Misuse::TooManyKeys`], [`Misuse::EqualKeys`] (two keys with one id in a format that
    /// is used, or that sign alike in one), [`Misuse::CounterFormat`] (a key from [`Key::derive_counter`] and a format other than `compact`),
    /// [`Misuse::Lifetime`], [`Misuse::ContextTooLong`].
    pub fn new(
        keys: K,
        audience: Option<A>,
        lifetime_ms: u64,
        format: Format,
        accept: Formats,
    ) -> Result<Self, Misuse> {
        let accept = Formats(accept.0 | Formats::of(&[format]).0);
        let ring = keys.as_ref();
        if ring.is_empty() {
            return Err(Misuse::NoKeys);
        }
        if ring.len() > MAX_KEYS {
            return Err(Misuse::TooManyKeys);
        }
        if ring.iter().any(Key::is_counter) && accept != Formats::of(&[Format::Compact]) {
            return Err(Misuse::CounterFormat);
        }
        for used in Format::ALL.iter().copied().filter(|format| accept.contains(*format)) {
            let mut rest = ring;
            while let [key, others @ ..] = rest {
                if others.iter().any(|other| other.is_like(key, used)) {
                    return Err(Misuse::EqualKeys);
                }
                rest = others;
            }
        }
        if !time::lifetime_in_range(lifetime_ms) {
            return Err(Misuse::Lifetime);
        }
        if audience.as_ref().is_some_and(|audience| audience.as_ref().len() > MAX_CONTEXT_BYTES) {
            return Err(Misuse::ContextTooLong);
        }
        Ok(Sealer { keys, audience, lifetime_ms, format, accept, allow_unbound: false, allow_endless: false })
    }

    /// Lets tokens of the `typescript` and `rust` formats be sealed and opened that are bound to nothing
    /// ([`Binding::associated`] is `None` or empty): whoever holds one can bring it back with any request.
    #[must_use]
    pub fn allowing_unbound(mut self) -> Self {
        self.allow_unbound = true;
        self
    }

    /// Lets `rust` tokens be opened that have no expiry: whoever holds one can bring it back for ever. None is sealed so.
    #[must_use]
    pub fn allowing_endless(mut self) -> Self {
        self.allow_endless = true;
        self
    }

    /// Whether it seals or opens a format whose tokens are bound to nothing unless the host says to what, and may not
    /// be so.
    pub fn needs_binding(&self) -> bool {
        !self.allow_unbound && Format::ALL.iter().any(|format| format.is_signed() && self.accept.contains(*format))
    }

    /// Refuses a host that forgot to say what a signed token is bound to.
    fn check_bound(&self, format: Format, binding: &Binding<'_>) -> Result<(), Misuse> {
        let unbound = format.is_signed() && !binding.is_associated() && !self.allow_unbound;
        if unbound { Err(Misuse::Unbound) } else { Ok(()) }
    }

    /// The format that this sealer mints.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How long a token is good, in milliseconds.
    pub fn lifetime_ms(&self) -> u64 {
        self.lifetime_ms
    }

    /// How many tokens the key that seals may still seal: what is left of its
    /// [budget](Key::with_budget).
    pub fn seals_left(&self) -> u32 {
        self.keys.as_ref().first().map_or(0, Key::seals_left)
    }

    fn facts<'r>(&'r self, binding: &'r Binding<'r>, now_ms: u64) -> Result<Facts<'r>, Misuse> {
        time::plausible(now_ms)?;
        if binding.principal.is_some_and(|principal| principal.len() > MAX_CONTEXT_BYTES) {
            return Err(Misuse::ContextTooLong);
        }
        Ok(Facts { binding, audience: self.audience.as_ref().map(A::as_ref), now_ms })
    }

    /// Seals `state` for the request and writes the token to the front of `out`. Returns its length.
    ///
    /// `now_ms` is the present, in Unix milliseconds. `scratch` serves the digest of the arguments:
    /// [`digest_scratch_len`](crate::json::digest_scratch_len) of their length always suffices.
    ///
    /// # Errors
    ///
    /// [`SealError::TooSmall`] says how long the token is. [`SealError::Refused`]: `NumberTooLarge` when the
    /// arguments of the request hold a number that no digest is made of. [`SealError::Misuse`]: `StateTooLong`,
    /// `StateNotText` (`python`), `StateNotJson` and `Unbound` (the signed formats), `TokenTooLong`, `ImplausibleTime`, `ContextTooLong`, `ScratchTooSmall`,
    /// `NonceMode` (the first key is not for nonces of this kind), `KeyExhausted` (its budget is used up). After any
    /// error but the first a new nonce may be tried; this one is gone.
    pub fn seal(
        &self,
        binding: &Binding<'_>,
        state: &[u8],
        now_ms: u64,
        fresh: Fresh,
        scratch: &mut [u64],
        out: &mut [u8],
    ) -> Result<usize, SealError> {
        let facts = self.facts(binding, now_ms)?;
        let key = self.keys.as_ref().first().ok_or(Misuse::NoKeys)?;
        if key.is_counter() != fresh.is_counted() {
            return Err(Misuse::NonceMode.into());
        }
        match self.format {
            Format::Compact => compact::seal(key, &facts, self.lifetime_ms, state, fresh, scratch, out),
            #[cfg(feature = "interop")]
            Format::Python => python::seal(key, &facts, self.lifetime_ms, state, fresh, scratch, out),
            #[cfg(feature = "interop")]
            format @ (Format::Typescript | Format::Rust) => {
                self.check_bound(format, binding)?;
                signed::seal(format, key, &facts, self.lifetime_ms, state, scratch, out)
            }
        }
    }

    /// Verifies the token against the request that it came with, and opens it into `out`.
    ///
    /// `input_responses` are the answers that came with it; they count for the reissue key only. `out` needs
    /// room for the token's text. `scratch` serves the digests, and the claims of the `python` format:
    /// [`digest_scratch_len`](crate::json::digest_scratch_len) of the longer of arguments and answers, and
    /// [`scratch_len`](crate::json::scratch_len) of the token, always suffice.
    ///
    /// # Errors
    ///
    /// [`OpenError::Refused`] with the first of these that holds: `StateMalformed`, `StateUnknownKey`,
    /// `StateTampered`, `StateMalformed` (of the claims), `StateFuture`, `StateExpired`, `StateOtherRequest`,
    /// `StateOtherContext`, `NumberTooLarge` (of the answers). Arguments with a number that no digest is made of
    /// are `StateOtherRequest`: no token was ever sealed for them. What was decrypted of a refused token is wiped.
    ///
    /// [`OpenError::Misuse`]: `ImplausibleTime`, `ContextTooLong`, `ScratchTooSmall`, `Unbound` (the signed formats).
    pub fn open<'o>(
        &self,
        token: Text<'_>,
        binding: &Binding<'_>,
        input_responses: Option<Raw<'_>>,
        now_ms: u64,
        scratch: &mut [u64],
        out: &'o mut [u8],
    ) -> Result<Opened<'o>, OpenError> {
        let facts = self.facts(binding, now_ms)?;
        if token.raw().len() > MAX_TOKEN_BYTES && token.decoded_len() > MAX_TOKEN_BYTES {
            return Err(Reason::StateMalformed.into());
        }
        let format = Format::of(token).filter(|format| self.accept.contains(*format)).ok_or(Reason::StateMalformed)?;
        self.check_bound(format, binding)?;
        let hash = binding::token_hash(token);
        let (key, place) = match format {
            #[cfg(feature = "interop")]
            Format::Typescript | Format::Rust => {
                let keys = self.keys.as_ref();
                let found = signed::open(format, keys, self.allow_endless, token, &facts, scratch, out);
                let verified = found.and_then(|(key, inner, place)| {
                    let reissue_key = reissue(key, &hash, &facts, &inner, input_responses, scratch)?;
                    Ok((key, inner, place, reissue_key))
                });
                return match verified {
                    Ok((key, inner, place, reissue_key)) => {
                        let plaintext = out.get(place).ok_or(Reason::StateMalformed)?;
                        Ok(opened(format, key, plaintext, inner, &hash, reissue_key, &facts))
                    }
                    Err(error) => Err(wiped(token, out, error)),
                };
            }
            _ => {
                let find = |id| self.keys.as_ref().iter().find(|key| key.id(format) == id);
                let find = |id| find(id).map(|key| ForFormat { format, key });
                match envelope::open(find, token, format.least_plaintext(), out) {
                    Ok((found, place)) => (found.key, place),
                    Err(error) => return Err(wiped(token, out, error)),
                }
            }
        };
        let plaintext = out.get_mut(place).ok_or(Reason::StateMalformed)?;
        match verify(format, key, plaintext, &hash, &facts, input_responses, scratch) {
            Ok((inner, reissue_key)) => Ok(opened(format, key, plaintext, inner, &hash, reissue_key, &facts)),
            Err(error) => {
                plaintext.zeroize();
                Err(error)
            }
        }
    }
}

/// Wipes what a refused token was decoded to: in one of the signed formats, whatever it claims to be, that is readable.
fn wiped(token: Text<'_>, out: &mut [u8], error: OpenError) -> OpenError {
    let written = token.decoded_len().min(out.len());
    out.get_mut(..written).unwrap_or_default().zeroize();
    error
}

/// What the host is told of a verified token.
fn opened<'o>(
    format: Format,
    key: &Key,
    plaintext: &'o [u8],
    inner: Inner,
    hash: &[u8; 32],
    reissue_key: [u8; 16],
    facts: &Facts<'_>,
) -> Opened<'o> {
    let signed = format.is_signed();
    Opened {
        state: plaintext.get(inner.state).unwrap_or_default(),
        issued_at_ms: inner.issued_at_ms,
        expires_at_ms: inner.expires_at_ms,
        key_id: key.id(format),
        token_id: binding::first(hash),
        reissue_key,
        format,
        bound: Bound {
            method: !signed,
            target: !signed,
            arguments: inner.arguments_bound,
            audience: !signed && facts.audience.is_some(),
            principal: !signed && facts.binding.principal.is_some(),
            associated: signed && facts.binding.is_associated(),
        },
    }
}

/// The id of the key that a token names, for the host's log; nothing has proven it. `None` when the token is of
/// no format that has one, or too broken to say.
pub fn claimed_key_id(token: Text<'_>) -> Option<[u8; 4]> {
    if Format::of(token)?.is_signed() {
        return None;
    }
    // Eight characters after the prefix are six bytes, of which the first four are the id.
    let (mut head, mut bytes) = ([0u8; 8], [0u8; 6]);
    let mut chars = token.bytes().skip(3);
    for slot in &mut head {
        *slot = chars.next()?;
    }
    base64::decode(&head, &mut bytes)?;
    bytes.first_chunk().copied()
}

/// Checks the claims, and makes the reissue key.
fn verify(
    format: Format,
    key: &Key,
    plaintext: &mut [u8],
    token: &[u8; 32],
    facts: &Facts<'_>,
    input_responses: Option<Raw<'_>>,
    scratch: &mut [u64],
) -> Result<(Inner, [u8; 16]), OpenError> {
    let inner = match format {
        Format::Compact => compact::verify(key, plaintext, facts, scratch)?,
        #[cfg(feature = "interop")]
        _ => python::verify(plaintext, facts, scratch)?,
    };
    let reissue_key = reissue(key, token, facts, &inner, input_responses, scratch)?;
    Ok((inner, reissue_key))
}

/// The reissue key of a token whose claims hold.
fn reissue(
    key: &Key,
    token: &[u8; 32],
    facts: &Facts<'_>,
    inner: &Inner,
    input_responses: Option<Raw<'_>>,
    scratch: &mut [u64],
) -> Result<[u8; 16], OpenError> {
    let answers = match input_responses {
        Some(responses) => Some(digest(responses, scratch)?),
        None => None,
    };
    Ok(binding::reissue_key(key, token, facts, &inner.arguments, answers.as_ref())?)
}

/// Where a part stands in the whole that it was taken from.
#[cfg(feature = "interop")]
fn span(whole: &[u8], part: &[u8]) -> Range<usize> {
    let start = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
    start..start.wrapping_add(part.len())
}

/// When a token is opened, the arguments are the peer's. A number that no digest is made of was never sealed.
fn refuse_number(misuse: Misuse) -> OpenError {
    match misuse {
        Misuse::NumberTooLarge => Reason::StateOtherRequest.into(),
        other => other.into(),
    }
}
