//! The keys of a ring: derived once, kept apart by label, wiped when dropped.

use core::fmt;

use aes_gcm::{Aes256Gcm, KeyInit};
use hkdf::Hkdf;
use hmac::Hmac;
use sha2::Sha256;
#[cfg(feature = "interop")]
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::Format;
use super::nonce::Countdown;
use crate::limits::{MAX_SEALS, MAX_SECRET_BYTES, MIN_SECRET_BYTES};
use crate::reason::Misuse;

/// One key of a ring, made from the secret that an operator gives out.
///
/// Every use has a key of its own, derived by HKDF-SHA256 (RFC 5869) under a label of its own. The secret itself is not
/// kept, but with the feature `interop` as the HMAC key that the `typescript` and `rust` formats sign with. Dropping a
/// key wipes it.
///
/// With the feature `prepared` the key keeps expanded AES key schedules and HMAC states (about 2 KiB); without
/// it, 32 bytes for each use.
///
/// A key counts what it seals, and refuses beyond its [budget](Key::with_budget). It cannot be cloned, which would count
/// twice.
///
/// ```compile_fail,E0599
/// let key = wireseal::seal::Key::derive(&[7; 32]).unwrap();
/// let twice = key.clone();
/// ```
pub struct Key {
    counter: bool,
    seals_left: Countdown,
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

/// The labels under which the keys of one nonce mode are derived.
struct Labels {
    counter: bool,
    cipher: &'static [u8],
    request: &'static [u8],
    context: &'static [u8],
    id: &'static [u8],
}

const RANDOM: Labels = Labels {
    counter: false,
    cipher: b"wireseal/v1/compact/aes-256-gcm",
    request: b"wireseal/v1/compact/request-tag",
    context: b"wireseal/v1/compact/context-tag",
    id: b"wireseal/v1/compact/key-id",
};

const COUNTER: Labels = Labels {
    counter: true,
    cipher: b"wireseal/v1/counter/aes-256-gcm",
    request: b"wireseal/v1/counter/request-tag",
    context: b"wireseal/v1/counter/context-tag",
    id: b"wireseal/v1/counter/key-id",
};

impl Key {
    /// Derives the keys from a secret: random bytes that nobody can guess, not a pass phrase.
    ///
    /// # Errors
    ///
    /// [`Misuse::SecretTooShort`] below [`MIN_SECRET_BYTES`], [`Misuse::SecretTooLong`] above
    /// [`MAX_SECRET_BYTES`].
    pub fn derive(secret: &[u8]) -> Result<Self, Misuse> {
        Self::derive_under(secret, &RANDOM)
    }

    /// As [`derive`](Key::derive), for nonces that a device without entropy counts
    /// ([`DeviceNonces`](super::DeviceNonces)). Everything that such a key seals with is derived under labels of
    /// its own, so that no token of one mode opens in the other, and no counted nonce meets a random one under one key.
    ///
    /// A ring can hold both kinds of key, of the same secret too. It then serves the `compact` format only.
    ///
    /// # Errors
    ///
    /// As [`derive`](Key::derive).
    pub fn derive_counter(secret: &[u8]) -> Result<Self, Misuse> {
        Self::derive_under(secret, &COUNTER)
    }

    /// The same key, good for so many tokens and no more: this process's share of the
    /// [`MAX_SEALS`] that all holders of the secret have together, over the whole life of the key.
    ///
    /// The count is of this value alone. It begins anew when the process does, or when the key is derived again.
    #[must_use]
    pub fn with_budget(self, seals: u32) -> Self {
        Key { seals_left: Countdown::new(seals), ..self }
    }

    /// How many tokens the key may still seal.
    pub fn seals_left(&self) -> u32 {
        self.seals_left.left()
    }

    /// Counts one token.
    pub(super) fn spend(&self) -> Result<(), Misuse> {
        self.seals_left.take().map(|_| ()).ok_or(Misuse::KeyExhausted)
    }

    /// Whether the key is for counted nonces.
    pub(super) fn is_counter(&self) -> bool {
        self.counter
    }

    fn derive_under(secret: &[u8], labels: &Labels) -> Result<Self, Misuse> {
        let hkdf = extract(secret)?;
        let mut compact_id = [0u8; 4];
        hkdf.expand(labels.id, &mut compact_id).map_err(|_| Misuse::SecretTooLong)?;
        #[cfg(feature = "interop")]
        let python = expand(&hkdf, b"mcp/request-state/v1/aes-256-gcm")?;
        Ok(Key {
            counter: labels.counter,
            seals_left: Countdown::new(MAX_SEALS),
            compact: Cipher::new(expand(&hkdf, labels.cipher)?),
            compact_id,
            request: Mac::new(expand(&hkdf, labels.request)?)?,
            context: Mac::new(expand(&hkdf, labels.context)?)?,
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

    /// Whether a ring that serves this format may not hold both: one id, or one HMAC key. HMAC fills a secret up with
    /// zeros (RFC 2104, 2), so that secrets which differ in zeros at the end sign alike.
    pub(super) fn is_like(&self, other: &Key, format: Format) -> bool {
        #[cfg(feature = "interop")]
        if format.is_signed() && self.signing.is_like(&other.signing) {
            return true;
        }
        self.id(format) == other.id(format)
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

/// A cipher and a key id under labels of their own.
#[cfg(feature = "interop")]
pub(super) fn derived(secret: &[u8], cipher: &[u8], id: &[u8]) -> Result<(Cipher, [u8; 4]), Misuse> {
    let hkdf = extract(secret)?;
    let mut key_id = [0u8; 4];
    hkdf.expand(id, &mut key_id).map_err(|_| Misuse::SecretTooLong)?;
    Ok((Cipher::new(expand(&hkdf, cipher)?), key_id))
}

/// HKDF-Extract from a secret of the right length.
fn extract(secret: &[u8]) -> Result<Hkdf<Sha256>, Misuse> {
    if secret.len() < MIN_SECRET_BYTES {
        return Err(Misuse::SecretTooShort);
    }
    if secret.len() > MAX_SECRET_BYTES {
        return Err(Misuse::SecretTooLong);
    }
    Ok(Hkdf::<Sha256>::new(None, secret))
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

#[cfg(feature = "interop")]
impl Signing {
    /// Whether the two sign alike.
    fn is_like(&self, other: &Signing) -> bool {
        use hmac::Mac as _;

        let mac = |key: &Signing| key.start().map(|mac| mac.finalize().into_bytes());
        matches!((mac(self), mac(other)), (Ok(one), Ok(two)) if bool::from(one.ct_eq(&two)))
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

/// Wipes what the crates below leave: polyval 0.6, which chooses its code at run time, never wipes GHASH's key; and
/// an expanded key has room for two forms of itself, where the form that is not used holds whatever lay on the stack.
#[cfg(feature = "prepared")]
impl Drop for Cipher {
    fn drop(&mut self) {
        blank_stack();
        put_blank(&mut self.0);
        core::hint::black_box(&mut self.0); // without a reader the compiler may leave the writing out
    }
}

/// Puts a blank key in place, all of it, from a frame that [`blank_stack`] has blanked.
#[cfg(feature = "prepared")]
#[inline(never)]
fn put_blank(cipher: &mut Aes256Gcm) {
    *cipher = Aes256Gcm::new(&aes_gcm::Key::<Aes256Gcm>::default());
}

/// Blanks the part of the stack that the next call will use.
#[cfg(feature = "prepared")]
#[inline(never)]
fn blank_stack() {
    core::hint::black_box(&mut [0u8; 8192]);
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
