"""`RequestStateCodec`, inside the official SDK and by itself."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import mcp_types as types
import pytest
import wireseal
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.request_state import InvalidRequestState, RequestStateBoundary, RequestStateSecurity

KEY = b"0123456789abcdef0123456789abcdef"
OTHER = b"fedcba9876543210fedcba9876543210"


def test_round_trip_and_lengths() -> None:
    codec = wireseal.RequestStateCodec([KEY])
    for size in (0, 1, 2, 3, 100, 5000):
        payload = bytes(i % 256 for i in range(size))
        token = codec.seal(payload)
        assert codec.unseal(token) == payload
        assert len(token) == 3 + (8 * (size + 32) + 5) // 6
        assert payload not in token.encode() or size == 0
    assert codec.seal(b"") != codec.seal(b"")


def test_every_change_is_refused() -> None:
    codec = wireseal.RequestStateCodec([KEY])
    token = codec.seal(b"claims")
    changed = [token[:cut] for cut in range(len(token))]
    changed += [token[:at] + chr(ord(token[at]) ^ 1 << bit) + token[at + 1 :] for at in range(len(token)) for bit in range(7)]
    changed += [token + more for more in ("A", "=", ".", " ")] + ["\ud800" + token, ""]
    for other in changed:
        with pytest.raises(InvalidRequestState):
            codec.unseal(other)


def test_rings() -> None:
    old, both, new = (wireseal.RequestStateCodec(keys) for keys in ([KEY], [KEY, OTHER], [OTHER]))
    assert both.unseal(old.seal(b"x")) == b"x" == both.unseal(new.seal(b"x"))
    assert old.unseal(both.seal(b"x")) == b"x"
    with pytest.raises(InvalidRequestState, match="state-unknown-key"):
        new.unseal(both.seal(b"x"))
    for bad in ([], [KEY, KEY], [b"short"], [KEY] * 17):
        with pytest.raises(ValueError):
            wireseal.RequestStateCodec(bad)
    for odd in (KEY, [7], None):
        with pytest.raises(TypeError):
            wireseal.RequestStateCodec(odd)  # type: ignore[arg-type]


def test_no_token_of_one_mode_opens_in_another() -> None:
    """The same secret in all of them: labels and key ids keep them apart."""
    codec = wireseal.RequestStateCodec([KEY])
    formats: Any = ("compact", "python", "typescript", "rust")
    sealer = wireseal.Sealer([KEY], audience=None, accept=formats, allow_unbound=True)

    def open_(token: str) -> None:
        sealer.open_for(token, "tools/call", None, None, principal=None)

    token = codec.seal(b"{}")
    for prefix in ("k1.", "w1.", "v1.", "rs1."):
        with pytest.raises(wireseal.Rejected):
            open_(prefix + token[3:])
    for format in formats:
        own = wireseal.Sealer([KEY], audience=None, format=format, allow_unbound=True)
        foreign = own.seal_for("tools/call", None, None, "1", principal=None)
        open_(foreign)
        for prefix in ("k1.", foreign[:3]):
            with pytest.raises(InvalidRequestState):
                codec.unseal(prefix + foreign[3:])


def test_nothing_secret_is_shown() -> None:
    codec = wireseal.RequestStateCodec([KEY])
    assert KEY.decode() not in repr(codec)
    with pytest.raises(TypeError):
        pickle.dumps(codec._ring)


def test_inside_the_official_sdk() -> None:
    """A conversation of the SDK's own server and client, whose state travels under this codec."""
    sealed: list[str] = []
    codec = wireseal.RequestStateCodec([KEY])

    class Watched:
        """The codec, and what it sealed."""

        def seal(self, payload: bytes) -> str:
            sealed.append(codec.seal(payload))
            return sealed[-1]

        def unseal(self, token: str) -> bytes:
            return codec.unseal(token)

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="ask", input_schema={"type": "object"})])

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> Any:
        answer = (params.input_responses or {}).get("room")
        if not isinstance(answer, types.ElicitResult):
            schema = {"type": "object", "properties": {"room": {"type": "string"}}}
            form = types.ElicitRequestFormParams(message="Which?", requested_schema=schema)
            return types.InputRequiredResult(
                input_requests={"room": types.ElicitRequest(params=form)}, request_state="the state"
            )
        text = f"{params.request_state}: {(answer.content or {})['room']}"
        return types.CallToolResult(content=[types.TextContent(text=text)])

    async def person(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"room": "cinder"})

    server = Server("desk", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    security = RequestStateSecurity(codec=Watched())
    server.middleware.append(RequestStateBoundary(security, default_audience="desk"))

    async def talk() -> str:
        async with Client(server, elicitation_callback=person) as client:
            result = await client.call_tool("ask", {})
            assert isinstance(result.content[0], types.TextContent)
            return result.content[0].text

    assert asyncio.run(talk()) == "the state: cinder"
    assert len(sealed) == 1 and sealed[0].startswith("k1.") and "state" not in sealed[0]
