"""Random schemas, arguments and headers: mostly sound, with each fault now and then."""

from __future__ import annotations

import json
import random
from typing import Any

import param
from param_cases import compile_case, emit_case, verify_case

Json = Any
NAMES = ["a", "b", "c", "items", "properties", "type", "x-mcp-header", "a/b", "\u00e9", "\ud83d", ""]
TOKENS = ["A", "B", "C", "D", "E", "F", "G", "H", "a", "Zone", "zone", "!#$%&'*+-.^_`|~", "x" * 40]
NO_TOKENS: list[Json] = ["", "a b", "a:b", "\u00e9", "A\n", None, 7, ["A"], {}]
TYPES: list[Json] = ["string", "integer", "boolean"]
NO_TYPES: list[Json] = ["number", "object", "array", "null", ["string", "null"], None, 3]
DATA = ["default", "const", "examples", "enum", "x-more", "required", "$ref"]
# The keywords that have schemas inside in 2020-12, then those of the drafts before it and uses that no draft has.
SINGLE = ["items", "not", "if", "then", "else", "contains", "additionalProperties", "propertyNames", "contentSchema"]
LIST = ["allOf", "anyOf", "oneOf", "prefixItems"]
MAP = ["$defs", "definitions", "dependentSchemas", "patternProperties"]
TEXTS = ["eu", "us west 1", " eu", "eu ", "", "\u4e16\u754c", "a\tb", "a\nb", "=?base64?aGk=?=", "=?base64?=", "true", "42", "42.0",
         "1e3", "\x7f", "0", "-7", "\U0001f600"]
NUMBERS = """0 -0 1 42 -7 42.0 4.2e1 1e3 1000 1.5 -1.50 0.1 1e-7 1e15 1e16 9007199254740991 9007199254740992 -9007199254740991
-9007199254740993 9007199254740991.0 1e400 1e-400 0e9""".split()


def random_schema(rng: random.Random, old: bool = True, faults: float = 0.02) -> dict[str, Json]:
    """`old`: also the keywords of older drafts. `faults`: how often something is wrong."""
    tokens = rng.sample(TOKENS[:8], 8)

    def annotate(schema: dict[str, Json]) -> None:
        wrong = rng.random() < faults
        if not tokens and not wrong:
            return
        token = rng.choice(NO_TOKENS if rng.random() < 0.5 else TOKENS) if wrong else tokens.pop()
        members = [("x-mcp-header", token), ("type", rng.choice(NO_TYPES if rng.random() < faults else TYPES))]
        rng.shuffle(members)
        schema.update(members[: 1 if members[0][0] == "x-mcp-header" and rng.random() < faults else 2])

    def schema(depth: int, on_chain: bool) -> Json:
        if rng.random() < 0.05:
            return rng.choice([True, False, [], "x", None])
        made: dict[str, Json] = {}
        if depth and rng.random() < (0.5 if on_chain else faults):
            annotate(made)
        elif not depth and rng.random() < faults / 2:
            annotate(made)
        for _ in range(rng.choice([0, 0, 1, 2]) if depth else 2):
            way = rng.random()
            if depth > 3:
                way = 1.0
            if way < 0.45:
                made["properties"] = {name: schema(depth + 1, on_chain) for name in rng.sample(NAMES, rng.randrange(5))}
            elif way < 0.55:
                made[rng.choice(SINGLE)] = schema(depth + 1, False)
            elif way < 0.62:
                made[rng.choice(LIST)] = [schema(depth + 1, False) for _ in range(rng.randrange(3))]
            elif way < 0.69:
                made[rng.choice(MAP)] = {name: schema(depth + 1, False) for name in rng.sample(NAMES, rng.randrange(3))}
            elif way < 0.75 and old:
                made[rng.choice(["items", "additionalItems", *LIST])] = schema(depth + 1, False)
                made[rng.choice(["items", "not", "dependencies"])] = [schema(depth + 1, False)]
            else:
                made[rng.choice(DATA)] = rng.choice([7, "x", {"x-mcp-header": "A"}, [{"x-mcp-header": 1}], {"properties": {"a": {"x-mcp-header": 1}}}])
        return made

    while not isinstance(root := schema(0, True), dict):
        pass
    return root


def random_value(rng: random.Random, surrogates: bool = True) -> str:
    """A JSON text."""
    way = rng.random()
    if way < 0.45:
        return json.dumps(rng.choice(TEXTS), ensure_ascii=rng.random() < 0.5)
    if way < 0.75:
        return rng.choice(NUMBERS)
    if way < 0.9:
        return rng.choice(["true", "false", "null"])
    return rng.choice(["{}", "[]", "[1]", '"\\ud800"' if surrogates else "null"])


def random_arguments(rng: random.Random, headers: list[Any], **how: bool) -> str | None:
    """JSON text with values at most of the paths."""
    if rng.random() < 0.03:
        return rng.choice([None, "{}", "null"])
    tree: dict[str, Any] = {}
    for header in headers:
        node = tree
        for name in header.path[:-1]:
            inner = node.setdefault(name, {})
            if not isinstance(inner, dict):
                break
            node = inner
        if rng.random() < 0.85 and not isinstance(node.get(header.path[-1]), dict):
            node[header.path[-1]] = random_value(rng, **how)
    if rng.random() < 0.3:
        tree["more"] = random_value(rng, **how)

    def spell(node: Any) -> str:
        if isinstance(node, str):
            return node
        members = [f"{json.dumps(name)}: {spell(value)}" for name, value in node.items()]
        rng.shuffle(members)
        return "{" + ", ".join(members) + "}"

    return spell(tree)


def random_fields(rng: random.Random, headers: list[Any], text: str | None, broken: bool = True) -> list[tuple[str, str]]:
    """The headers that belong to the arguments, as far as they have any, some of them changed."""
    fields: list[tuple[str, str]] = []
    arguments = None if text is None else param.read(text)
    for header in headers:
        name = f"Mcp-Param-{header.token}"
        try:
            sent = dict(param.emit([header], text)).get(name)
        except param.Misuse:
            sent = rng.choice([None, "x", str(param.value_at(arguments, header.path))[:50]])
        way = rng.random()
        if way < 0.04:
            sent = None
        elif way < 0.08:
            sent = rng.choice(["x", "", "42.0", "042", "1e3", "true", "=?base64?dHJ1ZQ==?=", "=?base64?NDI=?="])
        elif way < 0.12 and sent is not None:
            sent = rng.choice([sent + ".0", sent + "0", sent.upper(), param.encode(sent.encode("utf-8", "replace").decode() + " ")])
        elif way < 0.15 and broken:
            sent = rng.choice(["=?base64?aGk?=", "=?base64?aGl=?=", "\u00e9", "a\x00", " 42 ", "\teu"])
        if sent is not None and sent.isascii() | broken:
            spelt = rng.choice([name, name, name.lower(), name.upper()])
            fields.append((spelt, sent.encode("utf-8", "replace").decode("latin-1")))
    if rng.random() < 0.1:
        fields.append(("Mcp-Param-Other", "x"))
    if rng.random() < 0.02 and fields and broken:
        fields.append((fields[0][0].swapcase(), fields[0][1]))
    rng.shuffle(fields)
    return fields


def random_case(rng: random.Random) -> dict[str, Any]:
    """One case of a random call."""
    schema = random_schema(rng, faults=rng.choice([0, 0, 0.1]))
    try:
        headers = param.compile(json.dumps(schema))
    except param.Fault:
        return compile_case(schema)
    call = rng.choice(["compile", "emit", "emit", "verify", "verify", "verify"])
    if call == "compile":
        return compile_case(schema)
    arguments = random_arguments(rng, headers)
    if call == "emit":
        return emit_case(arguments, schema)
    return verify_case(arguments, random_fields(rng, headers, arguments), schema)
