"""The cases of tests/vectors/stream.json. Bytes are written as text in which each character is a byte, or as a list of
pieces: such a text, and how many times it stands there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import streams

Case = dict[str, Any]
Add = Callable[..., None]

META = (
    '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
)
ONE = f'{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{META}}}}}'.encode()
TWO = f'{{"jsonrpc":"2.0","id":"2","method":"tools/list","params":{{{META},"cursor":""}}}}'.encode()
BOM = streams.BOM
UNICODE = "\u2028 \u2029 \u0085 \x0b\x0c\x1c\x1d\x1e \U0001f511".encode()


def spelt(data: bytes) -> Any:
    """Bytes as a vector spells them; a long run of one byte as a piece."""
    if len(data) < 400:
        return data.decode("latin-1")
    pieces: list[Any] = []
    at = 0
    while at < len(data):
        run = len(data) - at - len(data[at:].lstrip(data[at : at + 1]))
        if run >= 100:
            pieces.append([data[at : at + 1].decode("latin-1"), run])
            at += run
        elif pieces and pieces[-1][1] == 1:
            pieces[-1][0] += data[at : at + run].decode("latin-1")
            at += run
        else:
            pieces.append([data[at : at + run].decode("latin-1"), 1])
            at += run
    return pieces


def expected(items: Iterable[bytes | str], finish: str | None) -> Case:
    listed = [{"reason": item} if isinstance(item, str) else {"message": spelt(item)} for item in items]
    return {"items": listed, "finish": finish}


def lines(*chunks: bytes, limit: int = 4096) -> Case:
    """Chunks for the line framer."""
    expect = expected(*streams.read_lines(b"".join(chunks), limit))
    return {"call": "lines", "max_bytes": limit, "chunks": [spelt(chunk) for chunk in chunks], "expect": expect}


def events(*chunks: bytes, limit: int = 4096) -> Case:
    """Chunks for the event reader."""
    read = streams.read_events(b"".join(chunks), limit)
    expect = expected(read.items, read.finish) | {"last_event_id": read.last_event_id, "retry": read.retry}
    return {"call": "events", "max_bytes": limit, "chunks": [spelt(chunk) for chunk in chunks], "expect": expect}


def event(message: bytes, event: str | None = None, id: str | None = None, retry: int | None = None) -> Case:
    """One event to write."""
    text = streams.write_event(message, event, id, retry)
    expect = {"misuse": True} if text is None else {"bytes": spelt(text)}
    given = {"message": spelt(message), "event": event, "id": id, "retry": retry}
    return {"call": "event", "with": given, "expect": expect}


def comment(text: str) -> Case:
    """One comment to write."""
    return {"call": "comment", "with": {"text": text}, "expect": {"bytes": spelt(streams.write_comment(text))}}


def line_cases(add: Add) -> None:
    add("STDIO-01/one-a-line", "two messages in two reads", lines(ONE + b"\n", TWO + b"\n"))
    add(
        "STDIO-01/read-is-no-message",
        "one read with two messages and half of a third: the third when its end arrives",
        lines(ONE + b"\n" + TWO + b"\n" + ONE[:40], ONE[40:] + b"\n"),
    )
    add(
        "STDIO-01/only-lf",
        "U+2028, U+2029, U+0085 and the separators of Unicode and ASCII end no line",
        lines(b'{"x":"' + UNICODE + b'"}\n' + TWO + b"\n"),
    )
    add("STDIO-01/pretty", "JSON over several lines is several broken messages", lines(b'{\n"id":1\n}\n' + ONE + b"\n"))
    add("STDIO-02/cr-lf", "CR LF ends a line as LF does", lines(ONE + b"\r\n" + TWO + b"\r\n"), ("STDIO-01",))
    add("STDIO-02/cr-lf-cut", "CR and LF in two reads", lines(ONE + b"\r", b"\n" + TWO + b"\r", b"\n"))
    add("STDIO-02/two-cr", "only one CR is part of the end; the other is white space of JSON", lines(ONE + b"\r\r\n"))
    add("STDIO-02/lone-cr", "a CR alone ends nothing", lines(b"{}\r{}\n[\r]\r\n"))
    add("STDIO-02/cr-kept", "a CR at the end of a read, no LF after it", lines(b"{}\r", b"1\n", b"2\r", b"\r", b"\n"))
    add(
        "STDIO-02/blank",
        "lines of nothing but white space are skipped",
        lines(b"\n\r\n\r\r\n \t \n" + ONE + b"\n\n  \r", b"\n\t", b"\n"),
    )
    add("STDIO-02/blank-end", "white space at the end is no line that was cut", lines(ONE + b"\n \t\r"))
    add(
        "STDIO-02/not-blank",
        "form feed and no-break space are not white space of JSON",
        lines(b"\x0c\n\xc2\xa0\n\x00\n"),
    )
    add(
        "STDIO-02/not-utf-8", "bytes that are not UTF-8 are handed on", lines(b"\xff\xfe\n\xed\xa0\x80\n" + ONE + b"\n")
    )
    add("STDIO-02/mark", "a byte order mark at the start is skipped", lines(BOM + ONE + b"\n" + TWO + b"\n"))
    add("STDIO-02/mark-cut", "the same in three reads", lines(b"\xef", b"\xbb", b"\xbf", ONE + b"\n"))
    add("STDIO-02/mark-blank", "a mark and an empty line", lines(BOM + b"\r\n" + ONE + b"\n"))
    add("STDIO-02/mark-later", "a mark later on is the fault of its line", lines(ONE + b"\n" + BOM + TWO + b"\n{}\n"))
    add("STDIO-02/mark-twice", "only one mark is skipped", lines(BOM + BOM + ONE + b"\n" + TWO + b"\n"))
    add("STDIO-02/mark-alone", "nothing but a mark", lines(BOM))
    for cut in (1, 2):
        add(f"STDIO-02/mark-torn-{cut}", "the stream ends inside the mark", lines(BOM[:cut]))
        add(f"STDIO-02/mark-not-{cut}", "the beginning of a mark and no mark", lines(BOM[:cut] + b"\n", b"{}\n"))
        add(f"STDIO-02/mark-not-{cut}-cut", "the same in pieces", lines(BOM[:cut], b"{}\n", b"{}\n"))
    add("STDIO-02/mark-not-small", "it is longer than the limit", lines(BOM[:2] + b"\n{\n" + BOM[:2], limit=1))
    add("STDIO-12/end", "a last line without its end is no message", lines(ONE + b"\n" + TWO))
    add("STDIO-12/end-cr", "nor with a CR alone", lines(ONE + b"\r"))
    add("STDIO-12/nothing", "an empty stream", lines(b""))
    add("STDIO-12/only-end", "one empty line", lines(b"\n"))

    limit = len(ONE)
    add("STDIO-12/limit", "a line as long as the limit", lines(ONE + b"\n" + ONE + b"\r\n", limit=limit))
    add("STDIO-12/limit-cut", "the same, cut at its end", lines(ONE, b"\n" + ONE, b"\r", b"\n", limit=limit))
    add("STDIO-12/limit-mark", "the mark does not count", lines(BOM + ONE + b"\r\n", limit=limit))
    over = ONE + b" "
    add("STDIO-12/over", "one byte longer: refused, the next is not", lines(over + b"\n" + ONE + b"\n", limit=limit))
    add("STDIO-12/over-cut", "the same in pieces", lines(over, b"\n", ONE + b"\n", limit=limit))
    add("STDIO-12/over-cr", "a CR too many", lines(ONE + b"\r\r\n" + ONE + b"\n", limit=limit))
    add(
        "STDIO-12/over-cr-cut",
        "a CR that turned out to be none of the end",
        lines(ONE + b"\r", b"x\n{}\n", limit=limit),
    )
    add("STDIO-12/over-blank", "white space beyond the limit", lines(b" " * 9 + b"\n{}\n" + b" " * 8 + b"\n", limit=8))
    add("STDIO-12/over-end", "refused once, though its end never comes", lines(b"x" * 9, b"x" * 9, limit=8))
    add("STDIO-12/over-twice", "two in a row", lines(b"x" * 20 + b"\n" + b"y" * 20 + b"\n{}\n", limit=8))
    add("STDIO-12/limit-1", "the least limit", lines(b"1\n12\n2\r\n\n3\n", limit=1))
    long = b'{"x":"' + b"x" * 70_000 + b'"}'
    add(
        "STDIO-12/long",
        "70,000 bytes, then a request",
        lines(long[:65536], long[65536:] + b"\n" + ONE + b"\n", limit=80_000),
    )
    add("STDIO-12/long-over", "the same where 65,536 are allowed", lines(long + b"\n" + ONE + b"\n", limit=65_536))
    add(
        "STDIO-03/junk",
        "a program's other output hurts no message",
        lines(b"INFO starting\n\n[12:00] ready\n{ nope\n" + ONE + b"\n"),
        ("STDIO-04",),
    )


def event_cases(add: Add) -> None:
    add("HTTP-12/ping", "comments are ignored", events(b": ping\n\ndata: " + ONE + b"\n\n:\n\n:data: x\n\n"))
    add("HTTP-12/inside", "also inside an event", events(b"data: {\n: data: 1\n:\ndata: }\n\n"))
    split = "ü".encode()
    add(
        "HTTP-13/line-ends",
        "CR LF in two reads, two data lines, no space after the colon, a letter cut in two",
        events(b'data:{"jsonrpc":"2.0",\r', b'\ndata: "id":1,"x":"' + split[:1], split[1:] + b'"}\r\n\r\n'),
    )
    add("HTTP-13/lone-cr", "CR ends lines too", events(b"data: 1\r\rdata: 2\r\ndata: 3\n\rdata: 4\n\n\n"))
    add("HTTP-13/cr-cr-lf", "CR CR LF is two ends", events(b"data: 1\r", b"\r", b"\ndata: 2\r\n", b"\r\n"))
    add("HTTP-13/spaces", "one space is taken off", events(b"data:1\n\ndata: 2\n\ndata:  3\n\ndata:\t4\n\ndata :5\n\n"))
    add("HTTP-13/colons", "only the first colon counts", events(b'data:{"a":":"}\n\ndata:: 1\n\n'))
    add(
        "HTTP-13/mark", "a byte order mark at the start is skipped", events(BOM + b"data: 1\n\n" + BOM + b"data: 2\n\n")
    )
    add("HTTP-13/mark-cut", "the same in pieces", events(BOM[:1], BOM[1:2], BOM[2:] + b"data: 1\n\n"))
    add("HTTP-13/mark-not", "the beginning of a mark is part of a name", events(BOM[:2], b"data: 1\ndata: 2\n\n"))
    add("HTTP-13/mark-torn", "the stream ends inside the mark", events(BOM[:1]))
    add(
        "HTTP-13/other-type", "other events are skipped", events(b"event: ping\ndata: x\n\nevent: message\ndata: 1\n\n")
    )
    add(
        "HTTP-13/types",
        "the last event field counts; its empty value, and message in pieces",
        events(
            b"event: a\nevent:\ndata: 1\n\nevent\ndata: 2\n\nevent: me",
            b"ssage\ndata: 3\n\nevent: messages\ndata: 4\n\n",
        ),
    )
    add(
        "HTTP-13/type-late",
        "a type after the data, and case",
        events(
            b"data: 1\nevent: ping\n\nevent: Message\ndata: 2\n\nevent:  message\ndata: 3\n\nevent: mess\ndata: 4\n\n"
        ),
    )
    add("HTTP-13/type-twice", "the type does not outlive its event", events(b"event: ping\n\ndata: 1\n\n"))
    add(
        "HTTP-13/empty",
        "events without data are skipped",
        events(b"data:\n\ndata\n\ndata: \ndata:\t\n\nid: 7\n\n\n\ndata: 1\n\n"),
    )
    add("HTTP-13/blank-lines", "an empty data line counts", events(b"data\ndata: 1\ndata\n\n"))
    add(
        "HTTP-13/fields",
        "unknown fields are ignored",
        events(b"dat: 1\ndatas: 2\nDATA: 3\ndata-x\n: data\n data: 4\ndata: 5\n\n"),
    )
    add(
        "HTTP-13/not-utf-8", "bytes that are not UTF-8 are handed on", events(b"data: \xff\n\n\xff\xfe: 1\ndata: 2\n\n")
    )
    add("HTTP-13/unicode", "only CR and LF end lines", events(b"data: " + UNICODE + b"\n\n"))
    add("HTTP-13/end", "an event without its last line is no message", events(b"data: 1\n\ndata: 2\n"))
    add("HTTP-13/end-cr", "a CR ends a line at once", events(b"data: 1\r\rdata: 2\r"))
    add("HTTP-13/end-in-line", "nor is one that stops inside a line", events(b"data: 1\n\ndata: 2"))
    add("HTTP-13/end-in-name", "or inside a name", events(b"data: 1\n\nda"))
    add("HTTP-13/end-in-comment", "a comment that stops is no loss", events(b"data: 1\n\n: pi"))
    add("HTTP-13/end-in-other", "nor is another event", events(b"event: ping\ndata: x"))
    add("HTTP-13/end-without-data", "nor one without data", events(b"data: 1\n\nid: 5\n"))
    add("HTTP-13/nothing", "an empty stream", events(b""))

    add("LEG-24/id", "the last id", events(b"id: s1-41\ndata: 1\n\nid: s1-42\ndata: 2\n\ndata: 3\n\n"))
    add(
        "LEG-24/id-cut",
        "the id of an event that did not end is not kept",
        events(b"id: 1\ndata: 1\n\nid: 2\ndata: 2\n"),
    )
    add("LEG-24/id-other", "the id of a skipped event is", events(b"id: 1\nevent: ping\ndata: x\n\n"))
    add("LEG-24/id-nul", "an id with a NUL does not count", events(b"id: 1\ndata: 1\n\nid: 2\x00\ndata: 2\n\n"))
    add("LEG-24/id-nul-second", "nor does it undo one before it", events(b"id: 1\n\nid: 2\nid: 3\x003\ndata: 2\n\n"))
    add("LEG-24/id-empty", "an empty id is none", events(b"id: 1\ndata: 1\n\nid\ndata: 2\n\n"))
    add("LEG-24/id-limit", "as long as the limit", events(b"id: " + b"i" * 256 + b"\n\n"))
    add(
        "LEG-24/id-over",
        "too long to be kept, and so is the one before",
        events(b"id: 1\n\nid: " + b"i" * 257 + b"\ndata: 2\n\n"),
    )
    add("LEG-24/id-over-nul", "too long, but does not count", events(b"id: 1\n\nid: \x00" + b"i" * 300 + b"\n\n"))
    add("LEG-24/id-utf-8", "an id in UTF-8, cut in a letter", events(b"id: \xc3", b"\xbc\n\n"))
    add("LEG-24/id-not-utf-8", "an id that is not UTF-8 is not kept", events(b"id: 1\n\nid: \xff\ndata: 1\n\n"))
    add("LEG-25/prime", "an id and empty data start a stream", events(b"id: e0\ndata: \n\nretry: 3000\ndata: 1\n\n"))
    add("LEG-25/retry", "retry counts at the end of its line", events(b"retry: 3000\n"))
    add("LEG-25/retry-cut", "in pieces, and the last counts", events(b"retry: 1\nretry: 30", b"00\nretry: 9"))
    for number, text in enumerate(("", " 1", "+1", "-1", "1.0", "1e3", "x", "1x", "\u0661")):
        add(
            f"LEG-25/retry-not-{number}",
            "anything but digits is ignored",
            events(f"retry: 5\nretry: {text}\n".encode()),
        )
    add("LEG-25/retry-zeros", "leading zeros", events(b"retry:0007\n"))
    add("LEG-25/retry-most", "64 bits", events(b"retry: 18446744073709551615\n"))
    add("LEG-25/retry-more", "and no more", events(b"retry: 18446744073709551616\n\nretry: 99999999999999999999999\n"))
    add("LEG-25/retry-long", "more digits than are kept", events(b"retry: " + b"0" * 256 + b"1\n"))
    add(
        "LEG-30/endpoint",
        "the endpoint event is no message",
        events(b"event: endpoint\ndata: /messages?s=1\n\ndata: 1\n\n"),
    )

    add("HTTP-13/limit", "data as long as the limit", events(b"data: 12345678\n\ndata: 1234\ndata: 567\n\n", limit=8))
    add("HTTP-13/over", "one byte more: refused, the next is not", events(b"data: 123456789\n\ndata: 1\n\n", limit=8))
    add("HTTP-13/over-cut", "the same in pieces", events(b"data: 12345678", b"9", b"\n", b"\ndata: 1\n\n", limit=8))
    add("HTTP-13/over-lines", "line ends count", events(b"data: 1234\ndata: 5678\ndata: 9\n\ndata: 1\n\n", limit=8))
    add("HTTP-13/over-lf", "a line end alone is too much", events(b"data: 12345678\ndata\n\ndata: 1\n\n", limit=8))
    add("HTTP-13/over-end", "refused once, though its end never comes", events(b"data: " + b"x" * 9, b"x" * 9, limit=8))
    add(
        "HTTP-13/over-other",
        "another event may have any size",
        events(b"event: x\ndata: 123456789\n\ndata: 1\n\n", limit=8),
    )
    add("HTTP-13/over-late", "its type comes too late", events(b"data: 123456789\nevent: x\n\ndata: 1\n\n", limit=8))
    add(
        "HTTP-13/over-back",
        "its type is taken back",
        events(b"event: x\ndata: 123456789\nevent:\ndata: 1\n\ndata: 1\n\n", limit=8),
    )
    add("HTTP-13/over-id", "the id of a refused event is kept", events(b"id: 5\ndata: 123456789\n\n", limit=8))
    add(
        "HTTP-13/long-names",
        "names, comments and types have no limit",
        events(b"x" * 500 + b"\n:" + b"y" * 500 + b"\ndata: 1\n\n", limit=8),
    )


def written_cases(add: Add) -> None:
    add("HTTP-13/write", "a message alone", event(ONE))
    add("HTTP-13/write-lines", "line ends in white space", event(b'{\r\n"id":\r1,\n\n"x":2}\n'))
    add("HTTP-13/write-spaces", "a space of its own", event(b" 1 "))
    add("HTTP-13/write-unicode", "no other character ends a line", event(b'"' + UNICODE + b'"'))
    add("HTTP-13/write-not-utf-8", "not UTF-8", event(b"\xff"))
    add("HTTP-13/write-surrogate", "a surrogate is not UTF-8", event(b'"\xed\xa0\x80"'))
    add("LEG-24/write-id", "with an id", event(ONE, id="s1-42"))
    add("LEG-24/write-id-unicode", "an id is any text", event(ONE, id=" ü\t"))
    add("LEG-24/write-all", "every field", event(ONE, event="message", id="7", retry=0))
    add("LEG-25/write-prime", "the event that a 2025-11-25 stream starts with", event(b"", id="e0"))
    add("LEG-25/write-retry", "before the server closes", event(b"", id="e1", retry=3000))
    add("LEG-25/write-retry-most", "64 bits", event(b"", retry=2**64 - 1))
    add(
        "LEG-30/write-endpoint",
        "the event that a 2024-11-05 stream starts with",
        event(b"/messages?s=1", event="endpoint"),
    )
    for name in ("event", "id"):
        for word, text in (("cr", "a\r"), ("lf", "\nb"), ("nul", "a\0b")):
            add(f"LEG-24/write-{name}-{word}", "would end the field, or not count", event(b"1", **{name: text}))
    add("LEG-24/write-id-limit", "as long as a reader keeps", event(b"1", id="é" * 128))
    add("LEG-24/write-id-over", "longer than that", event(b"1", id="é" * 128 + "i"))
    add("HTTP-12/write", "a comment", comment("ping"))
    add("HTTP-12/write-empty", "without text", comment(""))
    add("HTTP-12/write-lines", "line ends cannot end it", comment("a\r\ndata: 1\n\nb\r"))


def all_cases(add: Add) -> None:
    for make in (line_cases, event_cases, written_cases):
        make(add)
