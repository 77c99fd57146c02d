//! What a token is bound to, and the MACs over it.

use hmac::Mac as _;

use super::Facts;
use super::key::{HmacSha256, Key};
use crate::json::digest::{Sha256, digest, for_each_piece};
use crate::json::{Raw, Text};
use crate::reason::Misuse;
use crate::wire::{Admitted, Kind};

/// What the holder of a token must show again: the same request, from the same principal. (The audience is the
/// sealer's own.)
///
/// Absent and empty differ in every field, but for `arguments`, where absent and `{}` agree.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    /// The method of the request.
    pub method: Text<'a>,
    /// What the method acts on: the tool's or prompt's name, or the resource's URI.
    pub target: Option<Text<'a>>,
    /// `params.arguments`.
    pub arguments: Option<Raw<'a>>,
    /// Who asks: whatever names the authenticated caller for good. `None` where nobody is authenticated; a token
    /// sealed so opens only so.
    pub principal: Option<&'a str>,
    /// What a token of another framework is bound to, which knows none of the others: the binding of a `typescript` token,
    /// the associated data of a `rust` one. Those of this crate's own and of the `python` format do not look at it.
    /// `None`, or empty: unbound, which a sealer takes only where it was told to.
    pub associated: Option<&'a [u8]>,
}

impl<'a> Binding<'a> {
    /// The binding of an admitted request.
    ///
    /// # Errors
    ///
    /// [`Misuse::NotARequest`]: only requests carry state.
    pub fn of(message: &Admitted<'a>, principal: Option<&'a str>) -> Result<Self, Misuse> {
        if message.kind() != Kind::Request {
            return Err(Misuse::NotARequest);
        }
        let method = message.method().ok_or(Misuse::NotARequest)?;
        let (target, arguments) = message.bound_parts();
        Ok(Binding { method, target, arguments, principal, associated: None })
    }

    /// Whether it names anything that a signed token can be bound to: an empty binding is none.
    pub(super) fn is_associated(&self) -> bool {
        self.associated.is_some_and(|associated| !associated.is_empty())
    }

    /// The digest of the arguments, WireSeal's own.
    pub(super) fn arguments_digest(&self, scratch: &mut [u64]) -> Result<[u8; 32], Misuse> {
        arguments_digest(self.arguments, scratch)
    }
}

/// The digest by which a token is bound to arguments: equal exactly when they are the same JSON value. Absent
/// arguments and `{}` agree.
///
/// # Errors
///
/// [`Misuse::ScratchTooSmall`] ([`digest_scratch_len`](crate::json::digest_scratch_len) always suffices),
/// [`Misuse::NumberTooLarge`] for a number beyond [`MAX_EXPONENT`](crate::limits::MAX_EXPONENT).
pub fn arguments_digest(arguments: Option<Raw<'_>>, scratch: &mut [u64]) -> Result<[u8; 32], Misuse> {
    match arguments {
        Some(arguments) => digest(arguments, scratch),
        None => Ok(EMPTY_OBJECT),
    }
}

/// The digest of `{}`.
const EMPTY_OBJECT: [u8; 32] = [
    0xFC, 0x4A, 0x3D, 0x5A, 0xF2, 0x93, 0xD9, 0xA8, 0xFB, 0x36, 0x3E, 0xB5, 0x44, 0x30, 0x24, 0xD2, 0x12, 0xA8, 0x0B,
    0x74, 0x32, 0xB2, 0x86, 0xBF, 0x24, 0xD4, 0x62, 0x8E, 0xAC, 0x27, 0xA5, 0x7C,
];

/// The MAC over the request: method, target, arguments digest.
pub(super) fn request_tag(key: &Key, binding: &Binding<'_>, arguments: &[u8; 32]) -> Result<[u8; 8], Misuse> {
    let mut fields = Fields(key.request.start()?);
    fields.request(binding, arguments);
    Ok(first(&fields.finish()))
}

/// The MAC over the context: audience, principal.
pub(super) fn context_tag(key: &Key, facts: &Facts<'_>) -> Result<[u8; 8], Misuse> {
    let mut fields = Fields(key.context.start()?);
    fields.context(facts);
    Ok(first(&fields.finish()))
}

/// The MAC over everything that makes two second legs the same. The token's hash stands for its text, which may be
/// long and is hashed already.
pub(super) fn reissue_key(
    key: &Key,
    token: &[u8; 32],
    facts: &Facts<'_>,
    arguments: &[u8; 32],
    input_responses: Option<&[u8; 32]>,
) -> Result<[u8; 16], Misuse> {
    let mut fields = Fields(key.reissue.start()?);
    fields.bytes(Some(token));
    fields.request(facts.binding, arguments);
    fields.bytes(input_responses.map(<[u8; 32]>::as_slice));
    fields.context(facts);
    Ok(first(&fields.finish()))
}

/// The hash of a token's text; its first 16 bytes are the token id.
pub(super) fn token_hash(token: Text<'_>) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.put(b"wireseal/v1/token-id");
    for_each_piece(token, |piece| hash.put(piece));
    hash.finish()
}

/// A MAC over fields: one byte 0 for an absent one; one byte 1, the length in eight bytes (big-endian) and the
/// decoded bytes for a present one. Nothing can move from one field into the next.
struct Fields(HmacSha256);

impl Fields {
    /// Not inlined, as for [`Sha256::put`].
    #[inline(never)]
    fn put(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn head(&mut self, len: usize) {
        let [a, b, c, d, e, f, g, h] = (len as u64).to_be_bytes();
        self.put(&[1, a, b, c, d, e, f, g, h]);
    }

    fn bytes(&mut self, field: Option<&[u8]>) {
        match field {
            Some(bytes) => {
                self.head(bytes.len());
                self.put(bytes);
            }
            None => self.put(&[0]),
        }
    }

    fn text(&mut self, field: Option<Text<'_>>) {
        match field {
            Some(text) => {
                self.head(text.decoded_len());
                for_each_piece(text, |piece| self.put(piece));
            }
            None => self.put(&[0]),
        }
    }

    fn request(&mut self, binding: &Binding<'_>, arguments: &[u8; 32]) {
        self.text(Some(binding.method));
        self.text(binding.target);
        self.bytes(Some(arguments));
    }

    fn context(&mut self, facts: &Facts<'_>) {
        self.bytes(facts.audience.map(str::as_bytes));
        self.bytes(facts.binding.principal.map(str::as_bytes));
    }

    fn finish(self) -> [u8; 32] {
        self.0.finalize().into_bytes().into()
    }
}

/// The first bytes of a hash.
pub(crate) fn first<const N: usize>(hash: &[u8; 32]) -> [u8; N] {
    let mut bytes = [0u8; N];
    for (slot, &byte) in bytes.iter_mut().zip(hash) {
        *slot = byte;
    }
    bytes
}
