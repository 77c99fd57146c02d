"""The Python module as its users meet it: types in, types out, which fault raises what.

What the core decides is tested by the shared vectors; here a decision is only looked at where a conversion could
change it. Names in brackets are rules of the specification, numbered as in the core's tests.
"""

import base64
import copy
import gc
import json
import math
import os
import pickle
import random
import re
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
import wireseal

KEY = b"0123456789abcdef0123456789abcdef"
OTHER_KEY = b"fedcba9876543210fedcba9876543210"
NOW = 1_785_542_400.123
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SCHEMA = {"type": "object", "properties": {"room": {"type": "string", "enum": ["basalt", "cinder"]}}}


def request(
    method: str = "tools/call",
    params: Mapping[str, Any] | None = None,
    *,
    id: int | str | None = 7,
    meta: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A modern request; without an id, a modern notification."""
    own = {VERSION: "2026-07-28", CAPABILITIES: {"elicitation": {}}}
    if params is None:
        params = {"name": "book_room", "arguments": {"date": "2026-08-04", "attendees": 6}} if id is not None else {}
    message = {"jsonrpc": "2.0", "method": method, "params": {**params, "_meta": {**own, **(meta or {})}}}
    return message if id is None else {**message, "id": id}


def body(*args: Any, **kwargs: Any) -> bytes:
    return json.dumps(request(*args, **kwargs)).encode()


def fields(method: str = "tools/call", name: str | None = "book_room") -> list[tuple[bytes, bytes]]:
    own = [
        (b"host", b"127.0.0.1:8000"),
        (b"content-type", b"application/json"),
        (b"accept", b"application/json, text/event-stream"),
        (b"mcp-protocol-version", b"2026-07-28"),
        (b"mcp-method", method.encode()),
    ]
    return own if name is None else [*own, (b"mcp-name", name.encode())]


def message(*args: Any, **kwargs: Any) -> wireseal.Message:
    return wireseal.admit(body(*args, **kwargs))


def refusal(*args: Any, **kwargs: Any) -> wireseal.Rejected:
    with pytest.raises(wireseal.Rejected) as caught:
        wireseal.admit(*args, **kwargs)
    return caught.value


# The policy


def test_policy_defaults() -> None:
    policy = wireseal.Policy()
    assert (policy.versions, policy.legacy, policy.methods, policy.server_info) == (("2026-07-28",), (), None, None)
    assert (policy.max_bytes, policy.max_depth) == (4 * 1024 * 1024, 64)
    assert (policy.allowed_origins, policy.allowed_hosts) == (None, None)


def test_policy_keeps_what_it_is_given() -> None:
    policy = wireseal.Policy(
        versions=["2026-07-28"],
        legacy={"2025-06-18", "2025-03-26"},
        methods=(name for name in ["tools/call", "x/y"]),
        server_info={"name": "desk", "version": "1"},
        max_bytes=100,
        max_depth=5,
        allowed_origins=["https://desk.example"],
        allowed_hosts=("desk.example",),
    )
    assert policy.legacy == ("2025-06-18", "2025-03-26")
    assert policy.methods == ("tools/call", "x/y")
    assert policy.server_info == b'{"name":"desk","version":"1"}'
    assert (policy.max_bytes, policy.max_depth) == (100, 5)
    assert (policy.allowed_origins, policy.allowed_hosts) == (("https://desk.example",), ("desk.example",))
    assert wireseal.Policy(allowed_origins="*").allowed_origins == "*"


@pytest.mark.parametrize(
    ("setting", "error"),
    [
        ({"versions": ["2099-01-01"]}, ValueError),
        ({"versions": ["2025-06-18"]}, ValueError),
        ({"versions": "2026-07-28"}, TypeError),
        ({"versions": [2026]}, TypeError),
        ({"legacy": ["2026-07-28"]}, ValueError),
        ({"legacy": ["\ud800"]}, ValueError),
        ({"legacy": 5}, TypeError),
        ({"methods": "tools/call"}, TypeError),
        ({"methods": b"tools/call"}, TypeError),
        ({"methods": [b"tools/call"]}, TypeError),
        ({"server_info": "desk"}, TypeError),
        ({"server_info": b"{"}, ValueError),
        ({"server_info": [1]}, ValueError),
        ({"server_info": b'{"name":"a","name":"b","version":"1"}'}, ValueError),
        ({"server_info": {"name": math.nan}}, ValueError),
        ({"max_bytes": 0}, ValueError),
        ({"max_bytes": -1}, ValueError),
        ({"max_bytes": 1 << 31}, ValueError),
        ({"max_bytes": 1 << 80}, ValueError),
        ({"max_bytes": True}, TypeError),
        ({"max_bytes": 1.5}, TypeError),
        ({"max_bytes": "9"}, TypeError),
        ({"max_depth": 0}, ValueError),
        ({"max_depth": 257}, ValueError),
        ({"allowed_origins": "https://desk.example"}, TypeError),
        ({"allowed_hosts": "desk.example"}, TypeError),
        ({"allowed_hosts": [None]}, TypeError),
        ({"unknown": 1}, TypeError),
    ],
)
def test_policy_refuses(setting: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        wireseal.Policy(**setting)


def test_policy_is_keyword_only_and_immutable() -> None:
    with pytest.raises(TypeError):
        wireseal.Policy(("2026-07-28",))  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        wireseal.Policy().max_bytes = 5  # type: ignore[misc]


def test_policy_limits_hold() -> None:
    whole = body()
    assert wireseal.admit(whole, policy=wireseal.Policy(max_bytes=len(whole))).id == 7
    assert refusal(whole, policy=wireseal.Policy(max_bytes=len(whole) - 1)).reason == "body-too-large"
    assert refusal(whole, policy=wireseal.Policy(max_depth=2)).reason == "too-deep"
    assert refusal(whole, policy=wireseal.Policy(methods=["tools/list"])).status == 404


def test_policy_guards_origin_and_host() -> None:
    foreign = [*fields(), (b"origin", b"https://desk.example")]
    assert refusal(body(), foreign).status == 403
    assert wireseal.admit(body(), foreign, wireseal.Policy(allowed_origins=["https://desk.example"])).id == 7
    assert wireseal.admit(body(), foreign, wireseal.Policy(allowed_origins="*")).id == 7
    assert refusal(body(), fields(), wireseal.Policy(allowed_hosts=["desk.example"])).status == 403


# What goes in: bodies


class Bytes(bytes):
    """A subclass, as some frameworks have them."""


@pytest.mark.parametrize("form", [bytes, bytearray, memoryview, Bytes])
def test_body_forms(form: Callable[[bytes], Any]) -> None:
    assert wireseal.admit(form(body())).arguments == {"date": "2026-08-04", "attendees": 6}


def test_buffer_is_copied_before_it_is_read() -> None:
    buffer = bytearray(body())
    admitted = wireseal.admit(buffer)
    buffer[:] = b"x" * len(buffer)
    assert admitted.arguments_json == b'{"date": "2026-08-04", "attendees": 6}'
    assert admitted.method == "tools/call"


def test_strided_buffer() -> None:
    doubled = bytes(byte for byte in body() for _ in range(2))
    assert wireseal.admit(memoryview(doubled)[::2]).id == 7


def test_bytes_are_borrowed() -> None:
    given = body()
    before = sys.getrefcount(given)
    admitted = wireseal.admit(given)
    assert sys.getrefcount(given) == before + 1
    del admitted
    assert sys.getrefcount(given) == before


@pytest.mark.parametrize("wrong", [body().decode(), None, 5, [1, 2], {"jsonrpc": "2.0"}])
def test_body_of_another_type(wrong: Any) -> None:
    with pytest.raises(TypeError, match="body must be bytes"):
        wireseal.admit(wrong)


def test_many_members_get_more_scratch() -> None:
    """More members than the first try has room for [ENV-23]."""
    arguments = {f"member {number}": number for number in range(20_000)}
    admitted = message(params={"name": "book_room", "arguments": arguments})
    assert admitted.arguments == arguments
    twice = json.dumps(arguments)[:-1] + ', "member 7": 8}'
    text = body().replace(b'{"date": "2026-08-04", "attendees": 6}', twice.encode())
    assert refusal(text).reason == "duplicate-member"


# What goes in: headers


class Pairs:
    """Neither a list nor a mapping."""

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        return iter(fields())


class Multi:
    """What some frameworks call headers: not a Mapping, but with items()."""

    def items(self) -> list[tuple[str, str]]:
        return [(name.decode(), value.decode()) for name, value in fields()]


def as_text() -> list[tuple[str, str]]:
    return [(name.decode().title(), value.decode()) for name, value in fields()]


@pytest.mark.parametrize(
    "headers",
    [
        fields(),
        tuple(fields()),
        [list(pair) for pair in fields()],
        iter(fields()),
        Pairs(),
        Multi(),
        dict(fields()),
        as_text(),
        dict(as_text()),
        [*as_text()[:2], *fields()[2:]],
        [(name, value.decode()) for name, value in fields()],
    ],
    ids=lambda headers: type(headers).__name__,
)
def test_header_forms(headers: Any) -> None:
    """All of them count, whatever form they come in [HDR-06, HDR-09]."""
    assert wireseal.admit(body(), headers).name == "book_room"


@pytest.mark.parametrize(
    "form", [lambda pairs: pairs, lambda pairs: [(n.decode(), v.decode()) for n, v in pairs], iter]
)
def test_each_copy_of_a_header_counts(form: Callable[[list[tuple[bytes, bytes]]], Any]) -> None:
    """[HDR-14]"""
    twice = form([*fields(), (b"Mcp-Name", b"book_room")])
    rejected = refusal(body(), twice)
    assert (rejected.reason, rejected.code, rejected.status, rejected.id) == ("duplicate-header", -32020, 400, 7)


def test_header_mismatch() -> None:
    """[HDR-06, HDR-07]"""
    assert refusal(body(), fields(name="other")).reason == "name-mismatch"
    assert refusal(body(), fields(name=None)).reason == "name-header-missing"
    assert refusal(body(), []).reason == "version-header-missing"


def named(name: str) -> bytes:
    return body(params={"name": name, "arguments": {}})


@pytest.mark.parametrize("value", ["caf\u00e9", "\u65e5\u672c\u8a9e", "\ud83d", "a\u0080", "a\x00"])
def test_header_text_outside_ascii_is_the_cores_to_refuse(value: str) -> None:
    """[HDR-08] No encoding error escapes, whatever the text."""
    headers = [*as_text()[:-1], ("Mcp-Name", value)]
    assert refusal(named("book_room"), headers).reason == "header-value"


def test_encoded_header_value() -> None:
    """[HDR-05, PRM-18]"""
    sentinel = f"=?base64?{base64.b64encode('日本語'.encode()).decode()}?="
    assert wireseal.admit(named("日本語"), [*as_text()[:-1], ("Mcp-Name", sentinel)]).name == "日本語"


@pytest.mark.parametrize(
    "stranger", [("X-Owner", "Ren\u00e9"), ("X-Owner", "\u65e5"), ("\u65e5", "x"), (b"x", b"\xff")]
)
def test_headers_that_the_protocol_does_not_read_may_hold_anything(stranger: tuple[Any, Any]) -> None:
    assert wireseal.admit(body(), [*as_text(), stranger]).id == 7


@pytest.mark.parametrize(
    "headers",
    [5, "mcp-name", b"mcp-name", ["ab"], [b"ab"], [("a",)], [("a", "b", "c")], [("a", 1)], [(None, b"b")], {"a": None}],
)
def test_headers_of_another_type(headers: Any) -> None:
    with pytest.raises(TypeError, match="header"):
        wireseal.admit(body(), headers)


def test_errors_of_the_hosts_own_iterables_pass() -> None:
    def broken() -> Iterator[tuple[bytes, bytes]]:
        yield from fields()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        wireseal.admit(body(), broken())


def test_list_that_changes_while_it_is_read() -> None:
    class Changing(list[Any]):
        def __iter__(self) -> Iterator[Any]:
            for item in fields():
                self.clear()
                yield item

    assert wireseal.admit(body(), Changing(fields())).id == 7


# What goes in: the rest


def test_http_method() -> None:
    rejected = refusal(body(), fields(), http_method="GET")
    assert (rejected.reason, rejected.status, rejected.allow) == ("http-method", 405, "POST")
    assert refusal(body(), fields(), http_method="\ud800").status == 405
    assert refusal(b"{", fields()).allow is None


def test_legacy_version() -> None:
    text = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    policy = wireseal.Policy(legacy=["2025-11-25"])
    admitted = wireseal.admit(text, policy=policy, legacy_version="2025-11-25")
    assert (admitted.era, admitted.version) == ("legacy", "2025-11-25")
    with pytest.raises(ValueError, match="unknown protocol version"):
        wireseal.admit(text, policy=policy, legacy_version="2025")
    with pytest.raises(TypeError):
        wireseal.admit(text, policy=policy, legacy_version=2025)  # type: ignore[arg-type]


def test_arguments_of_admit() -> None:
    with pytest.raises(TypeError):
        wireseal.admit()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        wireseal.admit(body(), None, {"versions": ()})  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        wireseal.admit(body(), None, None, "POST")  # type: ignore[call-arg]


# The view


def test_view_of_a_request() -> None:
    meta = {
        "io.modelcontextprotocol/clientInfo": {"name": "desk client", "version": "3"},
        "io.modelcontextprotocol/logLevel": "warning",
        "progressToken": "p-1",
    }
    params = {
        "name": "book_room",
        "arguments": {"date": "2026-08-04"},
        "requestState": "w1.AAAA",
        "inputResponses": {"room": {"action": "accept", "content": {"room": "cinder"}}},
    }
    given = body(params=params, meta=meta)
    admitted = wireseal.admit(given)
    whole = json.loads(given)
    assert (admitted.kind, admitted.era, admitted.version) == ("request", "modern", "2026-07-28")
    assert (admitted.id, admitted.method, admitted.name) == (7, "tools/call", "book_room")
    assert admitted.params == whole["params"]
    assert admitted.arguments == params["arguments"]
    assert admitted.meta == whole["params"]["_meta"]
    assert admitted.client_info == {"name": "desk client", "version": "3"}
    assert admitted.capabilities == {"elicitation": {}}
    assert (admitted.log_level, admitted.progress_token) == ("warning", "p-1")
    assert admitted.request_state == "w1.AAAA"
    assert admitted.input_responses == params["inputResponses"]
    assert admitted.params_json is not None and json.loads(admitted.params_json) == whole["params"]
    assert admitted.params_json in given and admitted.arguments_json == b'{"date": "2026-08-04"}'


def test_view_of_what_is_absent() -> None:
    """[META-04, ENV-29]"""
    admitted = message("tools/list", {"arguments": None, "requestState": None})
    assert (admitted.name, admitted.arguments, admitted.arguments_json) == (None, None, None)
    assert (admitted.client_info, admitted.log_level, admitted.progress_token) == (None, None, None)
    assert (admitted.request_state, admitted.input_responses) == (None, None)


def test_view_of_a_notification() -> None:
    admitted = message("notifications/cancelled", {"requestId": 3}, id=None)
    assert (admitted.kind, admitted.id, admitted.method) == ("notification", None, "notifications/cancelled")
    odd = message("notifications/cancelled", {"_meta": {}}, id=None, meta={"progressToken": 1.5})
    odd.progress_token  # nothing checks it there, so whatever it is, asking does not fail
    bare = wireseal.admit(b'{"jsonrpc":"2.0","method":"notifications/cancelled"}')
    assert (bare.params, bare.params_json, bare.meta, bare.capabilities) == (None, None, None, None)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0", 0),
        ("-1", -1),
        ('""', ""),
        ('"0"', "0"),
        ("9007199254740993", 2**53 + 1),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", 2**63),
        ("-9223372036854775809", -(2**63) - 1),
        ("1" * 512, int("1" * 512)),
        ('"\\u65e5\\ud83d\\ude00"', "日😀"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_ids_keep_type_and_value(written: str, value: int | str) -> None:
    """[ENV-03, ENV-06, ENV-07]"""
    given = body(id="ID").replace(b'"ID"', written.encode())
    admitted = wireseal.admit(given)
    assert admitted.id == value and type(admitted.id) is type(value)
    assert wireseal.complete(admitted, {}).startswith(f'{{"jsonrpc":"2.0","id":{written},'.encode())


def test_names_are_decoded() -> None:
    given = named("NAME").replace(b'"NAME"', b'"b\\u00f6\\ud83d\\ude00\\n\\/"')
    assert wireseal.admit(given).name == "bö😀\n/"


def test_resource_uri_is_the_name() -> None:
    """[HDR-04]"""
    assert message("resources/read", {"uri": "rooms://all"}).name == "rooms://all"


def test_payloads_keep_every_digit_and_every_code_unit() -> None:
    arguments = b'{"n":123456789012345678901234567890,"f":1.10,"s":"\\ud800","t":"\\u0000"}'
    given = body().replace(b'{"date": "2026-08-04", "attendees": 6}', arguments)
    admitted = wireseal.admit(given)
    assert admitted.arguments == {"n": 123456789012345678901234567890, "f": 1.1, "s": "\ud800", "t": "\0"}
    assert admitted.arguments_json == arguments


def test_integer_that_python_does_not_read() -> None:
    digits = b"1" * (sys.get_int_max_str_digits() + 1)
    given = body().replace(b'"attendees": 6', b'"attendees": ' + digits)
    admitted = wireseal.admit(given)
    for _ in range(2):
        with pytest.raises(wireseal.Rejected) as refused:
            admitted.arguments
        assert (refused.value.reason, refused.value.code, refused.value.id) == ("number-too-large", -32602, 7)
        assert refused.value.method == "tools/call"
    assert admitted.arguments_json is not None and digits in admitted.arguments_json
    assert admitted.meta is not None


def test_values_are_made_once() -> None:
    admitted = message()
    for member in ("params", "arguments", "meta", "capabilities"):
        assert getattr(admitted, member) is getattr(admitted, member)
    assert admitted.arguments is not None
    admitted.arguments["date"] = "changed"
    assert admitted.arguments_json == b'{"date": "2026-08-04", "attendees": 6}'


def test_message_is_made_by_admit_alone() -> None:
    for made_by_others in (wireseal.Message, wireseal.Opened):
        with pytest.raises(TypeError):
            made_by_others()
    with pytest.raises(AttributeError):
        message().id = 8  # type: ignore[misc]


def test_repr() -> None:
    assert repr(message()) == "<wireseal.Message modern request method='tools/call' id=7>"
    assert repr(message(id="\ud83d\ude00\n")) == r"<wireseal.Message modern request method='tools/call' id='😀\n'>"


# Refusals


def test_rejected_has_all_that_the_answer_needs() -> None:
    """[HDR-20]"""
    rejected = refusal(body(), fields(method="tools/list"))
    assert (rejected.reason, rejected.code, rejected.status) == ("method-mismatch", -32020, 400)
    assert (rejected.id, rejected.data, rejected.offset, rejected.allow) == (7, None, None, None)
    answer = json.loads(rejected.to_bytes())
    assert answer == {"jsonrpc": "2.0", "id": 7, "error": {"code": -32020, "message": rejected.message}}
    assert rejected.message in str(rejected) and rejected.reason in str(rejected)


def test_rejected_data() -> None:
    given = body(meta={VERSION: "2099-01-01"})
    rejected = refusal(given)
    assert rejected.data == {"supported": ["2026-07-28"], "requested": "2099-01-01"}
    assert json.loads(rejected.to_bytes())["error"]["data"] == rejected.data
    rejected.data["supported"].clear()
    assert rejected.data["supported"] == ["2026-07-28"]


def test_parse_errors_tell_where() -> None:
    """[ENV-13, ENV-18]"""
    rejected = refusal(b'{"jsonrpc": @}')
    assert (rejected.code, rejected.status, rejected.id, rejected.offset) == (-32700, 400, None, 12)
    assert "at byte 12" in str(rejected)
    assert refusal(b'{"a":"\xff"}').offset == 6
    assert "id" not in json.loads(rejected.to_bytes())


def test_nothing_answers_a_notification() -> None:
    """[ENV-17]"""
    text = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}'
    rejected = refusal(text)
    assert (rejected.code, rejected.to_bytes()) == (-32600, b"")


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_rejected_can_be_copied_and_pickled(again: Callable[[wireseal.Rejected], wireseal.Rejected]) -> None:
    rejected = refusal(body(meta={VERSION: "2099-01-01"}, id="\u65e5"))
    rejected.add_note("seen at the gate")
    twin = again(rejected)
    assert type(twin) is wireseal.Rejected
    for member in ("reason", "code", "status", "message", "data", "id", "offset", "allow", "__notes__"):
        assert getattr(twin, member) == getattr(rejected, member)
    assert (twin.to_bytes(), str(twin), repr(twin)) == (rejected.to_bytes(), str(rejected), repr(rejected))


def test_reasons() -> None:
    names = [name for name, _, _, _ in wireseal.REASONS]
    assert len(set(names)) == len(names)
    for name, code, status, text in wireseal.REASONS:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
        assert text
        # The request is sound: an internal error, in-band (ERR-05, ERR-18).
        if name.startswith("once-") or name == "subscriptions-full":
            assert (code, status) == (-32603, 200)
            continue
        assert code in {-32700, -32600, -32601, -32602, -32020, -32021, -32022}
        assert 400 <= status < 500
    seal = ("malformed", "unknown-key", "tampered", "expired", "future", "other-request", "other-context")
    for local in (*seal, "used", "no-history", "undated"):
        row = next(row for row in wireseal.REASONS if row[0] == f"state-{local}")
        assert row[1:] == (-32602, 400, "Invalid or expired requestState")


def test_require() -> None:
    """[CAP-03, CAP-05, CAP-07]"""
    admitted = message()
    enough: list[Any] = [{}, {"elicitation": {}}, {"elicitation": {"form": {}}}, b'{"elicitation":{}}']
    for met in enough:
        admitted.require(met)
    with pytest.raises(wireseal.Rejected) as caught:
        admitted.require({"elicitation": {}, "sampling": {"tools": {}}})
    rejected = caught.value
    assert (rejected.code, rejected.status, rejected.id) == (-32021, 400, 7)
    assert rejected.data == {"requiredCapabilities": {"sampling": {"tools": {}}}}
    for wrong, error in [([], ValueError), (b"{", ValueError), ("{}", TypeError), ({"a": object()}, TypeError)]:
        with pytest.raises(error):
            admitted.require(wrong)  # type: ignore[arg-type]


# Answers


def test_complete() -> None:
    answer = wireseal.complete(message(), {"content": [], "ä": "日\u2028"})
    assert json.loads(answer) == {
        "jsonrpc": "2.0",
        "id": 7,
        "result": {"resultType": "complete", "content": [], "ä": "日\u2028"},
    }
    assert "日".encode() in answer and b"\n" not in answer


@pytest.mark.parametrize(
    "result", [b'{"content":[]}', bytearray(b'{"content":[]}'), memoryview(b' {"content" : [] } '), {"content": ()}]
)
def test_forms_of_json(result: Any) -> None:
    assert json.loads(wireseal.complete(message(), result))["result"]["content"] == []


def test_bytes_of_json_keep_their_numbers() -> None:
    assert b'"n":1.10,"m":123456789012345678901' in wireseal.complete(
        message(), b'{"n":1.10,"m":123456789012345678901}'
    )


def test_lone_surrogates_in_results() -> None:
    answer = wireseal.complete(message(), {"text": "a\ud800b", "ok": "é"})
    assert json.loads(answer)["result"]["text"] == "a\ud800b"
    answer.decode()


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ({"n": math.nan}, ValueError),
        ({"n": math.inf}, ValueError),
        (b'{"n":NaN}', ValueError),
        (b'{"a":1,"a":2}', ValueError),
        (b'{"a":1}x', ValueError),
        (b"", ValueError),
        (b"\xff", ValueError),
        ({1: "a", "1": "b"}, ValueError),
        ([], ValueError),
        (None, ValueError),
        (b"[]", ValueError),
        ({"resultType": "other"}, ValueError),
        ("{}", TypeError),
        ({"o": object()}, TypeError),
        ({("a",): 1}, TypeError),
    ],
)
def test_results_that_cannot_be_sent(result: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        wireseal.complete(message(), result)


def test_circular_result() -> None:
    result: dict[str, Any] = {}
    result["self"] = result
    with pytest.raises(ValueError, match="[Cc]ircular"):
        wireseal.complete(message(), result)


def test_cache_hints() -> None:
    """[CACHE-01]"""
    listing = message("tools/list", {})
    plain = json.loads(wireseal.complete(listing, {"tools": []}))["result"]
    assert (plain["ttlMs"], plain["cacheScope"]) == (0, "private")
    hinted = json.loads(wireseal.complete(listing, {"tools": []}, ttl_ms=5000, cache_scope="public"))["result"]
    assert (hinted["ttlMs"], hinted["cacheScope"]) == (5000, "public")
    with pytest.raises(ValueError):
        wireseal.complete(message(), {}, ttl_ms=1)
    for wrong, error in [({"ttl_ms": -1}, ValueError), ({"ttl_ms": True}, TypeError), ({"ttl_ms": 1.0}, TypeError)]:
        with pytest.raises(error):
            wireseal.complete(listing, {}, **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        wireseal.complete(listing, {}, cache_scope="shared")  # type: ignore[arg-type]


def test_server_info() -> None:
    """[META-17] The policy's unless told otherwise; Python value or bytes."""
    key = "io.modelcontextprotocol/serverInfo"
    policy = wireseal.Policy(server_info={"name": "desk", "version": "1"})
    admitted = wireseal.admit(body(), policy=policy)
    own = {"name": "annex", "version": "2"}
    question = {"room": wireseal.elicit("Which?", SCHEMA)}
    for answer, name in [
        (wireseal.complete(admitted, {}), "desk"),
        (wireseal.complete(admitted, {}, server_info=own), "annex"),
        (wireseal.complete(admitted, {}, server_info=json.dumps(own).encode()), "annex"),
        (wireseal.input_required(admitted, question), "desk"),
        (wireseal.input_required(admitted, question, server_info=own), "annex"),
    ]:
        assert json.loads(answer)["result"]["_meta"][key]["name"] == name
    assert key not in wireseal.complete(message(), {}).decode()
    with pytest.raises(ValueError):
        wireseal.complete(admitted, {}, server_info={"name": "no version"})


def test_only_requests_are_answered() -> None:
    """[ENV-17]"""
    notification = message("notifications/cancelled", {"requestId": 3}, id=None)
    with pytest.raises(ValueError):
        wireseal.complete(notification, {})
    with pytest.raises(ValueError):
        wireseal.input_required(notification, {}, request_state="x")


def test_large_answers() -> None:
    """More than the first guess at the buffer, and more than is written while other threads wait."""
    for size in (10, 500, 5000, 300_000):
        text = "\u2028" * size
        assert json.loads(wireseal.complete(message(), {"text": text}))["result"]["text"] == text
        status, answer = wireseal.error(message(), -32603, text, data={"text": text})
        assert json.loads(answer)["error"]["message"] == text


def test_error() -> None:
    """[ENV-12, ENV-13]"""
    status, answer = wireseal.error(message(), -32603, "Broken", data={"hint": 1})
    assert isinstance(status, int)
    error = {"code": -32603, "message": "Broken", "data": {"hint": 1}}
    assert json.loads(answer) == {"jsonrpc": "2.0", "id": 7, "error": error}
    values: list[tuple[Any, Any]] = [("text", "text"), (b"null", None), (0, 0), ([], []), (False, False)]
    for data, value in values:
        assert json.loads(wireseal.error(message(), -32603, "x", data)[1])["error"]["data"] == value
    assert "data" not in json.loads(wireseal.error(message(), -32603, "x", None)[1])["error"]
    nobody = json.loads(wireseal.error(None, -32603, "Broken")[1])
    assert "id" not in nobody
    assert wireseal.error(message(), -32601, "No such method")[0] == 404


def test_error_with_text_that_is_not_unicode() -> None:
    answer = wireseal.error(message(), -32602, "unknown key '\ud800'")[1]
    assert json.loads(answer.decode())["error"]["message"].startswith("unknown key '\ufffd")


@pytest.mark.parametrize("code", [1 << 31, -(1 << 40), 10**30])
def test_error_codes_out_of_range(code: int) -> None:
    with pytest.raises(ValueError):
        wireseal.error(None, code, "x")


@pytest.mark.parametrize("code", [True, 1.0, "5", None])
def test_error_codes_of_another_type(code: Any) -> None:
    with pytest.raises(TypeError):
        wireseal.error(None, code, "x")


def test_elicit() -> None:
    question = json.loads(wireseal.elicit("Which \ud800 room?", SCHEMA))
    assert question["method"] == "elicitation/create"
    assert question["params"]["requestedSchema"] == SCHEMA
    assert question["params"]["message"].startswith("Which \ufffd")
    assert wireseal.elicit("a", json.dumps(SCHEMA).encode()) == wireseal.elicit("a", SCHEMA)
    for wrong, error in [(b"{", ValueError), ([], ValueError), ("{}", TypeError), (None, ValueError)]:
        with pytest.raises(error):
            wireseal.elicit("a", wrong)  # type: ignore[arg-type]


def test_input_required() -> None:
    """[MRTR-02]"""
    questions = {"room": wireseal.elicit("Which room?", SCHEMA), "floor": json.loads(wireseal.elicit("Floor?", SCHEMA))}
    answer = json.loads(wireseal.input_required(message(), questions, request_state="token"))
    result = answer["result"]
    assert (answer["id"], result["resultType"], result["requestState"]) == (7, "input_required", "token")
    assert list(result["inputRequests"]) == ["room", "floor"]
    assert result["inputRequests"]["room"]["params"]["message"] == "Which room?"
    only_state = json.loads(wireseal.input_required(message(), {}, request_state="token"))["result"]
    assert "inputRequests" not in only_state


def test_input_required_needs_the_capability() -> None:
    """[CAP-03, CAP-07]"""
    admitted = message(meta={CAPABILITIES: {}})
    with pytest.raises(wireseal.Rejected) as caught:
        wireseal.input_required(admitted, {"room": wireseal.elicit("Which room?", SCHEMA)})
    assert (caught.value.code, caught.value.id) == (-32021, 7)
    assert "elicitation" in caught.value.data["requiredCapabilities"]


@pytest.mark.parametrize(
    ("questions", "options", "error"),
    [
        ({}, {}, ValueError),
        ({"room": {"method": "tools/call"}}, {}, ValueError),
        ({"room": b"nope"}, {}, ValueError),
        ({"room": "text"}, {}, TypeError),
        ({1: wireseal.elicit("a", SCHEMA)}, {}, TypeError),
        ({"\ud800": wireseal.elicit("a", SCHEMA)}, {}, ValueError),
        ([wireseal.elicit("a", SCHEMA)], {}, TypeError),
        (None, {"request_state": "t"}, TypeError),
        ({}, {"request_state": b"t"}, TypeError),
        ({}, {"state": b"s"}, TypeError),
        ({}, {"request_state": "t", "principal": "alice"}, TypeError),
        ({}, {"request_state": "t", "now": NOW}, TypeError),
    ],
)
def test_input_required_refuses(questions: Any, options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        wireseal.input_required(message(), questions, **options)


def test_other_methods_cannot_ask() -> None:
    """[MRTR-02]"""
    with pytest.raises(ValueError):
        wireseal.input_required(message("tools/list", {}), {"room": wireseal.elicit("Which room?", SCHEMA)})


# Sealing


def sealer(*keys: bytes | str, **options: Any) -> wireseal.Sealer:
    return wireseal.Sealer(list(keys or (KEY,)), **{"audience": "desk", **options})


def second_leg(token: str, **kwargs: Any) -> wireseal.Message:
    """The request again, with the token and an answer."""
    arguments = {"date": "2026-08-04", "attendees": 6}
    answers = {"room": {"action": "accept", "content": {"room": "cinder"}}}
    params = {"name": "book_room", "arguments": arguments, "requestState": token, "inputResponses": answers}
    return message(params={**params, **kwargs.pop("params", {})}, **{"id": 8, **kwargs})


def opened(box: wireseal.Sealer, leg: wireseal.Message, **options: Any) -> wireseal.Opened:
    found = box.open(leg, **{"principal": "alice", "now": NOW + 1, **options})
    assert found is not None
    return found


def refused(box: wireseal.Sealer, leg: wireseal.Message, **options: Any) -> wireseal.Rejected:
    with pytest.raises(wireseal.Rejected) as caught:
        opened(box, leg, **options)
    return caught.value


@pytest.mark.parametrize("format", ["compact", "python"])
@pytest.mark.parametrize("state", ["free: basalt, cinder", "", "日本語 \u2028", b"bytes"])
def test_seal_and_open(format: str, state: bytes | str) -> None:
    box = sealer(format=format)
    token = box.seal(message(), state, principal="alice", now=NOW)
    assert type(token) is str and token.isascii()
    found = opened(box, second_leg(token))
    assert found.state == (state if isinstance(state, bytes) else state.encode())
    assert found.format == format
    assert found.bound == {"method", "target", "arguments", "audience", "principal"}
    assert type(found.bound) is frozenset
    assert [len(value) for value in (found.key_id, found.token_id, found.reissue_key)] == [4, 16, 16]
    assert {type(value) for value in (found.state, found.key_id, found.token_id, found.reissue_key)} == {bytes}


def test_times_are_exact_to_the_millisecond() -> None:
    for now in (1_785_542_400, 1_785_542_400.001, 1_785_542_400.123, 1_785_542_400.999, 1_600_000_000.0005 + 0.0005):
        box = sealer(ttl=1.5)
        found = opened(box, second_leg(box.seal(message(), "", principal="alice", now=now)), now=now)
        assert found.issued_at == round(now, 3)
        assert found.expires_at == round(now + 1.5, 3)
    token = sealer(ttl=1.5).seal(message(), "", principal="alice", now=NOW)
    assert opened(sealer(), second_leg(token), now=round(NOW + 1.499, 3)).state == b""
    assert refused(sealer(), second_leg(token), now=round(NOW + 1.5, 3)).reason == "state-expired"


def test_the_systems_clock() -> None:
    box = sealer()
    before = time.time()
    found = box.open(second_leg(box.seal(message(), "x", principal=None)), principal=None)
    assert found is not None and found.issued_at is not None and found.expires_at is not None
    assert before - 0.001 <= found.issued_at <= time.time()
    assert math.isclose(found.expires_at - found.issued_at, 600)


def test_open_without_a_token() -> None:
    assert sealer().open(message(), principal=None) is None


def test_only_requests_carry_state() -> None:
    for params in ({}, {"requestState": "w1.AAAA"}):
        notification = message("notifications/cancelled", params, id=None)
        with pytest.raises(ValueError):
            sealer().open(notification, principal=None)
        with pytest.raises(ValueError):
            sealer().seal(notification, "x", principal=None)


def test_unbound_context_is_told() -> None:
    box = sealer(audience=None)
    found = opened(box, second_leg(box.seal(message(), "", principal=None, now=NOW)), principal=None)
    assert found.bound == {"method", "target", "arguments"}


def test_refusals_look_alike_and_differ_locally() -> None:
    box = sealer()
    token = box.seal(message(), "x", principal="alice", now=NOW)
    flipped = token[:-5] + ("A" if token[-5] != "A" else "B") + token[-4:]
    leg = second_leg(token)
    other = second_leg(token, params={"arguments": {"date": "2026-08-05", "attendees": 6}})
    causes = {
        "state-malformed": refused(box, second_leg("w1.?")),
        "state-unknown-key": refused(sealer(OTHER_KEY), leg),
        "state-tampered": refused(box, second_leg(flipped)),
        "state-expired": refused(box, leg, now=NOW + 600),
        "state-future": refused(box, leg, now=NOW - 61),
        "state-other-request": refused(box, other),
        "state-other-context": refused(box, leg, principal="bob"),
    }
    assert {reason: rejected.reason for reason, rejected in causes.items()} == {reason: reason for reason in causes}
    assert refused(sealer(audience="annex"), leg).reason == "state-other-context"
    assert refused(box, leg, principal=None).reason == "state-other-context"
    assert len({rejected.to_bytes() for rejected in causes.values()}) == 1
    rejected = causes["state-tampered"]
    assert (rejected.code, rejected.status, rejected.id) == (-32602, 400, 8)
    assert rejected.message == "Invalid or expired requestState"
    assert rejected.data == {"reason": "invalid_request_state"}


def test_reissue_keys() -> None:
    box = sealer()
    token = box.seal(message(), "x", principal="alice", now=NOW)
    first = opened(box, second_leg(token))
    again = opened(box, second_leg(token, id="another"))
    declined = opened(box, second_leg(token, params={"inputResponses": {"room": {"action": "decline"}}}))
    assert (again.token_id, again.reissue_key) == (first.token_id, first.reissue_key)
    assert declined.token_id == first.token_id and declined.reissue_key != first.reissue_key
    fresh = opened(box, second_leg(box.seal(message(), "x", principal="alice", now=NOW)))
    assert fresh.token_id != first.token_id and fresh.reissue_key != first.reissue_key


def test_rotation() -> None:
    old, both, turned, new = sealer(KEY), sealer(KEY, OTHER_KEY), sealer(OTHER_KEY, KEY), sealer(OTHER_KEY)
    token = both.seal(message(), "x", principal="alice", now=NOW)
    later = turned.seal(message(), "x", principal="alice", now=NOW)
    assert opened(old, second_leg(token)).key_id == opened(turned, second_leg(token)).key_id
    assert opened(both, second_leg(later)).state == opened(new, second_leg(later)).state == b"x"
    assert refused(new, second_leg(token)).reason == "state-unknown-key"


def test_formats_are_opened_when_accepted() -> None:
    python = sealer(format="python").seal(message(), "x", principal="alice", now=NOW)
    assert python.startswith("v1.")
    assert refused(sealer(), second_leg(python)).reason == "state-malformed"
    assert opened(sealer(accept=["python"]), second_leg(python)).format == "python"
    compact = sealer().seal(message(), "x", principal="alice", now=NOW)
    assert compact.startswith("w1.")
    assert opened(sealer(format="python", accept=("compact",)), second_leg(compact)).format == "compact"


def test_text_keys_are_utf8() -> None:
    token = sealer("schlüssel" * 4).seal(message(), "x", principal="alice", now=NOW)
    assert opened(sealer(("schlüssel" * 4).encode()), second_leg(token)).state == b"x"


@pytest.mark.parametrize(
    ("keys", "options", "error"),
    [
        ([], {}, ValueError),
        ([b"short"], {}, ValueError),
        ([b"x" * 31], {}, ValueError),
        ([b"x" * 1025], {}, ValueError),
        ([KEY, KEY], {}, ValueError),
        ([bytes([number]) * 32 for number in range(17)], {}, ValueError),
        (KEY, {}, TypeError),
        (KEY.decode(), {}, TypeError),
        (bytearray(KEY), {}, TypeError),
        ([5], {}, TypeError),
        (list(KEY), {}, TypeError),
        ([None], {}, TypeError),
        (None, {}, TypeError),
        (["\ud800" * 40], {}, ValueError),
        ([KEY], {"audience": b"desk"}, TypeError),
        ([KEY], {"audience": "a" * 4097}, ValueError),
        ([KEY], {"audience": "\ud800"}, ValueError),
        ([KEY], {"ttl": 0}, ValueError),
        ([KEY], {"ttl": 0.0004}, ValueError),
        ([KEY], {"ttl": -1}, ValueError),
        ([KEY], {"ttl": 12 * 86_400 + 0.001}, ValueError),
        ([KEY], {"ttl": math.nan}, ValueError),
        ([KEY], {"ttl": math.inf}, ValueError),
        ([KEY], {"ttl": 10**30}, ValueError),
        ([KEY], {"ttl": True}, TypeError),
        ([KEY], {"ttl": "600"}, TypeError),
        ([KEY], {"format": "jwt"}, ValueError),
        ([KEY], {"format": 1}, TypeError),
        ([KEY], {"accept": "python"}, TypeError),
        ([KEY], {"accept": ["jwt"]}, ValueError),
    ],
)
def test_sealer_refuses(keys: Any, options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        wireseal.Sealer(keys, **{"audience": None, **options})
    assert KEY.decode() not in str(caught.value)


def test_lifetimes_at_the_edge() -> None:
    for ttl in (0.001, 1, 12 * 86_400):
        assert sealer(ttl=ttl).seal(message(), "", principal=None, now=NOW)


def test_what_must_be_written_out() -> None:
    box = sealer()
    token = box.seal(message(), "x", principal=None, now=NOW)
    with pytest.raises(TypeError, match="audience"):
        wireseal.Sealer([KEY])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="principal"):
        box.seal(message(), "x")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="principal"):
        box.open(second_leg(token))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="principal"):
        box.seal_for("tools/call", None, None, "x")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="principal"):
        box.open_for(token, "tools/call", None, None)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("now", "error"),
    [
        (True, TypeError),
        ("1785542400", TypeError),
        (math.nan, ValueError),
        (math.inf, ValueError),
        (-math.inf, ValueError),
        (-1, ValueError),
        (-0.5, ValueError),
        (0, ValueError),
        (int(NOW * 1000), ValueError),
        (NOW * 1000, ValueError),
        (10**30, ValueError),
        (1e300, ValueError),
        (1_577_836_799.999, ValueError),
    ],
)
def test_implausible_times(now: Any, error: type[Exception]) -> None:
    box = sealer()
    token = box.seal(message(), "x", principal=None, now=NOW)
    with pytest.raises(error):
        box.seal(message(), "x", principal=None, now=now)
    with pytest.raises(error):
        box.open(second_leg(token), principal=None, now=now)


@pytest.mark.parametrize(
    ("format", "state", "error"),
    [
        ("compact", b"x" * 32_769, ValueError),
        ("python", b"\xff", ValueError),
        ("compact", "\ud800", ValueError),
        ("compact", None, TypeError),
        ("compact", bytearray(b"x"), TypeError),
        ("compact", {"a": 1}, TypeError),
    ],
)
def test_states_that_cannot_be_sealed(format: str, state: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        sealer(format=format).seal(message(), state, principal=None, now=NOW)


@pytest.mark.parametrize("format", ["compact", "python"])
def test_the_longest_state(format: str) -> None:
    """In a `python` token it is JSON, where each byte of this one takes six."""
    box = sealer(format=format)
    state = "\x01" * 32_768
    assert opened(box, second_leg(box.seal(message(), state, principal="alice", now=NOW))).state == state.encode()


@pytest.mark.parametrize(
    ("principal", "error"), [("a" * 4097, ValueError), ("\ud800", ValueError), (b"alice", TypeError)]
)
def test_principals_out_of_range(principal: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        sealer().seal(message(), "x", principal=principal, now=NOW)


def test_absent_and_empty_principal_differ() -> None:
    box = sealer()
    token = box.seal(message(), "x", principal="", now=NOW)
    assert opened(box, second_leg(token), principal="").bound >= {"principal"}
    assert refused(box, second_leg(token), principal=None).reason == "state-other-context"


def test_many_arguments_get_more_scratch() -> None:
    """The digest orders the members in scratch: more of them than the first try has room for."""
    arguments = {f"member {number}": number for number in range(5000)}
    turned = dict(reversed(arguments.items()))
    for format in ("compact", "python"):
        box = sealer(format=format)
        token = box.seal(message(params={"name": "book_room", "arguments": arguments}), "x", principal="alice", now=NOW)
        assert opened(box, second_leg(token, params={"arguments": turned})).state == b"x"


def test_seal_for_and_open_for() -> None:
    box = sealer()
    arguments = {"date": "2026-08-04", "attendees": 6}
    answers = {"room": {"action": "accept", "content": {"room": "cinder"}}}
    token = box.seal_for("tools/call", "book_room", arguments, "x", principal="alice", now=NOW)
    by_message = opened(box, second_leg(token))
    for forms in (arguments, json.dumps(arguments).encode(), bytearray(b'{"attendees":6.0,"date":"2026-08-04"}')):
        by_parts = box.open_for(
            token, "tools/call", "book_room", forms, principal="alice", now=NOW + 1, input_responses_json=answers
        )
        assert by_parts.state == by_message.state
        assert (by_parts.token_id, by_parts.reissue_key) == (by_message.token_id, by_message.reissue_key)
    with pytest.raises(wireseal.Rejected) as caught:
        box.open_for(token, "tools/call", "book_room", None, principal="alice", now=NOW + 1)
    assert (caught.value.reason, caught.value.id) == ("state-other-request", None)
    assert "id" not in json.loads(caught.value.to_bytes())
    bare = box.seal_for("server/discover", None, None, "x", principal=None, now=NOW)
    assert box.open_for(bare, "server/discover", None, {}, principal=None, now=NOW).state == b"x"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ('{"a":1}', TypeError),
        (b'{"a":1', ValueError),
        (b'{"a":1,"a":2}', ValueError),
        ({"a": math.nan}, ValueError),
        ({"a": object()}, TypeError),
    ],
)
def test_arguments_that_are_not_json(arguments: Any, error: type[Exception]) -> None:
    box = sealer()
    with pytest.raises(error):
        box.seal_for("tools/call", "book_room", arguments, "x", principal=None, now=NOW)
    with pytest.raises(error):
        box.open_for("w1.AAAA", "tools/call", "book_room", arguments, principal=None, now=NOW)
    with pytest.raises(error):
        box.open_for("w1.AAAA", "a/b", None, None, principal=None, now=NOW, input_responses_json=arguments)


@pytest.mark.parametrize("token", ["", "w1.", "v1.", "\ud800", "日", "w1." + "A" * 300_000, "v1.a.b"])
def test_any_text_can_be_opened(token: str) -> None:
    box = sealer(accept=["python"])
    with pytest.raises(wireseal.Rejected) as caught:
        box.open_for(token, "tools/call", None, None, principal=None, now=NOW)
    assert caught.value.reason == "state-malformed"


def test_input_required_seals() -> None:
    box = sealer()
    question = {"room": wireseal.elicit("Which room?", SCHEMA)}
    answer = wireseal.input_required(message(), question, sealer=box, state="free", principal="alice", now=NOW)
    token = json.loads(answer)["result"]["requestState"]
    found = opened(box, second_leg(token))
    assert (found.state, found.issued_at) == (b"free", NOW)
    for options in (
        {"state": "x"},
        {"principal": "alice"},
        {"state": "x", "principal": "alice", "request_state": "t"},
    ):
        with pytest.raises(TypeError):
            wireseal.input_required(message(), question, sealer=box, **options)  # type: ignore[arg-type]
    assert b"requestState" in wireseal.input_required(message(), {}, sealer=box, state=b"", principal=None)


def test_the_state_is_not_readable() -> None:
    token = sealer().seal(message(), b"secret" * 10, principal="alice", now=NOW)
    payload = token.removeprefix("w1.")
    assert b"secret" not in base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))


def test_each_seal_is_fresh() -> None:
    box = sealer()
    assert len({box.seal(message(), "x", principal=None, now=NOW) for _ in range(200)}) == 200


def test_seals_differ_after_fork() -> None:
    box = sealer()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, box.seal(message(), "x", principal=None, now=NOW).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        theirs = pipe.read()
    assert theirs.startswith("w1.") and theirs != box.seal(message(), "x", principal=None, now=NOW)


def test_repr_shows_no_secret() -> None:
    box = sealer()
    found = opened(box, second_leg(box.seal(message(), "the state", principal="alice", now=NOW)))
    for shown in (repr(box), repr(found), str(found)):
        for secret in (KEY.decode(), "the state", "alice", found.token_id.hex(), repr(found.reissue_key)):
            assert secret not in shown
    assert not hasattr(box, "__dict__") and not hasattr(found, "__dict__")
    for thing in (box, found):
        with pytest.raises(TypeError):
            pickle.dumps(thing)


# The hooks


def test_hooks_are_not_public() -> None:
    assert "_testing" not in wireseal.__all__
    from wireseal import _testing

    box = sealer()
    fixed = bytes(range(20))
    tokens = {
        _testing.seal_with(box, message(), "x", principal="alice", now_ms=1_785_542_400_123, random=fixed)
        for _ in range(2)
    }
    assert len(tokens) == 1
    token = tokens.pop()
    named_token = _testing.seal_for_with(
        box,
        "tools/call",
        "book_room",
        {"date": "2026-08-04", "attendees": 6},
        "x",
        principal="alice",
        now_ms=1_785_542_400_123,
        random=fixed,
    )
    assert named_token == token
    found = _testing.open_at_ms(box, second_leg(token), principal="alice", now_ms=1_785_542_400_123)
    assert found is not None and found.issued_at == 1_785_542_400.123
    with pytest.raises(ValueError):
        _testing.seal_with(box, message(), "x", principal="alice", now_ms=1_785_542_400_123, random=b"short")


# Threads and hostile input


def test_many_threads_share_everything() -> None:
    policy = wireseal.Policy(server_info={"name": "desk", "version": "1"})
    box = sealer()
    shared = wireseal.admit(body(), fields(), policy)
    large = wireseal.admit(body(params={"name": "book_room", "arguments": {"text": "x" * 100_000}}), policy=policy)
    token = box.seal(shared, "x", principal="alice", now=NOW)
    failures: list[BaseException] = []
    start = threading.Barrier(8)

    def work() -> None:
        try:
            start.wait()
            for number in range(50):
                assert shared.params is shared.params
                assert large.arguments is not None and len(large.arguments["text"]) == 100_000
                leg = wireseal.admit(body(id=number), fields(), policy)
                assert leg.id == number
                assert opened(box, second_leg(token)).state == b"x"
                wireseal.complete(large, {"text": "y" * 70_000})
                big = wireseal.admit(body(params={"name": "book_room", "arguments": {"text": "z" * 70_000}}))
                assert box.seal(big, "x" * 1000, principal=None, now=NOW)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_other_threads_run_while_a_large_body_is_judged() -> None:
    """Also: what the host holds may go away meanwhile."""
    text = b"[" + b"1," * 1_900_000 + b"1]"
    given = body().replace(b'{"date": "2026-08-04", "attendees": 6}', b'{"a":' + text + b"}")
    ticks = 0
    stop = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not stop.is_set():
            ticks += 1
            time.sleep(0)

    thread = threading.Thread(target=tick)
    old = sys.getswitchinterval()
    sys.setswitchinterval(60)  # only a voluntary release lets the other thread in
    try:
        thread.start()
        before = ticks
        for _ in range(5):
            wireseal.admit(given)
        assert ticks > before
    finally:
        sys.setswitchinterval(old)
        stop.set()
        thread.join()


def test_only_rejected_for_hostile_bytes() -> None:
    """A deterministic stir of valid messages: nothing but a verdict comes out."""
    generator = random.Random(20260728)
    box = sealer(accept=["python"])
    token = box.seal(message(), "x", principal="alice", now=NOW)
    seeds = [body(), body("resources/read", {"uri": "rooms://all"}), b"[" + body() + b"]"]
    seeds.append(
        json.dumps(request(params={"name": "book_room", "requestState": token, "inputResponses": {}})).encode()
    )
    pieces = [
        b'"',
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b",",
        b"\\ud800",
        b"1e999999999",
        b"\xff",
        b"null",
        b"-",
        b"\x00",
    ]
    accepted = 0
    for _ in range(4000):
        text = bytearray(generator.choice(seeds))
        for _ in range(generator.randint(1, 4)):
            at = generator.randrange(len(text))
            text[at : at + generator.choice([0, 1, 1, 2, 9])] = generator.choice(pieces)
        try:
            admitted = wireseal.admit(bytes(text), generator.choice([None, fields()]))
        except wireseal.Rejected as rejected:
            assert rejected.to_bytes() == b"" or json.loads(rejected.to_bytes())["error"]["code"] == rejected.code
            continue
        accepted += 1
        repr(admitted), admitted.id, admitted.name, admitted.params, admitted.meta, admitted.capabilities
        if admitted.kind != "request":
            continue
        try:
            box.open(admitted, principal="alice", now=NOW)
        except wireseal.Rejected as rejected:
            assert rejected.reason.startswith("state-")
    assert accepted


def test_nothing_leaks() -> None:
    """Every message and every policy goes when its last name goes."""

    def references() -> int:
        return sys.getrefcount(given)

    given = body()
    policy = wireseal.Policy(server_info={"name": "desk", "version": "1"})
    policies = sys.getrefcount(policy)
    before = references()
    for _ in range(100):
        admitted = wireseal.admit(given, fields(), policy)
        admitted.params, admitted.arguments, admitted.meta
        with pytest.raises(wireseal.Rejected):
            wireseal.admit(given[:-1], fields(), policy)
    del admitted
    gc.collect()
    assert (references(), sys.getrefcount(policy)) == (before, policies)


def test_the_example_of_the_packages_readme() -> None:
    readme = Path(__file__).resolve().parents[2] / "bindings-python" / "README.md"
    (example,) = re.findall(r"^```python\n(.*?)^```$", readme.read_text(encoding="utf-8"), re.M | re.S)
    names: dict[str, Any] = {"key": KEY}
    exec(example, names)
    handle: Callable[[Any, bytes, str | None], tuple[int, bytes]] = names["handle"]
    status, answer = handle(fields(), body(), "alice")
    result = json.loads(answer)["result"]
    assert (status, result["resultType"]) == (200, "input_required")
    arguments = {"date": "2026-08-04", "attendees": 6}
    answers = {"room": {"action": "accept", "content": {"room": "cinder"}}}
    retry = {
        "name": "book_room",
        "arguments": arguments,
        "requestState": result["requestState"],
        "inputResponses": answers,
    }
    status, answer = handle(fields(), body(params=retry, id=8), "alice")
    assert (status, json.loads(answer)["result"]["content"][0]["text"]) == (200, "booked cinder")
    status, answer = handle(fields(), body(params=retry, id=9), "bob")
    assert (status, json.loads(answer)["error"]["data"]) == (400, {"reason": "invalid_request_state"})


def test_import_costs_no_dependency() -> None:
    """The module runs on the standard library alone, and hides its hooks until they are asked for."""
    code = (
        "import sys; before = set(sys.modules); import wireseal; new = set(sys.modules) - before\n"
        "allowed = set(sys.stdlib_module_names) | {'wireseal'}\n"
        "assert {name.split('.')[0] for name in new} <= allowed, new\n"
        "assert 'wireseal._testing' not in new"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# What a hostile reader found


def extension(name: str, arguments: Any = None) -> wireseal.Message:
    """A request of a method that the specification does not have."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"_meta": meta, "name": name, "arguments": arguments}
    return wireseal.admit(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "x/y", "params": params}).encode())


@pytest.mark.parametrize("format", ["compact", "python"])
def test_rs_12_extension_methods_are_bound_too(format: Literal["compact", "python"]) -> None:
    box = wireseal.Sealer([b"k" * 32], audience=None, format=format)
    token = box.seal(extension("a", [1]), "s", principal=None, now=NOW)

    def opened(name: str, arguments: Any) -> str:
        try:
            return box.open_for(token, "x/y", name, arguments, principal=None, now=NOW).state.decode()
        except wireseal.Rejected as refused:
            return refused.reason

    assert opened("a", [1]) == "s"
    assert opened("b", [1]) == "state-other-request"
    assert opened("a", [2]) == "state-other-request"


@pytest.mark.parametrize("member", ["result", "error"])
def test_env_21_a_response_too_deep_is_not_answered_on_stdio(member: str) -> None:
    deep = b'{"jsonrpc":"2.0","id":7,"' + member.encode() + b'":{"a":' + b"[" * 100 + b"]" * 100 + b"}}"
    with pytest.raises(wireseal.Rejected) as refused:
        wireseal.admit(deep)
    assert (refused.value.reason, refused.value.id, refused.value.to_bytes()) == ("too-deep", None, b"")


def test_ids_are_read_under_the_lowest_digit_limit() -> None:
    code = (
        "import wireseal\n"
        'print(wireseal.admit(b\'{"jsonrpc":"2.0","id":\' + b"9" * 512 + b\',"method":"initialize"}\', '
        'policy=wireseal.Policy(legacy=("2025-06-18",))).id % 1000)'
    )
    run = subprocess.run([sys.executable, "-X", "int_max_str_digits=640", "-c", code], capture_output=True, text=True)
    assert (run.stdout, run.returncode) == ("999\n", 0), run.stderr


def test_ver_04_a_policy_serves_something() -> None:
    with pytest.raises(ValueError, match="version"):
        wireseal.Policy(versions=())


@pytest.mark.parametrize("wrong", [{"sampling": 5}, {"sampling": {"tools": 5}}, {"extensions": {"a/b": None}}])
def test_err_07_required_capabilities_are_objects(wrong: Any) -> None:
    with pytest.raises(ValueError, match="capability"):
        message().require(wrong)


def test_a_message_in_its_own_arguments_is_collected() -> None:
    class Marker:
        pass

    marker = Marker()
    watched = weakref.ref(marker)
    held = message()
    assert held.arguments is not None
    held.arguments["circle"] = held
    held.arguments["marker"] = marker
    del held, marker
    gc.collect()
    assert watched() is None


def test_what_the_hosts_own_code_raises_passes() -> None:
    class Broken:
        def __iter__(self) -> Iterator[Any]:
            raise ZeroDivisionError

        def __index__(self) -> int:
            raise ZeroDivisionError

    broken: Any = Broken()
    for call in (
        lambda: wireseal.admit(body(), broken),
        lambda: wireseal.Policy(max_bytes=broken),
        lambda: wireseal.Policy(methods=broken),
        lambda: sealer().seal(message(), "s", principal=None, now=broken),
    ):
        with pytest.raises(ZeroDivisionError):
            call()
