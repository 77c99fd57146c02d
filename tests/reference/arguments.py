"""The two digests of arguments: WireSeal's own, and the Python SDK's."""

from __future__ import annotations

import json
import re
import struct
from decimal import Decimal
from typing import Any

from common import Refused, sha256, utf8

MAX_EXPONENT = 1_000_000
NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")


class Number(str):
    """A number as it was written."""


class Members(list[tuple[str, Any]]):
    """An object, as its members in the order that they came."""


def digest(text: str | None) -> bytes:
    """SHA-256 over the encoding of the value; absent counts as `{}`."""
    return sha256(encode(read("{}" if text is None else text)))


def read(text: str) -> Any:
    return json.loads(text, object_pairs_hook=Members, parse_int=Number, parse_float=Number)


def encode(value: Any) -> bytes:
    """The encoding: a byte for the type, then what is needed to know where the value ends."""
    if value is None:
        return b"n"
    if value is True:
        return b"t"
    if value is False:
        return b"f"
    if isinstance(value, Number):
        negative, exponent, digits = decimal(value)
        return b"d" + struct.pack(">BiI", negative, exponent, len(digits)) + digits.encode()
    if isinstance(value, str):
        return b"s" + length(utf8(value)) + utf8(value)
    if isinstance(value, Members):
        # Python compares strings by code point, which is the order of the names' bytes.
        members = [
            length(utf8(name)) + utf8(name) + encode(member) for name, member in sorted(value, key=lambda m: m[0])
        ]
        return b"o" + length(value) + b"".join(members)
    return b"a" + length(value) + b"".join(encode(element) for element in value)


def length(value: Any) -> bytes:
    return struct.pack(">I", len(value))


def decimal(text: str) -> tuple[bool, int, str]:
    """Sign, power of ten of the first digit, digits without zeros at either end."""
    found = NUMBER.fullmatch(text)
    assert found
    sign, whole, fraction, power = found.groups()
    if not (whole + (fraction or "")).strip("0"):
        return False, 0, ""
    if abs(int(power or 0)) > 10**12:
        raise Refused("number-too-large")
    _, digits, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)
    first = exponent + len(digits) - 1
    if abs(first) > MAX_EXPONENT:
        raise Refused("number-too-large")
    return sign == "-", first, "".join(map(str, digits)).strip("0")


def python_canonical(text: str) -> str:
    """What Python makes of the value. Numbers that WireSeal's digest does not have are refused here too."""
    encode(read(text))
    try:
        return json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))
    except ValueError:  # an integer of more than 4300 digits
        raise Refused("number-too-large") from None


def python_digest(text: str | None) -> bytes:
    """The first 16 bytes of SHA-256 over the canonical JSON, where whatever is false counts as `{}`."""
    canonical = "{}" if text is None else python_canonical(text)
    if text is not None and not json.loads(text):
        canonical = "{}"
    return sha256(canonical.encode())[:16]
