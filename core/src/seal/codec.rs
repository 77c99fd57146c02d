//! A codec for frameworks that make claims of their own, such as the official Python SDK's
//! `RequestStateSecurity(codec=...)`: bytes in, sealed text out, and back. Nothing is bound here and nothing expires; that is in the
//! claims, which are the framework's.

use super::envelope::{self, Use};
use super::key::{Cipher, derived};
use super::nonce::Countdown;
use super::{Fresh, OpenError, SealError};
use crate::json::Text;
use crate::limits::{MAX_KEYS, MAX_SEALS, MAX_TOKEN_BYTES};
use crate::reason::{Misuse, Reason};

const PREFIX: [u8; 3] = *b"k1.";

/// One key of a [`Codec`]: under labels of its own, so that none of its tokens opens as one of a
/// [`Sealer`](super::Sealer), nor the other way round, though the secret be the same.
///
/// It counts what it seals, as a [`Key`](super::Key) does, and cannot be cloned.
pub struct CodecKey {
    cipher: Cipher,
    id: [u8; 4],
    seals_left: Countdown,
}

impl CodecKey {
    /// Derives the key from a secret: random bytes that nobody can guess.
    ///
    /// # Errors
    ///
    /// [`Misuse::SecretTooShort`], [`Misuse::SecretTooLong`].
    pub fn derive(secret: &[u8]) -> Result<Self, Misuse> {
        let (cipher, id) = derived(secret, b"wireseal/v1/codec/aes-256-gcm", b"wireseal/v1/codec/key-id")?;
        Ok(CodecKey { cipher, id, seals_left: Countdown::new(MAX_SEALS) })
    }
}

/// Shows the key id and nothing secret.
impl core::fmt::Debug for CodecKey {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("CodecKey").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Use for &CodecKey {
    fn prefix(&self) -> [u8; 3] {
        PREFIX
    }

    fn id(&self) -> [u8; 4] {
        self.id
    }

    fn cipher(&self) -> &Cipher {
        &self.cipher
    }

    fn spend(&self) -> Result<(), Misuse> {
        self.seals_left.take().map(|_| ()).ok_or(Misuse::KeyExhausted)
    }
}

/// Seals under the first key of a ring, and opens under every one.
#[derive(Debug)]
pub struct Codec<K>(K);

impl<K: AsRef<[CodecKey]>> Codec<K> {
    /// A codec over a ring of keys.
    ///
    /// # Errors
    ///
    /// [`Misuse::NoKeys`], [`Misuse::TooManyKeys`], [`Misuse::EqualKeys`].
    pub fn new(keys: K) -> Result<Self, Misuse> {
        let ring = keys.as_ref();
        if ring.is_empty() {
            return Err(Misuse::NoKeys);
        }
        if ring.len() > MAX_KEYS {
            return Err(Misuse::TooManyKeys);
        }
        let mut rest = ring;
        while let [key, others @ ..] = rest {
            if others.iter().any(|other| other.id == key.id) {
                return Err(Misuse::EqualKeys);
            }
            rest = others;
        }
        Ok(Codec(keys))
    }

    /// Seals a payload and writes the text to the front of `out`. Returns its length, `3 + ceil((32 + payload) * 4 / 3)`.
    ///
    /// # Errors
    ///
    /// [`SealError::TooSmall`]; [`Misuse::TokenTooLong`] beyond [`MAX_TOKEN_BYTES`], [`Misuse::KeyExhausted`],
    /// [`Misuse::NonceMode`] for a nonce without any randomness.
    pub fn seal(&self, payload: &[u8], fresh: Fresh, out: &mut [u8]) -> Result<usize, SealError> {
        if envelope::token_len(payload.len()) > MAX_TOKEN_BYTES {
            return Err(Misuse::TokenTooLong.into());
        }
        if fresh.is_counted() {
            return Err(Misuse::NonceMode.into());
        }
        let key = self.0.as_ref().first().ok_or(Misuse::NoKeys)?;
        let (nonce, _) = fresh.split();
        envelope::seal(&key, nonce, payload.len(), out, |body| {
            if body.len() == payload.len() {
                body.copy_from_slice(payload)
            }
            Some(())
        })
    }

    /// Opens a text into `out`, which needs room for its bytes, and returns the payload.
    ///
    /// # Errors
    ///
    /// [`OpenError::Refused`] with `StateMalformed`, `StateUnknownKey` or `StateTampered`; [`OpenError::TooSmall`].
    pub fn open<'o>(&self, token: Text<'_>, out: &'o mut [u8]) -> Result<&'o [u8], OpenError> {
        if token.decoded_len() > MAX_TOKEN_BYTES || !token.bytes().take(PREFIX.len()).eq(PREFIX) {
            return Err(Reason::StateMalformed.into());
        }
        let find = |id| self.0.as_ref().iter().find(|key| key.id == id);
        let (_, place) = envelope::open(find, token, 0, out)?;
        Ok(out.get(place).unwrap_or_default())
    }
}
