//! Base64url without padding (RFC 4648, section 5). Strict: each byte string has one text and each text at most
//! one byte string.
//!
//! By tables, since what is coded here is ciphertext, hashes and salts, never a secret: the constant-time coder of
//! `base64ct` would take longer than decryption does.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// What no character stands for.
const INVALID: u8 = 0xFF;

/// The value of each character.
const VALUES: [u8; 256] = {
    let mut values = [INVALID; 256];
    let mut value = 0;
    while value < ALPHABET.len() {
        values[ALPHABET[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// Characters for `len` bytes.
pub(super) const fn encoded_len(len: usize) -> usize {
    let rest = match len % 3 {
        0 => 0,
        1 => 2,
        _ => 3,
    };
    (len / 3).saturating_mul(4).saturating_add(rest)
}

/// Bytes in a text of `len` characters.
pub(super) const fn decoded_len(len: usize) -> usize {
    len / 4 * 3 + len % 4 * 3 / 4
}

/// Four characters for three bytes.
#[inline]
fn encode_group([a, b, c]: [u8; 3]) -> [u8; 4] {
    let char = |bits: u8| ALPHABET.get(usize::from(bits & 63)).copied().unwrap_or(0);
    [char(a >> 2), char(a << 4 | b >> 4), char(b << 2 | c >> 6), char(c)]
}

/// Encodes `bytes` to the front of `text` and returns how many characters that are.
pub(super) fn encode(bytes: &[u8], text: &mut [u8]) -> Option<usize> {
    let len = encoded_len(bytes.len());
    let mut rest = text.get_mut(..len)?;
    let mut groups = bytes.chunks_exact(3);
    for group in &mut groups {
        let (chars, after) = rest.split_first_chunk_mut()?;
        *chars = encode_group(*group.first_chunk()?);
        rest = after;
    }
    let mut last = [0u8; 3];
    for (slot, &byte) in last.iter_mut().zip(groups.remainder()) {
        *slot = byte;
    }
    for (slot, char) in rest.iter_mut().zip(encode_group(last)) {
        *slot = char;
    }
    Some(len)
}

/// Encodes the last `len` bytes of `room` over the whole of it, which must be as long as the text.
///
/// Works piece by piece from the front: what is written never reaches what is still to be read.
pub(super) fn encode_tail(room: &mut [u8], len: usize) -> Option<()> {
    let mut read = room.len().checked_sub(len)?;
    let mut write = 0;
    while let Some(piece) = room.get(read..)?.first_chunk::<48>() {
        let piece = *piece;
        read += piece.len();
        write += encode(&piece, room.get_mut(write..)?)?;
    }
    let mut piece = [0u8; 48];
    let mut taken = 0;
    for (slot, &byte) in piece.iter_mut().zip(room.get(read..)?) {
        *slot = byte;
        taken += 1;
    }
    write += encode(piece.get(..taken)?, room.get_mut(write..)?)?;
    (write == room.len()).then_some(())
}

/// Decodes `text` to the front of `bytes` and returns how many bytes that are; `None` when it is not the canonical
/// encoding of any, or when there is no room.
pub(super) fn decode(text: &[u8], bytes: &mut [u8]) -> Option<usize> {
    let value = |char: u8| VALUES.get(usize::from(char)).copied().unwrap_or(INVALID);
    let mut rest = bytes;
    let mut len = 0;
    let mut invalid = 0; // gathers the top bits, which no value has
    let mut spare = 0; // bits of the last character that belong to no byte: zero in a canonical text
    let mut groups = text.chunks_exact(4);
    for group in &mut groups {
        let [a, b, c, d] = group.first_chunk::<4>()?.map(value);
        let (room, after) = rest.split_first_chunk_mut()?;
        *room = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
        invalid |= a | b | c | d;
        rest = after;
        len += 3;
    }
    match *groups.remainder() {
        [] => {}
        [a, b] => {
            let [a, b] = [a, b].map(value);
            *rest.first_mut()? = a << 2 | b >> 4;
            invalid |= a | b;
            spare = b & 15;
            len += 1;
        }
        [a, b, c] => {
            let [a, b, c] = [a, b, c].map(value);
            *rest.first_chunk_mut()? = [a << 2 | b >> 4, b << 4 | c >> 2];
            invalid |= a | b | c;
            spare = c & 3;
            len += 2;
        }
        _ => return None,
    }
    if invalid < 64 && spare == 0 { Some(len) } else { None }
}

/// Decodes `text` over itself and returns how many bytes that are; `None` when it is not canonical.
#[cfg(feature = "interop")]
pub(super) fn decode_in_place(text: &mut [u8]) -> Option<usize> {
    let (mut read, mut write) = (0, 0);
    while read < text.len() {
        // Every piece but the last is a multiple of four, and what it becomes ends before the next one begins.
        let mut piece = [0u8; 64];
        let mut len = 0;
        for (slot, &char) in piece.iter_mut().zip(text.get(read..)?) {
            *slot = char;
            len += 1;
        }
        write += decode(piece.get(..len)?, text.get_mut(write..)?)?;
        read += len;
    }
    Some(write)
}

#[cfg(test)]
mod tests {
    use super::{decode, encode, encode_tail, encoded_len};
    use std::vec;
    use std::vec::Vec;

    /// RFC 4648, section 10, without the padding, and the two characters of the URL alphabet.
    const TABLE: &[(&[u8], &str)] = &[
        (b"", ""),
        (b"f", "Zg"),
        (b"fo", "Zm8"),
        (b"foo", "Zm9v"),
        (b"foob", "Zm9vYg"),
        (b"fooba", "Zm9vYmE"),
        (b"foobar", "Zm9vYmFy"),
        (b"\xFB\xFF\xFE", "-__-"),
    ];

    #[test]
    fn follows_the_rfc() {
        for (bytes, text) in TABLE {
            let mut room = vec![0; text.len()];
            assert_eq!(encode(bytes, &mut room), Some(text.len()));
            assert_eq!(room, text.as_bytes());
            let mut room = vec![0; bytes.len()];
            assert_eq!(decode(text.as_bytes(), &mut room), Some(bytes.len()));
            assert_eq!(room, *bytes);
            if let Some(short) = bytes.len().checked_sub(1) {
                assert_eq!(decode(text.as_bytes(), &mut room[..short]), None);
                assert_eq!(encode(bytes, &mut vec![0; text.len() - 1]), None);
            }
        }
    }

    #[test]
    fn encodes_in_place_at_every_length() {
        for len in 0..400usize {
            let bytes: Vec<u8> = (0..len).map(|i| (i * 37 + len) as u8).collect();
            let mut apart = vec![0; encoded_len(len)];
            assert_eq!(encode(&bytes, &mut apart), Some(apart.len()));
            let mut room = vec![0; encoded_len(len) - len];
            room.extend(&bytes);
            assert_eq!(encode_tail(&mut room, len), Some(()));
            assert_eq!(room, apart, "{len}");
        }
    }

    /// RS-17: of all texts of up to three characters just those decode that encoding gives.
    #[test]
    fn only_canonical_texts_decode() {
        let mut decoded = 0;
        for code in 0..=0xFF_FFFFu32 {
            let text = code.to_be_bytes();
            let text = &text[1..];
            let mut bytes = [0; 2];
            if let Some(len) = decode(text, &mut bytes) {
                let mut again = [0; 3];
                assert_eq!((encode(&bytes[..len], &mut again), &again[..]), (Some(3), text));
                decoded += 1;
            }
        }
        assert_eq!(decoded, 1 << 16);
        let mut bytes = [0; 1];
        let two = (0..=0xFFFFu16).filter(|code| decode(&code.to_be_bytes(), &mut bytes).is_some()).count();
        assert_eq!(two, 1 << 8);
        assert!((0..=0xFF).all(|char| decode(&[char], &mut bytes).is_none()));
        assert!((0..=0xFF).all(|char| decode(&[b'A', b'A', b'A', b'A', char], &mut [0; 6]).is_none()));
    }
}
