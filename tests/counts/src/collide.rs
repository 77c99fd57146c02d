//! Member names that are made to collide: the scanner tells names apart by a fingerprint of 32 bits first.

/// The fingerprint of core/src/json/scan.rs, as far as whole words go. run.py notices when the two part.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const TURN: u32 = 23;

fn step(state: u64, word: u64) -> u64 {
    (state.rotate_left(TURN) ^ word).wrapping_mul(FACTOR)
}

fn words(text: &[u8]) -> impl Iterator<Item = u64> {
    text.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
}

/// Whether a JSON string can hold these bytes without an escape.
fn is_plain(word: u64) -> bool {
    word & 0x8080_8080_8080_8080 == 0
        && word.to_le_bytes().iter().all(|byte| matches!(byte, 0x20..=0x7E) && !matches!(byte, b'"' | b'\\'))
}

/// Four letters for the four hexadecimal digits of a number: always printable.
fn letters(number: u64) -> u64 {
    (0..4).fold(0, |word, digit| word << 8 | (u64::from(b'A') + (number >> (4 * digit) & 15)))
}

/// `count` names with one beginning and one fingerprint. The beginning is cut to whole words; the first of the two
/// words behind it is counted up, and the second is what brings the state to where all names have it. Of these only one in
/// three thousand is printable.
pub fn names(beginning: &str, count: usize) -> Vec<String> {
    let beginning = &beginning.as_bytes()[..beginning.len() / 8 * 8];
    let state = words(beginning).fold(0, step);
    let aim = step(state, u64::from_le_bytes(*b"abcdefgh")).rotate_left(TURN) ^ u64::from_le_bytes(*b"ijklmnop");
    let low: Vec<u64> = (0..0x1_0000).map(letters).collect();
    let firsts = (0..0x1_0000).flat_map(|high| low.iter().map(move |low| letters(high) << 32 | low));
    let both = firsts.map(|first| (first, step(state, first).rotate_left(TURN) ^ aim));
    let printable = both.filter(|(_, second)| is_plain(*second)).take(count);
    let name = |(first, second): (u64, u64)| [beginning, &first.to_le_bytes(), &second.to_le_bytes()].concat();
    printable.map(|pair| String::from_utf8(name(pair)).expect("printable")).collect()
}
