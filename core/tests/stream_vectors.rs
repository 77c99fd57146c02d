//! Runs the shared vectors of `tests/vectors/stream.json`, each stream in many cuts: what comes out must not depend on them.
//! What the members of a case mean is said in `tests/vectors/README.md`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{agree, differs};
use serde_json::{Value, json};
use wireseal::reply::ReplyError;
use wireseal::stream::{Event, Lent, Line, LineFramer, SseEvent, SseReader, emit_comment, emit_event};

const STREAM: &str = include_str!("../../tests/vectors/stream.json");

#[test]
fn every_stream_vector_agrees() {
    agree("stream", STREAM, |case| {
        let mut cuts = check(case).into_iter();
        let wrong = cuts.find(|(_, found)| *found != case["expect"]);
        wrong.map_or(vec![], |(cut, found)| [vec![cut], differs(&found, &case["expect"])].concat())
    });
}

/// What comes of a case, by how its stream was cut.
fn check(case: &Value) -> Vec<(String, Value)> {
    let members: Vec<&str> = case.as_object().unwrap().keys().map(String::as_str).collect();
    match case["call"].as_str().unwrap() {
        call @ ("lines" | "events") => {
            assert_eq!(members, ["id", "rules", "why", "call", "max_bytes", "chunks", "expect"]);
            let read = if call == "lines" { lines } else { events };
            let max_bytes = usize::try_from(case["max_bytes"].as_u64().unwrap()).unwrap();
            let chunks: Vec<Vec<u8>> = case["chunks"].as_array().unwrap().iter().map(bytes).collect();
            let given = ("as given".to_owned(), chunks.iter().map(Vec::len).collect());
            let whole = chunks.concat();
            let cuts = std::iter::once(given).chain(cuts(whole.len()));
            cuts.map(|(name, lengths)| (name, read(&whole, &lengths, max_bytes))).collect()
        }
        call => {
            assert_eq!(members, ["id", "rules", "why", "call", "with", "expect"]);
            vec![("written".to_owned(), written(call, &case["with"]))]
        }
    }
}

/// Ways to cut so many bytes: not at all, everywhere, once at each place, and at random.
fn cuts(len: usize) -> Vec<(String, Vec<usize>)> {
    let mut all = vec![("whole".to_owned(), vec![len]), ("bytewise".to_owned(), vec![1; len])];
    let step = len / 250 + 1;
    all.extend((0..=len).step_by(step).map(|at| (format!("cut at {at}"), vec![at, len - at])));
    let mut random = 0x2026_0728_u64;
    for number in 0..20 {
        let (mut lengths, mut rest) = (Vec::new(), len);
        while rest > 0 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let most = (len / 8).max(7) as u64;
            let piece = usize::try_from((random >> 33) % most).unwrap().min(rest); // 0: an empty read
            lengths.push(piece);
            rest -= piece;
        }
        all.push((format!("random {number}"), lengths));
    }
    all
}

/// The chunks of a stream.
fn chunks<'s>(stream: &'s [u8], lengths: &[usize]) -> Vec<&'s [u8]> {
    let mut rest = stream;
    let mut all = Vec::new();
    for &length in lengths {
        let (chunk, tail) = rest.split_at(length);
        all.push(chunk);
        rest = tail;
    }
    assert!(rest.is_empty());
    all
}

fn item(found: Result<&[u8], &str>) -> Value {
    match found {
        Ok(message) => json!({ "message": message.iter().map(|&byte| char::from(byte)).collect::<String>() }),
        Err(reason) => json!({ "reason": reason }),
    }
}

fn lines(stream: &[u8], lengths: &[usize], max_bytes: usize) -> Value {
    let mut memory = vec![0; max_bytes];
    let mut framer = LineFramer::new(Lent::new(&mut memory), max_bytes);
    let mut items = Vec::new();
    for mut chunk in chunks(stream, lengths) {
        while let Some(line) = framer.next(&mut chunk) {
            items.push(match line {
                Line::Message(message) => item(Ok(message)),
                Line::Refused(reason) => item(Err(reason.name())),
            });
        }
        assert!(chunk.is_empty());
    }
    let finish = framer.finish().map(|line| match line {
        Line::Message(message) => panic!("{message:?} at the end"),
        Line::Refused(reason) => reason.name(),
    });
    assert_eq!(framer.finish(), None, "it starts anew");
    json!({ "items": spelt(items), "finish": finish })
}

fn events(stream: &[u8], lengths: &[usize], max_bytes: usize) -> Value {
    let mut memory = vec![0; max_bytes];
    let mut reader = SseReader::new(Lent::new(&mut memory), max_bytes);
    let mut items = Vec::new();
    for mut chunk in chunks(stream, lengths) {
        while let Some(event) = reader.next(&mut chunk) {
            items.push(match event {
                SseEvent::Message(message) => item(Ok(message)),
                SseEvent::Refused(reason) => item(Err(reason.name())),
            });
        }
        assert!(chunk.is_empty());
    }
    let finish = reader.finish().map(|event| match event {
        SseEvent::Message(message) => panic!("{message:?} at the end"),
        SseEvent::Refused(reason) => reason.name(),
    });
    assert_eq!(reader.finish(), None, "it starts anew");
    json!({
        "items": spelt(items),
        "finish": finish,
        "last_event_id": reader.last_event_id(),
        "retry": reader.retry_ms(),
    })
}

/// Long messages as the vectors have them, in pieces.
fn spelt(items: Vec<Value>) -> Vec<Value> {
    let long = |item: &Value| item["message"].as_str().is_some_and(|text| text.chars().count() >= 400);
    let pieces = |item: &Value| {
        let mut pieces: Vec<(String, usize)> = Vec::new();
        let all: Vec<char> = item["message"].as_str().unwrap().chars().collect();
        for run in all.chunk_by(|a, b| a == b) {
            match pieces.last_mut() {
                _ if run.len() >= 100 => pieces.push((run[0].to_string(), run.len())),
                Some((text, 1)) => text.extend(run),
                _ => pieces.push((run.iter().collect(), 1)),
            }
        }
        json!({ "message": pieces })
    };
    items.iter().map(|item| if long(item) { pieces(item) } else { item.clone() }).collect()
}

fn written(call: &str, with: &Value) -> Value {
    let mut out = vec![0; 64 * 1024];
    let write = |out: &mut [u8]| match call {
        "event" => {
            let data = bytes(&with["message"]);
            let event = Event {
                data: Some(&data),
                event: with["event"].as_str(),
                id: with["id"].as_str(),
                retry_ms: with["retry"].as_u64(),
            };
            emit_event(&event, out)
        }
        "comment" => emit_comment(with["text"].as_str().unwrap(), out).map_err(ReplyError::from),
        other => panic!("unknown call {other}"),
    };
    match write(&mut out) {
        Ok(len) => {
            let short = write(&mut out[..len - 1]);
            assert!(matches!(short, Err(ReplyError::TooSmall(small)) if small.needed == len), "{short:?}");
            json!({ "bytes": out[..len].iter().map(|&byte| char::from(byte)).collect::<String>() })
        }
        Err(ReplyError::Misuse(_)) => json!({ "misuse": true }),
        Err(other) => panic!("{other:?}"),
    }
}

/// The bytes that a text, or a list of pieces, stands for.
fn bytes(value: &Value) -> Vec<u8> {
    let latin1 =
        |text: &str| -> Vec<u8> { text.chars().map(|c| u8::try_from(u32::from(c)).expect("a byte")).collect() };
    match value.as_str() {
        Some(text) => latin1(text),
        None => {
            let piece = |piece: &Value| {
                latin1(piece[0].as_str().unwrap()).repeat(usize::try_from(piece[1].as_u64().unwrap()).unwrap())
            };
            value.as_array().unwrap().iter().flat_map(piece).collect()
        }
    }
}
