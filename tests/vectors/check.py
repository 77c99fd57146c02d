"""Checks the vector files themselves: their schema, their ids, and what can be said about a body without WireSeal.

    python tests/vectors/check.py            needs the package `jsonschema`

Prints every fault and exits 1 if there is any. The third check has Python's own JSON reader as its reference: a
body expected to be no JSON must not parse, one expected to repeat a member must parse and repeat one, and every
other body must parse and carry the id that the vector expects back.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

HERE = Path(__file__).resolve().parent
RULE = re.compile(r"[A-Z]+-[0-9]{2}")
BOM = b"\xef\xbb\xbf"
KINDS = {
    "wireseal-admit/1": "admitCase",
    "wireseal-reply/1": "replyCase",
    "wireseal-seal/1": "sealCase",
    "wireseal-canonical/1": "canonicalCase",
    "wireseal-form/1": "formCase",
    "wireseal-legacy/1": "legacyCase",
    "wireseal-nonce/1": "nonceCase",
    "wireseal-notice/1": "noticeCase",
    "wireseal-client/1": "clientCase",
    "wireseal-param/1": "paramCase",
    "wireseal-stream/1": "streamCase",
    "wireseal-once/1": "onceCase",
}
NO_TEXT = {"invalid-json", "invalid-utf8"}
# Refused before the text is read, or before all of it is.
UNREAD = {
    "http-method",
    "origin-not-allowed",
    "host-not-allowed",
    "body-too-large",
    "content-type",
    "not-acceptable",
    "too-deep",
}


class Number(str):
    """A number as it was written."""


def body_bytes(message: dict[str, Any]) -> bytes:
    """The body of a case: exactly one of its three forms."""
    if "body" in message:
        return str(message["body"]).encode()
    if "body_b64" in message:
        return base64.b64decode(message["body_b64"], validate=True)
    return "".join(text * times for text, times in message["body_parts"]).encode()


def read_strictly(body: bytes) -> tuple[Any, bool]:
    """The value and whether any object in it repeats a member; ValueError if the bytes are not one JSON text."""
    repeats = False

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeats
        repeats = repeats or len(dict(pairs)) != len(pairs)
        return dict(pairs)

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    text = body.removeprefix(BOM).decode("utf-8", errors="strict")
    value = json.loads(text, object_pairs_hook=members, parse_constant=constant, parse_int=Number, parse_float=Number)
    return value, repeats


def check_body(case: dict[str, Any]) -> Iterator[str]:
    """Compares what a case expects with what Python's JSON reader makes of its body."""
    expect = case["expect"]
    reason = expect.get("reason")
    if reason in UNREAD:
        return
    try:
        value, repeats = read_strictly(body_bytes(case))
    except ValueError as error:
        if reason not in NO_TEXT:
            yield f"Python cannot read the body: {error}"
        return
    if reason in NO_TEXT:
        yield "Python reads the body without a fault"
    if repeats != (reason == "duplicate-member"):
        yield f"the body {'repeats a member' if repeats else 'repeats no member'}"
    if expect["id"] not in (None, "null"):
        wanted = json.loads(expect["id"], parse_int=Number)
        found = value.get("id") if isinstance(value, dict) else None
        if (type(found), found) != (type(wanted), wanted):
            yield f"the id of the body is {found!r}"


def check_table(cases: list[dict[str, Any]]) -> Iterator[str]:
    """One reason has one code and one message."""
    seen: dict[str, tuple[int, str]] = {}
    for case in cases:
        expect = case["expect"].get("rejected", case["expect"])
        if "code" in expect:
            facts = (expect["code"], expect["message"])
            if seen.setdefault(expect["reason"], facts) != facts:
                yield f"{case['id']}: another code or message for {expect['reason']}"


def check_file(path: Path, schema: dict[str, Any]) -> Iterator[str]:
    """Every fault of one file."""
    document = json.loads(path.read_text(encoding="utf-8"))
    if document["format"] in KINDS:
        # The frame first, then case by case, so that a fault is reported with its case.
        frame = {"type": "object", "required": schema["required"], "properties": schema["properties"]}
        for error in jsonschema.Draft202012Validator(frame).iter_errors(document):
            yield error.message[:200]
        one = jsonschema.Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{KINDS[document['format']]}"})
        for case in document["cases"]:
            for error in one.iter_errors(case):
                yield f"{case.get('id')}: {error.json_path}: {error.message[:200]}"
        if document["format"] in ("wireseal-admit/1", "wireseal-reply/1"):
            yield from check_table(document["cases"])
    cases = document["cases"]
    if not cases:
        yield "no cases"
    seen: set[str] = set()
    for case in cases:
        if "id" not in case:
            yield f"a case without an id: {str(case)[:80]}"
            continue
        if case["id"] in seen:
            yield f"{case['id']}: the id is used twice"
        seen.add(case["id"])
        for rule in case.get("rules", []):
            if not RULE.fullmatch(rule):
                yield f"{case['id']}: {rule!r} is no rule id"
        if document["format"] == "wireseal-admit/1":
            for fault in check_body(case):
                yield f"{case['id']}: {fault}"


def main() -> int:
    schema = json.loads((HERE / "schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    faults = 0
    for path in sorted(HERE.glob("*.json")):
        if path.name == "schema.json":
            continue
        found = list(check_file(path, schema))
        for fault in found:
            print(f"{path.name}: {fault}")
        faults += len(found)
        count = len(json.loads(path.read_text(encoding="utf-8"))["cases"])
        print(f"{path.name}: {count} cases, {len(found)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
