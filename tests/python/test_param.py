"""Tool parameters in headers: the vectors of "param.json", `tool_schema` of `admit`, and random schemas and calls
beside two other implementations: the slow reference in tests/reference, and the official SDK's.
"""

from __future__ import annotations

import importlib
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.inbound import find_invalid_x_mcp_header, mcp_param_headers, validate_mcp_param_headers, x_mcp_header_map
from test_vectors import Case, cases, only, raw, same

import wireseal

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))
reference: Any = importlib.import_module("param")
generate: Any = importlib.import_module("random_param")

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "n": {"type": "integer", "x-mcp-header": "N"},
        "site": {"type": "object", "properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}},
    },
}


def found(case: Case) -> Case:
    """What comes of one case."""
    schema = case["schema"].encode()
    try:
        headers = wireseal.param_headers(schema)
    except ValueError as error:
        told = re.fullmatch(r'schema: .*, at (?:"(.*)"|byte [0-9]+) \(([a-z-]+)\)', str(error), re.DOTALL)
        assert told, error
        return {"fault": told[2]} if told[1] is None else {"fault": told[2], "pointer": told[1]}
    if case["call"] == "compile":
        return {"names": list(headers.names)}
    arguments = raw(case["arguments"])
    if case["call"] == "emit":
        try:
            sent = headers.emit(arguments)
        except ValueError as error:
            return {"misuse": str(error)}
        headers.verify(arguments, sent)
        return {"headers": [[name, value] for name, value in sent.items()]}
    try:
        headers.verify(arguments, [(name.encode("latin-1"), value.encode("latin-1")) for name, value in case["headers"]])
    except wireseal.Rejected as rejected:
        assert (rejected.code, rejected.status, rejected.id) == (-32020, 400, None)
        return {"reason": rejected.reason}
    return {"ok": True}


MISUSES = {
    "ParamNotPrimitive": "an argument that a header mirrors must be a string, an integer or a boolean",
    "ParamOutOfRange": "an integer that a header mirrors must be from -(2^53 - 1) to 2^53 - 1",
    "ParamSurrogate": "a string that a header mirrors holds an unpaired surrogate",
}


def expected(case: Case) -> Case:
    """What a case expects, as Python tells it."""
    expect: Case = dict(case["expect"])
    if "misuse" in expect:
        expect["misuse"] = MISUSES[expect["misuse"]]
    if len(expect.get("pointer", "")) > 200:
        expect["pointer"] = expect["pointer"][:200] + "…"
    return expect


@pytest.mark.parametrize(("file", "case"), cases("param"))
def test_param(file: str, case: Case) -> None:
    only(case, "id rules why call schema arguments headers expect")
    same("expect", found(case), expected(case))


def test_random_cases_agree_with_the_reference() -> None:
    rng = random.Random(20260728)
    seen: Counter[str] = Counter()
    for _ in range(4000):
        case = generate.random_case(rng)
        assert found(case) == expected(case), case
        seen.update([case["call"], *map(str, case["expect"]), str(case["expect"].get("reason"))])
    assert all(seen[kind] > 40 for kind in ("names", "fault", "headers", "misuse", "ok", "param-mismatch")), seen


def test_python_values_do_as_well_as_json() -> None:
    headers = wireseal.param_headers(SCHEMA)
    assert headers.names == ("Mcp-Param-Region", "Mcp-Param-N", "Mcp-Param-Zone")
    assert headers.emit({"region": "eu", "n": 1000.0, "site": {"zone": "ü"}}) == {
        "Mcp-Param-Region": "eu",
        "Mcp-Param-N": "1000",
        "Mcp-Param-Zone": "=?base64?w7w=?=",
    }
    assert headers.emit(None) == headers.emit({}) == headers.emit(bytearray(b"{}")) == {}
    headers.verify({"n": 42}, {"mcp-param-n": "42.0"})
    headers.verify({"n": 42}, [(b"MCP-PARAM-N", b"42"), (b"Content-Type", b"text/plain")])
    assert repr(headers) == "<wireseal.ParamHeaders ('Mcp-Param-Region', 'Mcp-Param-N', 'Mcp-Param-Zone')>"
    for arguments in (b"[]", b"{", [1], b'{"a":1,"a":2}', {"n": float("nan")}):
        with pytest.raises(ValueError):
            headers.emit(arguments)  # type: ignore[arg-type]
        with pytest.raises(ValueError):
            headers.verify(arguments, {})  # type: ignore[arg-type]
    for schema in ("{}", 7, None, [SCHEMA]):
        with pytest.raises((TypeError, ValueError)):
            wireseal.param_headers(schema)  # type: ignore[arg-type]


def test_prm_02_a_fault_is_told_in_bounded_words() -> None:
    long = {"type": "object", "properties": {"p" * 100_000: {"type": "string", "x-mcp-header": "x" * 100_000 + " "}}}
    with pytest.raises(ValueError, match="header-not-token") as caught:
        wireseal.param_headers(long)
    assert len(str(caught.value)) < 400


def call(tool: str = "book_room", arguments: Any = None, **headers: str) -> tuple[bytes, list[tuple[str, str]]]:
    """A modern `tools/call`: body and headers."""
    params = {"_meta": META, "name": tool, "arguments": arguments or {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    fields = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool}
    return body, [*fields.items(), *((f"Mcp-Param-{name}", value) for name, value in headers.items())]


def test_tool_schema_is_called_once_with_the_name() -> None:
    asked: list[str] = []

    def schema(tool: str) -> dict[str, Any]:
        asked.append(tool)
        return SCHEMA

    # A body with more members than a first look has room for is looked at twice.
    for more in ({}, {f"m{number}": number for number in range(500)}, {"long": "x" * 100_000}):
        asked.clear()
        wireseal.admit(*call(arguments={"region": "eu", **more}, Region="eu"), tool_schema=schema)
        with pytest.raises(wireseal.Rejected) as caught:
            wireseal.admit(*call(arguments={"region": "eu", **more}, Region="us"), tool_schema=schema)
        assert (caught.value.reason, caught.value.id) == ("param-mismatch", 1)
        assert asked == ["book_room", "book_room"]


def test_tool_schema_is_not_called_without_need() -> None:
    def schema(tool: str) -> None:
        raise AssertionError(tool)

    body, headers = call()
    wireseal.admit(body, tool_schema=schema)  # stdio
    with pytest.raises(wireseal.Rejected, match="Mcp-Name"):
        wireseal.admit(body, headers[:2], tool_schema=schema)
    with pytest.raises(wireseal.Rejected, match="arguments"):
        wireseal.admit(*call(arguments=[1]), tool_schema=schema)
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    fields = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
    wireseal.admit(json.dumps(listing).encode(), fields, tool_schema=schema)


def test_tool_schema_may_return_any_form() -> None:
    ready = wireseal.param_headers(SCHEMA)
    for form in (SCHEMA, json.dumps(SCHEMA).encode(), bytearray(json.dumps(SCHEMA).encode()), ready):
        with pytest.raises(wireseal.Rejected, match="missing"):
            wireseal.admit(*call(arguments={"n": 1}), tool_schema={"book_room": form}.get)
    wireseal.admit(*call(arguments={"n": 1}), tool_schema={"other": SCHEMA}.get)


def test_faults_of_the_host_pass_unchanged() -> None:
    class Mine(Exception):
        pass

    def broken(tool: str) -> None:
        raise Mine(tool)

    with pytest.raises(Mine, match="book_room"):
        wireseal.admit(*call(), tool_schema=broken)
    # Even where the ladder would go on to refuse the message, and where Python is let go meanwhile.
    with pytest.raises(Mine):
        wireseal.admit(*call(), wireseal.Policy(methods=["tools/list"]), tool_schema=broken)
    with pytest.raises(Mine):
        wireseal.admit(*call(arguments={"long": "x" * 200_000}), tool_schema=broken)
    invalid = {"properties": {"a": {"type": "number", "x-mcp-header": "A"}}}
    with pytest.raises(ValueError, match=r'"/properties/a" \(header-not-primitive\)'):
        wireseal.admit(*call(), tool_schema=lambda tool: invalid)
    answers: tuple[Any, ...] = ("{}", 7, {1, 2}, [SCHEMA])
    for wrong in answers:
        with pytest.raises((TypeError, ValueError)):
            wireseal.admit(*call(), tool_schema=lambda tool: wrong)
    with pytest.raises(TypeError, match="callable"):
        wireseal.admit(*call(), tool_schema={"book_room": SCHEMA})  # type: ignore[arg-type]


# The official SDK.


def sdk_fault(schema: Any) -> bool:
    return find_invalid_x_mcp_header(schema) is not None


def test_random_schemas_beside_the_sdk() -> None:
    """The same schemas are refused, but for what only older drafts know, and for the core's limits."""
    rng = random.Random(1)
    seen: Counter[bool] = Counter()
    for _ in range(5000):
        schema = generate.random_schema(rng, old=False, faults=rng.choice([0, 0.05]))
        try:
            headers = wireseal.param_headers(schema)
        except ValueError as error:
            assert sdk_fault(schema), (error, schema)
            seen[False] += 1
            continue
        assert not sdk_fault(schema), schema
        assert sorted(headers.names) == sorted(f"Mcp-Param-{token}" for token in x_mcp_header_map(schema).values())
        seen[True] += len(headers.names) > 0
    assert min(seen.values()) > 500, seen
    for older in ("dependencies", "additionalItems"):
        inner = {"type": "string", "x-mcp-header": "A"}
        schema = {older: {"x": inner} if older == "dependencies" else inner}
        assert not sdk_fault(schema)
        with pytest.raises(ValueError, match="header-not-reachable"):
            wireseal.param_headers(schema)


def sdk_headers(schema: Any, arguments: Any) -> dict[str, str] | None:
    """What the SDK's client sends; None where it fails."""
    try:
        return mcp_param_headers(x_mcp_header_map(schema), arguments)
    except UnicodeEncodeError:
        return None


def value_of(arguments: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, dict) else None
    return arguments


def test_random_calls_beside_the_sdk() -> None:
    """What the SDK's client sends we send too, but for numbers that are no JSON integers, and for one text; and what no
    header can carry is an error here, where the SDK leaves the header out or sends what others do not read."""
    rng = random.Random(2)
    seen: Counter[str] = Counter()
    for _ in range(5000):
        schema = generate.random_schema(rng, old=False, faults=0)
        text = generate.random_arguments(rng, reference.compile(json.dumps(schema)))
        arguments = json.loads(text or "{}") or {}
        try:
            ours = wireseal.param_headers(schema).emit(raw(text))
        except ValueError as error:
            seen[str(error)[:30]] += 1
            continue
        theirs = sdk_headers(schema, arguments)
        assert theirs is not None and set(ours) == set(theirs)
        for path, token in x_mcp_header_map(schema).items():
            name, value = f"Mcp-Param-{token}", value_of(arguments, path)
            if isinstance(value, float):
                assert theirs[name] == str(value) and float(ours[name]) == value and ours[name] == str(int(value))
                seen["float"] += 1
            elif value == "=?base64?=":
                assert (theirs[name], ours[name]) == (value, "=?base64?PT9iYXNlNjQ/PQ==?=")
                seen["overlap"] += 1
            else:
                assert theirs.get(name) == ours.get(name)
                seen["same"] += name in ours
    assert len(seen) == 6 and min(seen.values()) > 10, seen


def explained(schema: Any, arguments: Any, fields: dict[str, str]) -> set[str]:
    """Why the two may see a call's headers differently."""
    why: set[str] = set()
    given = {name.lower(): value for name, value in fields.items()}
    for path, token in x_mcp_header_map(schema).items():
        value, sent = value_of(arguments, path), given.get(f"mcp-param-{token.lower()}")
        if isinstance(value, (dict, list)):
            why.add("no header form")  # the SDK lets it pass without a header
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            if abs(value) > 2**53 - 1:
                why.add("out of range")  # the SDK compares it all the same
            elif isinstance(value, float) and value == 0 and sent is not None:
                why.add("spelling of zero")  # -0.0, or too small for a double
            elif sent is not None and re.fullmatch(r"-?0[0-9].*", sent):
                why.add("leading zeros")  # numbers to the SDK
            elif sent is not None:
                why.add("numbers of other types")  # compared as text by the SDK, unless the type is integer
        elif isinstance(value, str) and sent is not None and sent != sent.strip(" "):
            why.add("blanks")  # taken off by the HTTP layer before the SDK sees them
    return why


def test_random_checks_beside_the_sdk() -> None:
    """The SDK's server refuses the same calls, but for what is explained above."""
    rng = random.Random(3)
    verdicts: Counter[tuple[bool, bool]] = Counter()
    for _ in range(8000):
        schema = generate.random_schema(rng, old=False, faults=0)
        headers = reference.compile(json.dumps(schema))
        text = generate.random_arguments(rng, headers, surrogates=False)
        arguments = json.loads(text or "{}") or {}
        fields = dict(generate.random_fields(rng, headers, text, broken=False))
        theirs = validate_mcp_param_headers(schema, arguments, fields) is None
        try:
            wireseal.param_headers(schema).verify(raw(text), fields)
            ours = True
        except wireseal.Rejected:
            ours = False
        verdicts[ours, theirs] += 1
        assert ours == theirs or explained(schema, arguments, fields), (schema, text, fields, ours, theirs)
    assert verdicts[True, True] > 1000 and verdicts[False, False] > 1000, verdicts
