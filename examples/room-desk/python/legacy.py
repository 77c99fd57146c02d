"""The room desk for clients of the revisions before 2026-07-28, who open a session and are asked while their call waits.

`wireseal.LegacySession` knows the handshake, numbers the questions and tells which answer belongs to which. This file keeps the
sessions, and streams: a call that asks is answered by an event stream, on which the question goes out and, once the
answer has come in another POST, the result.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any

import wireseal

from desk import Act, Ask, BadAnswer, Desk
from web import Headers, Refused, Send, log, log_refusal, refuse, reply

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MAX_SESSIONS = 1000  # of one caller, so that no one locks out another; those without a token are one caller
MAX_CALLS = 64  # at once in one session; as many questions can wait in a LegacySession
IDLE_SECONDS = 3600.0
SESSION_HEADER = b"mcp-session-id"

Plain = Callable[[wireseal.Message], bytes]
Emit = Callable[[bytes], Awaitable[None]]


class Session:
    """One client that has opened a session."""

    def __init__(self, core: wireseal.LegacySession, principal: str | None) -> None:
        self.core = core
        self.principal = principal
        self.last_used = time.monotonic()
        self.questions: dict[int, asyncio.Future[Any]] = {}
        self.calls: dict[str, asyncio.Task[Any]] = {}  # the calls being served, by their ids
        self.ended = False

    def is_idle(self) -> bool:
        """Whether the client has left it alone for long, and nothing waits for the client either."""
        return not self.calls and time.monotonic() - self.last_used > IDLE_SECONDS

    def end(self) -> None:
        """Gives up whatever is still going on."""
        self.ended = True
        for task in self.calls.values():
            task.cancel()


class Exchange:
    """The answer to one POST: a JSON body, or an event stream from the first event on."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.streaming = False

    async def event(self, message: bytes) -> None:
        if not self.streaming:
            self.streaming = True
            headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._send({"type": "http.response.body", "body": wireseal.sse_event(message), "more_body": True})

    async def end(self, status: int, answer: bytes, headers: Headers | None = None) -> None:
        """The last message, if there is one."""
        if not self.streaming:
            await reply(self._send, status, answer, headers)
            return
        if answer:
            await self.event(answer)
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


class LegacySide:
    """What the desk is to legacy clients. `plain` serves the methods that never ask, by their names."""

    def __init__(
        self,
        desk: Desk,
        policy: wireseal.Policy,
        plain: dict[str, Plain],
        capabilities: dict[str, Any],
        patience: float,
    ) -> None:
        self._desk, self._policy, self._plain, self._capabilities = desk, policy, plain, capabilities
        self._patience = patience
        self._sessions: dict[str, Session] = {}

    def find(self, headers: Headers, principal: str | None) -> Session | None:
        """The live session that a request names, if it is this caller's."""
        try:
            found = self._sessions.get(wireseal.session_id(headers))
        except wireseal.Rejected:
            return None  # missing or malformed: said where a session is needed
        if found is None or found.principal != principal:
            return None
        if found.is_idle():
            self._drop(found)
            return None
        found.last_used = time.monotonic()
        return found

    async def control(self, method: str, headers: Headers, principal: str | None, send: Send) -> None:
        """A GET, which this server has no use for, or a DELETE."""
        try:
            kind, _ = wireseal.admit_stream(method, headers, self._policy)
            if kind == "listen":
                await reply(send, 405, headers=[(b"allow", b"POST, DELETE")])
                return
            wireseal.session_id(headers)
        except wireseal.Rejected as rejected:
            await refuse(send, rejected)
            return
        session = self.find(headers, principal)
        if session is None:
            await refuse(send, wireseal.session_not_found())
            return
        self._drop(session)
        await reply(send, 204)

    async def serve(
        self, msg: wireseal.Message, session: Session | None, headers: Headers, principal: str | None, send: Send
    ) -> None:
        """One admitted legacy message."""
        exchange = Exchange(send)
        if session is None and msg.kind == "request" and msg.method == "initialize":
            await self._open(msg, principal, exchange)
            return
        try:
            session = self._needed(session, msg, headers)
            status, answer = await self._handle(msg, session, exchange.event)
        except wireseal.Rejected as rejected:
            log_refusal(rejected.reason, rejected.method, rejected.id)
            status, answer = rejected.status, rejected.to_bytes()
        await exchange.end(status, answer)

    async def serve_batch(
        self,
        entries: list[wireseal.Message | wireseal.Rejected],
        session: Session | None,
        headers: Headers,
        send: Send,
    ) -> None:
        """The entries of a batch of 2025-03-26, one after the other."""
        exchange = Exchange(send)
        answers = []
        refused = False
        try:
            session = self._needed(session, None, headers)
            for entry in entries:
                if isinstance(entry, wireseal.Rejected):
                    log_refusal(entry.reason, entry.method, entry.id)
                    status, answer = entry.status, entry.to_bytes()
                else:
                    status, answer = await self._handle(entry, session, exchange.event)
                answers.append(answer)
                refused = refused or status >= 400
        except wireseal.Rejected as rejected:
            await refuse(send, rejected)
            return
        await exchange.end(*wireseal.batch_answer(answers, refused=refused))

    def _needed(self, session: Session | None, msg: wireseal.Message | None, headers: Headers) -> Session:
        """The session that a message needs, or a batch."""
        if session is None:
            wireseal.session_id(headers, msg=msg, batch=msg is None)
            raise wireseal.session_not_found(msg, batch=msg is None)
        return session

    async def _open(self, msg: wireseal.Message, principal: str | None, exchange: Exchange) -> None:
        for other in [one for one in self._sessions.values() if one.is_idle()]:
            self._drop(other)
        if sum(one.principal == principal for one in self._sessions.values()) >= MAX_SESSIONS:
            log_refusal("too-many-sessions", msg.method, msg.id)
            _, body = wireseal.error(msg, -32603, "Too many sessions, come back later")
            await exchange.end(503, body)
            return
        id = secrets.token_urlsafe(24)
        core = wireseal.LegacySession(self._policy, capabilities=self._capabilities, session_id=id)
        try:
            event = core.receive(msg)
        except wireseal.Rejected as rejected:
            log_refusal(rejected.reason, rejected.method, rejected.id)
            await exchange.end(rejected.status, rejected.to_bytes())
            return
        self._sessions[id] = Session(core, principal)
        await exchange.end(200, event.reply or b"", [(SESSION_HEADER, id.encode())])

    def _drop(self, session: Session) -> None:
        session.end()
        self._sessions.pop(session.core.session_id or "", None)

    async def _handle(self, msg: wireseal.Message, session: Session, emit: Emit) -> tuple[int, bytes]:
        """One message of a session: the status and the answer, which is empty where there is none."""
        try:
            event = session.core.receive(msg)
        except wireseal.Rejected as rejected:
            log_refusal(rejected.reason, rejected.method, rejected.id)
            return rejected.status, rejected.to_bytes()
        if event.kind == "ping":
            return 200, event.reply or b""
        if event.kind == "answered" and event.request_id is not None:
            waiting = session.questions.pop(event.request_id, None)
            if waiting is not None and not waiting.done():
                waiting.set_result(event.result)  # None where it failed: not answered
        elif event.kind == "cancelled":
            call = session.calls.get(key_of(event.cancelled_id))
            if call is not None:
                call.cancel()
        elif event.kind == "request":
            return await self._call(msg, session, emit)
        return 202, b""

    async def _call(self, msg: wireseal.Message, session: Session, emit: Emit) -> tuple[int, bytes]:
        key = key_of(msg.id)
        try:
            if session.ended:  # between two entries of a batch
                raise wireseal.session_not_found(msg)
            if key in session.calls:  # a cancellation could not say which of them it means
                raise Refused("id-in-use", wireseal.error(msg, -32600, "Invalid request: this id is in use"))
            if len(session.calls) >= MAX_CALLS:
                raise Refused("too-many-calls", wireseal.error(msg, -32603, "Too many calls at once, come back later"))
            # A task of its own: a connection that breaks cancels no call in these revisions. The client may still
            # answer, or cancel with a message.
            task = session.calls[key] = asyncio.ensure_future(self._answer(msg, session, emit))
            task.add_done_callback(lambda _: session.calls.pop(key, None))
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.cancelled():
                raise  # the connection, not the call
            return 202, b""  # given up by the client: nothing more is said of it
        except (wireseal.Rejected, Refused) as refused:
            log_refusal(refused.reason, msg.method, msg.id)
            return refused.status, refused.to_bytes() if isinstance(refused, wireseal.Rejected) else refused.body
        except Exception:
            log.exception("a fault of this server")
            return wireseal.error(msg, -32603, "Internal error")

    async def _answer(self, msg: wireseal.Message, session: Session, emit: Emit) -> tuple[int, bytes]:
        if msg.method != "tools/call":
            return 200, self._plain[msg.method or ""](msg)
        tool = self._desk.tools.get(msg.name or "")
        if tool is None:
            raise Refused("unknown-tool", wireseal.error(msg, -32602, "Unknown tool"))
        outcome = tool(msg.arguments)
        while isinstance(outcome, Ask):
            answer = await self._ask(msg, session, outcome.question, emit)
            if answer is None:
                outcome = self._desk.unanswered()
                continue
            try:
                outcome = self._desk.book_chosen_room(msg.arguments, outcome.state, answer)
            except BadAnswer:
                raise Refused("bad-answer", wireseal.error(msg, -32602, "Invalid answer")) from None
        result = outcome.run() if isinstance(outcome, Act) else outcome.result
        return 200, wireseal.complete(msg, result)

    async def _ask(self, msg: wireseal.Message, session: Session, question: bytes, emit: Emit) -> Any:
        """What the person said; None where nothing came in time, or the client could not ask."""
        number, request = session.core.request(question, during=msg)
        waiting = session.questions[number] = asyncio.get_running_loop().create_future()
        try:
            await emit(request)
            return await asyncio.wait_for(waiting, self._patience)
        except TimeoutError:
            cancelled = session.core.cancel(number, "nobody answered in time")
            if cancelled is not None:
                await emit(cancelled)
            return None
        finally:
            session.questions.pop(number, None)
            session.core.cancel(number)


def key_of(id: int | str | None) -> str:
    """What tells the ids 7 and "7" apart."""
    return f"{type(id).__name__} {id}"
