"""`Once` in memory: the shared scripts, and what it promises to a host."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import wireseal
from wireseal import _testing
from wireseal._native import OnceClaim
from wireseal._once import drive

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
CASES = json.loads((VECTORS / "once.json").read_text(encoding="utf-8"))["cases"]
BASE_MS = 1_785_000_000_000
KEY = "an example key, for these tests only"
CINDER = {"room": {"action": "accept", "content": {"room": "cinder"}}}
BASALT = {"room": {"action": "accept", "content": {"room": "basalt"}}}

Open = Callable[..., wireseal.Opened]


def label(text: str) -> bytes:
    """A label as the vectors have them: its bytes, padded with zeros."""
    return text.encode().ljust(16, b"\0")


class Script:
    """Takes the steps of a case, in a store that `case["table"]` describes."""

    def __init__(self, store: wireseal.Once | wireseal.RedisOnce, base_ms: int) -> None:
        self.store, self.base_ms = store, base_ms
        self.tickets: dict[str, tuple[OnceClaim, Any]] = {}

    def take(self, step: dict[str, Any]) -> tuple[Any, Any]:
        """What came of a step, as the vectors say it, and the result."""
        now = (self.base_ms + step["at"]) / 1000
        store = self.store
        if "finish" in step:
            claim, ticket = self.tickets[step["finish"]]
            result = None if step["result"] is None else step["result"].encode()
            return drive(store._finish(claim, ticket, result, now)), None
        if "release" in step:
            return "released" if drive(store._release(*self.tickets[step["release"]], now)) else "late", None
        if "abandon" in step:
            drive(store._abandon(*self.tickets[step["abandon"]], now))
            return None, None
        ask, wish = (store._claim, step["claim"]) if "claim" in step else (store._find, step["find"])
        try:
            claim = claim_of(wish, self.base_ms)
            word, payload = drive(ask(claim, now))
        except wireseal.Rejected as rejected:
            return rejected.reason, None
        if word == "claimed":
            self.tickets[step["as"]] = claim, payload
        return "once-in-flight" if word == "in-flight" else word, payload.decode() if word == "done" else None

    def run(self, steps: list[dict[str, Any]]) -> None:
        """Takes all steps, and compares."""
        for step in steps:
            if endless(step):
                continue
            word, result = self.take(step)
            assert word == step.get("expect"), step
            assert result == (step["result"] if word == "done" else None), step


def settings_of(case: dict[str, Any]) -> dict[str, Any]:
    table = case["table"]
    return {
        "capacity": table["capacity"],
        "share": table["share"],
        "lease": table["lease_ms"] / 1000,
        "skew": table["skew_ms"] / 1000,
        "max_result_bytes": table["max_result_bytes"],
    }


def claim_of(wish: dict[str, Any], base_ms: int) -> OnceClaim:
    issued = None if wish["issued"] is None else base_ms + wish["issued"]
    expires = base_ms + wish["expires"]
    opened = _testing.opened(label(wish["token"]), label(wish["answers"]), issued, expires)
    return OnceClaim(opened, wish["principal"])


def endless(step: dict[str, Any]) -> bool:
    """A token that never expires, which Python opens none of."""
    wish = step.get("claim") or step.get("find") or {}
    return wish.get("expires", 0) is None


@pytest.mark.parametrize("file", ["once"])
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_vectors(file: str, case: dict[str, Any]) -> None:
    Script(wireseal.Once(now=BASE_MS / 1000, **settings_of(case)), BASE_MS).run(case["steps"])


@pytest.fixture
def opener() -> Open:
    """Seals a token when first asked, and opens it with the answers that are given."""
    sealer = wireseal.Sealer([KEY], audience="desk")
    tokens: dict[str, str] = {}

    def open(answers: Any = CINDER, *, token: str = "t", principal: str | None = "alice", **more: Any) -> Any:
        request = ("tools/call", "book_room", {"date": "2026-08-04"})
        if token not in tokens:
            tokens[token] = sealer.seal_for(*request, "state", principal=principal)
        return sealer.open_for(tokens[token], *request, principal=principal, input_responses_json=answers, **more)

    return open


class Booking:
    """An action that counts how often it ran."""

    def __init__(self, result: Any = None) -> None:
        self.result, self.runs = {"room": "cinder"} if result is None else result, 0

    def __call__(self) -> Any:
        self.runs += 1
        return self.result


def refused(run: Callable[[], Any]) -> str:
    with pytest.raises(wireseal.Rejected) as caught:
        run()
    return caught.value.reason


def test_rs_08_a_reissue_gets_the_first_result(opener: Open) -> None:
    once, book = wireseal.Once(), Booking()
    assert once.recall(opener()) is None
    results = [once.run(opener(), principal="alice", action=book) for _ in range(3)]
    assert results == [{"room": "cinder"}] * 3 and book.runs == 1
    assert once.recall(opener()) == {"room": "cinder"}
    assert refused(lambda: once.run(opener(BASALT), principal="alice", action=book)) == "state-used"
    assert refused(lambda: once.recall(opener({}))) == "state-used"
    assert once.count() == 1


@pytest.mark.parametrize(
    ("given", "both_times"),
    [(b'{"a": 1}', b'{"a": 1}'), (bytearray(b"{}"), b"{}"), ({"a": (1, 2)}, {"a": [1, 2]}), ({"\ud800": "ü"},) * 2],
)
def test_results_are_the_same_both_times(opener: Open, given: Any, both_times: Any) -> None:
    once, book = wireseal.Once(), Booking(given)
    for _ in range(2):
        result = once.run(opener(), principal="alice", action=book)
        assert (result, type(result)) == (both_times, type(both_times))


@pytest.mark.parametrize("given", [b"{", b"\xff", b"[NaN]", b"-Infinity", {"a": float("nan")}, {"a": object()}])
def test_what_is_no_json_is_done_without_a_result(opener: Open, given: Any) -> None:
    once, book = wireseal.Once(), Booking(given)
    with pytest.raises((ValueError, TypeError)):
        once.run(opener(), principal="alice", action=book)
    assert refused(lambda: once.run(opener(), principal="alice", action=book)) == "once-no-result"
    assert book.runs == 1


def test_a_result_that_is_too_large_is_told_once(opener: Open) -> None:
    for extra, again in [(0, None), (1, "once-no-result")]:
        once, book = wireseal.Once(max_result_bytes=11), Booking(b'"' + b"x" * (8 + extra) + b'"')
        opened = opener(token=f"of {extra}")
        assert once.run(opened, principal="alice", action=book) == book.result
        if again:
            assert refused(partial(once.recall, opened)) == again
        else:
            assert once.recall(opened) == book.result
        assert book.runs == 1


def test_an_action_that_fails_leaves_the_outcome_unknown(opener: Open) -> None:
    once, book = wireseal.Once(), Booking()

    def fail() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        once.run(opener(), principal="alice", action=fail)
    assert refused(lambda: once.run(opener(), principal="alice", action=book)) == "once-outcome-unknown"
    assert refused(lambda: once.recall(opener())) == "once-outcome-unknown"
    assert book.runs == 0


def test_an_action_that_says_that_nothing_happened_can_be_tried_again(opener: Open) -> None:
    class Taken(wireseal.NothingHappened):
        pass

    once, book = wireseal.Once(), Booking()

    def taken() -> None:
        raise Taken("cinder is taken")

    with pytest.raises(Taken, match="cinder"):
        once.run(opener(), principal="alice", action=taken)
    assert once.count() == 0
    assert once.run(opener(BASALT), principal="alice", action=book) == book.result


def test_threads_with_one_token_act_once_and_wait(opener: Open) -> None:
    once, begun, results = wireseal.Once(), threading.Event(), []
    runs: list[int] = []

    def slow() -> Any:
        runs.append(1)
        begun.set()
        time.sleep(0.2)
        return {"room": "cinder"}

    def call() -> None:
        results.append(once.run(opener(), principal="alice", action=slow, wait=10))

    opened = opener()
    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    begun.wait()
    assert refused(lambda: once.run(opened, principal="alice", action=slow)) == "once-in-flight"
    assert refused(lambda: once.recall(opened, wait=0.01)) == "once-in-flight"
    for thread in threads:
        thread.join()
    assert (len(runs), results) == (1, [{"room": "cinder"}] * 8)


def test_a_waiter_acts_when_the_first_let_go(opener: Open) -> None:
    once, book, begun = wireseal.Once(), Booking(), threading.Event()

    def nothing() -> None:
        begun.set()
        time.sleep(0.1)
        raise wireseal.NothingHappened

    def call() -> None:
        with pytest.raises(wireseal.NothingHappened):
            once.run(opened, principal="alice", action=nothing)

    opened = opener()
    thread = threading.Thread(target=call)
    thread.start()
    begun.wait()
    assert once.run(opened, principal="alice", action=book, wait=10) == book.result
    thread.join()
    assert book.runs == 1


def test_asyncio_tasks_with_one_token_act_once(opener: Open) -> None:
    once, runs, opened = wireseal.Once(), [], opener()

    async def slow() -> Any:
        runs.append(1)
        await asyncio.sleep(0.05)
        return {"room": "cinder"}

    async def main() -> None:
        calls = [once.run_async(opened, principal="alice", action=slow, wait=10) for _ in range(8)]
        assert await asyncio.gather(*calls) == [{"room": "cinder"}] * 8
        assert await once.recall_async(opened) == {"room": "cinder"}
        assert await once.run_async(opened, principal="alice", action=Booking()) == {"room": "cinder"}

    asyncio.run(main())
    assert runs == [1]


def test_an_action_that_is_cancelled_leaves_the_outcome_unknown(opener: Open) -> None:
    once, opened = wireseal.Once(), opener()

    async def main() -> None:
        task = asyncio.create_task(once.run_async(opened, principal="alice", action=lambda: asyncio.sleep(60)))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert refused(lambda: once.recall(opened)) == "once-outcome-unknown"


def test_an_async_action_needs_run_async(opener: Open) -> None:
    async def book() -> None:
        raise AssertionError

    with pytest.raises(TypeError, match="run_async"):
        wireseal.Once().run(opener(), principal="alice", action=book)


def test_a_result_that_comes_too_late_is_the_callers_alone(opener: Open) -> None:
    once, opened = wireseal.Once(lease=0.05), opener()

    def slow() -> Any:
        time.sleep(0.1)
        return {"room": "cinder"}

    assert once.run(opened, principal="alice", action=slow) == {"room": "cinder"}
    assert refused(lambda: once.run(opened, principal="alice", action=slow)) == "once-outcome-unknown"


def test_one_principal_cannot_lock_out_another(opener: Open) -> None:
    once, book = wireseal.Once(capacity=16, share=2), Booking()
    tokens = [opener(token=str(n), principal="eve") for n in range(20)]
    outcomes = []
    for opened in tokens:
        try:
            outcomes.append(once.run(opened, principal="eve", action=book))
        except wireseal.Rejected as rejected:
            outcomes.append(rejected.reason)
    assert outcomes == [book.result] * 2 + ["once-share"] * 18
    assert once.run(opener(), principal="alice", action=book) == book.result
    assert once.run(opener(token="n", principal=None), principal=None, action=book) == book.result


def test_a_token_older_than_the_store_is_refused(opener: Open) -> None:
    opened = opener()
    time.sleep(0.01)
    once, book = wireseal.Once(), Booking()
    assert refused(lambda: once.run(opened, principal="alice", action=book)) == "state-no-history"
    assert refused(lambda: once.recall(opened)) == "state-no-history"
    assert once.run(opener(token="young"), principal="alice", action=book) == book.result


def test_times_can_be_given(opener: Open) -> None:
    now = 1_785_000_000
    sealer = wireseal.Sealer([KEY], audience=None, ttl=60)
    request = ("tools/call", "book_room", None)
    token = sealer.seal_for(*request, "", principal=None, now=now)
    opened = sealer.open_for(token, *request, principal=None, now=now + 1)
    once, book = wireseal.Once(now=now), Booking()

    def run(at: float) -> Any:
        return once.run(opened, principal=None, action=book, now=at)

    assert run(now + 59) == book.result == once.recall(opened, now=now + 59)
    assert refused(lambda: run(now + 60)) == "state-expired"
    assert (once.count(now + 119), once.count(now + 120)) == (1, 0)
    with pytest.raises(ValueError, match="implausible"):
        run(1)


def test_a_refusal_answers_the_request_that_the_token_came_with() -> None:
    sealer = wireseal.Sealer([KEY], audience=None)
    once = wireseal.Once()
    token = sealer.seal_for("tools/call", "book_room", None, "", principal=None)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"_meta": meta, "name": "book_room", "requestState": token}

    def second_leg(id: int, answers: Any) -> wireseal.Opened:
        body = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {**params, "inputResponses": answers}}
        opened = sealer.open(wireseal.admit(json.dumps(body).encode()), principal=None)
        assert opened is not None
        return opened

    once.run(second_leg(1, CINDER), principal=None, action=Booking(b"{" + b" " * 70_000 + b"}"))
    with pytest.raises(wireseal.Rejected) as used:
        once.recall(second_leg(2, BASALT))
    assert json.loads(used.value.to_bytes()) == {
        "jsonrpc": "2.0",
        "id": 2,
        "error": {
            "code": -32602,
            "message": "Invalid or expired requestState",
            "data": {"reason": "invalid_request_state"},
        },
    }
    assert (used.value.status, used.value.method, used.value.key_id) == (400, "tools/call", second_leg(9, {}).key_id)
    with pytest.raises(wireseal.Rejected) as lost:
        once.recall(second_leg(3, CINDER))
    # In-band, as every -32603: an HTTP error would hide the answer from a client (ERR-18).
    assert (lost.value.reason, lost.value.code, lost.value.status, lost.value.id) == ("once-no-result", -32603, 200, 3)
    assert "data" not in json.loads(lost.value.to_bytes())["error"]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"capacity": 0}, "capacity"),
        ({"capacity": 65_537}, "65536"),
        ({"lease": 0}, "lease"),
        ({"lease": 86_401}, "lease"),
        ({"share": 0}, "share"),
        ({"capacity": 10, "share": 11}, "share"),
        ({"skew": 60.001}, "skew"),
        ({"max_result_bytes": -1}, "max_result_bytes"),
        ({"now": 5}, "implausible"),
    ],
)
def test_settings_out_of_range_are_the_hosts_fault(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        wireseal.Once(**settings)


def test_a_fork_does_not_use_its_copy(opener: Open) -> None:
    once, opened = wireseal.Once(), opener()

    def child(pipe: Any) -> None:
        try:
            pipe.send(once.run(opened, principal="alice", action=Booking()))
        except RuntimeError as error:
            pipe.send(str(error))

    mine, its = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=child, args=(its,))
    process.start()
    assert "another process" in mine.recv()
    process.join()


@pytest.mark.parametrize("wrong", [1.5, None, "act", b"act"])
def test_what_cannot_be_called_claims_nothing(opener: Open, wrong: Any) -> None:
    once = wireseal.Once()
    with pytest.raises(TypeError, match="callable"):
        once.run(opener(), principal="alice", action=wrong)
    assert once.count() == 0


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("-inf")])
def test_a_wait_is_not_below_nothing(opener: Open, wrong: float) -> None:
    once = wireseal.Once()
    calls: tuple[Callable[[], object], ...] = (
        lambda: once.run(opener(), principal="alice", action=dict, wait=wrong),
        lambda: once.recall(opener(), wait=wrong),
    )
    for call in calls:
        with pytest.raises(ValueError, match="wait"):
            call()
    assert once.count() == 0


def test_none_is_a_result(opener: Open) -> None:
    once, runs = wireseal.Once(), []
    for _ in range(2):
        assert once.run(opener(), principal="alice", action=lambda: runs.append(1)) is None
    assert (len(runs), once.recall(opener())) == (1, None)


@pytest.mark.parametrize("error", [StopIteration(7), StopAsyncIteration(), GeneratorExit(), KeyboardInterrupt(), SystemExit(1)])
def test_an_action_that_ends_oddly_is_not_repeated(opener: Open, error: BaseException) -> None:
    """Neither by what Python uses for itself nor by a signal."""
    once = wireseal.Once()

    def action() -> None:
        raise error

    with pytest.raises((type(error), RuntimeError)):
        once.run(opener(), principal="alice", action=action)
    assert refused(lambda: once.run(opener(), principal="alice", action=dict)) in ("once-outcome-unknown", "once-in-flight")


def test_an_action_that_uses_its_own_token(opener: Open) -> None:
    once = wireseal.Once()
    inner: list[str] = []

    def action() -> dict[str, bool]:
        inner.append(refused(lambda: once.run(opener(), principal="alice", action=dict, wait=0.05)))
        return {"done": True}

    assert once.run(opener(), principal="alice", action=action) == {"done": True} and inner == ["once-in-flight"]
