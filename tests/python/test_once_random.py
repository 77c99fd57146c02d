"""Random scripts: the table in memory, the store on Redis and a slow model written from docs/once.md must agree."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any

import pytest
import redis
import wireseal
from test_once import Script, settings_of
from test_redis_once import server

__all__ = ["server"]  # a fixture

SKEW = 60_000


@dataclass
class Entry:
    answers: str
    principal: str | None
    until: int
    lease_ends: int
    ticket: str
    stage: str = "in flight"
    result: str | None = None


class Model:
    """What a store must do, in so many words."""

    def __init__(self, table: dict[str, int]) -> None:
        self.table = table
        self.entries: dict[str, Entry] = {}

    def look(self, wish: dict[str, Any], at: int) -> tuple[str, str | None] | None:
        if wish["issued"] > at + SKEW:
            return "state-future", None
        if at >= wish["expires"]:
            return "state-expired", None
        if wish["issued"] < self.table["skew_ms"]:
            return "state-no-history", None
        self.entries = {token: entry for token, entry in self.entries.items() if at < entry.until}
        entry = self.entries.get(wish["token"])
        if entry is None:
            return None
        if entry.answers != wish["answers"]:
            return "state-used", None
        if entry.stage == "in flight":
            return ("once-in-flight" if at < entry.lease_ends else "once-outcome-unknown"), None
        return entry.stage, entry.result

    def take(self, step: dict[str, Any]) -> tuple[str | None, str | None]:
        at = step["at"]
        if "find" in step:
            return self.look(step["find"], at) or ("unseen", None)
        if "claim" in step:
            wish = step["claim"]
            found = self.look(wish, at)
            if found is not None:
                return found
            if sum(entry.principal == wish["principal"] for entry in self.entries.values()) >= self.table["share"]:
                return "once-share", None
            if len(self.entries) >= self.table["capacity"]:
                return "once-full", None
            lease_ends = at + self.table["lease_ms"]
            until = wish["expires"] + SKEW
            self.entries[wish["token"]] = Entry(wish["answers"], wish["principal"], until, lease_ends, step["as"])
            return "claimed", None
        ticket = step.get("finish") or step.get("release") or step.get("abandon")
        held = [
            (token, entry)
            for token, entry in self.entries.items()
            if entry.ticket == ticket and entry.stage == "in flight" and at < min(entry.lease_ends, entry.until)
        ]
        if "abandon" in step:
            for _, entry in held:
                entry.stage = "once-outcome-unknown"
            return None, None
        if not held:
            return "late", None
        ((token, entry),) = held
        if "release" in step:
            del self.entries[token]
            return "released", None
        if step["result"] is None or len(step["result"]) > self.table["max_result_bytes"]:
            entry.stage = "once-no-result"
            return "without-result", None
        entry.stage, entry.result = "done", step["result"]
        return "kept", None


def steps_of(rng: random.Random, tickets: list[str], at: int) -> dict[str, Any]:
    """One step; the tickets are those that were given out."""
    kind = rng.choice(["claim"] * 5 + ["find"] * 2 + ["finish"] * 3 + ["release", "abandon"])
    if kind in ("claim", "find") or not tickets:
        number = rng.randrange(12)
        wish = {
            "token": f"t{number}",
            "answers": rng.choice("aaab"),
            "principal": [None, "", "alice", "bob"][number % 4],
            "issued": number * 400 - 800,
            "expires": 3000 * (number + 1) if number % 3 else 600_000,
        }
        return {"at": at, kind: wish, "as": str(rng.random())} if kind == "claim" else {"at": at, "find": wish}
    ticket = tickets.pop(rng.randrange(len(tickets)))
    step: dict[str, Any] = {"at": at, kind: ticket}
    if kind == "finish":
        step["result"] = rng.choice([None, "", "r" * rng.randrange(12)])
    return step


@pytest.mark.parametrize("seed", range(60))
def test_all_stores_agree(server: Any, seed: int) -> None:
    rng = random.Random(seed)
    table = {
        "capacity": rng.randrange(2, 8),
        "share": rng.randrange(1, 3),
        "lease_ms": rng.choice([100, 2000, 80_000]),
        "skew_ms": rng.choice([0, 1000]),
        "max_result_bytes": rng.randrange(10),
    }
    settings, base_ms = settings_of({"table": table}), int(time.time() * 1000)
    with redis.Redis(unix_socket_path=server.socket) as client:
        model = Model(table)
        memory = Script(wireseal.Once(now=base_ms / 1000, **settings), base_ms)
        shared = Script(wireseal.RedisOnce(client, prefix=f"random-{seed}", now=base_ms / 1000, **settings), base_ms)
        at, words = 0, set()
        tickets: list[str] = []
        for _ in range(120):
            at += rng.choice([0, 1, 50, 500, 2000, 20_000])
            step = steps_of(rng, tickets, at)
            expected = model.take(step)
            if expected[0] == "claimed":
                tickets.append(step["as"])
            words.add(expected[0])
            assert memory.take(step) == expected, (seed, step)
            assert shared.take(step) == expected, (seed, step)
    assert len(words) > 5
