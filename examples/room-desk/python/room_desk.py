"""The room desk: an MCP 2026-07-28 server over Streamable HTTP, written on wireseal alone.

Read it from top to bottom. wireseal does the protocol: `admit` turns headers and body into a message
or into a ready refusal, `Sealer` carries the server's state through the client and back, `complete`,
`input_required` and `error` write the answers. This file does the rest: HTTP, who is calling, rooms.

    ROOM_DESK_KEY=$(openssl rand -hex 32) python room_desk.py --port 8080
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import secrets
import socket
import sys
import time
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import uvicorn
import wireseal

from rooms import Bookings, Meeting, all_rooms, describe

Headers = list[tuple[bytes, bytes]]
Event = MutableMapping[str, Any]  # what ASGI servers and applications hand each other
Handler = Callable[[wireseal.Message, str | None], bytes]  # a message and who sent it to the answer
Answer = tuple[int, bytes]  # HTTP status and body

log = logging.getLogger("room-desk")

SERVER_INFO = {"name": "room-desk", "version": "0.1.0"}
PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
CLOCK_SLACK = 60  # seconds that this machine's clock may be set back
MAX_BODY_BYTES = 64 * 1024
HELP = "Each option can also be given in the environment, as ROOM_DESK_PORT and so on; better so for --key."
DAY_MS = 24 * 60 * 60 * 1000

# Who is behind a bearer token. A real server asks its authorisation server instead.
PEOPLE = {b"demo-token-of-alice": "alice", b"demo-token-of-bob": "bob"}

ARGUMENTS = {
    "type": "object",
    "properties": {
        "date": {"type": "string", "format": "date", "description": "The day, as YYYY-MM-DD"},
        "attendees": {"type": "integer", "minimum": 1, "description": "How many people must fit"},
    },
    "required": ["date", "attendees"],
    "additionalProperties": False,
}
TOOLS = [
    {
        "name": "check_availability",
        "description": "List the rooms that are free on a day and large enough.",
        "inputSchema": ARGUMENTS,
        "outputSchema": {
            "type": "object",
            "properties": {"rooms": {"type": "array", "items": {"type": "string"}}},
            "required": ["rooms"],
        },
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "book_room",
        "description": "Book a room for a day. When several fit, the person is asked which one.",
        "inputSchema": ARGUMENTS,
        "outputSchema": {
            "type": "object",
            "properties": {"room": {"type": ["string", "null"], "description": "null: nothing was booked"}},
            "required": ["room"],
        },
        "annotations": {"destructiveHint": False},
    },
]
RESOURCE = {"uri": "rooms://all", "name": "rooms", "description": "Every room", "mimeType": "application/json"}


class Refused(Exception):
    """A refusal that this server decides itself. What wireseal decides comes as `wireseal.Rejected`."""

    def __init__(
        self,
        msg: wireseal.Message,
        reason: str,
        code: int,
        message: str,
        data: Any = None,
        key_id: bytes | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason, self.key_id = reason, key_id
        self.status, self.body = wireseal.error(msg, code, message, data)


class FirstResults:
    """What each used token led to, so that nothing is done twice.

    When a connection breaks before the answer arrives, the client sends its second leg again: the same
    token and the same answers, under a new id. The seal accepts that, as it must. `token_id` tells that
    the token was used before, and `reissue_key` whether everything else is the same too.

    It is a dict in one process: servers that share a key do not share it.
    """

    def __init__(self) -> None:
        self._results: dict[bytes, tuple[bytes, float, dict[str, Any]]] = {}

    def recall(self, msg: wireseal.Message, opened: wireseal.Opened) -> dict[str, Any] | None:
        """The first result of a token that was used before. Raises Refused when the answers are others."""
        reissue_key, _, result = self._results.get(opened.token_id, (None, 0, None))
        if result is not None and reissue_key != opened.reissue_key:
            # On the wire like every refused requestState: a refusal teaches nothing.
            raise Refused(
                msg,
                "state-used",
                -32602,
                "Invalid or expired requestState",
                {"reason": "invalid_request_state"},
                key_id=opened.key_id,
            )
        return result

    def remember(self, opened: wireseal.Opened, result: dict[str, Any]) -> None:
        """Keep a result until its token has expired; from then on the seal refuses the token."""
        now = time.time()
        self._results = {token: entry for token, entry in self._results.items() if entry[1] + CLOCK_SLACK > now}
        self._results[opened.token_id] = (opened.reissue_key, opened.expires_at, result)


class RoomDesk:
    """The server, as an ASGI application."""

    def __init__(self, sealer: wireseal.Sealer, allowed_hosts: tuple[str, ...] | None = LOOPBACK) -> None:
        self.sealer = sealer
        self.bookings = Bookings()
        self.first_results = FirstResults()
        self.methods: dict[str, Handler] = {
            "server/discover": self.discover,
            "tools/list": self.list_tools,
            "tools/call": self.call_tool,
            "resources/list": self.list_resources,
            "resources/read": self.read_resource,
        }
        self.tools: dict[str, Handler] = {
            "check_availability": self.check_availability,
            "book_room": self.book_room,
        }
        # The policy also guards a desk on loopback against web pages: a page from elsewhere shows in Origin, a
        # name that an attacker points at this machine shows in Host.
        self.policy = wireseal.Policy(
            methods=tuple(self.methods),
            server_info=SERVER_INFO,
            max_bytes=MAX_BODY_BYTES,
            allowed_hosts=allowed_hosts,
        )

    # HTTP: one endpoint, one POST per message, one JSON object as the answer.

    async def __call__(
        self,
        scope: Event,
        receive: Callable[[], Awaitable[Event]],
        send: Callable[[Event], Awaitable[None]],
    ) -> None:
        """Serve one HTTP request."""
        if scope["type"] != "http":
            return
        if scope["path"] != PATH:
            status, body = 404, b""
        else:
            request = await read_body(receive, MAX_BODY_BYTES)
            if request is None:
                return
            status, body = self.answer(scope["method"], scope["headers"], request)
        headers: Headers = [(b"content-length", str(len(body)).encode())]
        if body:
            headers.append((b"content-type", b"application/json"))
        if status == 405:
            headers.append((b"allow", b"POST"))
        if status == 401:
            headers.append((b"www-authenticate", b'Bearer error="invalid_token"'))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    # MCP: from a message to its answer. Nothing here waits, so that no two requests ever interleave:
    # between the look-up of a first result and the booking that follows, nobody else gets a turn.

    def answer(self, http_method: str, headers: Headers, body: bytes) -> Answer:
        """Answer one message."""
        try:
            principal = principal_of(headers)
        except PermissionError:
            log_refusal("unknown-bearer", None, None)
            return 401, b""
        try:
            msg = wireseal.admit(body, headers, self.policy, http_method=http_method)
        except wireseal.Rejected as rejected:
            log_refusal(rejected.reason, rejected.method, rejected.id)
            return rejected.status, rejected.to_bytes()
        if msg.kind != "request":
            return 202, b""  # a notification: taken note of, never answered
        try:
            return 200, self.methods[msg.method or ""](msg, principal)
        except wireseal.Rejected as rejected:
            log_refusal(rejected.reason, rejected.method, rejected.id, rejected.key_id)
            return rejected.status, rejected.to_bytes()
        except Refused as refused:
            log_refusal(refused.reason, msg.method, msg.id, refused.key_id)
            return refused.status, refused.body
        except Exception:
            log.exception("a fault of this server")
            return wireseal.error(msg, -32603, "Internal error")

    def discover(self, msg: wireseal.Message, principal: str | None) -> bytes:
        result = {
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}, "resources": {}},
            "instructions": "Books meeting rooms. Ask for availability first.",
        }
        return wireseal.complete(msg, result, ttl_ms=DAY_MS, cache_scope="public")

    def list_tools(self, msg: wireseal.Message, principal: str | None) -> bytes:
        refuse_cursor(msg)
        return wireseal.complete(msg, {"tools": TOOLS}, ttl_ms=DAY_MS, cache_scope="public")

    def list_resources(self, msg: wireseal.Message, principal: str | None) -> bytes:
        refuse_cursor(msg)
        return wireseal.complete(msg, {"resources": [RESOURCE]}, ttl_ms=DAY_MS, cache_scope="public")

    def read_resource(self, msg: wireseal.Message, principal: str | None) -> bytes:
        if msg.name != RESOURCE["uri"]:
            raise Refused(msg, "unknown-resource", -32602, "Resource not found", {"uri": msg.name})
        contents = {"uri": msg.name, "mimeType": "application/json", "text": json.dumps(all_rooms())}
        return wireseal.complete(msg, {"contents": [contents]}, ttl_ms=DAY_MS, cache_scope="public")

    def call_tool(self, msg: wireseal.Message, principal: str | None) -> bytes:
        if msg.name not in self.tools:
            raise Refused(msg, "unknown-tool", -32602, "Unknown tool")
        return self.tools[msg.name](msg, principal)

    def check_availability(self, msg: wireseal.Message, principal: str | None) -> bytes:
        try:
            rooms = self.bookings.free(Meeting.read(msg.arguments))
        except ValueError as wrong:
            return wireseal.complete(msg, tool_error(str(wrong)))
        return wireseal.complete(msg, tool_result(f"Free: {', '.join(rooms) or 'no room'}", rooms=rooms))

    def book_room(self, msg: wireseal.Message, principal: str | None) -> bytes:
        # Until the token has opened, nothing that came with it is worth reading. No token: the first leg.
        opened = self.sealer.open(msg, principal=principal)
        if opened is not None:
            return self.book_chosen_room(msg, principal, opened)
        try:
            meeting = Meeting.read(msg.arguments)
        except ValueError as wrong:
            return wireseal.complete(msg, tool_error(str(wrong)))
        free = self.bookings.free(meeting)
        if len(free) == 1:
            self.bookings.book(meeting, free[0])
            return wireseal.complete(msg, booked(meeting, free[0]))
        return self.ask(msg, principal, meeting, "")

    def book_chosen_room(self, msg: wireseal.Message, principal: str | None, opened: wireseal.Opened) -> bytes:
        """The second leg: the same call again, now with the token and with what the person said."""
        first = self.first_results.recall(msg, opened)
        if first is not None:
            return wireseal.complete(msg, first)

        meeting = Meeting.read(msg.arguments)  # the seal covers the arguments: they were good at the first leg
        offered = json.loads(opened.state)
        answer = (msg.input_responses or {}).get("room")
        if answer is None:
            return self.ask(msg, principal, meeting, "")
        if not isinstance(answer, dict) or answer.get("action") not in ("accept", "decline", "cancel"):
            raise Refused(msg, "bad-answer", -32602, "Invalid inputResponses")
        if answer["action"] != "accept":
            return wireseal.complete(msg, tool_result("Nothing was booked.", room=None))
        content = answer.get("content")
        room = content.get("room") if isinstance(content, dict) else None
        if room not in offered:
            return self.ask(msg, principal, meeting, "That is not one of the rooms on offer. ")
        if room not in self.bookings.free(meeting):
            return self.ask(msg, principal, meeting, f"{room} has been taken meanwhile. ")

        self.bookings.book(meeting, room)
        result = booked(meeting, room)
        self.first_results.remember(opened, result)
        return wireseal.complete(msg, result)

    def ask(self, msg: wireseal.Message, principal: str | None, meeting: Meeting, what_happened: str) -> bytes:
        """Ask the person to choose among the rooms that are free now, if there are any."""
        free = self.bookings.free(meeting)
        if not free:
            people = f"{meeting.attendees} people" if meeting.attendees > 1 else "one person"
            return wireseal.complete(msg, tool_error(f"{what_happened}No room for {people} is free on {meeting.date}."))
        question = f"{what_happened}Which room on {meeting.date}? {describe(free)}"
        schema = {
            "type": "object",
            "properties": {"room": {"type": "string", "title": "Room", "enum": free}},
            "required": ["room"],
        }
        # The offer travels inside the sealed token: the client can neither read nor change it, and the
        # second leg may arrive at another process that has the key. wireseal checks here that the client
        # declared that it can ask a person, and refuses with -32021 otherwise.
        return wireseal.input_required(
            msg,
            {"room": wireseal.elicit(question, schema)},
            sealer=self.sealer,
            state=json.dumps(free),
            principal=principal,
        )


def tool_result(text: str, **structured: Any) -> dict[str, Any]:
    """A tool's result, for people and for programs."""
    return {"content": [{"type": "text", "text": text}], "structuredContent": structured}


def tool_error(text: str) -> dict[str, Any]:
    """A tool's failure, which the model may read and mend; not a protocol error."""
    return {"content": [{"type": "text", "text": text}], "isError": True}


def booked(meeting: Meeting, room: str) -> dict[str, Any]:
    return tool_result(f"{room} is booked on {meeting.date} for {meeting.attendees}.", room=room)


def refuse_cursor(msg: wireseal.Message) -> None:
    """The lists have one page, so no cursor was ever given out."""
    if msg.params and msg.params.get("cursor") is not None:
        raise Refused(msg, "bad-cursor", -32602, "Invalid cursor")


def principal_of(headers: Headers) -> str | None:
    """Who is calling; None without a bearer token. Raises PermissionError for a token that nobody has."""
    given = [value for name, value in headers if name == b"authorization"]
    if not given:
        return None
    scheme, _, token = given[0].partition(b" ")
    if len(given) > 1 or scheme.lower() != b"bearer" or token not in PEOPLE:
        raise PermissionError("unknown bearer token")
    return PEOPLE[token]


async def read_body(receive: Callable[[], Awaitable[Event]], max_bytes: int) -> bytes | None:
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


def log_refusal(reason: str, method: str | None, id: int | str | None, key_id: bytes | None = None) -> None:
    """One line for each refusal: the reason in full, the peer's words quoted, and never a token or a key."""
    shown_method = json.dumps(method)[1:-1][:80] if method is not None else "-"
    shown_id = json.dumps(id)[:80] if id is not None else "-"
    log.warning("refused reason=%s method=%s id=%s key=%s", reason, shown_method, shown_id, (key_id or b"").hex() or "-")


def read_key(text: str) -> bytes:
    """A key as given on the command line: the text itself, or @FILE for what a file holds, but for a line end."""
    if not text.startswith("@"):
        return text.encode()
    return Path(text[1:]).read_bytes().removesuffix(b"\n").removesuffix(b"\r")


def main() -> None:
    """Read the options, then serve until stopped."""
    env = os.environ.get
    parser = argparse.ArgumentParser(description="Book meeting rooms over MCP.", epilog=HELP)
    option = parser.add_argument
    option("--host", default=env("ROOM_DESK_HOST", "127.0.0.1"))
    option("--port", type=int, default=env("ROOM_DESK_PORT", "8080"), help="0 takes a free one (default: 8080)")
    option("--key", action="append", help="text or @FILE, at least 32 bytes; more than one: the first seals, all open")
    option("--format", choices=("compact", "python"), default=env("ROOM_DESK_FORMAT", "compact"))
    option("--audience", default=env("ROOM_DESK_AUDIENCE", "room-desk"), help="tokens of other services do not open")
    option("--ttl", type=float, default=env("ROOM_DESK_TTL", "600"), help="seconds a person has to answer")
    args = parser.parse_args()
    logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stderr)

    keys = args.key or ([env("ROOM_DESK_KEY")] if env("ROOM_DESK_KEY") else None)
    if keys is None:
        log.warning("no key given: this process makes its own, and no other process opens its tokens")
    try:
        ring = [read_key(key) for key in keys] if keys else [secrets.token_bytes(32)]
        sealer = wireseal.Sealer(ring, audience=args.audience, ttl=args.ttl, format=args.format)
    except (OSError, ValueError) as wrong:
        parser.error(str(wrong))

    # The socket listens before its address is told, so that nobody calls in vain. Without TCP_NODELAY each answer
    # would wait some 40 ms: uvicorn writes head and body apart, and sets the option only on sockets of its own.
    config = uvicorn.Config(
        RoomDesk(sealer, LOOPBACK if args.host in (*LOOPBACK, "::1") else None),
        host=args.host,
        port=args.port,
        lifespan="off",
        ws="none",
        access_log=False,
        server_header=False,
        log_level="warning",
    )
    listener = config.bind_socket()
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.listen(config.backlog)
    host, port = listener.getsockname()[:2]
    log.info("listening on http://%s:%d%s", f"[{host}]" if ":" in host else host, port, PATH)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
