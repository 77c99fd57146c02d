//! A digest of a JSON value that depends on the value alone: not on the order of members, on white space or on
//! how strings and numbers are spelt.

use sha2::Digest;

use super::number::Decimal;
use super::order::{Sink, walk};
use super::{Raw, Text};
use crate::reason::Misuse;

/// SHA-256 over an encoding of the value that is its own for each value. `docs/tokens.md` has it byte by byte:
///
/// | value | bytes |
/// |---|---|
/// | `null`, `true`, `false` | `n`, `t`, `f` |
/// | number | `d`, sign (0 or 1), exponent (4), count of digits (4), the digits |
/// | string | `s`, length (4), its bytes |
/// | array | `a`, count (4), the elements |
/// | object | `o`, count (4), for each member: length of its name (4), the name, the value |
///
/// Numbers of four bytes are big-endian. No encoding is the beginning of another, so two values never meet.
///
/// # Errors
///
/// [`Misuse::ScratchTooSmall`] ([`digest_scratch_len`](super::digest_scratch_len) always suffices),
/// [`Misuse::NumberTooLarge`] for a number beyond [`MAX_EXPONENT`](crate::limits::MAX_EXPONENT).
pub(crate) fn digest(value: Raw<'_>, scratch: &mut [u64]) -> Result<[u8; 32], Misuse> {
    let mut encoding = Encoding(Sha256::new());
    walk(value, scratch, &mut encoding)?;
    Ok(encoding.0.finish())
}

/// SHA-256. Its buffering is not inlined: it would be copied to every place that adds a few bytes.
pub(crate) struct Sha256(sha2::Sha256);

impl Sha256 {
    pub(crate) fn new() -> Self {
        Sha256(sha2::Sha256::new())
    }

    #[inline(never)]
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

struct Encoding(Sha256);

impl Encoding {
    #[inline]
    fn head(&mut self, tag: u8, len: usize) {
        let [a, b, c, d] = (len as u32).to_be_bytes(); // at most 31 bits
        self.0.put(&[tag, a, b, c, d]);
    }

    #[inline]
    fn text(&mut self, text: Text<'_>) {
        for_each_piece(text, |piece| self.0.put(piece));
    }
}

impl Sink for Encoding {
    fn literal(&mut self, first: u8) {
        self.0.put(&[first]);
    }

    fn number(&mut self, number: &[u8]) -> Result<(), Misuse> {
        let number = Decimal::read(number).ok_or(Misuse::NumberTooLarge)?;
        let [a, b, c, d] = number.exponent.to_be_bytes();
        let [e, f, g, h] = (number.count() as u32).to_be_bytes();
        self.0.put(&[b'd', u8::from(number.negative), a, b, c, d, e, f, g, h]);
        let (whole, fraction) = number.digits();
        self.0.put(whole);
        self.0.put(fraction);
        Ok(())
    }

    fn string(&mut self, text: Text<'_>) {
        self.head(b's', text.decoded_len());
        self.text(text);
    }

    fn open(&mut self, bracket: u8, count: usize) {
        self.head(if bracket == b'{' { b'o' } else { b'a' }, count);
    }

    fn next(&mut self) {}

    fn name(&mut self, text: Text<'_>) {
        self.0.put(&(text.decoded_len() as u32).to_be_bytes());
        self.text(text);
    }

    fn close(&mut self, _bracket: u8) {}
}

/// Hands out the decoded bytes of a text, in pieces.
#[inline]
pub(crate) fn for_each_piece(text: Text<'_>, mut take: impl FnMut(&[u8])) {
    if !text.is_escaped() {
        return take(text.raw());
    }
    let mut bytes = text.bytes();
    loop {
        let mut piece = [0u8; 64];
        let mut len = 0;
        for (slot, byte) in piece.iter_mut().zip(&mut bytes) {
            *slot = byte;
            len += 1;
        }
        take(piece.get(..len).unwrap_or_default());
        if len < piece.len() {
            return;
        }
    }
}
