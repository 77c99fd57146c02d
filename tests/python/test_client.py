"""The client's half: tests/vectors/client.json in Python, and against the server's half."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import wireseal

DOCUMENT = json.loads((Path(__file__).resolve().parents[1] / "vectors" / "client.json").read_text(encoding="utf-8"))
assert DOCUMENT["format"] == "wireseal-client/1"
Case = dict[str, Any]
FAULT = {"misuse": "by its name in the core"}


def encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def loaded(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def requested(given: Case) -> Any:
    headers, body = wireseal.request(
        given["method"],
        encoded(given["params"]),
        id=json.loads(given["id"]),
        client_info=encoded(given["client_info"]),
        capabilities=encoded(given["capabilities"]),
        tool_schema=encoded(given["tool_schema"]),
    )
    return sent(headers, body, given["tool_schema"])


def sent(headers: dict[str, str], body: bytes, schema: str | None) -> Case:
    """What was built, after a look that a server admits it."""
    wireseal.admit(body, headers.items(), tool_schema=None if schema is None else lambda name: json.loads(schema))
    return {"body": body.decode(), "headers": [list(field) for field in headers.items()]}


def read(given: Case) -> Any:
    received = wireseal.read_result(given["body"].encode())
    error = received.error
    return {
        "id": received.id,
        "result_type": received.result_type,
        "ttl_ms": received.ttl_ms,
        "cache_scope": received.cache_scope,
        "input_requests": received.input_requests,
        "request_state": received.request_state,
        "next_cursor": received.next_cursor,
        "server_info": received.server_info,
        "error": error,
    }


def retried(given: Case) -> Any:
    received = wireseal.read_result(given["received"].encode())
    headers, body = wireseal.retry(
        given["sent"].encode(),
        received,
        given["responses"].encode(),
        id=json.loads(given["id"]),
        tool_schema=encoded(given["tool_schema"]),
    )
    return sent(headers, body, given["tool_schema"])


def probed(given: Case) -> Any:
    found = wireseal.probe(given["status"], given["body"].encode())
    return {"era": found.era, "versions": list(found.versions), "chosen": found.choose()}


def initialized(given: Case) -> Any:
    options = {"client_info": given["client_info"].encode(), "capabilities": given["capabilities"].encode()}
    return {"body": wireseal.initialize(given["version"], id=json.loads(given["id"]), **options).decode()}


def settled(given: Case) -> Any:
    return {"version": wireseal.read_result(given["body"].encode()).negotiated(given["versions"])}


def fresh(given: Case) -> Any:
    received = wireseal.read_result(given["received"].encode())
    until = received.fresh_until(given["sent"].encode(), given["received_ms"] / 1000)
    return {"until_ms": None if until is None else round(until * 1000)}


CALLS = {
    "request": requested,
    "read": read,
    "retry": retried,
    "probe": probed,
    "initialize": initialized,
    "negotiated": settled,
    "fresh": fresh,
}


def as_python(call: str, expect: Case) -> Case:
    """What the vector expects, as Python shows it."""
    if "misuse" in expect:
        return FAULT
    if call != "read" or "rejected" in expect:
        return expect
    error = loaded(expect["error"])
    values = {name: loaded(expect[name]) for name in ("id", "input_requests", "server_info")}
    return expect | values | {"error": error and (error["code"], error["message"], error.get("data"))}


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in DOCUMENT["cases"]])
def test_vector(case: Case) -> None:
    try:
        found = CALLS[case["call"]](case["with"])
    except wireseal.Rejected as refusal:
        assert refusal.to_bytes() == b""
        found = {"rejected": refusal.reason} | ({"offset": refusal.offset} if case["call"] == "read" else {})
    except ValueError:
        found = FAULT
    assert found == as_python(case["call"], case["expect"])


KEY = b"a secret of a test: never use it"
SCHEMA = {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]}
TOOL = {"type": "object", "properties": {"day": {"type": "string", "x-mcp-header": "Day"}}}


def test_three_rounds_with_the_servers_half() -> None:
    """MRTR: what each half writes, the other takes, round after round."""
    sealer = wireseal.Sealer([KEY], audience="desk")
    arguments = {"day": "Montag \u00e4", "n": 2**70}
    headers, body = wireseal.request(
        "tools/call",
        {"name": "book", "arguments": arguments, "_meta": {"progressToken": "p"}},
        id="r0",
        client_info={"name": "c", "version": "1"},
        capabilities={"elicitation": {"form": {}}},
        tool_schema=TOOL,
    )
    for round in range(3):
        msg = wireseal.admit(body, list(headers.items()), tool_schema=lambda name: TOOL)
        assert (msg.id, msg.name, msg.arguments, msg.progress_token) == (f"r{round}", "book", arguments, "p")
        opened = sealer.open(msg, principal="alice")
        assert (opened.state if opened else b"0") == str(round).encode()
        assert round == 0 or msg.input_responses == {f"q{round - 1}": {"action": "accept", "content": {"room": "x"}}}
        asked = {f"q{round}": wireseal.elicit("Which?", SCHEMA)}
        answer = wireseal.input_required(msg, asked, sealer=sealer, state=str(round + 1), principal="alice")
        received = wireseal.read_result(answer)
        assert received.input_requests is not None and list(received.input_requests) == [f"q{round}"]
        responses = {f"q{round}": {"action": "accept", "content": {"room": "x"}}}
        headers, body = wireseal.retry(body, received, responses, id=f"r{round + 1}", tool_schema=TOOL)
    msg = wireseal.admit(body, list(headers.items()), tool_schema=lambda name: TOOL)
    done = wireseal.read_result(wireseal.complete(msg, {"content": []}, server_info={"name": "s", "version": "1"}))
    assert (done.result_type, done.id, done.server_info) == ("complete", "r3", {"name": "s", "version": "1"})
    with pytest.raises(ValueError):
        wireseal.retry(body, done, {}, id=9)


def test_what_is_built_is_admitted() -> None:
    """Random requests: a server admits each with its headers, and reads what was put in."""
    rng = random.Random(20260728)
    words = ["a", "\u00e4", "=?base64?YQ==?=", " x", "x ", "\t", "\u2028", "\U0001f512", '"', "\\", "0", "x" * 300]

    def text() -> str:
        return "".join(rng.choice(words) for _ in range(rng.randint(1, 4)))

    for number in range(2000):
        ids: list[int | str] = [number, -number, text()[:300]]
        id = rng.choice(ids)
        arguments = {text(): rng.choice([text(), number, None, [1.5], {"a": text()}]) for _ in range(rng.randint(0, 3))}
        calls: list[tuple[str, Case | None]] = [
            ("tools/call", {"name": text(), "arguments": arguments}),
            ("resources/read", {"uri": text()}),
            ("prompts/get", {"name": text(), "arguments": {"a": text()}}),
            ("tools/list", {"cursor": text()}),
            ("server/discover", None),
            ("x/y", {"anything": arguments}),
        ]
        method, params = rng.choice(calls)
        headers, body = wireseal.request(method, params, id=id, client_info={"name": text(), "version": text()})
        msg = wireseal.admit(body, list(headers.items()))
        assert (msg.id, msg.method) == (id, method)
        found = dict(msg.params or {})
        del found["_meta"]
        assert found == (params or {})
        answer = wireseal.read_result(wireseal.complete(msg, {}))
        assert answer.id == id and answer.result is not None and answer.result["resultType"] == "complete"


@pytest.mark.parametrize("wrong", [True, 1.5, None, [1], "x" * 513, "\ud800"])
def test_ids_that_are_none(wrong: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        wireseal.request("tools/list", id=wrong)


def test_what_is_no_request_cannot_be_retried() -> None:
    received = wireseal.read_result(b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s"}}')
    for body in (b"", b"{}", b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', b'{"jsonrpc":"2.0","method":"a"}', b"\xff"):
        with pytest.raises(ValueError):
            wireseal.retry(body, received, {}, id=2)
    with pytest.raises(TypeError):
        wireseal.retry("{}", received, {}, id=2)  # type: ignore[arg-type]
    for status in (True, "200", 1.5, -1, 99999):
        with pytest.raises((ValueError, TypeError)):
            wireseal.probe(status, b"")  # type: ignore[arg-type]
