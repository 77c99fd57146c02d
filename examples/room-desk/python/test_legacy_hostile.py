"""The room desk and clients of earlier revisions that go wrong, go away or go too far."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import uvicorn

import legacy
from room_desk import RoomDesk
from test_legacy_desk import ALICE, BOB, SIX, Client, choose, new_desk, room_of, scenario

BOOK = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "book_room", "arguments": SIX}}
FREE = ["basalt", "cinder"]  # on the day of SIX, before anybody books


async def free(client: Client) -> Any:
    (message,) = await client.call("check_availability", SIX, id="free")
    return message["result"]["structuredContent"]["rooms"]


async def ended(session: legacy.Session) -> None:
    """Waits until no call of a session is being served."""
    for _ in range(200):
        if not session.calls:
            assert not session.questions
            return
        await asyncio.sleep(0.005)
    raise AssertionError("a call is still waiting")


@pytest.fixture(autouse=True)
def no_fault_of_the_server(caplog: pytest.LogCaptureFixture) -> Any:
    """Whatever a client does is refused with a reason; the log has no traceback."""
    caplog.set_level(logging.INFO)
    yield
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_an_answer_counts_once() -> None:
    async def run() -> None:
        client = await Client(new_desk()).open()
        call = asyncio.create_task(client.call("book_room", SIX))
        (number,) = await client.asked()
        again = [client.answer(number, choose(room)) for room in ("cinder", "basalt", "cinder")]
        assert [answer.status_code for answer in await asyncio.gather(*again)] == [202, 202, 202]
        assert [message.get("id") for message in await call] == [number, 1]
        assert await free(client) == ["basalt"]

    scenario(run)


def test_an_answer_from_another_session_of_the_same_person() -> None:
    async def run() -> None:
        desk = new_desk()
        first, second = [await Client(desk, **ALICE).open() for _ in range(2)]
        call = asyncio.create_task(first.call("book_room", SIX))
        (number,) = await first.asked()
        assert (await second.answer(number, choose("basalt"))).status_code == 202  # nothing there waits for it
        assert not call.done()
        await first.answer(number, choose("cinder"))
        assert room_of((await call)[-1]) == "cinder"

    scenario(run)


def test_a_stolen_session_cannot_cancel_or_end_a_call(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        desk = new_desk()
        alice = await Client(desk, **ALICE).open()
        stolen = {"mcp-session-id": alice.headers["mcp-session-id"]}
        call = asyncio.create_task(alice.call("book_room", SIX, id=7))
        (number,) = await alice.asked()
        for thief in (Client(desk, **BOB, **stolen), Client(desk, **stolen)):
            cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
            assert (await thief.send(cancelled)).status_code == 404
            assert (await thief.http.delete("/mcp", headers=thief.headers)).status_code == 404
            opened = await thief.request("initialize", {"protocolVersion": "2025-11-25"})
            assert opened.json()["error"]["code"] == -32602 and "mcp-session-id" not in opened.headers
        assert desk.legacy is not None and len(desk.legacy._sessions) == 1
        await alice.answer(number, choose("cinder"))
        assert room_of((await call)[-1]) == "cinder"
        assert alice.headers["mcp-session-id"] not in caplog.text

    scenario(run)


def test_a_call_before_the_handshake_is_over() -> None:
    """LEG-05: nothing is asked before the client has said that it is ready."""

    async def run() -> None:
        client = Client(new_desk())
        params = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "c", "version": "1"},
        }
        opened = await client.request("initialize", params)
        client.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
        assert await free(client) == FREE
        refused = await client.send(BOOK)
        assert refused.json()["error"]["code"] == -32600
        await client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        call = asyncio.create_task(client.call("book_room", SIX))
        await client.answer((await client.asked())[0], choose("cinder"))
        assert room_of((await call)[-1]) == "cinder"

    scenario(run)


def test_as_many_calls_as_may_wait(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        client = await Client(new_desk()).open()
        calls = [asyncio.create_task(client.call("book_room", SIX, id=id)) for id in range(legacy.MAX_CALLS)]
        numbers = await client.asked(legacy.MAX_CALLS)
        (refused,) = await client.call("book_room", SIX, id="one more")
        assert refused["error"]["code"] == -32603
        assert (await client.request("ping", id="alive")).json()["result"] == {}
        await client.answer(numbers[0], {"action": "decline"})
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        late = asyncio.create_task(client.call("book_room", SIX, id="later"))
        await client.asked(legacy.MAX_CALLS)
        await client.http.delete("/mcp", headers=client.headers)
        await asyncio.gather(*calls, late)

    scenario(run)
    assert "too-many-calls" in caplog.text


def test_two_calls_with_one_id() -> None:
    """LEG-09: an answer or a cancellation could not be told from the other's."""

    async def run() -> None:
        client = await Client(new_desk()).open()
        call = asyncio.create_task(client.call("book_room", SIX, id=7))
        (number,) = await client.asked()
        (refused,) = await client.call("check_availability", SIX, id=7)
        assert refused["error"]["code"] == -32600
        other = asyncio.create_task(client.call("book_room", SIX, id="7"))  # another id
        second = (await client.asked(2))[1]
        await client.answer(second, choose("basalt"))
        await client.answer(number, choose("cinder"))
        assert [room_of((await one)[-1]) for one in (call, other)] == ["cinder", "basalt"]

    scenario(run)


def test_a_session_is_not_idle_while_a_call_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        desk = new_desk()
        client = await Client(desk).open()
        call = asyncio.create_task(client.call("book_room", SIX))
        (number,) = await client.asked()
        client.session().last_used -= legacy.IDLE_SECONDS + 1
        await Client(desk).open()  # idle sessions are dropped whenever one is opened
        await client.answer(number, choose("cinder"))
        assert room_of((await call)[-1]) == "cinder"
        client.session().last_used -= legacy.IDLE_SECONDS + 1
        assert (await client.request("tools/list")).status_code == 404
        assert desk.legacy is not None and len(desk.legacy._sessions) == 1

    scenario(run)


def test_a_thousand_sessions() -> None:
    """They cost little, they are told apart, and one more is turned away without harm to the others."""

    async def run() -> None:
        desk = new_desk()
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        client = Client(desk)
        ids = set()
        for number in range(legacy.MAX_SESSIONS):
            opened = await client.request("initialize", params, id=number)
            ids.add(opened.headers["mcp-session-id"])
        assert len(ids) == legacy.MAX_SESSIONS == 1000 and min(len(id) for id in ids) == 32
        refused = await client.request("initialize", params)
        assert refused.status_code == 503 and "mcp-session-id" not in refused.headers
        for id in ids:
            ended = await client.http.delete("/mcp", headers={"mcp-session-id": id})
            assert ended.status_code == 204
        assert desk.legacy is not None and not desk.legacy._sessions

    scenario(run)


# With sockets: a connection that breaks while its call waits for a person.


@asynccontextmanager
async def served(desk: RoomDesk) -> AsyncIterator[str]:
    """The desk on a free port."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(desk, lifespan="off", ws="none", log_level="warning"))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started:
            await asyncio.sleep(0.005)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running


@pytest.mark.parametrize("then", ["answers", "cancels", "is silent", "ends the session"])
def test_a_connection_that_breaks_while_its_call_waits(then: str) -> None:
    """Before 2026-07-28 that cancels nothing: the person's answer still counts, and so do a no and a time-out."""

    async def run() -> None:
        desk = new_desk(patience=0.3 if then == "is silent" else 600)
        async with served(desk) as address, httpx.AsyncClient(base_url=address) as http:
            client = Client(desk)
            await client.http.aclose()
            client.http = http
            await client.open()
            session = client.session()
            async with http.stream("POST", "/mcp", content=json.dumps(BOOK), headers=client.headers) as stream:
                (number,) = await client.asked()
                assert (stream.status_code, stream.headers["content-type"]) == (200, "text/event-stream")
            await asyncio.sleep(0.05)
            assert len(session.calls) == 1
            if then == "answers":
                assert (await client.answer(number, choose("cinder"))).status_code == 202
            elif then == "cancels":
                cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
                assert (await client.send(cancelled)).status_code == 202
            elif then == "ends the session":
                assert (await http.delete("/mcp", headers=client.headers)).status_code == 204
                await client.open()
            await ended(session)
            assert await free(client) == (["basalt"] if then == "answers" else FREE)

    scenario(run)


def test_a_server_that_gives_up_a_broken_connection() -> None:
    """Some ASGI servers cancel what a connection waits for. The call goes on; only its answer has nowhere to go."""

    async def run() -> None:
        client = await Client(new_desk()).open()
        call = asyncio.create_task(client.call("book_room", SIX))
        (number,) = await client.asked()
        call.cancel()
        await asyncio.wait([call])
        await client.answer(number, choose("cinder"))
        await ended(client.session())
        assert await free(client) == ["basalt"]

    scenario(run)
