//! What the sealed formats have in common: prefix, key id, nonce, ciphertext and tag, in base64url.

use core::ops::Range;

use aes_gcm::AeadInPlace;
use zeroize::Zeroize;

use super::key::Key;
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

/// Writes the token to the front of `out`. `write` fills the plaintext in, which never leaves `out`; it has
/// exactly the room that was asked for.
pub(super) fn seal(
    format: Format,
    key: &Key,
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
    *prefix = format.prefix();
    *key_id = key.id(format);
    *nonce_room = nonce;
    write(body).ok_or(too_small)?;
    match key.cipher(format).ready().encrypt_in_place_detached(
        (&nonce).into(),
        &associated_data(*prefix, *key_id),
        body,
    ) {
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

/// Decodes a token into `out` and decrypts it there. Returns the key that opened it and where the plaintext is.
pub(super) fn open<'k>(
    format: Format,
    keys: &'k [Key],
    token: Text<'_>,
    least_plaintext: usize,
    out: &mut [u8],
) -> Result<(&'k Key, Range<usize>), OpenError> {
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
    let key = keys.iter().find(|key| key.id(format) == *key_id).ok_or(Reason::StateUnknownKey)?;
    // The tag is checked before anything is decrypted.
    key.cipher(format)
        .ready()
        .decrypt_in_place_detached((&*nonce).into(), &associated_data(format.prefix(), *key_id), body, (&*tag).into())
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
