"""Tool parameters in headers, written to be read and not to be quick: the streamable HTTP page of the specification,
"Custom Headers from Tool Parameters". Recursive, over Python's own `json`.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from typing import Any

MAX_HEADERS = 32
MAX_NAMES = 64
MAX_DEPTH = 256
MAX_NUMBER = 64
MAX_INTEGER = 2**53 - 1
MAX_EXPONENT = 1_000_000

# JSON Schema 2020-12: keywords whose value is a schema or an array of some, and those whose value is a map of some. The
# older drafts' are with them.
SCHEMAS = frozenset(
    """items prefixItems additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties
    propertyNames allOf anyOf oneOf not if then else contentSchema""".split()
)
MAPS = frozenset("patternProperties dependentSchemas $defs definitions dependencies".split())
TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
PLAIN_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
JSON_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")


class Fault(Exception):
    """A schema is refused: the stable name of the fault, and the JSON pointer to where it is, if it is an annotation's."""

    def __init__(self, name: str, pointer: str | None = None) -> None:
        super().__init__(name)
        self.name = name
        self.pointer = pointer


class Misuse(Exception):
    """The host's arguments cannot be sent: the core's name for why."""


class Refused(Exception):
    """The peer is refused: the reason."""


class Number(str):
    """A number as it was written."""


@dataclass(frozen=True)
class Header:
    """One mirrored parameter."""

    token: str
    path: tuple[str, ...]


def read(text: str) -> Any:
    """JSON with numbers as they were written; Fault if it is none, repeats a member or nests too deeply."""
    if depth(text) > MAX_DEPTH:
        raise Fault("schema-too-deep")
    repeated = False

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        repeated = repeated or len(dict(pairs)) < len(pairs)
        return dict(pairs)

    def constant(name: str) -> Any:
        raise ValueError(name)

    try:
        value = json.loads(
            text, object_pairs_hook=members, parse_int=Number, parse_float=Number, parse_constant=constant
        )
    except ValueError:
        raise Fault("schema-invalid-json") from None
    if repeated:
        raise Fault("schema-duplicate-member")
    return value


def depth(text: str) -> int:
    """How deep a text nests, if it is JSON."""
    most = now = 0
    for bracket in re.sub(r'"(\\.|[^"\\])*"', "", text, flags=re.DOTALL):
        now += (bracket in "[{") - (bracket in "]}")
        most = max(most, now)
    return most


def pointer(path: tuple[str, ...]) -> str:
    """RFC 6901. What UTF-8 cannot carry becomes U+FFFD."""
    text = "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in path)
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def compile(text: str) -> list[Header]:
    """The mirrored parameters, in the order of the text."""
    schema = read(text)
    if not isinstance(schema, dict):
        raise Fault("schema-not-object")
    headers: list[Header] = []
    steps: set[tuple[str, ...]] = set()

    def judge(annotated: dict[str, Any], place: tuple[str, ...], path: tuple[str, ...] | None) -> None:
        def wrong(name: str) -> Fault:
            return Fault(f"header-{name}", pointer(place))

        token = annotated["x-mcp-header"]
        if path is None:
            raise wrong("not-reachable")
        if not path:
            raise wrong("on-root")
        if not isinstance(token, str) or isinstance(token, Number):
            raise wrong("not-string")
        if token == "":
            raise wrong("empty")
        if not TOKEN.fullmatch(token):
            raise wrong("not-token")
        kind = annotated.get("type")
        if isinstance(kind, Number) or kind not in ("integer", "string", "boolean"):
            raise wrong("not-primitive")
        if token.lower() in {header.token.lower() for header in headers}:
            raise wrong("duplicate")
        steps.update(path[: length + 1] for length in range(len(path)))
        if len(steps) > MAX_NAMES:
            raise wrong("too-many-steps")
        if len(headers) == MAX_HEADERS:
            raise wrong("too-many")
        headers.append(Header(token, path))

    def walk(schema: Any, place: tuple[str, ...], path: tuple[str, ...] | None) -> None:
        """`path`: the names from the root, as long as only `properties` were passed; then None."""
        if not isinstance(schema, dict):
            return
        for keyword, value in schema.items():
            here = (*place, keyword)
            if keyword == "x-mcp-header":
                judge(schema, place, path)
            elif keyword == "properties" and isinstance(value, dict):
                for name, inner in value.items():
                    walk(inner, (*here, name), None if path is None else (*path, name))
            elif keyword in MAPS and isinstance(value, dict):
                for name, inner in value.items():
                    walk(inner, (*here, name), None)
            elif keyword in SCHEMAS and isinstance(value, dict):
                walk(value, here, None)
            elif keyword in SCHEMAS and isinstance(value, list):
                for number, inner in enumerate(value):
                    walk(inner, (*here, str(number)), None)

    walk(schema, (), ())
    return headers


def value_at(arguments: Any, path: tuple[str, ...]) -> Any:
    """The value at the end of the path; None where a step is missing."""
    for name in path:
        if not isinstance(arguments, dict):
            return None
        arguments = arguments.get(name)
    return arguments


def exact(number: str) -> tuple[bool, str, int] | None:
    """Below zero, digits without zeros at either end, and the power of ten of the first; None: beyond the limit."""
    match = JSON_NUMBER.fullmatch(number)
    assert match
    sign, whole, fraction, power = match.groups(default="")
    digits = whole + fraction
    if not digits.strip("0"):
        return False, "", 0
    leading = len(digits) - len(digits.lstrip("0"))
    below, power = power.startswith("-"), power.lstrip("+-0")[:30]  # far beyond the limit already
    exponent = int(power or 0) * (-1 if below else 1) + len(whole) - 1 - leading
    return (sign == "-", digits.strip("0"), exponent) if abs(exponent) <= MAX_EXPONENT else None


def in_range(value: tuple[bool, str, int] | None) -> bool:
    """Whether the magnitude is at most 2^53 - 1."""
    if value is None or value[2] > 15:
        return False
    _, digits, exponent = value
    places = max(len(digits) - 1 - exponent, 0)  # after the decimal point
    if places > 1000:
        return exponent < 15
    whole = int(digits or "0") * 10 ** (exponent - len(digits) + 1 + places)
    return whole <= MAX_INTEGER * 10**places


def encode(text: str) -> str:
    """The value of a header."""
    plain = all(" " <= char <= "~" for char in text) and text == text.strip(" ")
    if plain and not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def decode(value: str) -> str:
    """What a header's value stands for."""
    value = value.strip(" \t")
    if not all(" " <= char <= "~" or char == "\t" for char in value):
        raise Refused("header-value")
    if len(value) < 11 or not value.startswith("=?base64?") or not value.endswith("?="):
        return value
    inside = value[9:-2]
    try:
        data = base64.b64decode(inside, validate=True)
        if base64.b64encode(data).decode() == inside:
            return data.decode()
    except (binascii.Error, UnicodeDecodeError):
        pass
    raise Refused("header-value")


def emit(headers: list[Header], text: str | None) -> list[tuple[str, str]]:
    """Names and values of the headers of a call."""
    arguments = None if text is None else read(text)
    fields: list[tuple[str, str]] = []
    for header in headers:
        value = value_at(arguments, header.path)
        if value is None:
            continue
        if isinstance(value, bool):
            sent = str(value).lower()
        elif isinstance(value, Number):
            number = exact(value)
            if number is None or not in_range(number):
                raise Misuse("ParamOutOfRange")
            below, digits, exponent = number
            if len(digits) > max(exponent + 1, 0):
                raise Misuse("ParamNotPrimitive")
            sent = ("-" if below else "") + (digits.ljust(exponent + 1, "0") or "0") if digits else "0"
        elif isinstance(value, str):
            if re.search("[\ud800-\udfff]", value):
                raise Misuse("ParamSurrogate")
            sent = encode(value)
        else:
            raise Misuse("ParamNotPrimitive")
        fields.append((f"Mcp-Param-{header.token}", sent))
    return fields


def verify(headers: list[Header], text: str | None, fields: list[tuple[str, str]]) -> None:
    """Raises Refused unless the header fields of a call say what its arguments say."""
    params = [name.lower() for name, _ in fields if name.lower().startswith("mcp-param-")]
    if len(set(params)) < len(params):
        raise Refused("duplicate-header")
    if len(params) > MAX_HEADERS:
        raise Refused("too-many-param-headers")
    arguments = None if text is None else read(text)
    given = {name.lower(): value for name, value in fields}
    for header in headers:
        value = value_at(arguments, header.path)
        sent = given.get(f"mcp-param-{header.token}".lower())
        if value is None:
            if sent is not None:
                raise Refused("param-header-unexpected")
            continue
        if isinstance(value, (dict, list)):
            raise Refused("param-not-primitive")
        if isinstance(value, Number) and not in_range(exact(value)):
            raise Refused("param-out-of-range")
        if sent is None:
            raise Refused("param-header-missing")
        said = decode(sent)
        if isinstance(value, Number):
            same = len(said.encode()) <= MAX_NUMBER and PLAIN_DECIMAL.fullmatch(said) and exact(said) == exact(value)
        else:
            same = said == (str(value).lower() if isinstance(value, bool) else value)
        if not same:
            raise Refused("param-mismatch")
