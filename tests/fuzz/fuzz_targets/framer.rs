//! Lines out of a stream, beside a second reading of the same rules, whole and in pieces; each line is admitted or refused.
//!
//! Input: a byte that chooses the limit, a byte that chooses the cuts, then the stream.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wireseal::json::scratch_len;
use wireseal::stream::{Lent, Line, LineFramer};
use wireseal::{Context, Policy, Reason, admit};
use wireseal_fuzz::answer;
use wireseal_fuzz::stream::{Reading, lines, settings};

const PLAIN: Policy<'_> = Policy::new();

fuzz_target!(|data: &[u8]| {
    let Some((limit, mut cuts, stream)) = settings(data) else { return };
    let expected = lines(stream, limit);
    assert_eq!(read(&[stream], limit), expected, "whole");
    assert_eq!(read(&cuts.pieces(stream), limit), expected, "in pieces");
    assert_eq!(read(&stream.chunks(1).collect::<Vec<_>>(), limit), expected, "byte by byte");
    let mut scratch = vec![0; scratch_len(limit)];
    for line in expected.items.iter().flatten() {
        if let Err(rejected) = admit(line, &Context::stdio(), &PLAIN, &mut scratch) {
            answer(&rejected);
        }
    }
});

fn read(chunks: &[&[u8]], limit: usize) -> Reading {
    let mut memory = vec![0; limit];
    let mut framer = LineFramer::new(Lent::new(&mut memory), limit);
    let mut reading = Reading::default();
    for mut chunk in chunks.iter().copied() {
        while let Some(line) = framer.next(&mut chunk) {
            reading.items.push(match line {
                Line::Message(line) => Ok(line.to_vec()),
                Line::Refused(reason) => Err(reason),
            });
            if let Err(rejected) = line.into_result() {
                answer(&rejected);
            }
        }
        assert!(chunk.is_empty());
    }
    reading.incomplete = framer.finish() == Some(Line::Refused(Reason::Incomplete));
    assert_eq!(framer.finish(), None);
    reading
}
