"""`RedisOnce` on a real Redis: the scripts that the table in memory runs too, and what can go wrong out there."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
import redis.asyncio
import wireseal
from redis.backoff import NoBackoff
from redis.retry import Retry
from redis_server import RedisServer
from test_once import BASALT, CASES, Booking, Open, Script, opener, refused, settings_of

__all__ = ["opener"]  # a fixture

New = Callable[..., wireseal.RedisOnce]
# The rest need a store whose clock can be set back.
SHARED = [case for case in CASES if "redis" in case.get("stores", ["redis"])]
PREFIXES = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with RedisServer() as server:
        yield server


@pytest.fixture
def client(server: RedisServer) -> Iterator[redis.Redis]:
    with redis.Redis(unix_socket_path=server.socket) as client:
        yield client


@pytest.fixture
def new(client: redis.Redis) -> New:
    """Makes a store that no other test has."""
    return lambda **settings: wireseal.RedisOnce(client, prefix=f"test-{next(PREFIXES)}", **settings)


@pytest.mark.parametrize("decode", [False, True])
@pytest.mark.parametrize("case", SHARED, ids=[case["id"] for case in SHARED])
def test_vectors(server: RedisServer, case: dict[str, Any], decode: bool) -> None:
    base_ms = int(time.time() * 1000)  # the keys of a time that is past would vanish at once
    with redis.Redis(unix_socket_path=server.socket, decode_responses=decode) as client:
        prefix = f"test-{next(PREFIXES)}"
        store = wireseal.RedisOnce(client, prefix=prefix, now=base_ms / 1000, **settings_of(case))
        Script(store, base_ms).run(case["steps"])


def test_rs_08_a_reissue_gets_the_first_result_at_another_process(client: redis.Redis, opener: Open) -> None:
    one, two = (wireseal.RedisOnce(client, prefix="shared") for _ in range(2))
    book = Booking()
    assert one.recall(opener()) is None
    assert [store.run(opener(), principal="alice", action=book) for store in (one, two, one)] == [book.result] * 3
    assert two.recall(opener()) == book.result
    assert refused(lambda: two.run(opener(BASALT), principal="alice", action=book)) == "state-used"
    assert book.runs == 1


def test_asyncio(server: RedisServer, opener: Open) -> None:
    runs: list[int] = []

    async def slow() -> Any:
        runs.append(1)
        await asyncio.sleep(0.05)
        return {"room": "cinder"}

    async def main() -> None:
        async with redis.asyncio.Redis(unix_socket_path=server.socket) as client:
            once = wireseal.RedisOnce(client, prefix="asyncio")
            await once.ready()
            opened = opener()
            assert await once.recall_async(opened) is None
            calls = [once.run_async(opened, principal="alice", action=slow, wait=10) for _ in range(8)]
            assert await asyncio.gather(*calls) == [{"room": "cinder"}] * 8
            with pytest.raises(TypeError, match="recall_async"):
                once.recall(opened)
            other = opener(token="other")
            task = asyncio.create_task(
                once.run_async(other, principal="alice", action=lambda: asyncio.sleep(60))
            )
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            with pytest.raises(wireseal.Rejected) as caught:
                await once.recall_async(other)
            assert caught.value.reason == "once-outcome-unknown"

    asyncio.run(main())
    assert runs == [1]


def test_an_asyncio_store_checks_before_its_first_call(server: RedisServer, opener: Open) -> None:
    async def main() -> None:
        async with redis.asyncio.Redis(unix_socket_path=server.socket) as client:
            once = wireseal.RedisOnce(client, prefix="late")
            with pytest.raises(wireseal.Rejected) as caught:
                await once.run_async(opener(), principal="alice", action=Booking())
            assert caught.value.reason == "state-no-history"  # issued before the store began
            young = opener(token="young")
            assert await once.run_async(young, principal="alice", action=Booking()) == {"room": "cinder"}

    asyncio.run(main())


def test_what_failed_is_told_apart(new: New, opener: Open) -> None:
    once, book = new(), Booking()

    def nothing() -> None:
        raise wireseal.NothingHappened

    def fail() -> None:
        raise OSError("not the store's")

    with pytest.raises(wireseal.NothingHappened):
        once.run(opener(), principal="alice", action=nothing)
    assert once.run(opener(), principal="alice", action=book) == book.result
    with pytest.raises(OSError, match="not the store's"):
        once.run(opener(token="u"), principal="alice", action=fail)
    assert refused(lambda: once.run(opener(token="u"), principal="alice", action=book)) == "once-outcome-unknown"


def test_a_result_can_be_any_bytes_of_json(new: New, opener: Open) -> None:
    once, book = new(), Booking('{"ü": "\u2028"}'.encode())
    assert [once.run(opener(), principal="alice", action=book) for _ in range(2)] == [book.result] * 2
    assert book.runs == 1


def test_what_was_used_is_kept_until_it_cannot_be_used(client: redis.Redis, opener: Open) -> None:
    once = wireseal.RedisOnce(client, prefix="kept")
    opened = opener()
    assert opened.expires_at is not None
    once.run(opened, principal="alice", action=Booking())
    names = {name.decode() for name in client.scan_iter("{kept}:*")}
    assert {name.split(":")[1] for name in names} == {"token", "principal", "all", "since"}
    for name in names - {"{kept}:since"}:
        assert client.pexpiretime(name) == round(opened.expires_at * 1000) + 60_000
    assert client.ttl("{kept}:since") == -1


def test_a_claim_whose_answer_was_lost_is_made_again(new: New, opener: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    once, book = new(), Booking()
    real = once._call

    def twice(*call: Any) -> Any:
        """A client that sends each command again."""

        def send() -> Any:
            first, second = real(*call)(), real(*call)()
            return second if second != b"late" else first

        return send

    monkeypatch.setattr(once, "_call", twice)
    assert [once.run(opener(), principal="alice", action=book) for _ in range(2)] == [book.result] * 2
    assert book.runs == 1


def test_a_redis_that_cannot_be_reached_refuses(opener: Open) -> None:
    retry = Retry(NoBackoff(), 1)
    with RedisServer() as server, redis.Redis(unix_socket_path=server.socket, retry=retry) as client:
        once, book = wireseal.RedisOnce(client), Booking()
        once.run(opener(), principal="alice", action=book)

        def dies() -> Any:
            server.stop()
            return {"room": "basalt"}

        # The action was done: its caller is told so, though nobody will remember.
        assert once.run(opener(token="u"), principal="alice", action=dies) == {"room": "basalt"}
        assert refused(lambda: once.run(opener(token="v"), principal="alice", action=book)) == "once-unavailable"
        assert refused(lambda: once.recall(opener())) == "once-unavailable"
        with pytest.raises(redis.ConnectionError):
            wireseal.RedisOnce(client)
        # It comes back empty: what was used before is not known any more, and nothing runs twice.
        server.start()
        for token in "tuv":
            opened = opener(token=token)
            assert refused(lambda: once.run(opened, principal="alice", action=book)) == "state-no-history"  # noqa: B023
        assert once.run(opener(token="young"), principal="alice", action=book) == book.result
        assert book.runs == 2


def test_a_redis_without_room_refuses(opener: Open) -> None:
    with RedisServer() as server, redis.Redis(unix_socket_path=server.socket) as client:
        once, book = wireseal.RedisOnce(client), Booking()
        once.run(opener(), principal="alice", action=book)
        client.config_set("maxmemory", 1)
        assert refused(lambda: once.run(opener(token="u"), principal="alice", action=book)) == "once-full"
        assert once.run(opener(), principal="alice", action=book) == book.result
        assert book.runs == 1


@pytest.mark.parametrize("policy", ["allkeys-lru", "volatile-ttl"])
def test_a_redis_that_evicts_is_not_taken(policy: str) -> None:
    with RedisServer("--maxmemory-policy", policy) as server:
        with redis.Redis(unix_socket_path=server.socket) as client, pytest.raises(ValueError, match=policy):
            wireseal.RedisOnce(client)
        with redis.Redis(unix_socket_path=server.socket, decode_responses=True) as client:
            with pytest.raises(ValueError, match="noeviction"):
                wireseal.RedisOnce(client)

        async def main() -> None:
            async with redis.asyncio.Redis(unix_socket_path=server.socket) as client:
                with pytest.raises(ValueError, match=policy):
                    await wireseal.RedisOnce(client).ready()

        asyncio.run(main())


def test_a_redis_that_does_not_say_whether_it_evicts_is_taken_on_the_hosts_word(opener: Open) -> None:
    with RedisServer("--rename-command", "CONFIG", "") as server:
        with redis.Redis(unix_socket_path=server.socket) as client:
            with pytest.raises(ValueError, match="assume_noeviction"):
                wireseal.RedisOnce(client)
            once = wireseal.RedisOnce(client, assume_noeviction=True)
            assert once.run(opener(), principal="alice", action=Booking()) == {"room": "cinder"}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"capacity": 0}, "capacity"),
        ({"lease": 0}, "lease"),
        ({"share": 0}, "share"),
        ({"capacity": 10, "share": 11}, "share"),
        ({"skew": 61}, "skew"),
        ({"max_result_bytes": -1}, "max_result_bytes"),
        ({"prefix": ""}, "prefix"),
        ({"prefix": "a{b"}, "prefix"),
    ],
)
def test_settings_out_of_range_are_the_hosts_fault(client: redis.Redis, settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        wireseal.RedisOnce(client, **settings)


@pytest.mark.parametrize("wrong", [5, float("nan"), float("inf"), 1e300, -1.0, True, "1785000000"])
def test_a_time_that_no_clock_means_is_not_noted(client: redis.Redis, opener: Open, wrong: Any) -> None:
    prefix = f"test-{next(PREFIXES)}"
    with pytest.raises((ValueError, TypeError)):
        wireseal.RedisOnce(client, prefix=prefix, now=wrong)
    assert not list(client.scan_iter("{" + prefix + "}:*"))
    once = wireseal.RedisOnce(client, prefix=prefix)
    calls: tuple[Callable[[], object], ...] = (
        lambda: once.run(opener(), principal="alice", action=dict, now=wrong),
        lambda: once.recall(opener(), now=wrong),
    )
    for call in calls:
        with pytest.raises((ValueError, TypeError)):
            call()
    assert once.run(opener(), principal="alice", action=lambda: {"room": "cinder"}) == {"room": "cinder"}


@pytest.mark.parametrize("broken", [b"{", b"", b"v", b"x1", b"b\xff"])
def test_a_spoilt_store_makes_nothing_happen_twice(client: redis.Redis, opener: Open, broken: bytes) -> None:
    prefix = f"test-{next(PREFIXES)}"
    once = wireseal.RedisOnce(client, prefix=prefix)
    book = Booking()
    once.run(opener(), principal="alice", action=book)
    (name,) = client.scan_iter("{" + prefix + "}:token:*")
    client.hset(name, "result", broken)
    try:
        once.run(opener(), principal="alice", action=book)
    except (ValueError, wireseal.Rejected):
        pass
    client.delete(name)
    client.set(name, "of another type")
    assert refused(lambda: once.run(opener(), principal="alice", action=book)) == "once-unavailable"
    assert book.runs == 1


def test_scripts_that_redis_has_lost(client: redis.Redis, opener: Open, new: New) -> None:
    once, book = new(), Booking()
    client.script_flush()
    once.run(opener(), principal="alice", action=book)
    client.script_flush()
    assert once.recall(opener()) == book.result and book.runs == 1
