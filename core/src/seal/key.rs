//! The keys of a ring: derived once, kept apart by label, wiped when dropped.

use core::fmt;

use aes_gcm::{Aes256Gcm, KeyInit};
use hkdf::Hkdf;
use hmac::Hmac;
use sha2::Sha256;
use zeroize::Zeroizing;

use super::Format;
use crate::limits::{MAX_SECRET_BYTES, MIN_SECRET_BYTES};
use crate::reason::Misuse;

/// One key of a ring, made from the secret that an operator gives out.
///
/// Every use has a key of its own, derived by HKDF-SHA256 (RFC 5869) under a label of its own. The secret itself is not
/// kept, but with the feature `interop` as the HMAC key that the `typescript` and `rust` formats sign with. Dropping a
/// key wipes it.
///
/// With the feature `prepared` the key keeps expanded AES key schedules and HMAC states (about 2 KiB); without
/// it, 32 bytes for each use.
pub struct Key {
    compact: Cipher,
    compact_id: [u8; 4],
    pub(super) request: Mac,
    pub(super) context: Mac,
    pub(super) reissue: Mac,
    #[cfg(feature = "interop")]
    python: Cipher,
    #[cfg(feature = "interop")]
    python_id: [u8; 4],
    /// Of the ring secret itself, which two of the official SDKs sign with.
    #[cfg(feature = "interop")]
    pub(super) signing: Signing,
}

impl Key {
    /// Derives the keys from a secret: random bytes that nobody can guess, not a pass phrase.
    ///
    /// # Errors
    ///
    /// [`Misuse::SecretTooShort`] below [`MIN_SECRET_BYTES`], [`Misuse::SecretTooLong`] above
    /// [`MAX_SECRET_BYTES`].
    pub fn derive(secret: &[u8]) -> Result<Self, Misuse> {
        if secret.len() < MIN_SECRET_BYTES {
            return Err(Misuse::SecretTooShort);
        }
        if secret.len() > MAX_SECRET_BYTES {
            return Err(Misuse::SecretTooLong);
        }
        let hkdf = Hkdf::<Sha256>::new(None, secret);
        let mut compact_id = [0u8; 4];
        hkdf.expand(b"wireseal/v1/compact/key-id", &mut compact_id).map_err(|_| Misuse::SecretTooLong)?;
        #[cfg(feature = "interop")]
        let python = expand(&hkdf, b"mcp/request-state/v1/aes-256-gcm")?;
        Ok(Key {
            compact: Cipher::new(expand(&hkdf, b"wireseal/v1/compact/aes-256-gcm")?),
            compact_id,
            request: Mac::new(expand(&hkdf, b"wireseal/v1/compact/request-tag")?)?,
            context: Mac::new(expand(&hkdf, b"wireseal/v1/compact/context-tag")?)?,
            reissue: Mac::new(expand(&hkdf, b"wireseal/v1/reissue")?)?,
            #[cfg(feature = "interop")]
            python_id: super::python::key_id(&python),
            #[cfg(feature = "interop")]
            python: Cipher::new(python),
            #[cfg(feature = "interop")]
            signing: Signing::new(secret)?,
        })
    }

    /// The key's id in tokens of this format. It is public and says nothing about the key.
    pub fn id(&self, format: Format) -> [u8; 4] {
        match format {
            Format::Compact => self.compact_id,
            #[cfg(feature = "interop")]
            Format::Python => self.python_id,
            // Their tokens name no key; the ring's own name for it serves the host.
            #[cfg(feature = "interop")]
            Format::Typescript | Format::Rust => self.compact_id,
        }
    }

    /// The key that encrypts tokens of this format.
    pub(super) fn cipher(&self, format: Format) -> &Cipher {
        match format {
            #[cfg(feature = "interop")]
            Format::Python => &self.python,
            _ => &self.compact,
        }
    }
}

/// Shows the key id and nothing secret.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("compact_id", &self.compact_id).finish_non_exhaustive()
    }
}

/// HKDF-Expand to one key. An error is impossible: 32 bytes are far below what one secret can give.
fn expand(hkdf: &Hkdf<Sha256>, label: &[u8]) -> Result<Zeroizing<[u8; 32]>, Misuse> {
    let mut key = Zeroizing::new([0u8; 32]);
    hkdf.expand(label, key.as_mut_slice()).map_err(|_| Misuse::SecretTooLong)?;
    Ok(key)
}

pub(super) type HmacSha256 = Hmac<Sha256>;

/// HMAC takes keys of any length, so that this cannot fail; if it did, nothing would be sealed or opened.
fn hmac(key: &[u8; 32]) -> Result<HmacSha256, Misuse> {
    hmac::KeyInit::new_from_slice(key).map_err(|_| Misuse::NoKeys)
}

/// The HMAC key of the ring secret: a secret longer than a block is hashed first (RFC 2104, 2), so that a block holds any.
#[cfg(feature = "interop")]
fn block(secret: &[u8]) -> Zeroizing<[u8; 64]> {
    use sha2::Digest;

    let mut block = Zeroizing::new([0u8; 64]);
    let mut hash = Zeroizing::new([0u8; 32]);
    let key = if secret.len() > block.len() {
        Sha256::new().chain_update(secret).finalize_into((&mut *hash).into());
        &hash[..]
    } else {
        secret
    };
    for (slot, &byte) in block.iter_mut().zip(key) {
        *slot = byte;
    }
    block
}

#[cfg(feature = "interop")]
fn hmac_of_block(block: &[u8; 64]) -> Result<HmacSha256, Misuse> {
    hmac::KeyInit::new_from_slice(block).map_err(|_| Misuse::NoKeys)
}

/// The ring secret as a key for HMAC-SHA256.
#[cfg(all(feature = "interop", feature = "prepared"))]
pub(super) struct Signing(HmacSha256);

#[cfg(all(feature = "interop", feature = "prepared"))]
impl Signing {
    fn new(secret: &[u8]) -> Result<Self, Misuse> {
        hmac_of_block(&block(secret)).map(Signing)
    }

    /// A MAC over nothing yet.
    pub(super) fn start(&self) -> Result<HmacSha256, Misuse> {
        Ok(self.0.clone())
    }
}

/// The ring secret as a key for HMAC-SHA256.
#[cfg(all(feature = "interop", not(feature = "prepared")))]
pub(super) struct Signing(Zeroizing<[u8; 64]>);

#[cfg(all(feature = "interop", not(feature = "prepared")))]
impl Signing {
    fn new(secret: &[u8]) -> Result<Self, Misuse> {
        Ok(Signing(block(secret)))
    }

    /// A MAC over nothing yet.
    pub(super) fn start(&self) -> Result<HmacSha256, Misuse> {
        hmac_of_block(&self.0)
    }
}

/// A key for AES-256-GCM.
#[cfg(feature = "prepared")]
pub(super) struct Cipher(Aes256Gcm);

#[cfg(feature = "prepared")]
impl Cipher {
    fn new(key: Zeroizing<[u8; 32]>) -> Self {
        Cipher(Aes256Gcm::new((&*key).into()))
    }

    /// The cipher, ready for use.
    pub(super) fn ready(&self) -> &Aes256Gcm {
        &self.0
    }
}

/// A key for HMAC-SHA256.
#[cfg(feature = "prepared")]
pub(super) struct Mac(HmacSha256);

#[cfg(feature = "prepared")]
impl Mac {
    fn new(key: Zeroizing<[u8; 32]>) -> Result<Self, Misuse> {
        hmac(&key).map(Mac)
    }

    /// A MAC over nothing yet.
    pub(super) fn start(&self) -> Result<HmacSha256, Misuse> {
        Ok(self.0.clone())
    }
}

/// A key for AES-256-GCM.
#[cfg(not(feature = "prepared"))]
pub(super) struct Cipher(Zeroizing<[u8; 32]>);

#[cfg(not(feature = "prepared"))]
impl Cipher {
    fn new(key: Zeroizing<[u8; 32]>) -> Self {
        Cipher(key)
    }

    /// The cipher, ready for use.
    pub(super) fn ready(&self) -> Aes256Gcm {
        Aes256Gcm::new((&*self.0).into())
    }
}

/// A key for HMAC-SHA256.
#[cfg(not(feature = "prepared"))]
pub(super) struct Mac(Zeroizing<[u8; 32]>);

#[cfg(not(feature = "prepared"))]
impl Mac {
    fn new(key: Zeroizing<[u8; 32]>) -> Result<Self, Misuse> {
        Ok(Mac(key))
    }

    /// A MAC over nothing yet.
    pub(super) fn start(&self) -> Result<HmacSha256, Misuse> {
        hmac(&self.0)
    }
}
