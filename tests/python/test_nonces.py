"""Nonces that no two processes or threads share, budgets, and a key that is rolled."""

import base64
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest

import wireseal

Source = Literal["random", "process"]
SOURCES: tuple[Source, ...] = ("random", "process")
OLD, NEW = b"the old secret of a test, unused", b"the new secret of a test, unused"
TTL = 600
NOW = 1_785_000_000
EACH = 400  # tokens of each process and thread


def sealer(nonces: Source = "random", **settings: Any) -> wireseal.Sealer:
    return wireseal.Sealer([OLD], audience="desk", nonces=nonces, **settings)


def seal(ring: wireseal.Sealer) -> str:
    return ring.seal_for("tools/call", "book_room", {"day": 1}, b"state", principal="alice")


def head(token: str) -> bytes:
    """Key id and nonce."""
    body = token.removeprefix("w1.")
    return base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))[:16]


def nonces(ring: wireseal.Sealer) -> Iterator[bytes]:
    return (head(seal(ring)) for _ in range(EACH))


def in_child(work: Callable[[], bytes]) -> Callable[[], bytes]:
    """Forks a child that does the work; calling what is returned waits for its result."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)  # a child that hangs is a failure, not a wait
            os.close(reading)
            with os.fdopen(writing, "wb") as out:
                out.write(work())
        finally:
            os._exit(0)
    os.close(writing)

    def result() -> bytes:
        with os.fdopen(reading, "rb") as source:
            written = source.read()
        os.waitpid(child, 0)
        return written

    return result


def heads(written: bytes) -> list[bytes]:
    return [written[at : at + 16] for at in range(0, len(written), 16)]


@pytest.mark.parametrize("source", SOURCES)
def test_eight_children_and_eight_threads_share_no_nonce(source: Source) -> None:
    """The children are forked while the threads seal, with the same sealer; each has a child of its own."""
    ring = sealer(source)
    found = [head(seal(ring))]
    go, lock = threading.Event(), threading.Lock()

    def work() -> None:
        go.wait()
        mine = list(nonces(ring))
        with lock:
            found.extend(mine)

    def child() -> bytes:
        before = b"".join(nonces(ring))
        grandchild = in_child(lambda: b"".join(nonces(ring)))
        return before + b"".join(nonces(ring)) + grandchild()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    go.set()
    results = [in_child(child) for _ in range(8)]
    for result in results:
        written = heads(result())
        assert len(written) == 3 * EACH
        found.extend(written)
    for thread in threads:
        thread.join()
    assert len(found) == 1 + 8 * EACH + 8 * 3 * EACH
    assert len({head[:4] for head in found}) == 1, "one key"
    assert len(set(found)) == len(found)


def test_a_process_counts_on_from_a_random_start() -> None:
    numbers = [int.from_bytes(head(seal(ring))[4:], "big") for ring in [sealer("process")] * 50]
    assert all((after - before) % 2**96 == 1 for before, after in zip(numbers, numbers[1:], strict=False))
    ring = sealer("process")
    other = int.from_bytes(head(seal(ring))[4:], "big")
    assert (other - numbers[0]) % 2**96 > 50, "another sealer starts elsewhere"
    # A child starts elsewhere too, and its parent goes on undisturbed.
    child = int.from_bytes(in_child(lambda: head(seal(ring))[4:])(), "big")
    assert min((child - other) % 2**96, (other - child) % 2**96) > 2**32
    assert int.from_bytes(head(seal(ring))[4:], "big") == (other + 1) % 2**96


def test_random_nonces_are_not_counted() -> None:
    ring = sealer()
    numbers = [int.from_bytes(head(seal(ring))[4:], "big") for _ in range(50)]
    assert all((after - before) % 2**96 > 2**32 for before, after in zip(numbers, numbers[1:], strict=False))


def test_a_sealer_keeps_to_its_budget() -> None:
    ring = sealer(max_seals=2)
    token = seal(ring)
    assert ring.seals_left == 1
    seal(ring)
    for _ in range(3):
        with pytest.raises(ValueError, match="as many tokens as it may"):
            seal(ring)
    assert ring.seals_left == 0
    opened = ring.open_for(token, "tools/call", "book_room", {"day": 1}, principal="alice")
    assert opened.state == b"state", "it opens as before"
    assert sealer().seals_left == 2**32 - 1
    assert sealer(max_seals=0).seals_left == 0


def test_a_large_seal_counts_once() -> None:
    """What needs a second try for want of memory has used nothing up in the first."""
    ring = sealer(max_seals=1)
    arguments = {f"member{number}": number for number in range(2000)}
    ring.seal_for("tools/call", "book_room", arguments, b"x" * 32768, principal="alice")
    assert ring.seals_left == 0


def test_threads_share_a_budget_and_children_go_on_from_it() -> None:
    ring = sealer(max_seals=1000)
    sealed: list[int] = []

    def work() -> None:
        count = 0
        try:
            while True:
                seal(ring)
                count += 1
        except ValueError:
            sealed.append(count)

    child = in_child(lambda: str([seal(ring) for _ in range(10)] and ring.seals_left).encode())
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(sealed) == 1000
    assert child() == b"990"


def test_settings_out_of_range_are_refused() -> None:
    for count in (-1, 2**32):
        with pytest.raises(ValueError, match="max_seals is out of range"):
            sealer(max_seals=count)
    for wrong in (True, 1.0, "1"):
        with pytest.raises(TypeError, match="max_seals"):
            sealer(max_seals=wrong)
    for name in ("", "Random", "counter"):
        with pytest.raises(ValueError, match="unknown source of nonces"):
            sealer(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("format", ["compact", "python"])
def test_a_key_is_rolled_without_losing_a_token(format: Literal["compact", "python"]) -> None:
    """RS-15: while replicas go from one phase to the next one by one, each opens what any other seals."""

    def replica(*keys: bytes) -> wireseal.Sealer:
        return wireseal.Sealer(keys, audience="desk", ttl=TTL, format=format)

    def minted(ring: wireseal.Sealer) -> str:
        return ring.seal_for("tools/call", "book_room", None, b"state", principal="alice", now=NOW)

    def opens(ring: wireseal.Sealer, token: str, now: float) -> str | None:
        try:
            ring.open_for(token, "tools/call", "book_room", None, principal="alice", now=now)
        except wireseal.Rejected as refused:
            return refused.reason
        return None

    phases = [replica(OLD), replica(OLD, NEW), replica(NEW, OLD), replica(NEW)]
    for before, after in zip(phases, phases[1:], strict=False):
        for minter in (before, after):
            for opener in (before, after):
                token = minted(minter)
                assert opens(opener, token, NOW + TTL - 0.001) is None
                assert opens(opener, token, NOW + TTL) == "state-expired"
    last_of_old = minted(phases[1])
    assert opens(phases[2], last_of_old, NOW + TTL - 0.001) is None
    assert opens(phases[3], last_of_old, NOW + TTL) == "state-unknown-key"
    assert opens(phases[0], minted(phases[2]), NOW) == "state-unknown-key", "a phase left out loses tokens"
