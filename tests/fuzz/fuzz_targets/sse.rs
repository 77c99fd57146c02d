//! Events out of a stream, beside a second reading of the same rules, whole and in pieces; and what is written is read again.
//!
//! Input: a byte that chooses the limit, a byte that chooses the cuts, then the stream. Its first two lines are also the id
//! and the type of an event that is written, the rest its data.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wireseal::Reason;
use wireseal::limits::MAX_EVENT_ID_BYTES;
use wireseal::reply::ReplyError;
use wireseal::stream::{Event, Lent, SseEvent, SseReader, emit_comment, emit_event};
use wireseal_fuzz::stream::{Reading, events, settings};
use wireseal_fuzz::written;

fuzz_target!(|data: &[u8]| {
    let Some((limit, mut cuts, stream)) = settings(data) else { return };
    let expected = events(stream, limit);
    assert_eq!(read(&[stream], limit), expected, "whole");
    assert_eq!(read(&cuts.pieces(stream), limit), expected, "in pieces");
    assert_eq!(read(&stream.chunks(1).collect::<Vec<_>>(), limit), expected, "byte by byte");
    if let Ok(text) = std::str::from_utf8(stream) {
        round_trip(text, u64::from(data[1]));
    }
});

fn read(chunks: &[&[u8]], limit: usize) -> Reading {
    let mut memory = vec![0; limit];
    let mut reader = SseReader::new(Lent::new(&mut memory), limit);
    let mut reading = Reading::default();
    for mut chunk in chunks.iter().copied() {
        while let Some(event) = reader.next(&mut chunk) {
            reading.items.push(match event {
                SseEvent::Message(data) => Ok(data.to_vec()),
                SseEvent::Refused(reason) => Err(reason),
            });
        }
        assert!(chunk.is_empty());
    }
    reading.incomplete = reader.finish() == Some(SseEvent::Refused(Reason::Incomplete));
    assert_eq!(reader.finish(), None);
    reading.id = reader.last_event_id().map(str::to_owned);
    reading.retry_ms = reader.retry_ms();
    reading
}

/// Written and read, the data's line ends are LF, and nothing else has changed.
fn round_trip(text: &str, retry_ms: u64) {
    let mut parts = text.splitn(3, '\n');
    let (id, kind) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let data = parts.next().unwrap_or_default();
    let event = Event { data: Some(data.as_bytes()), event: Some(kind), id: Some(id), retry_ms: Some(retry_ms) };
    let one_line = |text: &str| !text.contains(['\r', '\n', '\0']);
    if !one_line(id) || !one_line(kind) || id.len() > MAX_EVENT_ID_BYTES {
        assert!(emit_event(&event, &mut [0; 8192]).is_err());
        return;
    }
    let mut stream = written(|out| emit_comment(text, out));
    stream.extend(written(|out| {
        emit_event(&event, out).map_err(|error| match error {
            ReplyError::TooSmall(small) => small,
            other => panic!("{other:?}"),
        })
    }));
    let data = data.replace("\r\n", "\n").replace('\r', "\n").into_bytes();
    let message = (kind.is_empty() || kind == "message") && !data.iter().all(|byte| b" \t\n".contains(byte));
    let expected = Reading {
        items: if message { vec![Ok(data)] } else { vec![] },
        incomplete: false,
        id: Some(id.to_owned()).filter(|id| !id.is_empty()),
        retry_ms: Some(retry_ms),
    };
    assert_eq!(read(&[&stream], 8192), expected);
}
