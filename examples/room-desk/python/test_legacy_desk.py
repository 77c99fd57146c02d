"""The room desk for clients of the revisions before 2026-07-28: sessions, questions while a call waits, batches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
import wireseal

import legacy
from room_desk import RoomDesk

KEY = "an example key, used in these tests alone"
SIX = {"date": "2026-08-04", "attendees": 6}
BASE = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
ALICE = {"authorization": "Bearer demo-token-of-alice"}
BOB = {"authorization": "Bearer demo-token-of-bob"}


def new_desk(**options: Any) -> RoomDesk:
    return RoomDesk(wireseal.Sealer([KEY], audience="room-desk"), **options)


class Client:
    """A legacy client, by hand."""

    def __init__(self, desk: RoomDesk, **headers: str) -> None:
        self.desk, self.headers = desk, {**BASE, **headers}
        self.http = httpx.AsyncClient(transport=httpx.ASGITransport(app=desk), base_url="http://127.0.0.1:8080")

    async def send(self, message: Any, **headers: str) -> httpx.Response:
        return await self.http.post("/mcp", content=json.dumps(message), headers={**self.headers, **headers})

    async def request(self, method: str, params: Any = None, id: Any = 1) -> httpx.Response:
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        return await self.send(message if params is None else {**message, "params": params})

    async def open(self, version: str = "2025-11-25", **capabilities: Any) -> Client:
        params = {
            "protocolVersion": version,
            "capabilities": capabilities or {"elicitation": {}},
            "clientInfo": {"name": "c", "version": "1"},
        }
        opened = await self.request("initialize", params, id=0)
        assert opened.status_code == 200 and opened.json()["result"]["protocolVersion"] == version
        self.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
        assert (await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})).status_code == 202
        return self

    async def call(self, tool: str, arguments: Any, id: Any = 1) -> list[dict[str, Any]]:
        """Every message of the answer, in order."""
        response = await self.request("tools/call", {"name": tool, "arguments": arguments}, id)
        return messages(response)

    async def asked(self, count: int = 1) -> list[int]:
        """Waits until so many questions are out; their ids."""
        session = self.session()
        for _ in range(200):
            if len(session.questions) >= count:
                return sorted(session.questions)
            await asyncio.sleep(0.005)
        raise AssertionError("nothing was asked")

    async def answer(self, number: Any, result: Any) -> httpx.Response:
        return await self.send({"jsonrpc": "2.0", "id": number, "result": result})

    def session(self) -> legacy.Session:
        assert self.desk.legacy is not None
        return self.desk.legacy._sessions[self.headers["mcp-session-id"]]


def messages(response: httpx.Response) -> list[dict[str, Any]]:
    if response.headers.get("content-type") != "text/event-stream":
        return [response.json()] if response.content else []
    reader = wireseal.SseReader()
    return [json.loads(event) for event in reader.feed(response.content) if isinstance(event, bytes)]


def choose(room: str) -> dict[str, Any]:
    return {"action": "accept", "content": {"room": room}}


def room_of(message: dict[str, Any]) -> Any:
    return message["result"]["structuredContent"]["room"]


def scenario(run: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(run(), 20))


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_a_question_while_the_call_waits(version: str) -> None:
    async def run() -> None:
        client = await Client(new_desk()).open(version)
        call = asyncio.create_task(client.call("book_room", SIX, id="booking"))
        (number,) = await client.asked()
        assert (await client.answer(number, choose("cinder"))).status_code == 202
        question, result = await call
        assert question["method"] == "elicitation/create" and question["id"] == number
        assert ("mode" in question["params"]) == (version == "2025-11-25")
        assert result["id"] == "booking" and room_of(result) == "cinder"
        assert "resultType" not in result["result"] and "_meta" not in result["result"]  # LEG-56
        (free,) = await client.call("check_availability", SIX)
        assert free["result"]["structuredContent"]["rooms"] == ["basalt"]

    scenario(run)


@pytest.mark.parametrize(
    ("answer", "text"),
    [({"action": "decline"}, "Nothing was booked."), ({"action": "cancel"}, "Nothing was booked.")],
)
def test_a_no_is_a_result(answer: Any, text: str) -> None:
    async def run() -> None:
        client = await Client(new_desk()).open()
        call = asyncio.create_task(client.call("book_room", SIX))
        await client.answer((await client.asked())[0], answer)
        (_, result) = await call
        assert result["result"]["content"][0]["text"] == text and room_of(result) is None

    scenario(run)


def test_odd_answers() -> None:
    async def run() -> None:
        client = await Client(new_desk()).open()
        call = asyncio.create_task(client.call("book_room", SIX))
        (number,) = await client.asked()
        for stray in (str(number), number + 1, 0):  # of another type, of nobody
            assert (await client.answer(stray, choose("cinder"))).status_code == 202
        assert not call.done()
        await client.answer(number, choose("dungeon"))
        (again,) = await client.asked()
        assert again == number + 1
        await client.answer(again, "cinder")  # no object: not even a response
        await client.answer(again, {"action": "perhaps"})
        first, second, refused = await call
        assert "not one of the rooms" in second["params"]["message"]
        assert refused["error"]["code"] == -32602

    scenario(run)


def test_an_error_or_silence_books_nothing() -> None:
    async def run() -> None:
        client = await Client(new_desk(patience=0.2)).open()
        call = asyncio.create_task(client.call("book_room", SIX))
        (number,) = await client.asked()
        failed = {"jsonrpc": "2.0", "id": number, "error": {"code": -1, "message": "no"}}
        assert (await client.send(failed)).status_code == 202
        (_, result) = await call
        assert result["result"]["isError"] is True
        question, cancelled, result = await client.call("book_room", SIX)
        assert cancelled["method"] == "notifications/cancelled"
        assert cancelled["params"]["requestId"] == question["id"]
        assert result["result"]["isError"] is True
        late = await client.answer(question["id"], choose("cinder"))
        assert late.status_code == 202
        (free,) = await client.call("check_availability", SIX)
        assert free["result"]["structuredContent"]["rooms"] == ["basalt", "cinder"]

    scenario(run)


def test_a_call_that_is_cancelled_is_not_answered() -> None:
    async def run() -> None:
        client = await Client(new_desk()).open()
        call = asyncio.create_task(client.call("book_room", SIX, id=7))
        (number,) = await client.asked()
        for id in ("7", 8):  # other ids
            await client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
        assert not call.done()
        await client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
        assert [message.get("method") for message in await call] == ["elicitation/create"]
        assert (await client.answer(number, choose("cinder"))).status_code == 202
        (free,) = await client.call("check_availability", SIX)
        assert free["result"]["structuredContent"]["rooms"] == ["basalt", "cinder"]
        assert not client.session().calls and not client.session().questions

    scenario(run)


def test_two_calls_at_once_are_asked_apart() -> None:
    async def run() -> None:
        client = await Client(new_desk()).open()
        calls = [asyncio.create_task(client.call("book_room", SIX, id=id)) for id in ("a", "b")]
        first, second = await client.asked(2)
        await client.answer(second, choose("basalt"))
        await client.answer(first, choose("cinder"))
        rooms = sorted([room_of((await call)[-1]) for call in calls])
        assert rooms == ["basalt", "cinder"]

    scenario(run)


def test_a_session_is_its_openers() -> None:
    async def run() -> None:
        desk = new_desk()
        alice = await Client(desk, **ALICE).open()
        thief = Client(desk, **BOB, **{"mcp-session-id": alice.headers["mcp-session-id"]})
        nobody = Client(desk, **{"mcp-session-id": alice.headers["mcp-session-id"]})
        call = asyncio.create_task(alice.call("book_room", SIX))
        (number,) = await alice.asked()
        for other in (thief, nobody):
            refused = await other.answer(number, choose("basalt"))
            assert refused.status_code == 404
            assert (await other.request("tools/list")).status_code == 404
            gone = await other.http.delete("/mcp", headers=other.headers)
            assert gone.status_code == 404
        assert not call.done()
        await alice.answer(number, choose("cinder"))
        assert room_of((await call)[-1]) == "cinder"

    scenario(run)


def test_sessions_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        desk = new_desk()
        client = await Client(desk).open()
        call = asyncio.create_task(client.call("book_room", SIX))
        await client.asked()
        ended = await client.http.delete("/mcp", headers=client.headers)
        assert (ended.status_code, ended.content) == (204, b"")
        assert [message.get("method") for message in await call] == ["elicitation/create"]  # and nothing more
        after = await client.request("tools/list", id="x")
        assert after.status_code == 404 and after.json()["id"] == "x"
        monkeypatch.setattr(legacy, "IDLE_SECONDS", -1.0)
        idle = Client(desk)
        with pytest.raises(AssertionError):
            await idle.open()  # idle at once: the notification finds no session

    scenario(run)


def test_what_needs_a_session(caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        client = Client(new_desk())
        missing = await client.request("tools/list", id=3)
        assert (missing.status_code, missing.json()["id"]) == (400, 3)  # LEG-21
        malformed = await client.send({"jsonrpc": "2.0", "id": 4, "method": "ping"}, **{"mcp-session-id": "a b"})
        assert malformed.status_code == 400
        assert (await client.http.get("/mcp", headers={"accept": "text/event-stream"})).status_code == 405
        assert (await client.http.delete("/mcp")).status_code == 400
        early = Client(client.desk)
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c"}}
        assert (await early.request("initialize", params)).json()["error"]["code"] == -32602

    scenario(run)
    assert "session-missing" in caplog.text


def test_a_client_that_cannot_be_asked() -> None:
    async def run() -> None:
        cases: list[tuple[str, dict[str, Any]]] = [("2025-11-25", {"roots": {}}), ("2025-03-26", {"elicitation": {}})]
        for version, capabilities in cases:
            client = await Client(new_desk()).open(version, **capabilities)
            response = await client.request("tools/call", {"name": "book_room", "arguments": SIX})
            assert (response.status_code, response.json()["error"]["code"]) == (200, -32600)
            third = {"date": "2026-08-03", "attendees": 6}  # one room fits: nothing to ask
            assert room_of((await client.call("book_room", third))[0]) == "cinder"

    scenario(run)


def test_in_band_errors() -> None:
    async def run() -> None:
        client = await Client(new_desk()).open()
        for method, params, code in (
            ("prompts/list", None, -32601),
            ("tools/call", {"name": "sell_room"}, -32602),
            ("resources/read", {"uri": "rooms://none"}, -32002),  # LEG-37
            ("initialize", {}, -32600),
        ):
            response = await client.request(method, params)
            assert response.json()["error"]["code"] == code, method
            assert response.status_code == (400 if code == -32600 else 200)
        assert (await client.request("ping")).json()["result"] == {}

    scenario(run)


def test_batches() -> None:
    async def run() -> None:
        client = await Client(new_desk()).open("2025-03-26")
        call = {"name": "check_availability", "arguments": SIX}
        entries: list[Any] = [
            {"jsonrpc": "2.0", "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "method": "a/b"},
            7,
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        ]
        response = await client.send(entries)
        assert [one["id"] for one in response.json()] == [1, None, 2]
        quiet = await client.send([{"jsonrpc": "2.0", "method": "a/b"}])
        assert (quiet.status_code, quiet.content) == (202, b"")
        unheard = await client.send([{"jsonrpc": "2.0", "method": "a/b"}, {"jsonrpc": "2.0", "method": "a/b", "params": 7}])
        assert (unheard.status_code, unheard.content) == (400, b"")
        mixed = {"mcp-protocol-version": "2025-03-26"}
        assert (await (await Client(client.desk).open("2025-06-18")).send(entries, **mixed)).status_code == 400
        newer = await Client(client.desk).open("2025-06-18")
        assert (await newer.send(entries)).status_code == 400
        assert (await client.send([])).json()["error"]["code"] == -32600
        await client.http.delete("/mcp", headers=client.headers)
        gone = await client.send(entries)
        assert (gone.status_code, gone.json()["id"]) == (404, None)

    scenario(run)


def test_as_many_sessions_as_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        desk = new_desk()
        clients = [await Client(desk).open() for _ in range(legacy.MAX_SESSIONS)]
        assert len({client.headers["mcp-session-id"] for client in clients}) == legacy.MAX_SESSIONS
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        assert (await Client(desk).request("initialize", params)).status_code == 503
        await Client(desk, **ALICE).open()  # who shares no room with those without a token
        assert (await clients[0].request("ping")).status_code == 200
        await clients[1].http.delete("/mcp", headers=clients[1].headers)
        assert (await Client(desk).request("initialize", params)).status_code == 200

    monkeypatch.setattr(legacy, "MAX_SESSIONS", 50)
    scenario(run)


def test_nothing_of_a_batch_is_done_after_its_session_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        called = asyncio.Event()

        async def wait(*_: object) -> None:
            called.set()
            await asyncio.Event().wait()

        desk = new_desk()
        monkeypatch.setattr(desk.legacy, "_answer", wait)
        client = await Client(desk).open("2025-03-26")
        call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "book_room", "arguments": SIX}}
        batch = asyncio.create_task(client.send([{**call, "id": 1}, {**call, "id": 2}]))
        await called.wait()
        await client.http.delete("/mcp", headers=client.headers)
        answers: Any = (await batch).json()
        assert [(one["id"], one["error"]["message"]) for one in answers] == [(2, "Session not found")]

    scenario(run)


def test_a_modern_only_desk() -> None:
    async def run() -> None:
        client = Client(new_desk(legacy=()))
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        refused = await client.request("initialize", params)
        assert refused.status_code == 400 and refused.json()["error"]["code"] == -32022
        assert refused.json()["error"]["data"]["supported"] == ["2026-07-28"]
        assert (await client.http.get("/mcp")).status_code == 405

    scenario(run)
