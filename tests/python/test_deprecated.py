"""What 2026-07-28 deprecates, and which of it a message uses (LOG-09)."""

from __future__ import annotations

import json
from typing import Any

import pytest
import wireseal

NAMES = [name for name, *_ in wireseal.DEPRECATED]


def admitted(capabilities: dict[str, Any], **meta: Any) -> wireseal.Message:
    pair = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": pair | meta}}
    return wireseal.admit(json.dumps(body).encode())


def test_the_table() -> None:
    assert NAMES == ["roots", "sampling", "logging", "include-context", "dynamic-client-registration", "http-sse"]
    assert all(len(row) == 5 and all(row) for row in wireseal.DEPRECATED)
    since = {name: since for name, _, since, _, _ in wireseal.DEPRECATED}
    assert (since["logging"], since["include-context"], since["http-sse"]) == ("2026-07-28", "2025-11-25", "2025-03-26")


def test_what_a_request_uses() -> None:
    level = {"io.modelcontextprotocol/logLevel": "info"}
    assert admitted({}).deprecated == admitted({"elicitation": {}}).deprecated == ()
    assert admitted({"sampling": {}, "roots": {}}, **level).deprecated == ("roots", "sampling", "logging")
    assert admitted({}, **level).deprecated == ("logging",)
    policy = wireseal.Policy(legacy=("2025-11-25",))
    line = b'{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}'
    assert wireseal.admit(line, policy=policy, legacy_version="2025-11-25").deprecated == ()


@pytest.mark.parametrize(
    ("question", "names"),
    [
        (wireseal.list_roots(), ("roots",)),
        (wireseal.elicit("?", {"type": "object", "properties": {}}), ()),
        (wireseal.sample({"messages": [], "maxTokens": 1}), ("sampling",)),
        (wireseal.sample({"messages": [], "maxTokens": 1, "includeContext": "none"}), ("sampling",)),
        (wireseal.sample({"messages": [], "maxTokens": 1, "includeContext": "allServers"}), ("sampling", "include-context")),
    ],
)
def test_what_a_result_asks_for(question: bytes, names: tuple[str, ...]) -> None:
    result = b'{"resultType":"input_required","inputRequests":{"q":' + question + b"}}"
    assert wireseal.read_result(b'{"jsonrpc":"2.0","id":1,"result":' + result + b"}").deprecated == names
    assert wireseal.read_result(b'{"jsonrpc":"2.0","id":1,"result":{}}').deprecated == ()
