"""Many conversations over three replicas that share a Redis; one replica is killed half-way.

    python tests/python/fleet.py --conversations 10000 --seed 1 --write docs/evidence/once.md

Every second leg is sent three times, to replicas picked at random, some with other answers. Some actions fail, some
have no effect and say so. What was really done is in a ledger that the replicas append to, which `Once` knows nothing
of: the answers that the clients got are compared with it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import random
import secrets
import socket
import socketserver
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import redis
import wireseal
from redis_server import RedisServer

REPLICAS = 3
KEY = "an example key, for these tests only"
LEASE, WAIT = 5.0, 4.0
CLIENTS = 12
GREEDY = "eve"
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


class Full(wireseal.NothingHappened):
    """There was no effect, and the client may try again."""


@dataclass
class Setting:
    """What all replicas have in common."""

    redis_socket: str
    ledger: str
    capacity: int
    share: int
    since: float
    shared: bool

    def sealer(self) -> wireseal.Sealer:
        return wireseal.Sealer([KEY], audience="desk")

    def once(self, replica: str = "") -> wireseal.RedisOnce:
        client = redis.Redis(unix_socket_path=self.redis_socket)
        return wireseal.RedisOnce(
            client,
            prefix="fleet" if self.shared else f"fleet{replica}",
            capacity=self.capacity,
            share=self.share,
            lease=LEASE,
            now=self.since,
        )


class Replica:
    """A server: opens, recalls, acts once, answers."""

    def __init__(self, setting: Setting, name: str) -> None:
        self.sealer, self.once = setting.sealer(), setting.once(name)
        self.ledger = os.open(setting.ledger, os.O_WRONLY | os.O_APPEND)

    def answer(self, body: bytes, principal: str) -> dict[str, Any]:
        try:
            msg = wireseal.admit(body)
            opened = self.sealer.open(msg, principal=principal)
            assert opened is not None and msg.input_responses is not None
            first = self.once.recall(opened, wait=WAIT)
            if first is None:
                how = json.loads(opened.state)
                room = msg.input_responses["room"]["content"]["room"]
                action = Action(self.ledger, opened.token_id.hex(), room, how)
                first = self.once.run(opened, principal=principal, action=action, wait=WAIT)
            return {"body": wireseal.complete(msg, first).decode()}
        except wireseal.Rejected as rejected:
            return {"reason": rejected.reason, "body": rejected.to_bytes().decode()}
        except Full:
            return {"reason": "nothing-happened"}
        except RuntimeError as error:
            return {"reason": str(error)}


@dataclass
class Action:
    """Appends to the ledger that it begins, takes a while, and returns a result that no other action has."""

    ledger: int
    token: str
    room: str
    how: str

    def __call__(self) -> dict[str, Any]:
        if self.how == "full" and random.random() < 0.5:
            raise Full
        nonce = secrets.token_hex(8)
        os.write(self.ledger, f"{self.token} {self.room} {nonce} {os.getpid()}\n".encode())
        time.sleep(random.random() * 0.01)
        if self.how == "fails":
            raise RuntimeError("action-failed")
        return {"content": [], "structuredContent": {"room": self.room, "nonce": nonce}}


class Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 128


def serve(path: str, setting: Setting) -> None:
    """The main program of a replica."""
    replica = Replica(setting, path)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            line = self.rfile.readline()
            if not line:
                return  # somebody looked whether this server is there
            request = json.loads(line)
            answer = replica.answer(request["body"].encode(), request["principal"])
            self.wfile.write(json.dumps(answer).encode() + b"\n")

    Server(path, Handler).serve_forever()


@dataclass
class Conversation:
    principal: str
    token_id: str
    token: str
    answers: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """What was answered to which room."""


@dataclass
class Report:
    """What was seen, and everything that is wrong with it."""

    conversations: int
    sent: int = 0
    resent: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    acted: int = 0
    unknown: int = 0
    killed_amid: int = 0
    greedy_acted: int = 0
    faults: list[str] = field(default_factory=list)
    seconds: float = 0


class Fleet:
    """The replicas, and the clients that talk to them."""

    def __init__(self, conversations: int, seed: int, directory: str, redis_socket: str, shared: bool) -> None:
        self.rng = random.Random(seed)
        greedy = conversations // 10
        share = max(conversations // 20, 5)
        ledger = str(Path(directory, "ledger"))
        Path(ledger).touch()
        # The store begins before the first token is issued: at a whole second, which no rounding moves.
        self.setting = Setting(redis_socket, ledger, 2 * conversations, share, int(time.time()), shared)
        self.report = Report(conversations)
        spawn = multiprocessing.get_context("spawn")
        self.paths = [str(Path(directory, f"replica-{n}")) for n in range(REPLICAS)]
        self.processes = [spawn.Process(target=serve, args=(path, self.setting), daemon=True) for path in self.paths]
        self.lock = threading.Lock()
        sealer = self.setting.sealer()
        self.conversations = [
            self.begin(sealer, GREEDY if n < greedy else f"user-{n % 40}") for n in range(conversations)
        ]

    def begin(self, sealer: wireseal.Sealer, principal: str) -> Conversation:
        """The first leg, of which only the token matters here."""
        how = self.rng.choices(["works", "fails", "full"], [94, 3, 3])[0]
        msg = wireseal.admit(second_leg(None, "cinder"))
        token = sealer.seal(msg, json.dumps(how), principal=principal)
        opened = sealer.open(wireseal.admit(second_leg(token, "cinder")), principal=principal)
        assert opened is not None
        return Conversation(principal, opened.token_id.hex(), token)

    def run(self) -> Report:
        start = time.monotonic()
        for process in self.processes:
            process.start()
        for path in self.paths:
            wait_for(path)
        jobs = self.jobs()
        half = len(jobs) // 2
        with ThreadPoolExecutor(CLIENTS) as clients:
            first = [clients.submit(self.send, *job) for job in jobs[: half + CLIENTS]]
            first[half].result()
            self.processes[0].kill()
            killed = time.monotonic()
            for sent in [*first, *[clients.submit(self.send, *job) for job in jobs[half + CLIENTS :]]]:
                sent.result()
            time.sleep(max(0.0, killed + LEASE + 0.5 - time.monotonic()))
            # Long after: what the first leg of each token came to is the same for every reissue.
            rooms = self.rooms()
            last = [(c, rooms.get(c.token_id, "cinder"), 1 + n % 2) for n, c in enumerate(self.conversations)]
            list(clients.map(lambda job: self.send(*job), last))
        for process in self.processes:
            process.kill()
            process.join()
        self.judge()
        self.report.seconds = time.monotonic() - start
        return self.report

    def jobs(self) -> list[tuple[Conversation, str, int]]:
        """Three sends for each conversation, close together for half of them, anywhere for the others."""
        timed = []
        for number, conversation in enumerate(self.conversations):
            rooms = ["cinder"] * 3
            if self.rng.random() < 0.25:
                rooms[self.rng.randrange(3)] = "basalt"
            close = self.rng.random() < 0.5
            for room in rooms:
                when = number + self.rng.random() if close else self.rng.random() * len(self.conversations)
                timed.append((when, conversation, room, self.rng.randrange(REPLICAS)))
        return [(conversation, room, replica) for _, conversation, room, replica in sorted(timed, key=lambda t: t[0])]

    def send(self, conversation: Conversation, room: str, replica: int) -> None:
        """Sends a second leg, and again where the connection breaks or nothing happened, as clients do."""
        body = second_leg(conversation.token, room).decode()
        request = json.dumps({"principal": conversation.principal, "body": body}).encode() + b"\n"
        for attempt in range(20):
            answer = exchange(self.paths[replica], request)
            with self.lock:
                self.report.sent += 1
                self.report.resent += attempt > 0
                if answer is not None:
                    conversation.answers.append((room, answer))
                    self.report.outcomes[answer.get("reason", "result")] += 1
            if answer is not None and answer.get("reason") != "nothing-happened":
                return
            if answer is None:
                replica = (replica + 1) % REPLICAS

    def rooms(self) -> dict[str, str]:
        """The room that was really booked with each token."""
        return {line.split()[0]: line.split()[1] for line in Path(self.setting.ledger).read_text().splitlines()}

    def judge(self) -> None:
        """Compares what clients were told with what was done."""
        report = self.report
        done: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
        for line in Path(self.setting.ledger).read_text().splitlines():
            token, room, nonce, process = line.split()
            done[token].append((room, nonce, int(process)))
        dead = self.processes[0].pid
        for conversation in self.conversations:
            acts = done.pop(conversation.token_id, [])
            fault = f"{conversation.principal} {conversation.token_id}: "
            if len(acts) > 1:
                report.faults.append(fault + f"acted {len(acts)} times")
            results = [(room, result(answer)) for room, answer in conversation.answers if "reason" not in answer]
            reasons = {answer["reason"] for _, answer in conversation.answers if "reason" in answer}
            report.acted += len(acts)
            report.greedy_acted += len(acts) if conversation.principal == GREEDY else 0
            report.unknown += "once-outcome-unknown" in reasons
            # Only an action that failed, or died with its replica, is of unknown outcome, or in flight for long.
            died = not acts or acts[0][2] == dead
            report.killed_amid += died and "once-outcome-unknown" in reasons and "action-failed" not in reasons
            if reasons & {"once-outcome-unknown", "once-in-flight"} and not died and "action-failed" not in reasons:
                report.faults.append(fault + f"refused as {reasons}, and {acts} was done")
            for room, told in results:
                if not acts or (room, told) != (acts[0][0], acts[0][:2]):
                    report.faults.append(fault + f"{room} was told {told}, and {acts} was done")
            for room, answer in conversation.answers:
                if acts and room != acts[0][0] and answer.get("reason") not in ("state-used", "nothing-happened"):
                    report.faults.append(fault + f"other answers after {acts} were told {answer}")
            allowed = {"state-used", "once-in-flight", "once-outcome-unknown", "action-failed", "nothing-happened"}
            if conversation.principal == GREEDY:
                allowed.add("once-share")
            if not reasons <= allowed:
                report.faults.append(fault + f"refused as {reasons - allowed}")
            if not acts and not results and conversation.principal != GREEDY:
                # Only a replica that died between its claim and its action leaves this.
                if "once-outcome-unknown" not in reasons:
                    report.faults.append(fault + f"was never served: {reasons}")
        if done:
            report.faults.append(f"acted without a conversation: {list(done)}")
        if report.greedy_acted > self.setting.share:
            report.faults.append(f"{GREEDY} acted {report.greedy_acted} times, with a share of {self.setting.share}")


def second_leg(token: str | None, room: str) -> bytes:
    params: dict[str, Any] = {"_meta": META, "name": "book_room", "arguments": {"date": "2026-08-04"}}
    if token is not None:
        params["requestState"] = token
        params["inputResponses"] = {"room": {"action": "accept", "content": {"room": room}}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def result(answer: dict[str, Any]) -> tuple[str, str]:
    told = json.loads(answer["body"])["result"]["structuredContent"]
    return told["room"], told["nonce"]


def exchange(path: str, request: bytes) -> dict[str, Any] | None:
    """One request; None when the replica is gone."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(60)
            connection.connect(path)
            connection.sendall(request)
            line = connection.makefile("rb").readline()
    except OSError:
        return None
    answer: dict[str, Any] | None = json.loads(line) if line.endswith(b"\n") else None
    return answer


def wait_for(path: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(path)
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def run(conversations: int, seed: int, shared: bool = True) -> tuple[Report, str]:
    """Runs a fleet; the report, and the version of Redis. ``shared=False``: to each replica a store of its own, to see
    that what goes wrong is noticed."""
    with RedisServer() as server, tempfile.TemporaryDirectory(prefix="wireseal-fleet-") as directory:
        report = Fleet(conversations, seed, directory, server.socket, shared).run()
        with redis.Redis(unix_socket_path=server.socket) as client:
            return report, str(client.info("server")["redis_version"])


def page(report: Report, seed: int, version: str) -> str:
    """The evidence."""
    rows = "".join(f"| `{name}` | {count} |\n" for name, count in report.outcomes.most_common())
    return f"""# Once, over three replicas

Written by `tests/python/fleet.py --conversations {report.conversations} --seed {seed} --write` on {time.strftime("%Y-%m-%d")}: wireseal
{wireseal.__version__}, Redis {version}, redis-py {redis.__version__}, CPython {platform.python_version()}. It took {report.seconds:.0f} s.

{report.conversations} conversations, a tenth of them by one greedy principal. Each second leg was sent three times to replicas picked at random,
a quarter of them once with other answers; 3 % of the actions fail, 3 % have no effect at first and say so. One of three
replicas was killed half-way, and what was sent to it was sent to another. After all leases had ended each conversation sent its second leg once more.
Times and the interleaving of processes are not reproducible; the conversations are.

| | |
|---|---|
| requests sent | {report.sent} |
| of which again, since the connection broke or nothing had happened | {report.resent} |
| actions begun, by the ledger | {report.acted} |
| of which by the greedy principal, whose share is {max(report.conversations // 20, 5)} | {report.greedy_acted} |
| conversations with an unknown outcome | {report.unknown} |
| of which since they died with the replica, before their result was kept | {report.killed_amid} |
| **tokens that acted twice, answers that differ from the first, refusals without cause** | **{len(report.faults)}** |

| answer | times |
|---|---|
{rows}"""


def main() -> int:
    """Runs a fleet and says what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", help="the page of evidence to write")
    args = parser.parse_args()
    report, version = run(args.conversations, args.seed)
    for fault in report.faults[:50]:
        print(fault)
    text = page(report, args.seed, version)
    if args.write and not report.faults:
        Path(args.write).write_text(text, encoding="utf-8")
    print(text)
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
