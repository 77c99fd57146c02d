"""The room desk, called in process: what it promises, and what it does not let happen.

    pytest examples/room-desk/python

Times out nothing and opens no socket: each request goes straight into the ASGI application.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import wireseal

import room_desk
from room_desk import MAX_BODY_BYTES, RoomDesk
from web import Event

KEY = "an example key, used in these tests alone"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}
HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
}
SIX = {"date": "2026-08-04", "attendees": 6}
ALICE = {"authorization": "Bearer demo-token-of-alice"}
REFUSED_STATE = {
    "code": -32602,
    "message": "Invalid or expired requestState",
    "data": {"reason": "invalid_request_state"},
}


def new_desk(key: str = KEY, **options: Any) -> RoomDesk:
    return RoomDesk(wireseal.Sealer([key], **{"audience": "room-desk", **options}))


@pytest.fixture
def desk() -> RoomDesk:
    return new_desk()


@pytest.fixture
def refusals(caplog: pytest.LogCaptureFixture) -> Iterator[Any]:
    """The log lines of refusals so far, as dicts."""
    caplog.set_level(logging.INFO, logger="room-desk")

    def read() -> list[dict[str, str]]:
        lines = [record.getMessage() for record in caplog.records]
        return [dict(p.split("=", 1) for p in li.split()[1:]) for li in lines if li.startswith("refused ")]

    yield read


async def send(desk: RoomDesk, content: bytes, headers: dict[str, str], method: str = "POST") -> httpx.Response:
    transport = httpx.ASGITransport(app=desk)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
        return await client.request(method, "/mcp", content=content, headers=headers)


def request(method: str, params: dict[str, Any], id: Any = 1, **headers: str) -> tuple[bytes, dict[str, str]]:
    """A well-formed request: its body and its headers."""
    body = {"jsonrpc": "2.0", "id": id, "method": method, "params": {"_meta": META, **params}}
    name = params.get("uri") if method == "resources/read" else params.get("name")
    named = {"mcp-name": name} if name is not None else {}
    return json.dumps(body).encode(), {**HEADERS, "mcp-method": method, **named, **headers}


def post(desk: RoomDesk, method: str, params: dict[str, Any], id: Any = 1, **headers: str) -> httpx.Response:
    return asyncio.run(send(desk, *request(method, params, id, **headers)))


def result(response: httpx.Response) -> dict[str, Any]:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    return dict(response.json()["result"])


def call(desk: RoomDesk, tool: str, arguments: Any, **headers: str) -> dict[str, Any]:
    return result(post(desk, "tools/call", {"name": tool, "arguments": arguments}, **headers))


def second_leg(question: dict[str, Any], answer: Any, arguments: Any = SIX) -> dict[str, Any]:
    """The params of the second leg of a booking."""
    return {
        "name": "book_room",
        "arguments": arguments,
        "requestState": question["requestState"],
        "inputResponses": {"room": answer},
    }


def choose(room: Any) -> dict[str, Any]:
    return {"action": "accept", "content": {"room": room}}


def offered(question: dict[str, Any]) -> list[str]:
    assert question["resultType"] == "input_required"
    asked = question["inputRequests"]["room"]
    assert asked["method"] == "elicitation/create"
    return list(asked["params"]["requestedSchema"]["properties"]["room"]["enum"])


def free(desk: RoomDesk, arguments: dict[str, Any] = SIX) -> list[str]:
    return list(call(desk, "check_availability", arguments)["structuredContent"]["rooms"])


def error(response: httpx.Response, status: int = 400) -> dict[str, Any]:
    assert response.status_code == status, response.text
    return dict(response.json()["error"])


# What the server says about itself


def test_discover_names_the_version_and_what_is_served(desk: RoomDesk) -> None:
    found = result(post(desk, "server/discover", {}))
    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["capabilities"] == {"tools": {}, "resources": {}}
    assert found["resultType"] == "complete"
    assert found["ttlMs"] > 0 and found["cacheScope"] == "public"  # CACHE-01
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "room-desk"  # META-17


def test_lists_have_the_tools_and_the_resource(desk: RoomDesk) -> None:
    tools = result(post(desk, "tools/list", {}))
    assert [tool["name"] for tool in tools["tools"]] == ["check_availability", "book_room"]
    assert all(tool["inputSchema"]["required"] == ["date", "attendees"] for tool in tools["tools"])
    resources = result(post(desk, "resources/list", {}))
    assert [resource["uri"] for resource in resources["resources"]] == ["rooms://all"]


@pytest.mark.parametrize("method", ["tools/list", "resources/list"])
def test_a_cursor_that_was_never_given_is_refused(desk: RoomDesk, method: str) -> None:
    assert error(post(desk, method, {"cursor": "page-2"}))["code"] == -32602  # ERR-17


def test_rooms_can_be_read(desk: RoomDesk) -> None:
    (contents,) = result(post(desk, "resources/read", {"uri": "rooms://all"}))["contents"]
    assert contents["uri"] == "rooms://all"
    assert json.loads(contents["text"]) == [
        {"name": "aurora", "seats": 4, "floor": 2},
        {"name": "basalt", "seats": 8, "floor": 2},
        {"name": "cinder", "seats": 8, "floor": 5},
    ]


def test_an_unknown_resource_is_named_in_the_error(desk: RoomDesk, refusals: Any) -> None:
    answer = error(post(desk, "resources/read", {"uri": "rooms://none"}))
    assert (answer["code"], answer["data"]) == (-32602, {"uri": "rooms://none"})  # ERR-16
    assert refusals() == [{"reason": "unknown-resource", "method": "resources/read", "id": "1", "key": "-"}]


def test_an_unknown_tool_is_a_protocol_error(desk: RoomDesk, refusals: Any) -> None:
    assert error(post(desk, "tools/call", {"name": "sell_room"}, id="x"))["code"] == -32602  # ERR-04
    assert refusals() == [{"reason": "unknown-tool", "method": "tools/call", "id": '"x"', "key": "-"}]


def test_an_unknown_method_is_not_found(desk: RoomDesk) -> None:
    assert error(post(desk, "prompts/list", {}), status=404)["code"] == -32601  # ENV-27


# Availability


@pytest.mark.parametrize(
    ("date", "attendees", "rooms"),
    [
        ("2026-08-04", 6, ["basalt", "cinder"]),
        ("2026-08-04", 4, ["aurora", "basalt", "cinder"]),
        ("2026-08-04", 6.0, ["basalt", "cinder"]),
        ("2026-08-03", 6, ["cinder"]),
        ("2026-08-04", 9, []),
    ],
)
def test_availability(desk: RoomDesk, date: str, attendees: int, rooms: list[str]) -> None:
    assert free(desk, {"date": date, "attendees": attendees}) == rooms


@pytest.mark.parametrize("tool", ["check_availability", "book_room"])
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"date": "2026-08-04"},
        {"date": "2026-08-04", "attendees": 0},
        {"date": "2026-08-04", "attendees": 1.5},
        {"date": "2026-08-04", "attendees": True},
        {"date": "2026-08-04", "attendees": "6"},
        {"date": "2026-02-30", "attendees": 6},
        {"date": "20260804", "attendees": 6},
        {"date": "tomorrow", "attendees": 6},
        {"date": 20260804, "attendees": 6},
        {"date": "2026-08-04", "attendees": 6, "floor": 5},
    ],
)
def test_bad_values_are_results_that_a_model_can_read(desk: RoomDesk, tool: str, arguments: dict[str, Any]) -> None:
    refused = call(desk, tool, arguments)
    assert refused["isError"] is True
    assert refused["content"][0]["text"]
    assert free(desk) == ["basalt", "cinder"]


def test_arguments_may_be_absent(desk: RoomDesk) -> None:
    assert result(post(desk, "tools/call", {"name": "book_room"}))["isError"] is True


# Booking


def test_the_person_chooses_among_the_free_rooms_that_fit(desk: RoomDesk) -> None:
    question = call(desk, "book_room", SIX)
    assert offered(question) == ["basalt", "cinder"]
    assert "ttlMs" not in question  # MRTR-25
    assert "cinder" not in question["requestState"]
    booked = result(post(desk, "tools/call", second_leg(question, choose("cinder")), id=2))
    assert booked["structuredContent"] == {"room": "cinder"}
    assert booked["resultType"] == "complete"
    assert free(desk) == ["basalt"]


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_no_books_nothing(desk: RoomDesk, action: str) -> None:
    question = call(desk, "book_room", SIX)
    answer = result(post(desk, "tools/call", second_leg(question, {"action": action}), id=2))
    assert answer["structuredContent"] == {"room": None}
    assert not answer.get("isError", False)
    assert answer["content"][0]["text"] == "Nothing was booked."
    assert free(desk) == ["basalt", "cinder"]


def test_a_no_does_not_use_the_token_up(desk: RoomDesk) -> None:
    question = call(desk, "book_room", SIX)
    post(desk, "tools/call", second_leg(question, {"action": "decline"}), id=2)
    booked = result(post(desk, "tools/call", second_leg(question, choose("cinder")), id=3))
    assert booked["structuredContent"] == {"room": "cinder"}


def test_one_room_that_fits_is_booked_at_once(desk: RoomDesk) -> None:
    third = {"date": "2026-08-03", "attendees": 6}
    assert call(desk, "book_room", third)["structuredContent"] == {"room": "cinder"}
    assert free(desk, third) == []


def test_no_room_is_a_tool_error(desk: RoomDesk) -> None:
    answer = call(desk, "book_room", {"date": "2026-08-04", "attendees": 9})
    assert answer["isError"] is True
    assert "9 people" in answer["content"][0]["text"]


def test_a_client_that_cannot_ask_is_told_so(desk: RoomDesk, refusals: Any) -> None:
    meta = {**META, "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": "book_room", "arguments": SIX, "_meta": meta}
    answer = error(post(desk, "tools/call", params))
    assert answer["code"] == -32021  # MRTR-08
    assert "elicitation" in answer["data"]["requiredCapabilities"]
    assert refusals()[0]["reason"] == "missing-capability"


@pytest.mark.parametrize("room", ["aurora", "dungeon", 7, None, ["cinder"]])
def test_a_room_that_was_not_offered_is_asked_again(desk: RoomDesk, room: Any) -> None:
    question = call(desk, "book_room", SIX)
    again = result(post(desk, "tools/call", second_leg(question, choose(room)), id=2))
    assert offered(again) == ["basalt", "cinder"]
    assert "not one of the rooms on offer" in again["inputRequests"]["room"]["params"]["message"]
    assert free(desk) == ["basalt", "cinder"]


@pytest.mark.parametrize("answers", [None, {}, {"other": choose("cinder")}])
def test_a_missing_answer_is_asked_again(desk: RoomDesk, answers: Any) -> None:
    question = call(desk, "book_room", SIX)
    params = {"name": "book_room", "arguments": SIX, "requestState": question["requestState"]}
    if answers is not None:
        params["inputResponses"] = answers
    assert offered(result(post(desk, "tools/call", params, id=2))) == ["basalt", "cinder"]  # MRTR-23


def test_an_answer_without_content_is_asked_again(desk: RoomDesk) -> None:
    question = call(desk, "book_room", SIX)
    again = result(post(desk, "tools/call", second_leg(question, {"action": "accept"}), id=2))
    assert offered(again) == ["basalt", "cinder"]  # ELIC-24


@pytest.mark.parametrize("answer", ["cinder", [], {"action": "perhaps"}, {"content": {"room": "cinder"}}])
def test_an_answer_of_another_shape_is_refused(desk: RoomDesk, answer: Any, refusals: Any) -> None:
    question = call(desk, "book_room", SIX)
    assert error(post(desk, "tools/call", second_leg(question, answer), id=2))["code"] == -32602  # MRTR-21
    assert refusals()[0]["reason"] == "bad-answer"
    assert free(desk) == ["basalt", "cinder"]


def test_a_room_taken_meanwhile_is_asked_again_among_what_is_left(desk: RoomDesk) -> None:
    slow, quick = call(desk, "book_room", SIX), call(desk, "book_room", SIX)
    result(post(desk, "tools/call", second_leg(quick, choose("cinder")), id=2))
    again = result(post(desk, "tools/call", second_leg(slow, choose("cinder")), id=3))
    # One room is left, but the person turned it down: it is offered, not booked.
    assert offered(again) == ["basalt"]
    assert "cinder has been taken meanwhile" in again["inputRequests"]["room"]["params"]["message"]
    booked = result(post(desk, "tools/call", second_leg(again, choose("basalt")), id=4))
    assert booked["structuredContent"] == {"room": "basalt"}


def test_the_last_room_taken_meanwhile_is_a_tool_error(desk: RoomDesk) -> None:
    slow, quick, third = (call(desk, "book_room", SIX) for _ in range(3))
    result(post(desk, "tools/call", second_leg(quick, choose("cinder")), id=2))
    result(post(desk, "tools/call", second_leg(third, choose("basalt")), id=3))
    answer = result(post(desk, "tools/call", second_leg(slow, choose("cinder")), id=4))
    assert answer["isError"] is True


# The seal


def test_every_refused_state_looks_the_same_and_is_told_apart_in_the_log(refusals: Any) -> None:
    desk = new_desk()
    question = call(desk, "book_room", SIX, **ALICE)
    token = question["requestState"]
    position = len(token) // 2
    cases = {
        "state-tampered": token[:position] + ("A" if token[position] != "A" else "B") + token[position + 1 :],
        "state-malformed": token[:-1] + "!",
        "state-unknown-key": call(new_desk(KEY + "!"), "book_room", SIX, **ALICE)["requestState"],
        "state-other-context": call(desk, "book_room", SIX)["requestState"],
        "state-other-request": call(desk, "book_room", {**SIX, "attendees": 5}, **ALICE)["requestState"],
    }
    answers = set()
    for forged in cases.values():
        params = second_leg({"requestState": forged}, choose("cinder"))
        response = post(desk, "tools/call", params, id=7, **ALICE)
        assert error(response) == REFUSED_STATE
        answers.add(response.content)
    assert len(answers) == 1
    assert [line["reason"] for line in refusals()] == list(cases)
    assert all(line["method"] == "tools/call" and line["id"] == "7" for line in refusals())
    assert len({line["key"] for line in refusals()}) == 2  # all of one key but the stranger's
    assert free(desk) == ["basalt", "cinder"]
    booked = result(post(desk, "tools/call", second_leg(question, choose("cinder")), id=8, **ALICE))
    assert booked["structuredContent"] == {"room": "cinder"}


def test_a_state_expires(refusals: Any) -> None:
    desk = new_desk(ttl=0.05)
    question = call(desk, "book_room", SIX)
    time.sleep(0.1)
    assert error(post(desk, "tools/call", second_leg(question, choose("cinder")), id=2)) == REFUSED_STATE
    assert refusals()[-1]["reason"] == "state-expired"


def test_the_log_never_shows_a_token_or_a_key(desk: RoomDesk, caplog: pytest.LogCaptureFixture) -> None:
    question = call(desk, "book_room", SIX)
    other = {**SIX, "attendees": 5}
    post(desk, "tools/call", second_leg(question, choose("cinder"), other), id="\nrefused reason=none")
    post(desk, "tools/list", {}, authorization="Bearer no-such-token")
    assert len(caplog.records) == 2
    for record in caplog.records:
        line = record.getMessage()
        assert line.startswith("refused ") and "\n" not in line
        assert question["requestState"][12:] not in line and "no-such-token" not in line and KEY not in line


@pytest.mark.parametrize("format", ["compact", "python"])
def test_a_second_process_with_the_key_takes_the_second_leg(format: str) -> None:
    first, second = new_desk(format=format), new_desk(format=format)
    question = call(first, "book_room", SIX)
    booked = result(post(second, "tools/call", second_leg(question, choose("cinder")), id=2))
    assert booked["structuredContent"] == {"room": "cinder"}


def test_a_rotated_key_still_opens() -> None:
    desk = new_desk()
    rotated = RoomDesk(wireseal.Sealer(["a newer example key, for these tests too", KEY], audience="room-desk"))
    question = call(desk, "book_room", SIX)
    booked = result(post(rotated, "tools/call", second_leg(question, choose("cinder")), id=2))
    assert booked["structuredContent"] == {"room": "cinder"}


# Reissues


def test_a_reissue_gets_the_first_result_under_its_own_id(desk: RoomDesk) -> None:
    question = call(desk, "book_room", SIX)
    first = post(desk, "tools/call", second_leg(question, choose("cinder")), id=2)
    again = post(desk, "tools/call", second_leg(question, choose("cinder")), id="again")
    assert result(again) == result(first)
    assert again.json()["id"] == "again"
    assert free(desk) == ["basalt"]


@pytest.mark.parametrize("answer", [choose("basalt"), {"action": "decline"}, "cinder"])
def test_other_answers_with_a_used_token_are_refused(desk: RoomDesk, answer: Any, refusals: Any) -> None:
    question = call(desk, "book_room", SIX)
    post(desk, "tools/call", second_leg(question, choose("cinder")), id=2)
    assert error(post(desk, "tools/call", second_leg(question, answer), id=3)) == REFUSED_STATE
    (line,) = refusals()
    assert (line["reason"], line["id"]) == ("state-used", "3")
    assert len(bytes.fromhex(line["key"])) == 4
    assert free(desk) == ["basalt"]


def test_another_person_cannot_fetch_the_first_result(desk: RoomDesk, refusals: Any) -> None:
    question = call(desk, "book_room", SIX, **ALICE)
    params = second_leg(question, choose("cinder"))
    result(post(desk, "tools/call", params, id=2, **ALICE))
    assert error(post(desk, "tools/call", params, id=3, authorization="Bearer demo-token-of-bob")) == REFUSED_STATE
    assert error(post(desk, "tools/call", params, id=4)) == REFUSED_STATE
    assert [line["reason"] for line in refusals()] == ["state-other-context"] * 2


@pytest.mark.parametrize("copies", [2, 20])
def test_the_same_second_leg_at_once_books_once(desk: RoomDesk, copies: int) -> None:
    params = second_leg(call(desk, "book_room", SIX), choose("cinder"))

    async def all_at_once() -> list[httpx.Response]:
        legs = [send(desk, *request("tools/call", params, id=n)) for n in range(copies)]
        return await asyncio.gather(*legs)

    responses = asyncio.run(all_at_once())
    assert [response.json()["id"] for response in responses] == list(range(copies))
    assert all(result(response)["structuredContent"] == {"room": "cinder"} for response in responses)
    assert free(desk) == ["basalt"]


def test_two_people_at_once_get_two_rooms_or_a_question(desk: RoomDesk) -> None:
    first, second = call(desk, "book_room", SIX), call(desk, "book_room", SIX)

    async def at_once() -> list[httpx.Response]:
        legs = [second_leg(question, choose("cinder")) for question in (first, second)]
        return await asyncio.gather(*(send(desk, *request("tools/call", leg, id=2)) for leg in legs))

    kinds = sorted(result(response)["resultType"] for response in asyncio.run(at_once()))
    assert kinds == ["complete", "input_required"]
    assert free(desk) == ["basalt"]


def test_a_token_older_than_the_desk_is_refused(refusals: Any) -> None:
    """A desk that was started again does not know what was booked with the tokens of before."""
    question = call(new_desk(), "book_room", SIX)
    time.sleep(0.01)
    again = new_desk()
    assert error(post(again, "tools/call", second_leg(question, choose("cinder")), id=2)) == REFUSED_STATE
    assert refusals()[-1]["reason"] == "state-no-history"
    assert free(again) == ["basalt", "cinder"]


# HTTP


def test_only_post_is_served(desk: RoomDesk) -> None:
    for method in ("GET", "DELETE", "PUT"):
        response = asyncio.run(send(desk, b"", HEADERS, method))
        assert (response.status_code, response.headers["allow"]) == (405, "POST")


def test_other_paths_do_not_exist(desk: RoomDesk) -> None:
    async def get() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=desk)) as client:
            return await client.post("http://127.0.0.1:8080/")

    assert asyncio.run(get()).status_code == 404


def test_a_notification_is_taken_and_not_answered(desk: RoomDesk) -> None:
    body = json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}).encode()
    response = asyncio.run(send(desk, body, HEADERS))
    assert (response.status_code, response.content) == (202, b"")  # HTTP-07
    assert "content-type" not in response.headers


@pytest.mark.parametrize(("method", "reason"), [("tools/list", "cursor-not-string"), ("tools/call", "number-too-large")])
def test_a_number_that_python_cannot_read_is_the_peers_fault(
    desk: RoomDesk, method: str, reason: str, refusals: Any
) -> None:
    params = {"name": "check_availability", "arguments": {**SIX, "date": "huge"}, "cursor": "huge"}
    body, headers = request(method, params)
    body = body.replace(b'"huge"', b"9" * 5000)
    assert error(asyncio.run(send(desk, body, headers)))["code"] == -32602
    assert refusals()[0]["reason"] == reason


def test_a_page_from_elsewhere_is_refused(desk: RoomDesk) -> None:
    assert post(desk, "tools/list", {}, origin="http://evil.example").status_code == 403  # HTTP-16


def test_a_name_that_somebody_points_at_this_machine_is_refused(desk: RoomDesk) -> None:
    assert post(desk, "tools/list", {}, host="evil.example:8080").status_code == 403
    assert post(desk, "tools/list", {}, host="localhost:8080").status_code == 200


@pytest.mark.parametrize("authorization", ["Bearer no-such-token", "Basic YWxpY2U6", "Bearer", ""])
def test_an_unknown_bearer_is_not_anonymous(desk: RoomDesk, authorization: str, refusals: Any) -> None:
    response = post(desk, "tools/list", {}, authorization=authorization)
    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert refusals() == [{"reason": "unknown-bearer", "method": "-", "id": "-", "key": "-"}]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda body, headers: (body, {k: v for k, v in headers.items() if k != "mcp-method"}), -32020),
        (lambda body, headers: (body, {k: v for k, v in headers.items() if k != "mcp-name"}), -32020),
        (lambda body, headers: (b"[" + body + b"]", headers), -32600),
        (lambda body, headers: (body[:-1], headers), -32700),
        (lambda body, headers: (body.replace(b'"id": 1', b'"id": 1, "id": 1'), headers), -32600),
    ],
)
def test_mistakes_reach_the_wire_as_wireseal_words_them(desk: RoomDesk, change: Any, code: int, refusals: Any) -> None:
    body, headers = request("tools/call", {"name": "check_availability", "arguments": SIX})
    assert error(asyncio.run(send(desk, *change(body, headers))))["code"] == code
    assert len(refusals()) == 1


def test_a_body_that_is_too_large_is_not_read_to_its_end(desk: RoomDesk) -> None:
    chunk, chunks_read = b" " * 4096, 0
    answer: list[Event] = []

    async def receive() -> Event:
        nonlocal chunks_read
        chunks_read += 1
        return {"type": "http.request", "body": chunk, "more_body": True}  # it never ends

    async def send(event: Event) -> None:
        answer.append(event)

    fields = {**HEADERS, "host": "127.0.0.1", "mcp-method": "tools/list"}
    headers = [(name.encode(), value.encode()) for name, value in fields.items()]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}
    asyncio.run(desk(scope, receive, send))
    assert answer[0]["status"] == 413
    assert chunks_read == MAX_BODY_BYTES // len(chunk) + 1


def test_a_client_that_leaves_is_not_answered(desk: RoomDesk) -> None:
    async def receive() -> Event:
        return {"type": "http.disconnect"}

    async def send(event: Event) -> None:
        raise AssertionError(event)

    asyncio.run(desk({"type": "http", "method": "POST", "path": "/mcp", "headers": []}, receive, send))


def test_a_fault_of_the_server_is_answered(
    desk: RoomDesk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(meeting: Any) -> list[str]:
        raise RuntimeError("the calendar is on fire")

    monkeypatch.setattr(desk.desk.bookings, "free", fail)
    response = post(desk, "tools/call", {"name": "check_availability", "arguments": SIX}, id=9)
    assert response.json()["error"] == {"code": -32603, "message": "Internal error"}
    assert response.json()["id"] == 9
    assert "a fault of this server" in caplog.text


# Set-up


def test_a_key_can_be_text_or_a_file(tmp_path: Any) -> None:
    (tmp_path / "key").write_text(KEY + "\n")
    assert room_desk.read_key(KEY) == room_desk.read_key(f"@{tmp_path / 'key'}") == KEY.encode()


def test_a_short_key_is_refused_at_set_up() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        new_desk("too short")
