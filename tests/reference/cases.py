"""Cases of the vector files: what went in, and what the reference says comes out."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import arguments
from common import Binding, Misuse, Refused
from sealer import Sealer

Case = dict[str, Any]

NOW = 1_785_000_000_123
LIFE = 600_000
SECRET = bytes(range(32))
OTHER = bytes(range(32, 96))
FRESH = bytes(range(100, 120))
CALL = Binding("tools/call", "book_room", '{"date":"2026-08-04","attendees":6}', "alice")
DESK = Sealer((SECRET,), "room-desk", LIFE, "compact")
PYTHON = replace(DESK, format="python")
BOTH = replace(DESK, accept=("python",))
STATE = b'{"asked":"room"}'


class Cases:
    """The cases of one file."""

    def __init__(self, format: str) -> None:
        self.format = format
        self.cases: list[Case] = []

    def add(self, id: str, why: str, case: Case, rules: tuple[str, ...] = ()) -> None:
        assert id not in {case["id"] for case in self.cases}, id
        self.cases.append({"id": id, "rules": [id.split("/")[0], *rules], "why": why, **case})

    def text(self) -> str:
        lines = ",\n".join("    " + json.dumps(case) for case in self.cases)
        return f'{{\n  "format": "{self.format}",\n  "cases": [\n{lines}\n  ]\n}}\n'


def sealer_json(sealer: Sealer) -> Case:
    return {
        "keys_hex": [secret.hex() for secret in sealer.keys],
        "audience": sealer.audience,
        "lifetime_ms": sealer.lifetime_ms,
        "format": sealer.format,
        "accept": list(sealer.accept),
    }


def text_json(text: str | None) -> str | None:
    return None if text is None else json.dumps(text)


def request_json(binding: Binding, spelling: Case) -> Case:
    written = {
        "method_json": text_json(binding.method),
        "target_json": text_json(binding.target),
        "arguments_json": binding.arguments,
        "principal": binding.principal,
    }
    written.update({name: spelling[name] for name in written if name in spelling})
    return written


def new_case(**setting: Any) -> Case:
    """What becomes of a sealer's settings."""
    settings = {
        "keys": DESK.keys,
        "audience": DESK.audience,
        "lifetime_ms": DESK.lifetime_ms,
        "format": "compact",
        "accept": (),
        **setting,
    }
    expect: Case = {"ok": True}
    try:
        Sealer(**settings)
    except Misuse as misuse:
        expect = {"misuse": str(misuse)}
    shown = {name: value for name, value in settings.items() if name != "keys"}
    keys = [secret.hex() for secret in settings["keys"]]
    return {"call": "new", "sealer": {"keys_hex": keys, **shown, "accept": list(shown["accept"])}, "expect": expect}


def seal_case(
    sealer: Sealer, binding: Binding, state: bytes = STATE, now_ms: int = NOW, fresh: bytes = FRESH, **spelling: Any
) -> Case:
    expect: Case
    try:
        expect = {"token": sealer.seal(binding, state, now_ms, fresh)}
    except Refused as refused:
        expect = {"reason": str(refused)}
    except Misuse as misuse:
        expect = {"misuse": str(misuse)}
    return {
        "call": "seal",
        "sealer": sealer_json(sealer),
        "request": request_json(binding, spelling),
        "state_hex": state.hex(),
        "now_ms": now_ms,
        "random_hex": fresh.hex(),
        "expect": expect,
    }


def open_case(
    sealer: Sealer,
    token: str,
    binding: Binding = CALL,
    now_ms: int = NOW,
    answers: str | None = None,
    *,
    reason: str | None = None,
    misuse: str | None = None,
    **spelling: Any,
) -> Case:
    """`reason` or `misuse` is what must come of it; neither: it opens."""
    expect: Case
    try:
        opened = sealer.open(token, binding, answers, now_ms)
        expect = {
            "state_hex": opened.state.hex(),
            "issued_at_ms": opened.issued_at_ms,
            "expires_at_ms": opened.expires_at_ms,
            "key_id_hex": opened.key_id.hex(),
            "token_id_hex": opened.token_id.hex(),
            "reissue_key_hex": opened.reissue_key.hex(),
            "format": opened.format,
            "bound": list(opened.bound),
        }
    except Refused as refused:
        expect = {"reason": str(refused)}
    except Misuse as error:
        expect = {"misuse": str(error)}
    assert (expect.get("reason"), expect.get("misuse")) == (reason, misuse) or reason == "any", (expect, reason, misuse)
    return {
        "call": "open",
        "sealer": sealer_json(sealer),
        "token_json": spelling.get("token_json", text_json(token)),
        "request": request_json(binding, spelling),
        "input_responses_json": answers,
        "now_ms": now_ms,
        "expect": expect,
    }


def escaped(text: str) -> str:
    """The text as JSON with every character escaped."""
    units = text.encode("utf-16-be", "surrogatepass")
    return '"' + "".join(f"\\u{units[i]:02X}{units[i + 1]:02x}" for i in range(0, len(units), 2)) + '"'


def canonical_case(text: str | None) -> Case:
    expect: Case = {}
    try:
        expect["digest_hex"] = arguments.digest(text).hex()
    except Refused:
        expect["digest_hex"] = None
    try:
        if text is not None:
            expect["python"] = arguments.python_canonical(text)
        expect["python_digest_hex"] = arguments.python_digest(text).hex()
    except Refused:
        expect["python"] = expect["python_digest_hex"] = None
    return {"json": text, "expect": expect}
