"""The room desk: an MCP server over Streamable HTTP, written on wireseal alone.

Read it from top to bottom. wireseal does the protocol: `admit` turns headers and body into a message
or into a ready refusal, `Sealer` carries the server's state through the client and back, `Once` sees to it that a
token acts once, `complete`, `input_required` and `error` write the answers. What a caller gets is in desk.py. Clients of the revisions before, which
open a session first, are served as well, by the same tools: legacy.py.

    ROOM_DESK_KEY=$(openssl rand -hex 32) python room_desk.py --port 8080
"""

from __future__ import annotations

import argparse
import logging
import os
import secrets
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
import wireseal

from desk import RESOURCE, TOOLS, Act, BadAnswer, Desk, Done, read_rooms
from legacy import LEGACY, LegacySide, Session
from web import Event, Headers, Receive, Refused, Send, log, log_refusal, read_body, refuse, reply

Handler = Callable[[wireseal.Message], bytes]  # a message to its answer

SERVER_INFO = {"name": "room-desk", "version": "0.1.0"}
CAPABILITIES: dict[str, Any] = {"tools": {}, "resources": {}}
PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
MAX_BODY_BYTES = 64 * 1024
HELP = "Each option can also be given in the environment, as ROOM_DESK_PORT and so on; better so for --key."
GRACE_SECONDS = 2  # for what is going on when the desk is stopped: a call may wait for a person for long
DAY_MS = 24 * 60 * 60 * 1000

# Who is behind a bearer token. A real server asks its authorisation server instead.
PEOPLE = {b"demo-token-of-alice": "alice", b"demo-token-of-bob": "bob"}


class RoomDesk:
    """The server, as an ASGI application. `patience` is how long a legacy call waits for a person, in seconds."""

    def __init__(
        self,
        sealer: wireseal.Sealer,
        allowed_hosts: tuple[str, ...] | None = LOOPBACK,
        legacy: tuple[str, ...] = LEGACY,
        patience: float = 600,
    ) -> None:
        self.sealer = sealer
        self.desk = Desk()
        # What each used token led to: when a connection breaks before the answer arrives, the client sends its second
        # leg again, and nothing may be done twice. In this process alone; RedisOnce would share it among several.
        self.once = wireseal.Once()
        self.methods: dict[str, Handler] = {
            "server/discover": self.discover,
            "tools/list": self.list_tools,
            "resources/list": self.list_resources,
            "resources/read": self.read_resource,
        }
        # The policy also guards a desk on loopback against web pages: a page from elsewhere shows in Origin, a
        # name that an attacker points at this machine shows in Host.
        self.policy = wireseal.Policy(
            legacy=legacy,
            methods=("tools/call", *self.methods),
            server_info=SERVER_INFO,
            max_bytes=MAX_BODY_BYTES,
            allowed_hosts=allowed_hosts,
        )
        self.legacy = LegacySide(self.desk, self.policy, self.methods, CAPABILITIES, patience) if legacy else None

    # HTTP: one endpoint, one POST per message. What follows 2026-07-28 is answered by one JSON object.

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        if scope["type"] != "http":
            return
        if scope["path"] != PATH:
            await reply(send, 404)
            return
        body = await read_body(receive, MAX_BODY_BYTES)
        if body is None:
            return
        method, headers = scope["method"], scope["headers"]
        try:
            principal = principal_of(headers)
        except PermissionError:
            log_refusal("unknown-bearer", None, None)
            await reply(send, 401, headers=[(b"www-authenticate", b'Bearer error="invalid_token"')])
            return
        if self.legacy and method in ("GET", "DELETE"):
            await self.legacy.control(method, headers, principal, send)
            return
        session = self.legacy.find(headers, principal) if self.legacy else None
        version = session.core.version if session else None
        try:
            msg = wireseal.admit(body, headers, self.policy, http_method=method, legacy_version=version)
        except wireseal.Rejected as rejected:
            if self.legacy and rejected.reason == "batch":
                await self.batch(body, headers, session, send)
            else:
                await refuse(send, rejected)
            return
        if self.legacy and msg.era == "legacy":
            await self.legacy.serve(msg, session, headers, principal, send)
        else:
            await reply(send, *self.answer(msg, principal))

    async def batch(self, body: bytes, headers: Headers, session: Session | None, send: Send) -> None:
        """An array, which is welcome from one revision alone."""
        version = session.core.version if session else None
        try:
            entries = wireseal.admit_batch(body, headers, self.policy, legacy_version=version)
        except wireseal.Rejected as rejected:
            await refuse(send, rejected)
            return
        assert self.legacy is not None
        await self.legacy.serve_batch(entries, session, headers, send)

    # MCP: from a message to its answer. Nothing here waits, so that no two requests ever interleave:
    # between the look at the free rooms and the booking that follows, nobody else gets a turn.

    def answer(self, msg: wireseal.Message, principal: str | None) -> tuple[int, bytes]:
        """Answer one message of 2026-07-28: the HTTP status and the body."""
        if msg.kind != "request":
            return 202, b""  # a notification: taken note of, never answered
        try:
            if msg.method == "tools/call":
                return 200, self.call_tool(msg, principal)
            return 200, self.methods[msg.method or ""](msg)
        except wireseal.Rejected as rejected:
            log_refusal(rejected.reason, rejected.method, rejected.id, rejected.key_id)
            return rejected.status, rejected.to_bytes()
        except Refused as refused:
            log_refusal(refused.reason, msg.method, msg.id)
            return refused.status, refused.body
        except Exception:
            log.exception("a fault of this server")
            return wireseal.error(msg, -32603, "Internal error")

    def discover(self, msg: wireseal.Message) -> bytes:
        result = {
            "supportedVersions": ["2026-07-28"],
            "capabilities": CAPABILITIES,
            "instructions": "Books meeting rooms. Ask for availability first.",
        }
        return wireseal.complete(msg, result, ttl_ms=DAY_MS, cache_scope="public")

    def list_tools(self, msg: wireseal.Message) -> bytes:
        refuse_cursor(msg)
        return wireseal.complete(msg, {"tools": TOOLS}, ttl_ms=DAY_MS, cache_scope="public")

    def list_resources(self, msg: wireseal.Message) -> bytes:
        refuse_cursor(msg)
        return wireseal.complete(msg, {"resources": [RESOURCE]}, ttl_ms=DAY_MS, cache_scope="public")

    def read_resource(self, msg: wireseal.Message) -> bytes:
        contents = read_rooms(msg.name)
        if contents is None:
            raise Refused("unknown-resource", wireseal.resource_not_found(msg))
        return wireseal.complete(msg, contents, ttl_ms=DAY_MS, cache_scope="public")

    def call_tool(self, msg: wireseal.Message, principal: str | None) -> bytes:
        tool = self.desk.tools.get(msg.name or "")
        if tool is None:
            raise Refused("unknown-tool", wireseal.error(msg, -32602, "Unknown tool"))
        # Until the token has opened, nothing that came with it is worth reading. No token: the first leg.
        opened = self.sealer.open(msg, principal=principal)
        if opened is None:
            outcome = tool(msg.arguments)
        else:
            first = self.once.recall(opened)  # a reissue; raises Rejected when the answers are others
            if first is not None:
                return wireseal.complete(msg, first)
            answer = (msg.input_responses or {}).get("room")
            try:
                outcome = self.desk.book_chosen_room(msg.arguments, opened.state.decode(), answer)
            except BadAnswer:
                raise Refused("bad-answer", wireseal.error(msg, -32602, "Invalid inputResponses")) from None
        if isinstance(outcome, Done):
            return wireseal.complete(msg, outcome.result)
        if isinstance(outcome, Act):
            if opened is None:
                return wireseal.complete(msg, outcome.run())
            # Last of all: a "no", a bad answer or a room that is taken has used nothing up.
            return wireseal.complete(msg, self.once.run(opened, principal=principal, action=outcome.run))
        # The offer travels inside the sealed token: the client can neither read nor change it, and the
        # second leg may arrive at another process that has the key. wireseal checks here that the client
        # declared that it can ask a person, and refuses with -32021 otherwise.
        return wireseal.input_required(
            msg, {"room": outcome.question}, sealer=self.sealer, state=outcome.state, principal=principal
        )


def refuse_cursor(msg: wireseal.Message) -> None:
    """The lists have one page, so no cursor was ever given out."""
    if msg.cursor is not None:
        raise Refused("bad-cursor", wireseal.error(msg, -32602, "Invalid cursor"))


def principal_of(headers: Headers) -> str | None:
    """Who is calling; None without a bearer token. Raises PermissionError for a token that nobody has."""
    given = [value for name, value in headers if name == b"authorization"]
    if not given:
        return None
    scheme, _, token = given[0].partition(b" ")
    if len(given) > 1 or scheme.lower() != b"bearer" or token not in PEOPLE:
        raise PermissionError("unknown bearer token")
    return PEOPLE[token]


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
    modern_only = env("ROOM_DESK_MODERN_ONLY", "") not in ("", "0")
    option("--modern-only", action="store_true", default=modern_only, help="serve no revision before 2026-07-28")
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
        RoomDesk(
            sealer,
            LOOPBACK if args.host in (*LOOPBACK, "::1") else None,
            () if args.modern_only else LEGACY,
            args.ttl,
        ),
        host=args.host,
        port=args.port,
        lifespan="off",
        ws="none",
        access_log=False,
        server_header=False,
        log_level="warning",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    listener = config.bind_socket()
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.listen(config.backlog)
    host, port = listener.getsockname()[:2]
    log.info("listening on http://%s:%d%s", f"[{host}]" if ":" in host else host, port, PATH)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
