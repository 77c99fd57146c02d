"""Lines and server-sent events: the vectors of stream.json in many cuts, another reader, memory, threads."""

from __future__ import annotations

import importlib
import json
import random
import sys
import threading
import tracemalloc
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import wireseal

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
sys.path.insert(0, str(VECTORS.parent / "reference"))

streams: Any = importlib.import_module("streams")

Case = dict[str, Any]
Reader = wireseal.LineFramer | wireseal.SseReader
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
REQUEST = {"jsonrpc": "2.0", "id": 7, "method": "server/discover", "params": {"_meta": META}}
GOOD = json.dumps(REQUEST).encode()


def cases(*calls: str) -> list[Any]:
    """The cases with these calls, each under its own id."""
    document = json.loads((VECTORS / "stream.json").read_text(encoding="utf-8"))
    assert document["format"] == "wireseal-stream/1"
    found = [pytest.param("stream", case, id=case["id"]) for case in document["cases"] if case["call"] in calls]
    assert found
    return found


def octets(spelt: Any) -> bytes:
    """The bytes that a text, or a list of pieces, stands for."""
    if isinstance(spelt, str):
        return spelt.encode("latin-1")
    return b"".join(text.encode("latin-1") * times for text, times in spelt)


def name_of(item: bytes | wireseal.Rejected) -> bytes | str:
    return item.reason if isinstance(item, wireseal.Rejected) else item


def feed(reader: Reader, chunks: Iterable[bytes]) -> tuple[list[bytes | str], str | None]:
    """What comes out, and what `finish` says."""
    items = [name_of(item) for chunk in chunks for item in reader.feed(chunk)]
    left = reader.finish()
    return items, None if left is None else left.reason


def pieces(stream: bytes, rng: random.Random, most: int) -> Iterator[bytes]:
    """The stream in pieces of random length, empty ones among them."""
    at = 0
    while at < len(stream):
        end = at + rng.randint(0, most)
        yield stream[at:end]
        at = end


def cuts(stream: bytes, given: list[bytes]) -> Iterator[list[bytes]]:
    """Ways to cut the stream."""
    yield given
    yield [stream]
    if len(stream) < 2000:
        yield [stream[at : at + 1] for at in range(len(stream))]
        for at in range(0, len(stream), 1 + len(stream) // 100):
            yield [stream[:at], stream[at:]]
    rng = random.Random(20260728)
    for _ in range(5):
        yield list(pieces(stream, rng, max(7, len(stream) // 8)))


@pytest.mark.parametrize(("file", "case"), cases("lines", "events"))
def test_reading(file: str, case: Case) -> None:
    assert set(case) == {"id", "rules", "why", "call", "max_bytes", "chunks", "expect"}
    expect = case["expect"]
    wanted = [item["reason"] if "reason" in item else octets(item["message"]) for item in expect["items"]]
    given = [octets(chunk) for chunk in case["chunks"]]
    for chunks in cuts(b"".join(given), given):
        if case["call"] == "lines":
            framer = wireseal.LineFramer(max_bytes=case["max_bytes"])
            assert feed(framer, chunks) == (wanted, expect["finish"])
        else:
            reader = wireseal.SseReader(max_bytes=case["max_bytes"])
            assert feed(reader, chunks) == (wanted, expect["finish"])
            assert reader.last_event_id == expect["last_event_id"]
            assert reader.retry == expect["retry"]


@pytest.mark.parametrize(("file", "case"), cases("event", "comment"))
def test_writing(file: str, case: Case) -> None:
    assert set(case) == {"id", "rules", "why", "call", "with", "expect"}
    given = case["with"]

    def write() -> bytes:
        if case["call"] == "comment":
            return wireseal.sse_comment(given["text"])
        return wireseal.sse_event(octets(given["message"]), event=given["event"], id=given["id"], retry=given["retry"])

    if "misuse" in case["expect"]:
        with pytest.raises(ValueError):
            write()
    else:
        assert write() == octets(case["expect"]["bytes"])


LINE_PARTS = [
    b"\n",
    b"\r",
    b"\r\n",
    b" ",
    b"\t",
    b"{}",
    b"x" * 9,
    b"y" * 30,
    "\u2028".encode(),
    streams.BOM,
    b"\xef",
    b"\0",
]
EVENT_PARTS = [
    *(
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\r\n\r\n",
        b"data",
        b"data:",
        b"data: ",
        b"event:",
        b"message",
        b"ping",
        b"id: ",
    ),
    *(b"id", b"retry:", b"12", b":", b" ", b"x" * 9, b"\0", "é".encode(), b"\xff", streams.BOM, b"dat", b"i" * 200),
]


def test_stdio_02_lines_against_the_reference() -> None:
    rng = random.Random(1)
    for _ in range(3000):
        stream = b"".join(rng.choices(LINE_PARTS, k=rng.randint(0, 25)))
        if rng.random() < 0.2:
            stream = streams.BOM + stream
        limit = rng.choice((1, 3, 9, 20, 1000))
        found = feed(wireseal.LineFramer(max_bytes=limit), pieces(stream, rng, rng.choice((1, 3, 50))))
        assert found == streams.read_lines(stream, limit), (stream, limit)


def test_http_13_events_against_the_reference() -> None:
    rng = random.Random(2)
    for _ in range(3000):
        stream = b"".join(rng.choices(EVENT_PARTS, k=rng.randint(0, 40)))
        limit = rng.choice((1, 9, 20, 1000))
        reader = wireseal.SseReader(max_bytes=limit)
        found = feed(reader, pieces(stream, rng, rng.choice((1, 3, 50))))
        wanted = streams.read_events(stream, limit)
        assert (*found, reader.last_event_id, reader.retry) == (
            wanted.items,
            wanted.finish,
            wanted.last_event_id,
            wanted.retry,
        ), (stream, limit)


def test_http_13_events_against_httpx2() -> None:
    """The reader that the official SDK uses. It hands on what the SDK then passes over: other types and empty data."""
    rng = random.Random(3)
    parts = [part for part in EVENT_PARTS if part not in (b"\xff", streams.BOM, b"\0", b"i" * 200)]
    compared = 0
    for _ in range(2000):
        # httpx2 knows no byte order mark, and drops an event that the stream cuts short, as we do.
        stream = b"".join(rng.choices(parts, k=rng.randint(0, 40))) + b"\n\n"
        headers = {"content-type": "text/event-stream"}
        response = httpx2.Response(200, headers=headers, content=stream, request=httpx2.Request("GET", "http://desk"))
        events = list(httpx2.EventSource(response))
        wanted = [event.data.encode() for event in events if event.event == "message" and event.data.strip(" \t\r\n")]
        assert feed(wireseal.SseReader(), pieces(stream, rng, 20)) == (wanted, None), stream
        compared += len(wanted)
    assert compared > 500


def test_http_13_events_of_the_writer_are_read_by_httpx2() -> None:
    rng = random.Random(4)
    text = 'a "\u00e9\u2028\u0085\U0001f511:\n\r '
    for _ in range(500):
        message = "{" + "".join(rng.choices(text, k=rng.randint(0, 30))) + "}"
        id_ = rng.choice((None, "s1-42", " é "))
        retry = rng.choice((None, 0, 3000))
        written = wireseal.sse_event(message, id=id_, retry=retry)
        headers = {"content-type": "text/event-stream"}
        response = httpx2.Response(200, headers=headers, content=written, request=httpx2.Request("GET", "http://desk"))
        (event,) = httpx2.EventSource(response)
        lines = message.replace("\r\n", "\n").replace("\r", "\n")
        assert (event.event, event.data, event.id, event.retry) == ("message", lines, id_ or "", retry)
        reader = wireseal.SseReader()
        assert feed(reader, pieces(written, rng, 9)) == ([lines.encode()], None)
        assert (reader.last_event_id, reader.retry) == (id_, retry)


def test_a_refusal_carries_what_a_server_may_send() -> None:
    (rejected,) = wireseal.LineFramer(max_bytes=3).feed(b"1234")
    assert isinstance(rejected, wireseal.Rejected)
    assert (rejected.reason, rejected.code, rejected.status, rejected.id) == ("body-too-large", -32600, 413, None)
    assert json.loads(rejected.to_bytes())["error"]["code"] == -32600
    (rejected,) = wireseal.LineFramer().feed(b"\xef\xbb\xbf\xef\xbb\xbf{}\n")
    assert isinstance(rejected, wireseal.Rejected)
    assert (rejected.reason, rejected.code, rejected.offset) == ("invalid-json", -32700, 0)
    framer = wireseal.LineFramer()
    assert framer.feed(GOOD) == []
    left = framer.finish()
    assert left is not None
    assert (left.reason, left.code, left.to_bytes()) == ("incomplete", -32700, b"")
    (rejected,) = wireseal.SseReader(max_bytes=3).feed(b"data: 1234")
    assert isinstance(rejected, wireseal.Rejected)
    assert (rejected.reason, rejected.to_bytes()) == ("body-too-large", b"")


def test_faults_of_the_host() -> None:
    for make in (wireseal.LineFramer, wireseal.SseReader):
        for bad in (0, -1, 2**31, 2**70):
            with pytest.raises(ValueError):
                make(max_bytes=bad)
        for wrong in ("1", 1.5, True):
            with pytest.raises(TypeError):
                make(max_bytes=wrong)  # type: ignore[arg-type]
        make(max_bytes=2**31 - 1)
        for chunk in ("{}", 1, None):
            with pytest.raises(TypeError):
                make().feed(chunk)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        wireseal.sse_event({"jsonrpc": "2.0"})  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        wireseal.sse_event(b"", retry=-1)
    with pytest.raises(ValueError):
        wireseal.sse_event("\ud800")
    with pytest.raises(ValueError):
        wireseal.sse_comment("\ud800")


def test_any_buffer_is_a_chunk() -> None:
    buffer = bytearray(b"{}\n[")
    framer = wireseal.LineFramer()
    assert framer.feed(buffer) == [b"{}"]
    buffer[3:] = b"0"  # changed afterwards: nobody minds
    assert framer.feed(memoryview(b"xx1]\nyy")[2:5]) == [b"[1]"]
    assert wireseal.sse_event(memoryview(b"1")) == b"data: 1\n\n"
    assert wireseal.SseReader().feed(bytearray(b"data: 1\n\n")) == [b"1"]


def test_one_framer_for_several_threads() -> None:
    """Each chunk is whole lines, so that the order of the threads does not show in them."""
    framer = wireseal.LineFramer(max_bytes=100)
    found: list[bytes | wireseal.Rejected] = []

    def work(number: int) -> None:
        for i in range(500):
            found.extend(framer.feed(b'{"n":%d}\n%s\n' % (number * 1000 + i, b"x" * 200)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = sorted(item for item in found if isinstance(item, bytes))
    assert lines == sorted(b'{"n":%d}' % (number * 1000 + i) for number in range(8) for i in range(500))
    assert len(found) == 2 * len(lines)


JUNK = [
    *(b"{ nope", b"INFO starting", b"", b"[]", b"7", b'"', b"\xff\xfe", b"{}", b'{"jsonrpc":"2.0"}', b"\0" * 50),
    *(b'{"jsonrpc":"2.0","id":1,"result":{}}', b'{"jsonrpc":"2.0","method":"notifications/x"}', b"[" * 300, b"x" * 999),
]


def resident() -> int:
    """The process's memory, in KiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


def test_stdio_04_a_million_lines_of_junk_before_a_good_one() -> None:
    """Each is judged; none hurts the next, and nothing is kept of them."""
    framer = wireseal.LineFramer(max_bytes=512)
    block = b"".join(line + b"\n" for line in JUNK) * 100
    count = good = refused = 0
    tracemalloc.start()
    framer.feed(block)
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    start = resident()
    while count < 1_000_000:
        count += 100 * len(JUNK)
        for item in framer.feed(block):
            try:
                if isinstance(item, wireseal.Rejected):
                    refused += 1
                else:
                    good += wireseal.admit(item).kind == "request"
            except wireseal.Rejected as rejected:
                refused += 1
                # Never an answer to a response or a notification: two peers would go on for ever.
                assert not rejected.to_bytes() or item not in JUNK[10:12]
    assert resident() - start < 8 * 1024
    tracemalloc.start()
    framer.feed(block)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after < before + 64 * 1024
    assert good == 0
    assert refused > 900_000 // len(JUNK) * 11
    (line,) = framer.feed(GOOD + b"\n")
    assert isinstance(line, bytes)
    assert wireseal.admit(line).id == 7


def test_http_12_fifty_thousand_junk_events_before_a_good_one() -> None:
    reader = wireseal.SseReader(max_bytes=512)
    events = [
        b": ping\n\n",
        b"event: ping\ndata: x\n\n",
        b"data:\n\n",
        b"data: { nope\n\n",
        b"x: 1\r\r",
        b"data: " + b"x" * 999 + b"\n\n",
    ]
    block = b"".join(events) * 10
    start = resident()
    count = refused = 0
    while count < 50_000:
        count += len(events) * 10
        for item in reader.feed(block):
            refused += 1
            if isinstance(item, bytes):
                with pytest.raises(wireseal.Rejected):
                    wireseal.admit(item)
    assert refused == count // len(events) * 2
    assert resident() - start < 8 * 1024
    (message,) = reader.feed(b"data: " + GOOD + b"\n\n")
    assert isinstance(message, bytes)
    assert wireseal.admit(message).id == 7


def test_memory_grows_with_the_line_and_goes_back() -> None:
    mebibyte = 1024 * 1024
    framer = wireseal.LineFramer(max_bytes=64 * mebibyte)
    start = resident()
    idle = [wireseal.LineFramer(max_bytes=64 * mebibyte) for _ in range(100)]
    for one in idle:
        one.feed(b"{")
    assert resident() - start < 4 * 1024, "none takes its limit at once"
    for _ in range(32):
        framer.feed(b"x" * mebibyte)
    assert resident() - start > 24 * 1024
    assert len(framer.feed(b"\n")) == 1
    assert resident() - start < 8 * 1024
    for _ in range(200):  # an endless line takes no more than the limit, and nothing once it was refused
        framer.feed(b"x" * mebibyte)
    assert resident() - start < 8 * 1024


def test_stdio_01_what_is_written_is_one_line() -> None:
    """Every kind of answer, from values with line ends in them."""
    msg = wireseal.admit(GOOD)
    call = {**REQUEST, "method": "tools/call", "params": {"_meta": META, "name": "x"}}
    called = wireseal.admit(
        json.dumps(call).encode(), policy=wireseal.Policy(server_info=b'{\r\n"name":"x",\n"version":"1"}')
    )
    text = "a\nb\r\n\u2028\u0085"
    answers = [
        wireseal.complete(called, {"content": [{"type": "text", "text": text}]}),
        wireseal.complete(called, b'{\n"content":[\r\n]\n}\n'),
        wireseal.input_required(called, {}, request_state=text),
        wireseal.error(msg, 100, text, {"x": text})[1],
        wireseal.error(None, 100, text, b'{\n"x":\r1}')[1],
    ]
    for bad in (b"{", b"[]", b'{"jsonrpc":"2.0","id":"\\n","method":"x"}'):
        with pytest.raises(wireseal.Rejected) as caught:
            wireseal.admit(bad)
        answers.append(caught.value.to_bytes())
    for answer in answers:
        assert answer
        assert b"\n" not in answer
        assert b"\r" not in answer
        assert wireseal.LineFramer().feed(answer + b"\n") == [answer]
        assert wireseal.SseReader().feed(wireseal.sse_event(answer)) == [answer]
