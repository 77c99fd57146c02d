"""The seven acts. Each starts fresh processes on free loopback ports, talks to them, and notes what it saw."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from stage import CLIENT_META, HTTP_SECONDS, Reply, Server, Stage, new_key, shorten

DAY = {"date": "2026-08-04", "attendees": 6}
NEXT_DAY = {"date": "2026-08-05", "attendees": 6}
REFUSED = "400 -32602"


def act_1(stage: Stage) -> None:
    """The official client books a room"""
    stage.say("The client is the official Python SDK, unchanged. The server has only wireseal for the protocol.")
    desk = stage.desk("desk", new_key())
    asyncio.run(asyncio.wait_for(_official_client(stage, desk), 60))


async def _official_client(stage: Stage, desk: Server) -> None:
    import httpx2
    import mcp_types as types
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async def show_request(request: httpx2.Request) -> None:
        stage.request(desk, dict(request.headers), shorten(json.loads(request.content)), "official client")

    async def show_response(response: httpx2.Response) -> None:
        stage.response(desk, response.status_code, shorten(json.loads(await response.aread())), "official client")

    says = "accept"
    offers: list[str] = []

    async def person(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        """The person in front of the client."""
        assert isinstance(params, types.ElicitRequestFormParams)
        offers.append(", ".join(params.requested_schema["properties"]["room"]["enum"]))
        print()
        stage.say(f'The client asks its person: "{params.message}"')
        if says == "decline":
            stage.say("The person declines.")
            return types.ElicitResult(action="decline")
        stage.say("The person answers: cinder.")
        return types.ElicitResult(action="accept", content={"room": "cinder"})

    hooks: Any = {"request": [show_request], "response": [show_response]}
    async with httpx2.AsyncClient(event_hooks=hooks, timeout=HTTP_SECONDS, trust_env=False) as http:
        transport = streamable_http_client(desk.url, http_client=http)
        async with Client(transport, elicitation_callback=person) as client:
            stage.say("On connecting the client asks server/discover. There is no handshake and no session.")
            stage.check("version settled on", "2026-07-28", client.protocol_version)

            tools = await client.list_tools()
            names = ", ".join(tool.name for tool in tools.tools)
            stage.check("tools", "check_availability, book_room", names)

            resources = await client.list_resources()
            stage.check("resources", "rooms://all", ", ".join(str(resource.uri) for resource in resources.resources))

            contents = (await client.read_resource("rooms://all")).contents[0]
            assert isinstance(contents, types.TextResourceContents)
            names = ", ".join(room["name"] for room in json.loads(contents.text))
            stage.check("the rooms in rooms://all", "aurora, basalt, cinder", names)

            free = await client.call_tool("check_availability", DAY)
            stage.check("free on 2026-08-04 for 6", "basalt, cinder", _rooms(free))

            booked = await client.call_tool("book_room", DAY)
            stage.say(
                "Two rooms fit, so the server answered with a question and a sealed token instead of a result. The "
                "client sent the same call again, with the token and the answer. The server kept nothing in between."
            )
            stage.check("the question offers", "basalt, cinder", offers[-1])
            stage.check("answered cinder, booked", "cinder", _room(booked))
            free = await client.call_tool("check_availability", DAY)
            stage.check("free afterwards", "basalt", _rooms(free))

            says = "decline"
            declined = await client.call_tool("book_room", NEXT_DAY)
            stage.say("A no is an answer like any other: the result says so, and it is not an error.")
            stage.check("declined for the 5th, booked", "nothing", _room(declined))
            free = await client.call_tool("check_availability", NEXT_DAY)
            stage.check("free on the 5th after that", "basalt, cinder", _rooms(free))


def _rooms(result: Any) -> str:
    return ", ".join(result.structured_content["rooms"])


def _room(result: Any) -> str:
    assert not result.is_error, result
    return result.structured_content["room"] or "nothing"


def act_2(stage: Stage) -> None:
    """Six mistakes in raw HTTP, and what the server says to each"""
    desk = stage.desk("desk", new_key())
    bare = {key.removeprefix("io.modelcontextprotocol/"): value for key, value in CLIENT_META.items()}
    future = {**CLIENT_META, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}

    def mistake(what: str, expected: str, why: str, reply: Reply) -> None:
        stage.show_log(desk)
        stage.say(why)
        supported = reply.body["error"].get("data", {}).get("supported")
        stage.check(what, expected, reply.outcome + (f" supported {', '.join(supported)}" if supported else ""))

    mistake(
        "bare protocolVersion key",
        "400 -32602",
        "The keys of _meta need their prefix. Without it the request names no version: invalid params.",
        stage.post(desk, "tools/list", {}, 1, meta=bare),
    )
    mistake(
        "no Mcp-Method header",
        "400 -32020",
        "Gateways route on the headers, so they must be there and say what the body says.",
        stage.call(desk, "check_availability", DAY, 2, without="Mcp-Method"),
    )
    mistake(
        "no Mcp-Name header",
        "400 -32020",
        "The same for the tool's name.",
        stage.call(desk, "check_availability", DAY, 3, without="Mcp-Name"),
    )
    mistake(
        "version 2099-01-01",
        "400 -32022 supported 2026-07-28",
        "Header and body agree, but nobody speaks that yet. The answer lists what is spoken here.",
        stage.post(desk, "tools/list", {}, 4, meta=future, version="2099-01-01"),
    )
    mistake(
        "a member twice",
        "400 -32600",
        "Two readers could take two different tools from this body. It is refused, not resolved.",
        stage.call(
            desk,
            "check_availability",
            DAY,
            5,
            edit=lambda text: text.replace('"name":', '"name":"book_room","name":', 1),
        ),
    )
    mistake(
        "a batch",
        "400 -32600",
        "This revision has no batches: one body is one message.",
        stage.call(desk, "check_availability", DAY, 6, edit=lambda text: f"[{text}]"),
    )


def act_3(stage: Stage) -> None:
    """The seal: five ways to cheat, one answer, five reasons"""
    key = new_key()
    desk = stage.desk("desk", key)
    hasty = stage.desk("hasty desk", key, ttl=0.2)
    stranger = stage.desk("stranger")
    alice, bob = "demo-token-of-alice", "demo-token-of-bob"

    stage.say("Alice, known by her bearer token, starts to book. What follows abuses the token that she gets.")
    token = stage.call(desk, "book_room", DAY, 1, bearer=alice).result["requestState"]
    answers: set[bytes] = set()

    def cheat(what: str, expected: str, why: str, reply: Reply) -> None:
        stage.show_log(desk)
        stage.say(why)
        answers.add(reply.raw)
        stage.check(what, f"{REFUSED} {expected}", f"{reply.outcome} {desk.last_reason()}")

    middle = len(token) // 2
    changed = token[:middle] + ("A" if token[middle] != "A" else "B") + token[middle + 1 :]
    cheat(
        "a character changed",
        "state-tampered",
        f"Character {middle} of {len(token)} is another one: the token does not authenticate.",
        stage.answer(desk, DAY, changed, "cinder", 2, bearer=alice),
    )
    cheat(
        "other arguments",
        "state-other-request",
        "A token for the 4th, presented with a call for the 5th: it is sealed to the arguments it was minted for.",
        stage.answer(desk, NEXT_DAY, token, "cinder", 2, bearer=alice),
    )
    cheat(
        "another principal",
        "state-other-context",
        "Bob presents Alice's token. It is sealed to her.",
        stage.answer(desk, DAY, token, "cinder", 2, bearer=bob),
    )
    short = stage.call(hasty, "book_room", DAY, 1, bearer=alice, brief=True).result["requestState"]
    time.sleep(0.3)
    cheat(
        "expired",
        "state-expired",
        "This one was minted with the same key to live for 0.2 seconds, and 0.3 have passed.",
        stage.answer(desk, DAY, short, "cinder", 2, bearer=alice),
    )
    foreign = stage.call(stranger, "book_room", DAY, 1, bearer=alice, brief=True).result["requestState"]
    cheat(
        "unknown key",
        "state-unknown-key",
        "This one was minted by a server with a key of its own.",
        stage.answer(desk, DAY, foreign, "cinder", 2, bearer=alice),
    )
    stage.check("different answers, of five", "1", len(answers))
    stage.say("A cheat learns that it failed and nothing about how close it came. Only the log tells the five apart.")
    last = stage.answer(desk, DAY, token, "cinder", 3, bearer=alice)
    stage.say("None of this used the real token up.")
    stage.check("the real token, after all", "cinder", last.outcome)


def act_4(stage: Stage) -> None:
    """Two processes, one key"""
    key = new_key()
    first, second = stage.desk("first", key), stage.desk("second", key)
    third = stage.desk("third")
    question = stage.call(first, "book_room", DAY, 1)
    stage.say("The first process asks, and forgets.")
    token = question.result["requestState"]
    refused = stage.answer(third, DAY, token, "cinder", 2)
    stage.show_log(third)
    stage.say("The third made a key of its own: it cannot open the token. The log names the key that it lacks.")
    stage.check("leg 2 at the third", REFUSED, refused.outcome)
    stage.check("the third's reason", "state-unknown-key", third.last_reason())
    booked = stage.answer(second, DAY, token, "cinder", 3)
    stage.say("The second has the key, and all that it needs to know is in the token.")
    stage.check("leg 2 at the second", "cinder", booked.outcome)


def act_5(stage: Stage) -> None:
    """A mixed fleet: wireseal beside the official SDK"""
    stage.say("Both have one key and one audience. The SDK seals with its own code; wireseal speaks that format here.")
    key = new_key()
    ours = stage.desk("wireseal desk", key, format="python")
    theirs = stage.sdk("SDK desk", key)

    token = stage.call(theirs, "book_room", DAY, 1).result["requestState"]
    booked = stage.answer(ours, DAY, token, "cinder", 2)
    stage.say("Minted by the SDK, opened by wireseal.")
    stage.check("SDK, then wireseal", "cinder", booked.outcome)

    token = stage.call(ours, "book_room", NEXT_DAY, 3).result["requestState"]
    booked = stage.answer(theirs, NEXT_DAY, token, "cinder", 4)
    stage.say("And the other way round.")
    stage.check("wireseal, then SDK", "cinder", booked.outcome)


def act_6(stage: Stage) -> None:
    """The reissue: the answer got lost, and the client sends its second leg again"""
    desk = stage.desk("desk", new_key())
    token = stage.call(desk, "book_room", DAY, 1).result["requestState"]
    first = stage.answer(desk, DAY, token, "cinder", 2)
    stage.check("second leg", "cinder", first.outcome)
    stage.say("Suppose that the connection broke just before this answer arrived. Cinder is gone, basalt is left:")
    left = stage.call(desk, "check_availability", DAY, 3, brief=True)
    stage.check("free now", "basalt", left.rooms)

    again = stage.answer(desk, DAY, token, "cinder", 4)
    stage.say(
        "The same leg under a new id. token_id tells the server that this token was used, reissue_key that all else "
        "is the same too: it gives the first result again, and books nothing."
    )
    stage.check("second leg again", "cinder", again.outcome)
    stage.check("answered under the new id", "4", again.body["id"])
    stage.check("the result, to the letter", "as before", "as before" if again.result == first.result else again.result)
    left = stage.call(desk, "check_availability", DAY, 5, brief=True)
    stage.check("free after that", "basalt", left.rooms)

    other = stage.answer(desk, DAY, token, "basalt", 6)
    stage.show_log(desk)
    stage.say("The same token with another answer is no reissue. It is refused like every bad token.")
    stage.check(
        "same token, other answer",
        f"{REFUSED} state-used",
        f"{other.outcome} {desk.last_reason()}",
    )

    print()
    stage.say(
        "Now a naive server. Its seal is sound, but it remembers no results, and each leg starts from the top: "
        "which rooms fit? One: book it."
    )
    naive = stage.sdk("naive desk", new_key())
    token = stage.call(naive, "book_room", DAY, 1).result["requestState"]
    first = stage.answer(naive, DAY, token, "cinder", 2)
    again = stage.answer(naive, DAY, token, "cinder", 4)
    stage.say("The person turned basalt down and has it now, beside cinder. No seal can prevent that.")
    stage.check("naive: second leg", "cinder", first.outcome)
    stage.check("naive: second leg again", "basalt", again.outcome)
    left = stage.call(naive, "check_availability", DAY, 5, brief=True)
    stage.check("naive: free after that", "none", left.rooms)


def act_7(stage: Stage) -> None:
    """A client of yesterday: the handshake, a session, a question while the call waits"""
    stage.say("The same desk and the same tools; the client is the official one, told to speak as before 2026-07-28.")
    desk = stage.desk("desk", new_key())
    asyncio.run(asyncio.wait_for(_legacy_client(stage, desk), 60))
    _legacy_by_hand(stage, desk)


async def _legacy_client(stage: Stage, desk: Server) -> None:
    import httpx2
    import mcp_types as types
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    sessions: set[str] = set()
    statuses: list[int] = []

    async def show_request(request: httpx2.Request) -> None:
        if request.method != "POST":
            return
        sessions.update(value for name, value in request.headers.items() if name == "mcp-session-id")
        stage.request(desk, dict(request.headers), shorten(json.loads(request.content)), "official client")

    async def count_response(response: httpx2.Response) -> None:
        statuses.append(response.status_code)

    says = "accept"
    offers: list[str] = []

    async def person(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        """The person in front of the client."""
        assert isinstance(params, types.ElicitRequestFormParams)
        offers.append(", ".join(params.requested_schema["properties"]["room"]["enum"]))
        print()
        stage.say(f'The client asks its person: "{params.message}" The person says: {says}.')
        if says == "decline":
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content={"room": "cinder"})

    hooks: Any = {"request": [show_request], "response": [count_response]}
    async with httpx2.AsyncClient(event_hooks=hooks, timeout=HTTP_SECONDS, trust_env=False) as http:
        transport = streamable_http_client(desk.url, http_client=http)
        async with Client(transport, elicitation_callback=person, mode="legacy") as client:
            stage.check("version negotiated", "2025-11-25", client.protocol_version)
            tools = await client.list_tools()
            stage.check("tools", "check_availability, book_room", ", ".join(tool.name for tool in tools.tools))
            free = await client.call_tool("check_availability", DAY)
            stage.check("free on 2026-08-04 for 6", "basalt, cinder", _rooms(free))
            booked = await client.call_tool("book_room", DAY)
            stage.say("The question came as a request of the server's own, on the stream of the call; the answer went back in a POST.")
            stage.check("the question offers", "basalt, cinder", offers[-1])
            stage.check("answered cinder, booked", "cinder", _room(booked))
            says = "decline"
            declined = await client.call_tool("book_room", NEXT_DAY)
            stage.check("declined for the 5th, booked", "nothing", _room(declined))
            free = await client.call_tool("check_availability", DAY)
            stage.check("free on the 4th afterwards", "basalt", _rooms(free))
    stage.check("sessions used", "1", len(sessions))
    stage.check("posts of answers taken (202)", "3", statuses.count(202))


def _legacy_by_hand(stage: Stage, desk: Server) -> None:
    print()
    stage.say("By hand, as a client of 2025-03-26, which may send several messages at once.")
    client = {"name": "raw-http", "version": "1"}
    params = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": client}
    opened, session = stage.legacy(desk, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    stage.check("version negotiated by hand", "2025-03-26", opened.result["protocolVersion"])
    call = {"name": "check_availability", "arguments": NEXT_DAY}
    batch = [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "ping"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": params},
    ]
    answers, _ = stage.legacy(desk, batch, session)
    shown = ", ".join(str(one["id"]) + (" refused" if "error" in one else "") for one in json.loads(answers.raw))
    stage.check("a batch of four, answers", "2, 3, 4 refused", shown)
    lost, _ = stage.legacy(desk, {"jsonrpc": "2.0", "id": 5, "method": "ping"}, "no-such-session")
    stage.check("a session that is none", "404 -32600", lost.outcome)
    none, _ = stage.legacy(desk, {"jsonrpc": "2.0", "id": 6, "method": "tools/list"})
    stage.check("no session at all", "400 -32600", none.outcome)


ACTS = {1: act_1, 2: act_2, 3: act_3, 4: act_4, 5: act_5, 6: act_6, 7: act_7}
