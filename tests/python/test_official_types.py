"""Every message that is built, validated by the official SDK's types of 2026-07-28: random ones, from a fixed seed.

The surface types stand for the schema, member by member. An `input_required` result is held against its own type: in the schema
the union of a method's results is satisfied by any object with a `resultType` (RES-08).
"""

from __future__ import annotations

import json
import random
from typing import Any

import mcp_types as types
import pytest
import wireseal
from mcp_types import jsonrpc
from mcp_types.methods import (
    CLIENT_REQUESTS,
    SERVER_NOTIFICATIONS,
    validate_client_request,
    validate_server_result,
)

VERSION = "2026-07-28"
KEY = b"a secret of a test: never use it"
CAPABILITIES: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}}
WORDS = ["a", "\u00e4", "\u2028", "\U0001f512", '"', "\\", "\n", "0", " ", "</script>", "x" * 40]
ROUNDS = 400


class Maker:
    """Random values."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def text(self) -> str:
        return "".join(self.rng.choice(WORDS) for _ in range(self.rng.randint(1, 5)))

    def id(self) -> int | str:
        ids: list[int | str] = [self.rng.randint(-(10**6), 10**12), self.text()]
        return self.rng.choice(ids)

    def value(self) -> Any:
        return self.rng.choice([self.text(), 1, 2.5, None, True, [self.text()], {self.text(): 1}])

    def maybe(self, name: str, value: Any) -> dict[str, Any]:
        return {name: value} if self.rng.random() < 0.5 else {}

    def implementation(self) -> dict[str, Any]:
        return {"name": self.text(), "version": self.text()} | self.maybe("title", self.text())

    def block(self) -> dict[str, Any]:
        blocks: list[dict[str, Any]] = [
            {"type": "text", "text": self.text()},
            {"type": "image", "data": "AA==", "mimeType": "image/png"},
            {"type": "resource_link", "uri": "a:b", "name": self.text()},
            {"type": "resource", "resource": {"uri": "a:b", "text": self.text()}},
        ]
        return self.rng.choice(blocks)

    def schema(self) -> dict[str, Any]:
        properties: list[dict[str, Any]] = [
            {"type": "string", "title": self.text(), "minLength": 1, "format": "email"},
            {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
            {"type": "string", "oneOf": [{"const": "a", "title": self.text()}]},
            {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "minItems": 1},
            {"type": "array", "items": {"anyOf": [{"const": "a", "title": self.text()}]}},
            {"type": "boolean", "default": True},
            {"type": "integer", "minimum": 1, "maximum": 5},
            {"type": "number", "description": self.text()},
        ]
        named = {f"p{at}": self.rng.choice(properties) for at in range(self.rng.randint(0, 4))}
        return {"type": "object", "properties": named} | ({"required": list(named)} if named else {})

    def question(self) -> bytes:
        message = {"role": "user", "content": {"type": "text", "text": self.text()}}
        sampling = {"messages": [message], "maxTokens": 5} | self.maybe("includeContext", "thisServer")
        return self.rng.choice(
            [
                wireseal.elicit(self.text(), self.schema()),
                wireseal.elicit_url(self.text(), "https://example.com/x"),
                wireseal.sample(sampling | self.maybe("temperature", 0.5) | self.maybe("stopSequences", [self.text()])),
                wireseal.list_roots(),
            ]
        )

    def request(self, method: str) -> wireseal.Message:
        """A request that the client's half builds, valid by the official types, and admitted."""
        known: dict[str, dict[str, Any]] = {
            "tools/call": {"name": self.text(), "arguments": {self.text(): self.value()}},
            "prompts/get": {"name": self.text(), "arguments": {self.text(): self.text()}},
            "resources/read": {"uri": "a:b"},
            "completion/complete": {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}},
            "subscriptions/listen": {
                "notifications": self.maybe("toolsListChanged", True) | self.maybe("resourceSubscriptions", ["a:b"])
            },
        }
        params = known.get(method, {})
        meta = {"_meta": {"progressToken": self.id(), "io.modelcontextprotocol/logLevel": "debug"}}
        _, body = wireseal.request(
            method, params | meta, id=self.id(), client_info=self.implementation(), capabilities=CAPABILITIES
        )
        sent = json.loads(body)
        jsonrpc.JSONRPCRequest.model_validate(sent, by_name=False)
        validate_client_request(method, VERSION, sent["params"])
        return wireseal.admit(body)


RESULTS: dict[str, Any] = {
    "server/discover": lambda make: {"supportedVersions": [VERSION], "capabilities": {"tools": {}}},
    "tools/list": lambda make: {"tools": [{"name": make.text(), "inputSchema": {"type": "object"}}]},
    "tools/call": lambda make: {"content": [make.block()]} | make.maybe("structuredContent", {"a": make.value()}),
    "prompts/list": lambda make: {"prompts": [{"name": make.text()}]} | make.maybe("nextCursor", make.text()),
    "prompts/get": lambda make: {"messages": [{"role": "user", "content": make.block()}]},
    "resources/list": lambda make: {"resources": [{"uri": "a:b", "name": make.text()}]},
    "resources/templates/list": lambda make: {"resourceTemplates": [{"uriTemplate": "a:{b}", "name": make.text()}]},
    "resources/read": lambda make: {"contents": [{"uri": "a:b", "text": make.text()}]},
    "completion/complete": lambda make: {"completion": {"values": [make.text()]}},
}


def test_the_methods_are_those_of_the_official_types() -> None:
    known = {method for method, version in CLIENT_REQUESTS if version == VERSION}
    assert known == {*RESULTS, "subscriptions/listen"}


def test_the_types_refuse_what_is_wrong() -> None:
    """Without this, types that let everything through would look like success."""
    for method, result in (("tools/list", {"resultType": "complete", "tools": [{}], "ttlMs": 0, "cacheScope": "private"}),
                           ("prompts/list", {"resultType": "complete", "prompts": [], "ttlMs": -1, "cacheScope": "private"}),
                           ("subscriptions/listen", {"resultType": "complete"})):
        with pytest.raises(ValueError):
            validate_server_result(method, VERSION, result)
    with pytest.raises(ValueError):
        notified(b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}')
    with pytest.raises(ValueError):
        validate_client_request("tools/call", VERSION, {"name": "t"})


def test_results_validate() -> None:
    make = Maker(1)
    for method, result in RESULTS.items():
        for _ in range(ROUNDS // 4):
            msg = make.request(method)
            own = result(make) | make.maybe("_meta", {"com.example/k": make.value()})
            cacheable = msg.method not in ("tools/call", "prompts/get", "completion/complete")
            hints: dict[str, Any] = {"ttl_ms": make.rng.randint(0, 10**9), "cache_scope": "public"} if cacheable else {}
            sent = json.loads(wireseal.complete(msg, own, server_info=make.implementation(), **hints))
            jsonrpc.JSONRPCResponse.model_validate(sent, by_name=False)
            assert sent["id"] == msg.id
            validate_server_result(method, VERSION, sent["result"])


def test_questions_validate() -> None:
    make = Maker(2)
    sealer = wireseal.Sealer([KEY], audience="desk")
    for _ in range(ROUNDS):
        msg = make.request(make.rng.choice(["tools/call", "prompts/get", "resources/read"]))
        questions = {make.text(): make.question() for _ in range(make.rng.randint(0, 3))}
        state: dict[str, Any] = {"sealer": sealer, "state": make.text(), "principal": "alice"}
        if questions and make.rng.random() < 0.5:
            state = {}
        sent = json.loads(wireseal.input_required(msg, questions, server_info=make.implementation(), **state))
        jsonrpc.JSONRPCResponse.model_validate(sent, by_name=False)
        validate_server_result(str(msg.method), VERSION, sent["result"])
        found = types.InputRequiredResult.model_validate(sent["result"], by_name=False)
        assert set(found.input_requests or {}) == set(questions) and (found.request_state is None) == (not state)


def notified(data: bytes | None) -> dict[str, Any]:
    """The notification, valid by the official types."""
    assert data is not None
    sent: dict[str, Any] = json.loads(data)
    jsonrpc.JSONRPCNotification.model_validate(sent, by_name=False)
    SERVER_NOTIFICATIONS[(sent["method"], VERSION)].model_validate(sent, by_name=False)
    return sent


def test_notifications_validate() -> None:
    make = Maker(3)
    for _ in range(ROUNDS):
        msg = make.request("tools/call")
        for step in range(3):
            progress = make.rng.choice([step, step + 0.5])
            notified(wireseal.progress(msg, progress, make.rng.choice([None, 9.5]), make.rng.choice([None, make.text()])))
        notified(wireseal.log(msg, "error", make.value(), make.rng.choice([None, make.text()])))
        notified(wireseal.notification("notifications/cancelled", {"requestId": make.id()} | make.maybe("reason", make.text())))
        listen = make.request("subscriptions/listen")
        all = wireseal.Subscriptions(tools=True, prompts=True, resources=True, updates=True)
        notified(all.acknowledge(listen))
        told = [*all.changed("tools"), *all.changed("prompts"), *all.updated("a:b/c")]
        for _, data in told:
            assert notified(data)["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == listen.id
        ended = json.loads(all.end(listen) or b"")
        jsonrpc.JSONRPCResponse.model_validate(ended, by_name=False)
        validate_server_result("subscriptions/listen", VERSION, ended["result"])


def test_errors_and_second_legs_validate() -> None:
    make = Maker(4)
    for _ in range(ROUNDS):
        msg = make.request("tools/call")
        _, error = wireseal.error(msg, make.rng.choice([-32602, -32603, 7]), make.text(), make.rng.choice([None, {"a": 1}]))
        jsonrpc.JSONRPCError.model_validate(json.loads(error), by_name=False)
        question = {"q": wireseal.elicit(make.text(), {"type": "object", "properties": {}})}
        _, first = wireseal.request("tools/call", {"name": make.text()}, id="first", capabilities=CAPABILITIES)
        asked = wireseal.read_result(wireseal.input_required(wireseal.admit(first), question, request_state=make.text()))
        answer = {"q": make.rng.choice([{"action": "accept", "content": {}}, {"action": "decline"}])}
        second = json.loads(wireseal.retry(first, asked, answer, id=make.id() if make.rng.random() < 0.5 else 2)[1])
        jsonrpc.JSONRPCRequest.model_validate(second, by_name=False)
        validate_client_request("tools/call", VERSION, second["params"])
