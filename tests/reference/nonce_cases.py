"""The cases of nonce.json: counted nonces, seen in the tokens that are sealed with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import compact
import nonces
import python_token
from cases import CALL, FRESH, LIFE, NOW, OTHER, SECRET, STATE, Case, Cases, request_json, text_json
from common import Misuse, Refused

AUDIENCE = "room-desk"
ONES = b"\xff" * 20
Keys = tuple[tuple[bytes, str], ...]
RANDOM: Keys = ((SECRET, "random"),)
COUNTER: Keys = ((SECRET, "counter"),)


def setting(keys: Keys, format: str, accept: tuple[str, ...] = ()) -> Case:
    return {
        "keys": [{"secret_hex": secret.hex(), "mode": mode} for secret, mode in keys],
        "audience": AUDIENCE,
        "lifetime_ms": LIFE,
        "format": format,
        "accept": list(accept),
    }


def sealed(keys: Keys, format: str, make: Callable[[], bytes], counted: bool) -> Case:
    """What comes of sealing with this nonce, by the first key."""
    secret, mode = keys[0]
    try:
        nonce = make()
        if counted != (mode == "counter"):
            raise Misuse("NonceMode")
        if format == "compact":
            return {"token": compact.seal(secret, AUDIENCE, LIFE, CALL, STATE, NOW, nonce, labels=mode)}
        return {"token": python_token.seal(secret, AUDIENCE, LIFE, CALL, STATE, NOW, nonce)}
    except Misuse as misuse:
        return {"misuse": str(misuse)}


def case(call: str, keys: Keys, expect: Case, format: str = "compact", **members: Any) -> Case:
    request = request_json(CALL, {})
    return {"call": call, "sealer": setting(keys, format), "request": request, "now_ms": NOW, **members, "expect": expect}


def process(
    keys: Keys = RANDOM, *, random: bytes = FRESH, asked_by: int = 4711, skip: int = 0, format: str = "compact"
) -> Case:
    expect = sealed(keys, format, lambda: nonces.of_process(random, 4711, asked_by, skip), False)
    members = {"random_hex": random.hex(), "made_by": 4711, "asked_by": asked_by, "skip": skip}
    return case("process", keys, expect, format, state_hex=STATE.hex(), **members)


def device(
    keys: Keys = COUNTER, *, device: int = 0x0A0B0C0D, stored: int = 6, read_back: int | None = None, skip: int = 0
) -> Case:
    expect = sealed(keys, "compact", lambda: nonces.of_device(device, stored, read_back, skip), True)
    members = {"device": device, "stored": stored, "read_back": read_back, "skip": skip}
    return case("device", keys, expect, state_hex=STATE.hex(), **members)


def opened(keys: Keys, token: str, *, reason: str | None = None) -> Case:
    expect: Case
    try:
        _, state, _, _ = compact.open_(
            [secret for secret, _ in keys], AUDIENCE, token, CALL, NOW, labels=[mode for _, mode in keys]
        )
        expect = {"state_hex": state.hex()}
    except Refused as refused:
        expect = {"reason": str(refused)}
    assert expect.get("reason") == reason, expect
    return case("open", keys, expect, token_json=text_json(token))


def nonce_cases() -> Cases:
    cases = Cases("wireseal-nonce/1")
    add = cases.add
    add("RS-22/process-first", "the first nonce of a process is its random start", process())
    add("RS-22/process-second", "one up for each token", process(skip=1))
    add("RS-22/process-carry", "the count carries into the next byte", process(skip=0x200))
    add("RS-22/process-wraps", "after the last number comes zero", process(random=ONES, skip=1))
    add("RS-22/process-near-end", "the nonce before that", process(random=ONES))
    add("RS-22/process-python", "the salt is counted too", process(format="python", skip=3))
    add("RS-22/process-python-wraps", "and wraps by itself", process(format="python", random=ONES, skip=2))
    add("RS-22/process-child", "a forked child has no nonce", process(asked_by=4712))
    add("RS-16/process-counter-key", "under a key for counted nonces it seals nothing", process(COUNTER))
    add("RS-22/device-first", "device, boot and message, four bytes each", device())
    add("RS-22/device-second", "one up for each token", device(skip=1))
    add("RS-22/device-carry", "the message number carries into the next byte", device(skip=0x100))
    add("RS-22/device-new", "a device that was never started before", device(stored=0))
    add("RS-22/device-zero", "device 0", device(device=0))
    add("RS-22/device-highest", "the last device in its last boot", device(device=2**32 - 1, stored=2**32 - 2))
    add("RS-22/device-worn", "a device that was started too often", device(stored=2**32 - 1))
    add("RS-22/device-not-stored", "the store still has the boot before", device(read_back=6))
    add("RS-22/device-ahead", "the store has another number", device(read_back=8))
    add("RS-16/device-random-key", "under a key for random nonces it seals nothing", device(RANDOM))

    random, counted = process()["expect"]["token"], device()["expect"]["token"]
    both = RANDOM + COUNTER
    unknown = "state-unknown-key"
    add("RS-16/counted", "a counted token under its key", opened(COUNTER, counted))
    add("RS-16/counted-elsewhere", "and under the other of the same secret", opened(RANDOM, counted, reason=unknown))
    add("RS-16/random-elsewhere", "a random one under a counter key", opened(COUNTER, random, reason=unknown))
    add("RS-16/random-in-both", "a ring of both kinds opens a random one", opened(both, random))
    add("RS-16/counted-in-both", "and a counted one", opened(both, counted))
    rolled = ((OTHER, "counter"), (SECRET, "counter"))
    add("RS-15/counted-rolled", "counter keys are rolled like others", opened(rolled, counted))
    compact_in_python = case("new", both, {"misuse": "CounterFormat"}, "python")
    add("RS-16/counter-python", "a counter key serves compact only", compact_in_python)
    accepting = {**case("new", both, {"misuse": "CounterFormat"}), "sealer": setting(both, "compact", ("python",))}
    add("RS-16/counter-accepts-python", "and opens compact only", accepting)
    add("RS-15/both-modes", "one secret can be there in both modes", case("new", both, {"ok": True}))
    twice = case("new", COUNTER + COUNTER, {"misuse": "EqualKeys"})
    add("RS-15/counter-twice", "but not twice in one", twice)
    return cases
