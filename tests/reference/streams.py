"""What comes out of a stream, read slowly: the whole of it at once, without a thought for chunks or memory.

A reading is the list of what comes out (bytes, or the reason of a refusal as text), and the reason that `finish` gives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BOM = b"\xef\xbb\xbf"
SPACE = b" \t\r\n"
MAX_EVENT_ID_BYTES = 256

Items = list[bytes | str]


def read_lines(stream: bytes, limit: int) -> tuple[Items, str | None]:
    """Newline-delimited messages."""
    if BOM.startswith(stream):  # the mark itself, or too little of it to tell
        return [], "incomplete" if stream and stream != BOM else None
    *lines, rest = stream.removeprefix(BOM).split(b"\n")
    items: Items = []
    for line in lines:
        line = line.removesuffix(b"\r")
        if len(line) > limit:
            items.append("body-too-large")
        elif line.strip(SPACE):
            items.append("invalid-json" if line.startswith(BOM) else line)
    if len(rest.removesuffix(b"\r")) > limit:
        return [*items, "body-too-large"], None
    return items, "incomplete" if rest.strip(SPACE) else None


@dataclass
class Events:
    """What a stream of events says."""

    items: Items
    finish: str | None
    last_event_id: str | None
    retry: int | None


def kept_id(raw: bytes) -> str | None:
    """The id to go on from."""
    try:
        return raw.decode() if 0 < len(raw) <= MAX_EVENT_ID_BYTES else None
    except UnicodeDecodeError:
        return None


def read_events(stream: bytes, limit: int) -> Events:
    """Server-sent events (WHATWG HTML, 9.2.6)."""
    *lines, rest = re.split(rb"\r\n|\r|\n", stream.removeprefix(BOM))
    items: Items = []
    retry: int | None = None
    last_id = next_id = b""
    data: list[bytes] = []
    kind = b""
    refused = False

    def too_long() -> bool:
        return len(b"\n".join(data)) > limit

    for line in lines:
        if not line:
            last_id = next_id
            message = b"\n".join(data)
            if kind in (b"", b"message") and not too_long() and message.strip(SPACE):
                items.append(message)
            data, kind, refused = [], b"", False
            continue
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            data.append(value)
        elif name == b"event":
            kind = value
        elif name == b"id" and b"\0" not in value:
            next_id = value
        elif name == b"retry" and re.fullmatch(rb"[0-9]{1,256}", value):
            retry = min(int(value), 2**64 - 1)
        if too_long() and kind in (b"", b"message") and not refused:
            items.append("body-too-large")
            refused = True

    name, colon, value = rest.partition(b":")
    if name == b"data" and colon:
        data.append(value.removeprefix(b" "))
    if kind in (b"", b"message") and too_long() and not refused:
        items.append("body-too-large")
        refused = True
    inside = rest != b"" and not rest.startswith(b":")
    cut = kind in (b"", b"message") and not refused and (inside or b"\n".join(data).strip(SPACE) != b"")
    return Events(items, "incomplete" if cut else None, kept_id(last_id), retry)


def write_event(message: bytes, event: str | None, id: str | None, retry: int | None) -> bytes | None:
    """One event; None where it cannot be written."""
    text = ""
    for name, value in (("event", event), ("id", id)):
        if value is not None:
            if re.search(r"[\r\n\0]", value) or (name == "id" and len(value.encode()) > MAX_EVENT_ID_BYTES):
                return None
            text += f"{name}: {value}\n"
    if retry is not None:
        text += f"retry: {retry}\n"
    try:
        lines = re.split(r"\r\n|\r|\n", message.decode())
    except UnicodeDecodeError:
        return None
    return (text + "".join(f"data: {line}\n" for line in lines) + "\n").encode()


def write_comment(text: str) -> bytes:
    """One comment."""
    return ("".join(f": {line}\n" for line in re.split(r"\r\n|\r|\n", text)) + "\n").encode()
