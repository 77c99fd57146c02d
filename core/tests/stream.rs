//! The readers of streams: whatever the cut, the same messages come out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use wireseal::Reason;
use wireseal::limits::MAX_EVENT_ID_BYTES;
use wireseal::stream::{Event, Lent, Line, LineFramer, SseEvent, SseReader, emit_comment, emit_event};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Message(Vec<u8>),
    Refused(&'static str),
}

fn message(text: &str) -> Found {
    Found::Message(text.as_bytes().to_vec())
}

const LONG: Found = Found::Refused("body-too-large");

fn lines<'c>(chunks: impl IntoIterator<Item = &'c [u8]>, max: usize) -> Vec<Found> {
    let mut memory = vec![0; max];
    let mut framer = LineFramer::new(Lent::new(&mut memory), max);
    let mut found = Vec::new();
    let mut push = |line: Line<'_>| {
        found.push(match line {
            Line::Message(line) => Found::Message(line.to_vec()),
            Line::Refused(reason) => Found::Refused(reason.name()),
        });
    };
    for chunk in chunks {
        let mut chunk = chunk;
        while let Some(line) = framer.next(&mut chunk) {
            push(line);
        }
        assert!(chunk.is_empty());
    }
    if let Some(line) = framer.finish() {
        push(line);
    }
    found
}

fn events<'c>(
    chunks: impl IntoIterator<Item = &'c [u8]>,
    max: usize,
) -> (Vec<Found>, Option<String>, Option<u64>, bool) {
    let mut memory = vec![0; max];
    let mut reader = SseReader::new(Lent::new(&mut memory), max);
    let mut found = Vec::new();
    for chunk in chunks {
        let mut chunk = chunk;
        while let Some(event) = reader.next(&mut chunk) {
            found.push(match event {
                SseEvent::Message(data) => Found::Message(data.to_vec()),
                SseEvent::Refused(reason) => Found::Refused(reason.name()),
            });
        }
        assert!(chunk.is_empty());
    }
    let (id, retry) = (reader.last_event_id().map(str::to_owned), reader.retry_ms());
    (found, id, retry, reader.finish() == Some(SseEvent::Refused(Reason::Incomplete)))
}

/// Runs `read` on the whole, on single bytes, and on every cut in two.
fn every_cut<T: PartialEq + std::fmt::Debug>(bytes: &[u8], read: impl Fn(Vec<&[u8]>) -> T) -> T {
    let whole = read(vec![bytes]);
    assert_eq!(read(bytes.chunks(1).collect()), whole, "byte by byte");
    for cut in 0..=bytes.len() {
        assert_eq!(read(vec![&bytes[..cut], &bytes[cut..]]), whole, "cut at {cut}");
    }
    whole
}

/// STDIO-01, STDIO-02, LEG-60, B29: LF ends a line, CR LF too, a lone CR does not; blank lines are passed over.
#[test]
fn stdio_01_lines() {
    let bytes = "{\"a\":1}\n\r\n  \t\r\n{\"b\":\r2}\r\n\u{2028}x\u{85}\n\nlast\r\r\n";
    let found = every_cut(bytes.as_bytes(), |chunks| lines(chunks, 64));
    assert_eq!(found, [message("{\"a\":1}"), message("{\"b\":\r2}"), message("\u{2028}x\u{85}"), message("last\r")]);
}

/// STDIO-01, B32: a line of the limit passes, with either end; one more byte is refused once, and the next line is not
/// affected.
#[test]
fn stdio_01_long_lines() {
    for end in ["\n", "\r\n"] {
        let bytes = format!("12345678{end}123456789{end}ok{end}{}{end}end{end}", "x".repeat(99));
        let found = every_cut(bytes.as_bytes(), |chunks| lines(chunks, 8));
        assert_eq!(found, [message("12345678"), LONG, message("ok"), LONG, message("end")]);
    }
    let found = every_cut(b"1234567\r\r\n12345678\r\r\n", |chunks| lines(chunks, 8));
    assert_eq!(found, [message("1234567\r"), LONG], "only the last carriage return belongs to the line end");
    let endless = vec![b'x'; 100];
    assert_eq!(every_cut(&endless, |chunks| lines(chunks, 8)), [LONG]);
}

/// The lent memory bounds a line that needs none of it as it bounds one that does.
#[test]
fn b32_little_memory() {
    let read = |chunks: Vec<&[u8]>| {
        let mut memory = [0; 4];
        let mut framer = LineFramer::new(Lent::new(&mut memory), 100);
        let mut found = Vec::new();
        for mut chunk in chunks {
            while let Some(line) = framer.next(&mut chunk) {
                found.push(matches!(line, Line::Message(_)));
            }
        }
        found
    };
    assert_eq!(every_cut(b"1234\n12345\r\n1234\r\n", read), [true, false, true]);
}

/// B34: the end of the stream inside a line is told, and never a message.
#[test]
fn b34_incomplete_lines() {
    let incomplete = Found::Refused("incomplete");
    assert_eq!(every_cut(b"{}\n{}", |chunks| lines(chunks, 8)), [message("{}"), incomplete.clone()]);
    assert_eq!(every_cut(b"{}\r", |chunks| lines(chunks, 8)), [incomplete]);
    assert_eq!(every_cut(b"{}\n \t\r", |chunks| lines(chunks, 8)), [message("{}")]);
    assert_eq!(every_cut(b"", |chunks| lines(chunks, 8)), []);
}

/// B23: one byte order mark at the start of the stream; anywhere else it spoils its line, and that line only.
#[test]
fn b23_byte_order_marks() {
    let found = every_cut("\u{feff}{}\n\u{feff}[]\n{}\n".as_bytes(), |chunks| lines(chunks, 8));
    assert_eq!(found, [message("{}"), Found::Refused("invalid-json"), message("{}")]);
    assert_eq!(every_cut("\u{feff}\n{}\n".as_bytes(), |chunks| lines(chunks, 8)), [message("{}")]);
}

/// HTTP-12, B103: the three line ends, data lines joined, one space after the colon, a byte order mark at the start.
#[test]
fn b103_event_lines() {
    for end in ["\n", "\r\n", "\r"] {
        let bytes = format!(
            "\u{feff}data:{{\"a\":{end}data: \"ü\",{end}data:  1{end}data{end}{end}data: 2{end}{end}data: cut{end}"
        );
        let (found, _, _, cut) = every_cut(bytes.as_bytes(), |chunks| events(chunks, 64));
        assert_eq!(found, [message("{\"a\":\n\"ü\",\n 1\n"), message("2")], "{end:?}");
        assert!(cut);
    }
}

/// HTTP-12, B104: comments, other types, empty data and unknown fields are passed over.
#[test]
fn b104_events_that_are_no_messages() {
    let bytes = b":\n: x\n\nevent: ping\ndata: x\n\ndata:\n\ndata\n\nfoo: bar\nDATA: x\n data: y\n\nevent: message\ndata: 1\n\nevent\ndata: 2\n\nevent: ping\nevent: message\ndata: 3\n\nevents: ping\ndata: 4\n\nevent: messages\ndata: 5\n\n";
    let (found, id, retry, cut) = every_cut(bytes, |chunks| events(chunks, 64));
    assert_eq!(found, [message("1"), message("2"), message("3"), message("4")]);
    assert_eq!((id, retry, cut), (None, None, false));
}

/// LEG-24, LEG-25: ids and the time to wait, also with empty data.
#[test]
fn leg_24_ids() {
    let read = |bytes: &[u8]| {
        let (found, id, retry, _) = every_cut(bytes, |chunks| events(chunks, 64));
        (found, id, retry)
    };
    assert_eq!(read(b"id: a-1\ndata: \n\n"), (vec![], Some("a-1".to_owned()), None));
    assert_eq!(read(b"id: a\ndata: 1\n\ndata: 2\n\n").1.as_deref(), Some("a"));
    assert_eq!(read(b"id: a\ndata: 1\n\nid: b\ndata: 2\n").1.as_deref(), Some("a"), "b's event has not ended");
    assert_eq!(read(b"id: a\n\nid\n\n").1, None, "an empty id");
    assert_eq!(read(b"id: a\n\nid: b\0c\n\n").1.as_deref(), Some("a"), "a NUL makes the field void");
    let longest = "i".repeat(MAX_EVENT_ID_BYTES);
    assert_eq!(read(format!("id: {longest}\n\n").as_bytes()).1, Some(longest.clone()));
    assert_eq!(read(format!("id: a\n\nid: {longest}i\n\n").as_bytes()).1, None);
    assert_eq!(read(b"retry: 3000\n\n").2, Some(3000));
    assert_eq!(read(b"retry: 3000\nretry: 1s\nretry:\nretry: -1\n\n").2, Some(3000));
    assert_eq!(read(b"retry: 99999999999999999999\n\n").2, Some(u64::MAX));
}

/// B32: an event of the limit passes; a longer one is told once, unless it is no message.
#[test]
fn b32_long_events() {
    let bytes = b"data: 12345678\n\ndata: 123456789\ndata: more\n\ndata: 1234\ndata: 567\n\ndata: 1234\ndata: 5678\n\nevent: ping\ndata: 123456789\n\ndata: ok\n\n";
    let (found, ..) = every_cut(bytes, |chunks| events(chunks, 8));
    assert_eq!(found, [message("12345678"), LONG, message("1234\n567"), LONG, message("ok")]);
}

/// What is written is read again, whatever lines the data has.
#[test]
fn events_go_both_ways() {
    let write = |event: &Event<'_>| {
        let mut out = vec![0; 256];
        let len = emit_event(event, &mut out).unwrap();
        out.truncate(len);
        out
    };
    let event = Event { data: Some(b"{\r\n\"a\":\r1\n}"), event: None, id: Some("s1-42"), retry_ms: Some(3000) };
    let bytes = write(&event);
    assert_eq!(bytes, b"id: s1-42\nretry: 3000\ndata: {\ndata: \"a\":\ndata: 1\ndata: }\n\n");
    assert_eq!(events([&*bytes], 64), (vec![message("{\n\"a\":\n1\n}")], Some("s1-42".to_owned()), Some(3000), false));
    assert_eq!(write(&Event { data: Some(b""), id: Some("0"), ..Event::default() }), b"id: 0\ndata: \n\n");
    let endpoint = Event { data: Some(b"/messages"), event: Some("endpoint"), ..Event::default() };
    assert_eq!(write(&endpoint), b"event: endpoint\ndata: /messages\n\n");
    let mut out = [0; 64];
    let len = emit_comment("still\nhere", &mut out).unwrap();
    assert_eq!(out[..len], *b": still\n: here\n\n");
    let too_long = "i".repeat(MAX_EVENT_ID_BYTES + 1);
    for bad in [
        Event { id: Some("a\nb"), ..Event::default() },
        Event { id: Some("a\0b"), ..Event::default() },
        Event { id: Some(&too_long), ..Event::default() },
        Event { event: Some("a\rb"), ..Event::default() },
        Event { data: Some(b"\xff"), ..Event::default() },
    ] {
        assert!(emit_event(&bad, &mut out).is_err(), "{bad:?}");
    }
    assert_eq!(Reason::BodyTooLarge.status(), 413);
}
