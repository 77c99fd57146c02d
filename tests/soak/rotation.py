"""Rolls keys under load: three servers, two clients, and the ring changed on one server after the other.

    python tests/soak/rotation.py --seconds 60 --seed 1 --write docs/evidence/rotation.md

The servers speak MCP over HTTP, each in a process of its own with a sealer of its own. A client asks one of them, gets a
token, and brings it back to any of them: soon, late, or long after its life. What must come of it is known from the
client's clock alone: a token that came back within its life is good, one that set out after it is not, whatever the ring of
the server that it meets. (What is on its way when its life ends can be either, and is counted apart.)

Meanwhile the keys are rolled by the book, again and again: [old, new] on one server after the other, then [new, old], then,
one life after the last server had the new key in front, [new]. Before that, for a few seconds, the first phase is left out:
valid tokens must then be refused, or this program would not see it if they were.
"""

from __future__ import annotations

import argparse
import base64
import heapq
import http.client
import json
import multiprocessing
import platform
import random
import secrets
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import wireseal

SERVERS, CLIENTS = 3, 2
TTL = 2.0
# Between one server's change and the next one's, and after the last of a phase.
STEP, PAUSE = 0.2, 0.3
# What a time in a token can differ from the clock that it was read from.
ROUNDING = 0.002
CARELESS = 8.0  # seconds without the first phase
WORKERS = 4  # conversations that each client has under way at once
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "count",
}
REQUEST = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}


class Handler(BaseHTTPRequestHandler):
    """Asks with a token, and completes when it comes back. The reason of a refusal is told in a header, for this test."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet for an answer
    sealers: list[wireseal.Sealer] = []  # the one in use; a change puts another in its place

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        fields = [(name.encode(), value.encode()) for name, value in self.headers.items()]
        try:
            msg = wireseal.admit(body, fields)
            sealer = self.sealers[0]
            opened = sealer.open(msg, principal="alice")
            if opened is None:
                answer = wireseal.input_required(msg, {}, sealer=sealer, state="1", principal="alice")
            else:
                answer = wireseal.complete(msg, {"content": [], "structuredContent": {"round": int(opened.state)}})
            self.answer(200, answer, "")
        except wireseal.Rejected as refused:
            self.answer(refused.status, refused.to_bytes(), refused.reason)

    def answer(self, status: int, body: bytes, reason: str) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.send_header("x-reason", reason)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


def sealer(keys: list[bytes], number: int) -> wireseal.Sealer:
    """The two sources of random nonces can be mixed under one key, and are."""
    return wireseal.Sealer(keys, audience="desk", ttl=TTL, nonces="process" if number % 2 else "random")


def serve(number: int, keys: list[bytes], control: Connection) -> None:
    """A server: tells its port, then takes each new ring and confirms that it is in use."""
    Handler.sealers[:] = [sealer(keys, number)]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    control.send(server.server_address[1])
    while (ring := control.recv()) is not None:
        Handler.sealers[0] = sealer(ring, number)
        control.send(True)


@dataclass
class Tally:
    """What the conversations came to."""

    first_legs: int = 0
    good: int = 0
    late: int = 0
    either: int = 0
    unknown_key: int = 0
    expired: int = 0
    keys: set[bytes] = field(default_factory=set)
    nonces: set[bytes] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    longest: float = 0.0

    def add(self, other: Tally) -> None:
        for name in ("first_legs", "good", "late", "either", "unknown_key", "expired"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        twice = self.nonces & other.nonces
        self.faults += other.faults + [f"a nonce twice: {nonce.hex()}" for nonce in twice]
        self.keys |= other.keys
        self.nonces |= other.nonces
        self.longest = max(self.longest, other.longest)


class Client:
    """One connection to each server, and tokens that wait for their second leg."""

    def __init__(self, ports: list[int], seed: str) -> None:
        self.servers = [http.client.HTTPConnection("127.0.0.1", port) for port in ports]
        self.random = random.Random(seed)
        self.tally = Tally()

    def post(self, params: dict[str, Any]) -> tuple[int, str, dict[str, Any]]:
        body = json.dumps({**REQUEST, "params": {"_meta": META, "name": "count", "arguments": {"n": 1}, **params}})
        server = self.random.choice(self.servers)
        server.request("POST", "/", body, HEADERS)
        answer = server.getresponse()
        return answer.status, answer.headers["x-reason"], json.loads(answer.read())

    def ask(self) -> tuple[str, float, float]:
        """A new token, and between which times it was sealed."""
        sent = time.time()
        status, reason, answer = self.post({})
        got = time.time()
        if status != 200:
            raise SystemExit(f"the first leg was refused: {status} {reason}")
        token: str = answer["result"]["requestState"]
        head = base64.urlsafe_b64decode(token.removeprefix("w1.")[:24])[:16]
        if head in self.tally.nonces:
            self.tally.faults.append(f"a nonce twice: {head.hex()}")
        self.tally.nonces.add(head)
        self.tally.keys.add(head[:4])
        self.tally.first_legs += 1
        self.tally.longest = max(self.tally.longest, got - sent)
        return token, sent, got

    def bring_back(self, token: str, earliest: float, latest: float) -> None:
        """The second leg, and whether what came of it is right."""
        sent = time.time()
        status, reason, _ = self.post({"requestState": token})
        got = time.time()
        self.tally.longest = max(self.tally.longest, got - sent)
        if got < earliest + TTL - ROUNDING:
            self.tally.good += 1
            if status != 200:
                self.tally.faults.append(f"refused ({reason}) {earliest + TTL - got:.3f} s before its end")
        elif sent > latest + TTL + ROUNDING:
            self.tally.late += 1
            self.tally.unknown_key += reason == "state-unknown-key"
            self.tally.expired += reason == "state-expired"
            if status != 400 or reason not in ("state-unknown-key", "state-expired"):
                self.tally.faults.append(f"{status} ({reason}) {sent - latest - TTL:.3f} s after its end")
        else:
            self.tally.either += 1

    def run(self, until: float) -> None:
        """Asks and brings back; each token once while it is good or about to end, and once more when it is long gone."""
        waiting: list[tuple[float, str, float, float]] = []
        while (now := time.time()) < until:
            while waiting and waiting[0][0] <= now:
                _, token, earliest, latest = heapq.heappop(waiting)
                self.bring_back(token, earliest, latest)
            token, earliest, latest = self.ask()
            soon = self.random.choice((0.0, self.random.uniform(0, TTL), TTL + self.random.gauss(0, 0.02)))
            gone = TTL + self.random.uniform(0.01, 3 * TTL)
            for after in (soon, gone):
                heapq.heappush(waiting, (earliest + after, token, earliest, latest))


def load(number: int, ports: list[int], seed: int, until: float, results: Connection) -> None:
    """A client, with a few conversations at once."""
    workers = [Client(ports, f"{seed}/{number}/{worker}") for worker in range(WORKERS)]
    threads = [threading.Thread(target=worker.run, args=(until,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tally = Tally()
    for worker in workers:
        tally.add(worker.tally)
    results.send(tally)


def roll(controls: list[Connection], until: float, pick: random.Random, careless: bool) -> tuple[int, int]:
    """Rolls one key after the other; how many, and how often a server's ring was changed."""
    old, rolled, changes = INITIAL, 0, 0
    # The longest that a roll takes: three phases, and a life between the last two.
    while time.time() + 3 * (SERVERS * STEP + PAUSE) + 2 * TTL < until:
        new = secrets.token_bytes(32)
        for phase in ([old, new], [new, old], [new])[careless:]:
            if phase == [new]:
                time.sleep(TTL)  # the last token of the old key has ended
            for control in pick.sample(controls, len(controls)):
                control.send(phase)
                control.recv()
                changes += 1
                time.sleep(STEP * pick.uniform(0.5, 1))
            time.sleep(PAUSE)
        old, rolled = new, rolled + 1
    return rolled, changes


INITIAL = secrets.token_bytes(32)


def run(seconds: float, seed: int, careless: bool = False) -> tuple[Tally, int, int]:
    context = multiprocessing.get_context("fork")
    controls, processes, ports = [], [], []
    for number in range(SERVERS):
        ours, theirs = context.Pipe()
        processes.append(context.Process(target=serve, args=(number, [INITIAL], theirs), daemon=True))
        processes[-1].start()
        controls.append(ours)
        ports.append(ours.recv())
    until = time.time() + seconds
    results = []
    for number in range(CLIENTS):
        ours, theirs = context.Pipe()
        processes.append(context.Process(target=load, args=(number, ports, seed, until, theirs), daemon=True))
        processes[-1].start()
        results.append(ours)
    rolled, changes = roll(controls, until, random.Random(seed), careless)
    tally = Tally()
    for result in results:
        if not result.poll(until - time.time() + 60):
            raise SystemExit("a client did not come to its end")
        tally.add(result.recv())
    for control in controls:
        control.send(None)
    for process in processes:
        process.join(10)
    return tally, rolled, changes


def page(tally: Tally, rolled: int, changes: int, seconds: float, seed: int, careless: int) -> str:
    rows = {
        "tokens sealed": tally.first_legs,
        "keys that sealed": len(tally.keys),
        "keys rolled, each in three phases": rolled,
        "rings changed on a server": changes,
        "tokens brought back within their life": tally.good,
        "tokens brought back after it": tally.late,
        "of which refused as expired": tally.expired,
        "of which refused since their key was gone": tally.unknown_key,
        "on their way when their life ended": tally.either,
        "nonces that differ": len(tally.nonces),
    }
    table = "\n".join(f"| {name} | {number} |" for name, number in rows.items())
    return f"""# Keys rolled under load

Written by `tests/soak/rotation.py --seconds {seconds:g} --seed {seed} --write` on {time.strftime("%Y-%m-%d")}: wireseal
{wireseal.__version__}, CPython {platform.python_version()}.

{SERVERS} servers over HTTP, {CLIENTS} clients with {WORKERS} conversations each at once, tokens that live {TTL:g} s. Each token was
brought back twice, to servers picked at random: once within its life or about its end, once after it. The keys, the times and the
interleaving are not reproducible; the picks of the clients are. The longest exchange took {1000 * tally.longest:.0f} ms.

| | |
|---|---|
{table}
| **valid tokens refused, ended ones accepted, nonces repeated** | **{len(tally.faults)}** |

With the first phase left out, so that some servers seal with a key that others do not have yet, the same clients counted
{careless} valid tokens refused in {CARELESS:g} s.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", help="the page of evidence to write")
    args = parser.parse_args()
    careless = sum(fault.startswith("refused") for fault in run(CARELESS, args.seed, careless=True)[0].faults)
    tally, rolled, changes = run(args.seconds, args.seed)
    text = page(tally, rolled, changes, args.seconds, args.seed, careless)
    print(text)
    # A run that showed nothing is none.
    short = careless == 0 or rolled == 0 or min(tally.good, tally.late, tally.expired, tally.unknown_key) < 10
    for fault in tally.faults[:20]:
        print(f"FAIL: {fault}")
    if short:
        print("FAIL: too little was tried")
    if args.write and not tally.faults and not short:
        Path(args.write).write_text(text, encoding="utf-8")
    return 1 if tally.faults or short else 0


if __name__ == "__main__":
    sys.exit(main())
