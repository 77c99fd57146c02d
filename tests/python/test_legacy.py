"""The handshake era in Python: batches, sessions and their HTTP side."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
import wireseal

LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
POLICY = wireseal.Policy(legacy=LEGACY, server_info={"name": "s", "version": "1"})


def body(method: str | None, params: Any = None, **members: Any) -> bytes:
    message: dict[str, Any] = {"jsonrpc": "2.0", **members}
    if method is not None:
        message["method"] = method
    if params is not None:
        message["params"] = params
    return json.dumps(message).encode()


def opened(version: str = "2025-11-25", **capabilities: Any) -> wireseal.LegacySession:
    """A session after its handshake."""
    session = wireseal.LegacySession(POLICY, capabilities={"tools": {}}, instructions="hi", session_id="s-1")
    params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": {"name": "c", "version": "2"}}
    event = session.receive(wireseal.admit(body("initialize", params, id=0), policy=POLICY))
    assert event.kind == "initialize" and event.reply is not None
    assert json.loads(event.reply) == {
        "jsonrpc": "2.0",
        "id": 0,
        "result": {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"},
            "instructions": "hi",
        },
    }
    assert (session.state, session.version) == ("initializing", version)
    assert session.client_info == {"name": "c", "version": "2"} and session.client_capabilities == capabilities
    assert session.receive(wireseal.admit(body("notifications/initialized"), policy=POLICY)).kind == "initialized"
    assert session.state == "ready" and session.session_id == "s-1"
    return session


def message(session: wireseal.LegacySession, data: bytes) -> wireseal.Message:
    return wireseal.admit(data, policy=POLICY, legacy_version=session.version)


def test_conversation() -> None:
    """LEG-12, LEG-13: a question during a call, its answer, and what is not an answer."""
    session = opened(elicitation={})
    call = message(session, body("tools/call", {"name": "t"}, id="q"))
    assert session.receive(call).kind == "request" and call.era == "legacy"
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    number, sent = session.request(wireseal.elicit("How many?", schema), during=call)
    assert json.loads(sent) == {
        "jsonrpc": "2.0",
        "id": number,
        "method": "elicitation/create",
        "params": {"mode": "form", "message": "How many?", "requestedSchema": schema},
    }
    answer = {"action": "accept", "content": {"n": 3}}
    assert session.receive(message(session, body(None, id=str(number), result=answer))).kind == "ignored"
    event = session.receive(message(session, body(None, id=number, result=answer)))
    assert (event.kind, event.request_id, event.method) == ("answered", number, "elicitation/create")
    assert event.result == answer and event.error is None
    assert session.receive(message(session, body(None, id=number, result=answer))).kind == "ignored"
    number, sent = session.ping()
    failed = session.receive(message(session, body(None, id=number, error={"code": -1, "message": "no"})))
    assert failed.error == {"code": -1, "message": "no"} and failed.result is None
    number, _ = session.ping()
    cancelled = session.cancel(number, "late")
    assert cancelled is not None
    assert json.loads(cancelled)["params"] == {"requestId": number, "reason": "late"}
    assert session.cancel(number) is None
    given_up = session.receive(message(session, body("notifications/cancelled", {"requestId": "q"})))
    assert (given_up.kind, given_up.cancelled_id) == ("cancelled", "q")


def test_order_and_ability() -> None:
    """LEG-04, LEG-05, LEG-08: what is out of order, and what a client cannot be asked."""
    session = wireseal.LegacySession(POLICY)
    call = wireseal.admit(body("tools/call", {"name": "t"}, id=1), policy=POLICY, legacy_version="2025-11-25")
    with pytest.raises(wireseal.Rejected) as early:
        session.receive(call)
    assert (early.value.reason, early.value.code) == ("not-initialized", -32600)
    with pytest.raises(wireseal.Rejected) as unasked:
        session.request(wireseal.list_roots(), during=call)
    assert (unasked.value.reason, unasked.value.id) == ("not-initialized", 1)
    ping = session.receive(wireseal.admit(body("ping", id=9), policy=POLICY, legacy_version="2025-11-25"))
    assert ping.kind == "ping" and ping.reply == b'{"jsonrpc":"2.0","id":9,"result":{}}'
    session = opened(roots={})
    with pytest.raises(wireseal.Rejected) as cannot:
        session.request(wireseal.elicit("?", {"type": "object", "properties": {}}), during=call)
    assert (cannot.value.reason, cannot.value.status, cannot.value.id) == ("client-cannot", 200, 1)
    assert session.request(wireseal.list_roots(), during=call)[0] == 1


def test_settings() -> None:
    settings: list[dict[str, Any]] = [{"session_id": "a b"}, {"session_id": ""}, {"capabilities": {"tools": 1}}, {"server_info": {"name": "s"}}]
    for bad in settings:
        with pytest.raises(ValueError):
            wireseal.LegacySession(POLICY, **bad)
    with pytest.raises(ValueError):
        wireseal.LegacySession(wireseal.Policy(legacy=LEGACY))


def test_batches() -> None:
    """LEG-14 to LEG-17."""
    ping, note = json.loads(body("ping", id=1)), json.loads(body("notifications/initialized"))
    entries = wireseal.admit_batch(
        json.dumps([ping, note, 7, {**ping, "id": 1}]).encode(), policy=POLICY, legacy_version="2025-03-26"
    )
    kinds = [entry.kind if isinstance(entry, wireseal.Message) else entry.reason for entry in entries]
    assert kinds == ["request", "notification", "not-an-object", "duplicate-id"]
    first = entries[0]
    assert isinstance(first, wireseal.Message) and first.id == 1
    assert wireseal.complete(first, {}) == b'{"jsonrpc":"2.0","id":1,"result":{}}'
    refused = entries[2]
    assert isinstance(refused, wireseal.Rejected) and json.loads(refused.to_bytes())["id"] is None
    for data, version, reason in (
        (b"[]", "2025-03-26", "empty-batch"),
        (json.dumps([ping]).encode(), "2025-06-18", "batch"),
        (json.dumps(ping).encode(), "2025-03-26", "not-a-batch"),
        (json.dumps([ping] * 65).encode(), "2025-03-26", "batch-too-long"),
    ):
        with pytest.raises(wireseal.Rejected) as caught:
            wireseal.admit_batch(data, policy=POLICY, legacy_version=version)
        assert caught.value.reason == reason


def test_large_batches_get_their_scratch() -> None:
    entry = body("tools/call", {"name": "t", "arguments": {f"k{i}": i for i in range(400)}}, id=1)
    entries = wireseal.admit_batch(b"[" + entry + b"]", policy=POLICY, legacy_version="2025-03-26")
    assert isinstance(entries[0], wireseal.Message) and len(entries[0].arguments or {}) == 400


def test_http() -> None:
    """LEG-18 to LEG-24."""
    assert wireseal.session_id([(b"mcp-session-id", b"abc")]) == "abc"
    for headers, reason, status in (
        ([], "session-missing", 400),
        ([("Mcp-Session-Id", "a b")], "session-id", 400),
        ([("Mcp-Session-Id", "a"), ("mcp-session-id", "a")], "duplicate-header", 400),
    ):
        with pytest.raises(wireseal.Rejected) as caught:
            wireseal.session_id(headers)
        assert (caught.value.reason, caught.value.status) == (reason, status)
    gone = wireseal.session_not_found(wireseal.admit(body("ping", id=4), policy=POLICY, legacy_version="2025-11-25"))
    assert (gone.reason, gone.status, gone.id) == ("session-not-found", 404, 4)
    accept = ("accept", "text/event-stream")
    assert wireseal.admit_stream("GET", [accept, ("last-event-id", "e-1")], POLICY) == ("listen", "e-1")
    assert wireseal.admit_stream("DELETE", [], POLICY) == ("end", None)
    with pytest.raises(wireseal.Rejected) as caught:
        wireseal.admit_stream("GET", [accept], wireseal.Policy())
    assert (caught.value.status, caught.value.allow) == (405, "POST")


def test_threads_share_a_session() -> None:
    """Every request gets an id of its own, whoever asks."""
    session = opened(roots={})
    call = message(session, body("tools/call", {"name": "t"}, id=1))
    ids: list[int] = []

    def ask() -> None:
        for _ in range(8):
            ids.append(session.ping()[0])

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ids) == list(range(1, 65))
    with pytest.raises(ValueError):
        session.ping()


VECTORS = json.loads((Path(__file__).resolve().parents[1] / "vectors" / "legacy.json").read_text(encoding="utf-8"))
assert VECTORS["format"] == "wireseal-legacy/1"
Case = dict[str, Any]


def rejection(refusal: wireseal.Rejected) -> Case:
    return {"rejected": refusal.reason, "status": refusal.status, "answer": refusal.to_bytes().decode()}


def latin1(headers: list[list[str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def run_batch(case: Case, policy: wireseal.Policy) -> Any:
    headers = None if case["headers"] is None else latin1(case["headers"])
    try:
        entries = wireseal.admit_batch(case["batch"].encode(), headers, policy, legacy_version=case["legacy_version"])
    except wireseal.Rejected as refusal:
        return rejection(refusal)
    return [
        {"method": entry.method}
        if isinstance(entry, wireseal.Message)
        else {"reason": entry.reason, "answer": entry.to_bytes().decode()}
        for entry in entries
    ]


def run_step(step: Case, session: wireseal.LegacySession, policy: wireseal.Policy) -> Case:
    if "cancel" in step:
        return {"text": (session.cancel(step["cancel"], step["reason"]) or b"").decode()}
    if "ping" in step:
        number, sent = session.ping()
        return {"text": sent.decode(), "id": number}
    if "request" in step:
        during = wireseal.admit(step["during"].encode(), policy=policy, legacy_version=session.version)
        try:
            number, sent = session.request(step["request"].encode(), during=during)
        except wireseal.Rejected as refusal:
            return rejection(refusal)
        except ValueError:
            return {"misuse": step["expect"].get("misuse")}
        return {"text": sent.decode(), "id": number}
    msg = wireseal.admit(step["receive"].encode(), policy=policy, legacy_version=session.version)
    try:
        event = session.receive(msg)
    except wireseal.Rejected as refusal:
        return rejection(refusal)
    found: Case = {"event": event.kind}
    if event.reply is not None:
        found["reply"] = event.reply.decode()
    if event.cancelled_id is not None:
        found["cancelled"] = json.dumps(event.cancelled_id)
    if event.request_id is not None:
        found |= {"id": event.request_id, "method": event.method}
        name, value = ("error", event.error) if event.error is not None else ("result", event.result)
        found[name] = json.dumps(value, separators=(",", ":"))
    if "version" in step["expect"]:
        found["version"] = session.version
    return found


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in VECTORS["cases"]])
def test_vector(case: Case) -> None:
    policy = wireseal.Policy(server_info={"name": "s", "version": "1"}, **case.get("policy", {}))
    if "batch" in case:
        assert run_batch(case, policy) == case["expect"]
    elif "steps" in case:
        session = wireseal.LegacySession(policy, capabilities={"tools": {}})
        for step in case["steps"]:
            assert run_step(step, session, policy) == step["expect"]
    else:
        try:
            if "answers" in case:
                answers = [answer.encode() for answer in case["answers"]]
                status, sent = wireseal.batch_answer(answers, refused=case["refused"])
                found: Case = {"status": status, "text": sent.decode()}
            elif "stream" in case:
                kind, value = wireseal.admit_stream(case["stream"], latin1(case["headers"]), policy)
                found = {"listen": value} if kind == "listen" else {"end": True}
            else:
                found = {"session": wireseal.session_id(latin1(case["session_headers"]))}
        except wireseal.Rejected as refusal:
            found = {"rejected": refusal.reason, "status": refusal.status}
            if refusal.allow is not None:
                found["allow"] = refusal.allow
        assert found == case["expect"]


DIGITS = b"1" * 5000  # more than Python makes an int of


def test_what_python_cannot_read_is_refused_and_the_session_stays_as_it_was() -> None:
    session = wireseal.LegacySession(POLICY)
    info = b'{"name":"c","version":"1","x":' + DIGITS + b"}"
    params = b'{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":' + info + b"}"
    opening = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":' + params + b"}"
    with pytest.raises(wireseal.Rejected) as refused:
        session.receive(wireseal.admit(opening, policy=POLICY))
    assert refused.value.reason == "number-too-large" and session.state == "new"
    session = opened(elicitation={})
    call = message(session, body("tools/call", {"name": "x", "arguments": {}}, id=1))
    number, _ = session.ping()
    head = b'{"jsonrpc":"2.0","id":' + str(number).encode()
    for member in (b'"result":{"x":' + DIGITS + b"}", b'"error":{"code":1,"message":"m","data":' + DIGITS + b"}"):
        with pytest.raises(wireseal.Rejected) as refused:
            session.receive(message(session, head + b"," + member + b"}"))
        # There is no answer to an answer, so the status has to tell.
        assert (refused.value.reason, refused.value.status) == ("number-too-large", 400)
        assert refused.value.to_bytes() == b""
    assert session.receive(message(session, head + b',"result":{}}')).request_id == number


def test_a_refused_legacy_notification_is_refused_by_its_status() -> None:
    """2025-11-25, transports, sending messages: what cannot be accepted is answered by an HTTP error status."""
    with pytest.raises(wireseal.Rejected) as refused:
        wireseal.admit(body("notifications/x", {"_meta": 5}), policy=POLICY, legacy_version="2025-11-25")
    assert (refused.value.status, refused.value.to_bytes()) == (400, b"")


def test_what_the_client_said_can_be_collected_with_its_session() -> None:
    """The host may have put the session into a value that the session holds."""
    session = opened(elicitation={})
    session.client_info["session"] = session
    session.client_capabilities["session"] = [session]
    gone = weakref.ref(collected := type("Witness", (), {})())
    session.client_info["witness"] = collected
    del session, collected
    gc.collect()
    assert gone() is None


def test_what_a_client_answered_can_be_collected_with_its_event() -> None:
    session = opened(elicitation={})
    members: list[dict[str, Any]] = [{"result": {}}, {"error": {"code": 1, "message": "m"}}]
    for member in members:
        number, _ = session.ping()
        event = session.receive(message(session, body(None, id=number, **member)))
        held = event.error if event.result is None else event.result
        gone = weakref.ref(collected := type("Witness", (), {})())
        held["event"], held["witness"] = event, collected
        del event, held, collected
        gc.collect()
        assert gone() is None


def test_batch_answer_takes_bytes() -> None:
    assert wireseal.batch_answer(iter([b"1", b"2" * 5000])) == (200, b"[1," + b"2" * 5000 + b"]")
    with pytest.raises(TypeError, match="an answer must be bytes, not str"):
        wireseal.batch_answer(["{}"])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        wireseal.batch_answer(None)  # type: ignore[arg-type]


def test_leg_10_a_batch_without_its_session() -> None:
    gone = wireseal.session_not_found(batch=True)
    assert (gone.status, json.loads(gone.to_bytes())["id"]) == (404, None)
    with pytest.raises(wireseal.Rejected) as refused:
        wireseal.session_id([], batch=True)
    assert (refused.value.reason, json.loads(refused.value.to_bytes())["id"]) == ("session-missing", None)
    assert "id" not in json.loads(wireseal.session_not_found().to_bytes())


@pytest.mark.parametrize("info", [{"name": "\ud800", "version": "1"}, {"name": "s", "version": "1", "title": "\udfff"}])
def test_a_server_that_has_no_unicode_name_is_refused(info: dict[str, str]) -> None:
    for given in (info, json.dumps(info).encode()):
        with pytest.raises(ValueError, match="surrogate"):
            wireseal.Policy(server_info=given)
        with pytest.raises(ValueError, match="surrogate"):
            wireseal.LegacySession(POLICY, server_info=given)


@pytest.mark.parametrize("text", ["\ud800", "a\udfff"])
def test_text_that_is_no_unicode_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        wireseal.LegacySession(POLICY, instructions=text)
    session = opened()
    number, _ = session.ping()
    with pytest.raises(ValueError):
        session.cancel(number, text)
    assert session.cancel(number, "late") is not None


def test_leg_56_the_servers_name_stays_out_of_legacy_results() -> None:
    session = opened()
    call = message(session, body("tools/call", {"name": "x", "arguments": {}}, id=1))
    name = {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}
    for meta, sent in ((name, None), ({**name, "com.example/x": 1}, {"com.example/x": 1}), ({}, {})):
        result: dict[str, Any] = {"content": [], "_meta": meta, "resultType": "complete"}
        expected = {"content": []} if sent is None else {"content": [], "_meta": sent}
        assert json.loads(wireseal.complete(call, result))["result"] == expected


# In a process of its own: should the lock be held where Python code runs, the interpreter stands still.
REFUSALS = """
import gc, sys, threading, wireseal
policy = wireseal.Policy(legacy=("2025-11-25",), server_info={"name": "s", "version": "1"})
session = wireseal.LegacySession(policy)
early = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}'
early = wireseal.admit(early, policy=policy, legacy_version="2025-11-25")

class Garbage:
    def __init__(self):
        self.me = self
    def __del__(self):
        session.state

def work():
    for _ in range(3000):
        Garbage()
        try:
            session.receive(early)
        except wireseal.Rejected:
            session.state

gc.set_threshold(1)
sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(session.state)
"""


def test_refusals_from_several_threads_hold_nobody_up() -> None:
    run = subprocess.run([sys.executable, "-c", REFUSALS], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr) == ("new\n", "")
