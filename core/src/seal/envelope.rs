//! What the sealed formats have in common: prefix, key id, nonce, ciphertext and tag, in base64url.

use core::ops::Range;

use aes_gcm::AeadInPlace;
use zeroize::Zeroize;

use super::key::{Cipher, Key};
use super::{Format, OpenError, SealError, base64};
use crate::json::{Text, TooSmall};
use crate::reason::{Misuse, Reason};

const PREFIX: usize = 3;
const KEY_ID: usize = 4;
const NONCE: usize = 12;
const TAG: usize = 16;
/// What lies around the plaintext, before base64url.
const AROUND: usize = KEY_ID + NONCE + TAG;

/// The length of the token around so many bytes of plaintext.
pub(super) const fn token_len(plaintext_len: usize) -> usize {
    base64::encoded_len(plaintext_len.saturating_add(AROUND)).saturating_add(PREFIX)
}

/// The prefix and the key id are authenticated with the plaintext, so that no token moves to another format or
/// key (RS-16).
fn associated_data(prefix: [u8; PREFIX], key_id: [u8; KEY_ID]) -> [u8; PREFIX + KEY_ID] {
    let [a, b, c] = prefix;
    let [d, e, f, g] = key_id;
    [a, b, c, d, e, f, g]
}

/// A key in one of its uses: what it seals begins with a prefix and the key's id in that use.
pub(super) trait Use {
    fn prefix(&self) -> [u8; PREFIX];
    fn id(&self) -> [u8; KEY_ID];
    fn cipher(&self) -> &Cipher;
    /// Counts one token.
    fn spend(&self) -> Result<(), Misuse>;
}

/// A ring's key for one of the token formats.
pub(super) struct ForFormat<'k> {
    pub(super) format: Format,
    pub(super) key: &'k Key,
}

impl Use for ForFormat<'_> {
    fn prefix(&self) -> [u8; PREFIX] {
        self.format.prefix()
    }

    fn id(&self) -> [u8; KEY_ID] {
        self.key.id(self.format)
    }

    fn cipher(&self) -> &Cipher {
        self.key.cipher(self.format)
    }

    fn spend(&self) -> Result<(), Misuse> {
        self.key.spend()
    }
}

/// Writes the token to the front of `out`. `write` fills the plaintext in, which never leaves `out`; it has
/// exactly the room that was asked for.
pub(super) fn seal(
    key: &impl Use,
    nonce: [u8; NONCE],
    plaintext_len: usize,
    out: &mut [u8],
    write: impl FnOnce(&mut [u8]) -> Option<()>,
) -> Result<usize, SealError> {
    let len = token_len(plaintext_len);
    let too_small = TooSmall { needed: len };
    let token = out.get_mut(..len).ok_or(too_small)?;
    let (prefix, text) = token.split_first_chunk_mut().ok_or(too_small)?;
    // The bytes stand at the end of the text, and are encoded from there over the whole of it.
    let sealed_len = AROUND + plaintext_len;
    let start = text.len().checked_sub(sealed_len).ok_or(too_small)?;
    let sealed = text.get_mut(start..).ok_or(too_small)?;
    let (key_id, rest) = sealed.split_first_chunk_mut().ok_or(too_small)?;
    let (nonce_room, rest) = rest.split_first_chunk_mut().ok_or(too_small)?;
    let (body, tag) = rest.split_last_chunk_mut::<TAG>().ok_or(too_small)?;
    // Only now: what has no room, or was refused before, used nothing up.
    key.spend()?;
    *prefix = key.prefix();
    *key_id = key.id();
    *nonce_room = nonce;
    write(body).ok_or(too_small)?;
    match key.cipher().ready().encrypt_in_place_detached((&nonce).into(), &associated_data(*prefix, *key_id), body) {
        Ok(computed) => *tag = computed.into(),
        Err(_) => {
            // Impossible: only a plaintext of 64 GiB is refused.
            body.zeroize();
            return Err(Misuse::StateTooLong.into());
        }
    }
    base64::encode_tail(text, sealed_len).ok_or(too_small)?;
    Ok(len)
}

/// Decodes a token into `out` and decrypts it there with the key that `find` has for its key id. Returns that key and
/// where the plaintext is. The prefix has been looked at before.
pub(super) fn open<K: Use>(
    find: impl FnOnce([u8; KEY_ID]) -> Option<K>,
    token: Text<'_>,
    least_plaintext: usize,
    out: &mut [u8],
) -> Result<(K, Range<usize>), OpenError> {
    const MALFORMED: OpenError = OpenError::Refused(Reason::StateMalformed);
    let text_len = token.decoded_len().checked_sub(PREFIX).ok_or(MALFORMED)?;
    let needed = base64::decoded_len(text_len);
    let sealed = out.get_mut(..needed).ok_or(TooSmall { needed })?;
    decode(token, sealed).ok_or(MALFORMED)?;
    let (key_id, rest) = sealed.split_first_chunk_mut().ok_or(MALFORMED)?;
    let (nonce, rest) = rest.split_first_chunk_mut::<NONCE>().ok_or(MALFORMED)?;
    let (body, tag) = rest.split_last_chunk_mut::<TAG>().ok_or(MALFORMED)?;
    if body.len() < least_plaintext {
        return Err(MALFORMED);
    }
    let key = find(*key_id).ok_or(Reason::StateUnknownKey)?;
    // The tag is checked before anything is decrypted.
    key.cipher()
        .ready()
        .decrypt_in_place_detached((&*nonce).into(), &associated_data(key.prefix(), *key_id), body, (&*tag).into())
        .map_err(|_| Reason::StateTampered)?;
    let start = KEY_ID + NONCE;
    Ok((key, start..start + body.len()))
}

/// Decodes what follows the prefix.
fn decode(token: Text<'_>, sealed: &mut [u8]) -> Option<()> {
    if !token.is_escaped() {
        base64::decode(token.raw().get(PREFIX..)?, sealed)?;
        return Some(());
    }
    // Spelt with escapes, which no client has a reason for. Every piece but the last is a multiple of four.
    let mut chars = token.bytes();
    for _ in 0..PREFIX {
        chars.next();
    }
    let mut at = 0;
    loop {
        let mut piece = [0u8; 64];
        let mut len = 0;
        for (slot, char) in piece.iter_mut().zip(&mut chars) {
            *slot = char;
            len += 1;
        }
        at += base64::decode(piece.get(..len)?, sealed.get_mut(at..)?)?;
        if len < piece.len() {
            return Some(());
        }
    }
}
