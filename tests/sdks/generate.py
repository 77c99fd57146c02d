"""Requests that are sound, nearly sound, or neither: what the SDKs and WireSeal are compared on.

A request starts sound. Up to two of the mutations below are applied to it; each says what it did by its name.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

VERSION = "2026-07-28"
LEGACY = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
META_VERSION = "io.modelcontextprotocol/protocolVersion"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
META_INFO = "io.modelcontextprotocol/clientInfo"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
METHODS = (
    *NAMED,
    "tools/list",
    "server/discover",
    "prompts/list",
    "resources/list",
    "com.example/extra",
    "initialize",
    "ping",
)


@dataclass
class Request:
    """One POST: its headers in order, and its body as a value or, where it is no JSON, as text."""

    headers: list[tuple[str, str]]
    body: Any
    text: str | None = None
    faults: list[str] = field(default_factory=list)
    number: int = 0

    def body_text(self) -> str:
        return json.dumps(self.body, separators=(",", ":")) if self.text is None else self.text

    def set_header(self, name: str, value: str | None) -> None:
        """Replaces a header, or takes it away."""
        self.headers = [(n, v) for n, v in self.headers if n.lower() != name.lower()]
        if value is not None:
            self.headers.append((name, value))


def sound(rng: random.Random) -> Request:
    """A modern request, a notification, or the opening of a legacy session."""
    method = rng.choice(METHODS)
    if method in ("initialize", "ping") or rng.random() < 0.08:
        params: dict[str, Any] = {}
        if method == "initialize":
            info = {"name": "c", "version": "1"}
            params = {"protocolVersion": rng.choice((*LEGACY, "2099-01-01")), "capabilities": {}, "clientInfo": info}
        headers = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")]
        if rng.random() < 0.5:
            headers.append(("mcp-protocol-version", rng.choice(LEGACY)))
        return Request(headers, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    params = {"_meta": {META_VERSION: VERSION, META_CAPABILITIES: rng.choice(({}, {"elicitation": {}}))}}
    headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", VERSION),
        ("mcp-method", method),
    ]
    if method in NAMED:
        name = rng.choice(("book_room", "rooms://all", "müll", "a b", " x"))
        params[NAMED[method]] = name
        headers.append(("mcp-name", encoded(name)))
    if method == "tools/call" and rng.random() < 0.5:
        params["arguments"] = {"n": 1}
    return Request(headers, {"jsonrpc": "2.0", "id": rng.choice((0, 1, "", "a", -5)), "method": method, "params": params})


def encoded(text: str) -> str:
    """The header form of a name (streamable-http, "Encoding")."""
    plain = text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?base64?")
    return text if plain else f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def meta(request: Request) -> dict[str, Any]:
    """The request's `_meta`, made if need be."""
    params = request.body.setdefault("params", {}) if isinstance(request.body, dict) else {}
    found = params.setdefault("_meta", {}) if isinstance(params, dict) else {}
    return found if isinstance(found, dict) else {}


Mutation = Callable[[random.Random, Request], None]
MUTATIONS: dict[str, Mutation] = {}


def mutation(name: str) -> Callable[[Mutation], Mutation]:
    """Registers a mutation under the name that a request then carries."""

    def register(change: Mutation) -> Mutation:
        MUTATIONS[name] = change
        return change

    return register


def to_header(name: str, *values: str | None) -> Mutation:
    return lambda rng, request: request.set_header(name, rng.choice(values))


def to_member(name: str, *values: Any) -> Mutation:
    """Sets a member of the body; `...` takes it away."""

    def change(rng: random.Random, request: Request) -> None:
        if isinstance(request.body, dict):
            set_member(request.body, name, rng.choice(values))

    return change


def to_meta(name: str, *values: Any) -> Mutation:
    return lambda rng, request: set_member(meta(request), name, rng.choice(values))


def to_param(name: str, *values: Any) -> Mutation:
    def change(rng: random.Random, request: Request) -> None:
        params = request.body.get("params") if isinstance(request.body, dict) else None
        if isinstance(params, dict):
            set_member(params, name, rng.choice(values))

    return change


def set_member(owner: dict[str, Any], name: str, value: Any) -> None:
    if value is ...:
        owner.pop(name, None)
    else:
        owner[name] = value


MUTATIONS |= {
    "version-header-absent": to_header("mcp-protocol-version", None),
    "version-header-legacy": to_header("mcp-protocol-version", *LEGACY),
    "version-header-unknown": to_header("mcp-protocol-version", "2099-01-01", "banana", "2026-07-2"),
    "version-header-blanks": to_header("mcp-protocol-version", f"  {VERSION}\t"),
    "method-header-absent": to_header("mcp-method", None),
    "method-header-other": to_header("mcp-method", "tools/other", "TOOLS/CALL", "", "=?base64?dG9vbHMvY2FsbA==?="),
    "name-header-absent": to_header("mcp-name", None),
    "name-header-other": to_header("mcp-name", "delete_all", "", "BOOK_ROOM"),
    "name-header-broken": to_header("mcp-name", "=?base64?%%?=", "=?base64?SGVsbG8?=", "=?base64?SGVsbG9=?=", "=?base64?/w==?="),
    "jsonrpc": to_member("jsonrpc", ..., "1.0", 2.0, 2, None),
    "id-absent": to_member("id", ...),
    "id-null": to_member("id", None),
    "id-type": to_member("id", True, [], {}),
    "id-fraction": to_member("id", 1.5),
    "id-integral-float": to_member("id", 1.0),
    "id-large": to_member("id", 2**53 + 1, 10**30),
    "method-absent": to_member("method", ...),
    "method-type": to_member("method", None, 7, ["tools/call"]),
    "params-absent": to_member("params", ...),
    "params-null": to_member("params", None),
    "params-list": to_member("params", [], [1]),
    "meta-absent": to_param("_meta", ...),
    "meta-type": to_param("_meta", None, [], "x"),
    "meta-version-absent": to_meta(META_VERSION, ...),
    "meta-version-type": to_meta(META_VERSION, None, 20260728, [VERSION]),
    "meta-version-other": to_meta(META_VERSION, "2099-01-01", "2025-11-25", "", "2026-07-28 "),
    "meta-capabilities-absent": to_meta(META_CAPABILITIES, ...),
    "meta-capabilities-type": to_meta(META_CAPABILITIES, None, [], "x"),
    "capability-type": to_meta(META_CAPABILITIES, {"elicitation": True}, {"sampling": []}, {"roots": None}),
    "client-info": to_meta(META_INFO, {"name": "c", "version": "1"}),
    "client-info-null": to_meta(META_INFO, None),
    "client-info-broken": to_meta(META_INFO, {"name": "c"}, "c", [], {"name": 1, "version": "1"}),
    "log-level": to_meta("io.modelcontextprotocol/logLevel", "info", "emergency"),
    "log-level-broken": to_meta("io.modelcontextprotocol/logLevel", "fatal", 3, []),
    "progress-token": to_meta("progressToken", 0, "", "t"),
    "progress-token-broken": to_meta("progressToken", 1.5, True, {}),
    "meta-key": to_meta("bad name", 1),
    "trace": to_meta("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "x", 7),
    "name-type": to_param("name", 7, None, ["a"]),
    "arguments-type": to_param("arguments", [], "x", 7),
    "arguments-null": to_param("arguments", None),
    "request-state": to_param("requestState", "w1.x"),
    "request-state-null": to_param("requestState", None),
    "request-state-type": to_param("requestState", 5, {}),
    "input-responses": to_param("inputResponses", {}),
    "input-responses-type": to_param("inputResponses", [], None, "x"),
    "extra-member": to_member("extra", 1, None),
    "error-member": to_member("error", {"code": 1, "message": "m"}),
    "result-member": to_member("result", {}),
    "session-header": to_header("mcp-session-id", "abc"),
    "param-header": to_header("mcp-param-region", "eu"),
    "origin": to_header("origin", "http://localhost:3000"),
    "accept-json-only": to_header("accept", "application/json"),
    "accept-wildcard": to_header("accept", "*/*"),
    "content-type-other": to_header("content-type", "text/plain", "application/jsonp"),
    "content-type-charset": to_header("content-type", "application/json; charset=utf-8", "Application/JSON"),
}


@mutation("version-header-twice")
def twice_version(rng: random.Random, request: Request) -> None:
    request.headers.append(("mcp-protocol-version", rng.choice((VERSION, "2025-11-25"))))


@mutation("name-header-twice")
def twice_name(rng: random.Random, request: Request) -> None:
    request.headers.append(("mcp-name", rng.choice(("book_room", "x"))))
    request.headers.append(("mcp-name", "x"))


@mutation("batch")
def batch(rng: random.Random, request: Request) -> None:
    request.body = rng.choice(([request.body], [], [request.body, 1], [request.body, request.body]))


@mutation("not-an-object")
def not_an_object(rng: random.Random, request: Request) -> None:
    request.body = rng.choice((None, 1, "x", True))


@mutation("response")
def response(rng: random.Random, request: Request) -> None:
    error = {"code": -1, "message": "m"}
    request.body = rng.choice(
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, {"jsonrpc": "2.0", "id": 1, "error": error})
    )


@mutation("no-json")
def no_json(rng: random.Random, request: Request) -> None:
    text = request.body_text()
    request.text = rng.choice((text[:-1], text + "x", "", "{'a':1}", text.replace(":", "=", 1), "[" + text))


@mutation("not-a-number")
def not_a_number(rng: random.Random, request: Request) -> None:
    params = request.body.get("params") if isinstance(request.body, dict) else None
    if isinstance(params, dict):
        params["extra"] = 1
        request.text = request.body_text().replace('"extra":1', f'"extra":{rng.choice(("NaN", "Infinity", "01", "+1"))}')


@mutation("duplicate-member")
def duplicate_member(rng: random.Random, request: Request) -> None:
    text = request.body_text()
    if text.startswith("{"):
        twice = rng.choice(('"method":"tools/list"', '"id":7', '"extra":1,"extra":2'))
        request.text = "{" + twice + "," + text[1:]


def generate(count: int, seed: int) -> list[Request]:
    """The requests of a seed."""
    rng = random.Random(seed)
    names = sorted(MUTATIONS)
    requests = []
    for number in range(count):
        request = sound(rng)
        request.number = number
        for name in rng.sample(names, rng.choice((0, 1, 1, 1, 1, 1, 2, 2, 2))):
            if request.text is not None:
                break  # what is text cannot be changed further
            MUTATIONS[name](rng, request)
            request.faults.append(name)
        requests.append(request)
    return requests
