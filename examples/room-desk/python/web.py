"""HTTP as ASGI has it, and the log: what both sides of the room desk need."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import wireseal

Headers = list[tuple[bytes, bytes]]
Event = MutableMapping[str, Any]  # what ASGI servers and applications hand each other
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]

log = logging.getLogger("room-desk")


class Refused(Exception):
    """A refusal that this server decides itself, with its answer. What wireseal decides comes as `wireseal.Rejected`."""

    def __init__(self, reason: str, answer: tuple[int, bytes]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status, self.body = answer


async def read_body(receive: Receive, max_bytes: int) -> bytes | None:
    """Read a request's body, and no more of it than shows that it is too large: `admit` then says so.

    None when the client went away.
    """
    body = bytearray()
    more = True
    while more and len(body) <= max_bytes:
        event = await receive()
        if event["type"] == "http.disconnect":
            return None
        body += event.get("body", b"")
        more = event.get("more_body", False)
    return bytes(body)


async def reply(send: Send, status: int, body: bytes = b"", headers: Headers | None = None) -> None:
    """Send an answer in one piece."""
    fields: Headers = [(b"content-length", str(len(body)).encode()), *(headers or [])]
    if body:
        fields.append((b"content-type", b"application/json"))
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


async def refuse(send: Send, rejected: wireseal.Rejected) -> None:
    """Send a refusal of wireseal's, and write it down."""
    log_refusal(rejected.reason, rejected.method, rejected.id, rejected.key_id)
    allow = [(b"allow", rejected.allow.encode())] if rejected.allow else []
    await reply(send, rejected.status, rejected.to_bytes(), allow)


def log_refusal(reason: str, method: str | None, id: int | str | None, key_id: bytes | None = None) -> None:
    """One line for each refusal: the reason in full, the peer's words quoted, and never a token or a key."""
    shown_method = json.dumps(method)[1:-1][:80] if method is not None else "-"
    shown_id = json.dumps(id)[:80] if id is not None else "-"
    log.warning("refused reason=%s method=%s id=%s key=%s", reason, shown_method, shown_id, (key_id or b"").hex() or "-")
