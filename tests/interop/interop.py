"""Tokens between WireSeal and the codecs of three official SDKs, the packages themselves, both ways.

    interop.py RUST_PROGRAM [--cases N] [--seed N]

For each format: what one side seals the other opens, to the same state; and what one side refuses for a changed binding,
a wrong key or its age, the other refuses as well.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import os
import random
import secrets
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import wireseal
from mcp import MCPError
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

HERE = Path(__file__).resolve().parent
METHODS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
TEXTS = ("", "a", "room", "ä€😀", "\x00\x1f\x7f", '"\\/', "\u2028", "=?base64?aGk=?=", "x" * 300, "\ud800", "\ud83d x")
NUMBERS = ("0", "-0", "1", "1.0", "10e-1", "0.1", "1e16", "1e-7", "9007199254740993", "1e400", "-1e-400", "123456789" * 30)


class Peer:
    """A program that answers each line with a line."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE)

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.communicate()


def text(rng: random.Random, *, sound: bool = False) -> str:
    """A string, hostile ones among them; `sound`: one that UTF-8 has."""
    while True:
        made = rng.choice(TEXTS) if rng.random() < 0.5 else "".join(rng.choices("abcäß€😀 \n\"\\", k=rng.randint(0, 12)))
        if not sound or made.encode("utf-8", "replace").decode() == made:
            return made


def json_text(rng: random.Random, depth: int = 0, *, exact: bool = True) -> str:
    """A JSON text, hostile ones among them; not `exact`: with numbers that JavaScript keeps."""
    kind = rng.randint(0, 7 if depth < 4 else 4)
    if kind == 0:
        return rng.choice(("null", "true", "false"))
    if kind <= 2:
        return rng.choice(NUMBERS) if exact else rng.choice(("0", "-5", "1.5", "9007199254740991", "1e-7", "1e21"))
    if kind <= 4:
        return json.dumps(text(rng), ensure_ascii=rng.random() < 0.5 or not exact).encode("utf-8", "replace").decode()
    if kind == 5:
        return "[" + ",".join(json_text(rng, depth + 1, exact=exact) for _ in range(rng.randint(0, 4))) + "]"
    return object_text(rng, depth, exact=exact)


def object_text(rng: random.Random, depth: int = 0, *, exact: bool = True) -> str:
    names = {text(rng): None for _ in range(rng.randint(0, 5))}
    space = rng.choice(("", " ", "\n"))
    members = (f"{json.dumps(name)}{space}:{space}{json_text(rng, depth + 1, exact=exact)}" for name in names)
    return "{" + space + ",".join(members) + space + "}"


def same(a: Any, b: Any) -> bool:
    """Equal values of the same types; NaN does not occur."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


class Tally:
    """What was compared, and what disagreed."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    def note(self, what: str, good: bool, detail: Callable[[], object]) -> None:
        self.counts[what] += 1
        if not good:
            self.wrong.append(f"{what}: {detail()!r}"[:600])


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns; None where it refuses."""
    try:
        return call()
    except (wireseal.Rejected, MCPError):
        return None


def python_format(rng: random.Random, cases: int, tally: Tally) -> None:
    """`mcp`: its boundary is called as its server calls it, with the request and the result."""
    for _ in range(cases):
        key, audience = secrets.token_bytes(rng.choice((32, 33, 64))), rng.choice((None, "desk", text(rng, sound=True)))
        principal = rng.choice((None, "alice", text(rng, sound=True)))
        security = RequestStateSecurity(keys=[key], audience=audience, bind_principal=lambda ctx: getattr(ctx, "principal"))
        boundary = RequestStateBoundary(security, default_audience=audience)
        sealer = wireseal.Sealer([key], audience=audience, format="python")
        method, state = rng.choice(list(METHODS)), text(rng, sound=True) * rng.randint(1, 3)
        target, arguments = text(rng, sound=True), object_text(rng)
        other_arguments, other_principal = object_text(rng), rng.choice((None, "alice", "mallory"))

        def ctx(arguments: str, principal: str | None, token: str | None = None) -> Any:
            params: dict[str, Any] = {METHODS[method]: target, "arguments": json.loads(arguments)}
            if token is not None:
                params["requestState"] = token
            return SimpleNamespace(method=method, params=params, principal=principal)

        def theirs(token: str, arguments: str, principal: str | None) -> Any:
            return outcome(lambda: boundary._unseal(ctx(arguments, principal, token))[0])

        def ours(token: str, arguments: str, principal: str | None) -> Any:
            def call() -> str:
                return sealer.open_for(token, method, target, arguments.encode(), principal=principal).state.decode()

            return outcome(call)

        sealed = sealer.seal_for(method, target, arguments.encode(), state, principal=principal)
        result: Any = {"resultType": "input_required", "requestState": state}
        minted = boundary._seal_result(ctx(arguments, principal), result, None)["requestState"]  # type: ignore[index]
        tally.note("python: sealed by WireSeal", theirs(sealed, arguments, principal) == state, lambda: (arguments, state))
        tally.note("python: sealed by mcp", ours(minted, arguments, principal) == state, lambda: (arguments, state))
        for token in (sealed, minted):
            for changed in ((other_arguments, principal), (arguments, other_principal)):
                agree = theirs(token, *changed) == ours(token, *changed)
                tally.note("python: a changed binding", agree, lambda: (arguments, changed, token))


def typescript_format(rng: random.Random, cases: int, tally: Tally, peer: Peer) -> None:
    """`@modelcontextprotocol/server`: its codec, with and without `bind`."""
    for _ in range(cases):
        key = secrets.token_bytes(rng.choice((32, 64, 65, 200)))
        binding = rng.choice((None, "", text(rng, sound=True)))
        state = rng.choice(("", json_text(rng, exact=False)))
        by = sealer_for("typescript", key, binding)
        base = {"key": list(key), "binding": binding}
        sealed = by.seal_for("tools/call", None, None, state, principal=None)
        verified = peer.ask({**base, "verify": sealed})
        good = "payload" in verified and equal_payload(verified["payload"], state)
        tally.note("typescript: sealed by WireSeal", good, lambda: (state, verified))
        minted = peer.ask({**base, "mint": state})["token"]
        opened = outcome(lambda: open_state(by, minted))
        tally.note("typescript: sealed by the SDK", opened is not None and equal_payload(opened.decode(), state), lambda: (state, minted))
        other = rng.choice((None, "", "another", binding))
        for token in (sealed, minted):
            theirs = "payload" in peer.ask({**base, "binding": other, "verify": token})
            found = outcome(lambda: open_state(sealer_for("typescript", key, other), token)) is not None
            tally.note("typescript: a changed binding", theirs == found, lambda: (binding, other))
        ttl = rng.choice((-5, -1, 0, 1, 0.5, 1.5))
        token = peer.ask({**base, "mint": "1", "ttl": ttl})["token"]
        end = math.floor(time.time()) + ttl
        if abs(end - time.time()) > 0.2 and time.time() % 1 < 0.8:  # not where a second may pass in between
            theirs = "payload" in peer.ask({**base, "verify": token})
            tally.note("typescript: age", theirs == (outcome(lambda: open_state(by, token)) is not None), lambda: ttl)


def rust_format(rng: random.Random, cases: int, tally: Tally, peer: Peer) -> None:
    """`rmcp`: its codec, with and without associated data."""
    for _ in range(cases):
        key = secrets.token_bytes(rng.choice((32, 64, 65, 200)))
        binding = rng.choice((b"", text(rng, sound=True).encode(), secrets.token_bytes(5)))
        state = rng.choice((b"", secrets.token_bytes(rng.randint(0, 40)), text(rng, sound=True).encode()))
        by = sealer_for("rust", key, binding or None)
        base = {"key": list(key), "binding": list(binding)}
        sealed = by.seal_for("tools/call", None, None, state, principal=None)
        opened = peer.ask({**base, "open": sealed})
        tally.note("rust: sealed by WireSeal", opened.get("state") == list(state), lambda: (state, opened))
        minted = peer.ask({**base, "seal": list(state), "ttl_ms": 600_000})["token"]
        tally.note("rust: sealed by rmcp", outcome(lambda: open_state(by, minted)) == state, lambda: (state, minted))
        other = rng.choice((b"", b"another", binding))
        for token in (sealed, minted):
            theirs = "state" in peer.ask({**base, "binding": list(other), "open": token})
            found = outcome(lambda: open_state(sealer_for("rust", key, other or None), token)) is not None
            tally.note("rust: a changed binding", theirs == found, lambda: (binding, other))
        endless = peer.ask({**base, "seal": list(state), "ttl_ms": None})["token"]
        tally.note("rust: without an end, refused by WireSeal alone", outcome(lambda: open_state(by, endless)) is None, lambda: endless)
        allowing = sealer_for("rust", key, binding or None, allow_endless=True)
        tally.note("rust: without an end, allowed", outcome(lambda: open_state(allowing, endless)) == state, lambda: endless)


def sealer_for(
    format: Any, key: bytes, binding: str | bytes | None, *, allow_endless: bool = False
) -> wireseal.Sealer:
    """An empty binding binds nothing, and has to be allowed as none has."""
    bind = None if binding is None else lambda *_: binding
    return wireseal.Sealer(
        [key], audience=None, format=format, binding=bind, allow_unbound=not binding, allow_endless=allow_endless
    )


def open_state(by: wireseal.Sealer, token: str) -> bytes:
    return by.open_for(token, "tools/call", None, None, principal=None).state


def equal_payload(found: str, expected: str) -> bool:
    return found == expected or ("" not in (found, expected) and same(json.loads(found), json.loads(expected)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rust_program")
    parser.add_argument("--cases", type=int, default=int(os.environ.get("CASES", "2000")))
    parser.add_argument("--seed", type=int, default=20260728)
    arguments = parser.parse_args()
    logging.disable()  # mcp writes a line for each refusal
    rng, tally = random.Random(arguments.seed), Tally()
    node, rust = Peer(["node", "typescript.mjs"]), Peer([str(Path(arguments.rust_program).resolve())])
    python_format(rng, arguments.cases, tally)
    typescript_format(rng, arguments.cases, tally, node)
    rust_format(rng, arguments.cases, tally, rust)
    node.close()
    rust.close()
    for what, count in tally.counts.items():
        wrong = sum(line.startswith(what) for line in tally.wrong)
        print(f"{'pass' if not wrong else 'FAIL'}: {what}: {count} compared, {wrong} disagree")
    for line in tally.wrong[:10]:
        print(line)
    failed = len({line.split(": ")[0] + line.split(": ")[1] for line in tally.wrong})
    print(f"{len(tally.counts) - failed} passed, {failed} failed")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
