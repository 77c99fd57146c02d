"""At most once per token: how a claim is made, acted on and ended. What a claim comes to is the core's decision."""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import Any, cast, final

from ._native import Opened, OnceClaim, OnceTable

Word = tuple[str, Any]
"""What a claim came to: "claimed" with a ticket, "in-flight", "done" with what was kept, or "unseen"."""

Step = Callable[[], object] | float
"""Something to call, whose result may have to be awaited; or seconds to sleep."""

Steps = Generator[Step, Any, Any]
"""What has to be done in order; the same for threads and for asyncio."""

FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.25


class NothingHappened(Exception):
    """Raised by an action that had no effect, and knows it: the token can be used again.

    ``Once.run`` releases its claim and lets the exception pass. Any other exception leaves the outcome unknown, and the
    token is refused until it has expired. Derive from this class to say what kept the action from happening.
    """


class Store:
    """What `Once` and `RedisOnce` have in common."""

    _failures: tuple[type[BaseException], ...] = ()
    """What a store that cannot be reached raises."""

    # What a store must do. Each is a row of steps.

    def _find(self, claim: OnceClaim, now: float | None) -> Steps:
        raise NotImplementedError

    def _claim(self, claim: OnceClaim, now: float | None) -> Steps:
        raise NotImplementedError

    def _finish(self, claim: OnceClaim, ticket: Any, result: bytes | None, now: float | None) -> Steps:
        raise NotImplementedError

    def _release(self, claim: OnceClaim, ticket: Any, now: float | None) -> Steps:
        raise NotImplementedError

    def _abandon(self, claim: OnceClaim, ticket: Any, now: float | None) -> Steps:
        raise NotImplementedError

    def _reason(self, failure: BaseException) -> str:
        """Why nothing was done, when the store failed so."""
        return "once-unavailable"

    # What users call.

    def run(
        self,
        opened: Opened,
        *,
        principal: str | None,
        action: Callable[[], Any],
        wait: float = 0,
        now: float | None = None,
    ) -> Any:
        """Runs ``action`` if nobody has for this token, and returns its result; a reissue gets the first result.

        Call it last: after the token was opened, the answers were checked and the caller was authorised. An answer
        that declines needs no claim. A result is JSON: bytes of it are returned as bytes, any other value as a copy
        that went through JSON, both times alike.

        Args:
            opened: what `Sealer.open` returned.
            principal: who is asking, as for ``open``; each principal can hold a share of the store.
            action: has the effect and returns the result. If it had none it may raise `NothingHappened`.
            wait: for how many seconds to wait for another call with the same token and answers that is still
                running; 0 refuses at once.
            now: Unix seconds; ``None``: the clock of the store.

        Raises:
            Rejected: answer with it. ``state-used``: the token was used with other answers. ``once-in-flight``: it is
                being used. ``once-outcome-unknown``: its action was begun, and nobody knows whether it was done.
                ``once-no-result``: it was done, and its result was too large to keep. ``once-share``, ``once-full``,
                ``once-unavailable``: nothing was done for want of room or of the store. ``state-no-history``: the
                token is older than the store. ``state-undated``: it has no expiry or no issue time.
                ``state-expired``, ``state-future``: as for ``open``.
            NothingHappened: what the action raised.
            ValueError: the time is implausible, or ``wait`` is below 0; or the action was done and returned no JSON, which
                counts as done without a result. (``None`` is JSON: a reissue gets it again.)
        """
        return drive(self._run(opened, principal, action, wait, now))

    def recall(self, opened: Opened, *, wait: float = 0, now: float | None = None) -> Any:
        """The first result of a token that was used, or ``None`` where it was not; claims nothing.

        Call it as soon as the token is open: a check of the answers would take what the first call did for an
        obstacle, as a room that is no longer free.

        Raises:
            Rejected: as `run`.
        """
        return drive(self._recall(opened, wait, now))

    async def run_async(
        self,
        opened: Opened,
        *,
        principal: str | None,
        action: Callable[[], Awaitable[Any]] | Callable[[], Any],
        wait: float = 0,
        now: float | None = None,
    ) -> Any:
        """As `run`, for asyncio: what ``action`` returns is awaited if it can be.

        An action that is cancelled leaves the outcome unknown, like one that fails.
        """
        return await drive_async(self._run(opened, principal, action, wait, now))

    async def recall_async(self, opened: Opened, *, wait: float = 0, now: float | None = None) -> Any:
        """As `recall`, for asyncio."""
        return await drive_async(self._recall(opened, wait, now))

    def _recall(self, opened: Opened, wait: float, now: float | None) -> Steps:
        claim = OnceClaim(opened, None)  # a look counts for nobody's share
        word, payload = yield from self._met(self._find, claim, wait, _clock(now))
        return None if word == "unseen" else _unpack(payload)

    def _run(
        self, opened: Opened, principal: str | None, action: Callable[[], Any], wait: float, now: float | None
    ) -> Steps:
        if not callable(action):
            raise TypeError("action must be callable")
        claim, clock = OnceClaim(opened, principal), _clock(now)
        word, payload = yield from self._met(self._claim, claim, wait, clock)
        if word == "done":
            return _unpack(payload)
        try:
            result = yield action
        except GeneratorExit:
            raise  # the caller is gone without a trace: the lease will lapse
        except NothingHappened:
            yield from self._end(self._release(claim, payload, clock()))
            raise
        except BaseException:
            yield from self._end(self._abandon(claim, payload, clock()))
            raise
        try:
            packed = _pack(result)
        except BaseException:
            yield from self._end(self._finish(claim, payload, None, clock()))
            raise
        yield from self._end(self._finish(claim, payload, packed, clock()))
        return _unpack(packed)

    def _met(
        self,
        ask: Callable[[OnceClaim, float | None], Steps],
        claim: OnceClaim,
        wait: float,
        clock: Callable[[], float | None],
    ) -> Generator[Step, Any, Word]:
        """Asks until nothing is in flight, or the wait is over."""
        if not wait >= 0:
            raise ValueError("wait must be seconds, not below 0")
        deadline, pause = time.monotonic() + wait, FIRST_PAUSE
        while True:
            try:
                word, payload = yield from ask(claim, clock())
            except self._failures as failure:
                raise claim.refused(self._reason(failure)) from failure
            if word != "in-flight":
                return word, payload
            left = deadline - time.monotonic()
            if left <= 0:
                raise claim.refused("once-in-flight")
            yield min(pause, left)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _end(self, steps: Steps) -> Steps:
        """Ends a claim. If the store cannot be told, the lease lapses: a reissue is refused, and nothing runs twice."""
        try:
            yield from steps
        except self._failures:
            pass


@final
class Once(Store):
    """Makes an action happen at most once per token, and gives a reissue the first result; in this process.

    A server that runs as several processes needs `RedisOnce`: what is used in one is not known in the others. A token
    that was issued before this object was made is refused, since it may have been used before. Several threads may use
    one object at once.

    Args:
        capacity: how many tokens are remembered at most, up to 65536. Each is until it has expired and a minute more,
            so 10000 are enough for 15 actions a second with tokens of ten minutes. A full store refuses; it never
            forgets.
        max_result_bytes: the longest result that is kept, as JSON and with a byte of its own. A reissue of a longer one
            is refused.
        lease: how many seconds an action may take. After that its outcome counts as unknown, whatever it returns.
        share: how many tokens one principal can hold; ``None``: an eighth. All callers without a principal are one.
        skew: by how many seconds the clocks of processes that seal tokens for this one may be ahead of its own, up
            to 60: tokens issued in the first so many seconds are refused too.
        now: when it is made, in Unix seconds; ``None``: the system's clock.

    Raises:
        ValueError: a setting out of range.
    """

    def __init__(
        self,
        *,
        capacity: int = 10_000,
        max_result_bytes: int = 65_536,
        lease: float = 60,
        share: int | None = None,
        skew: float = 0,
        now: float | None = None,
    ) -> None:
        if max_result_bytes < 0:
            raise ValueError("max_result_bytes must not be negative")
        self._table = OnceTable(capacity, max_result_bytes, lease, share, skew, now)

    def count(self, now: float | None = None) -> int:
        """How many tokens are remembered; ``now`` in Unix seconds, ``None``: the system's clock."""
        return self._table.count(now)

    def _find(self, claim: OnceClaim, now: float | None) -> Steps:
        return (yield partial(self._table.find, claim, now))

    def _claim(self, claim: OnceClaim, now: float | None) -> Steps:
        return (yield partial(self._table.claim, claim, now))

    def _finish(self, claim: OnceClaim, ticket: Any, result: bytes | None, now: float | None) -> Steps:
        return (yield partial(self._table.finish, ticket, result, now))

    def _release(self, claim: OnceClaim, ticket: Any, now: float | None) -> Steps:
        return (yield partial(self._table.release, ticket, now))

    def _abandon(self, claim: OnceClaim, ticket: Any, now: float | None) -> Steps:
        return (yield partial(self._table.abandon, ticket, now))


def _clock(now: float | None) -> Callable[[], float | None]:
    """The present that the caller gave, going on from there; or the store's own."""
    if now is None:
        return lambda: None
    start = time.monotonic()
    return lambda: now + time.monotonic() - start


def _pack(result: Any) -> bytes:
    """A result as it is kept: whether it was given as bytes, and its JSON."""
    if isinstance(result, (bytes, bytearray, memoryview)):
        text = bytes(result)
        json.loads(text.decode(), parse_constant=_no_constant)
        return b"b" + text
    return b"v" + json.dumps(result, allow_nan=False, separators=(",", ":")).encode()


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _unpack(packed: bytes) -> Any:
    return packed[1:] if packed[:1] == b"b" else json.loads(packed[1:])


def drive(steps: Steps) -> Any:
    """Takes the steps in this thread."""
    try:
        step = next(steps)
        while True:
            try:
                value = None
                if isinstance(step, float):
                    time.sleep(step)
                else:
                    value = step()
                if inspect.isawaitable(value):
                    _discard(value)
                    raise TypeError("something here must be awaited: call run_async or recall_async")
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(value)
    except StopIteration as end:
        return end.value


async def drive_async(steps: Steps) -> Any:
    """Takes the steps in this task."""
    try:
        step = next(steps)
        while True:
            try:
                value = asyncio.sleep(step) if isinstance(step, float) else step()
                if inspect.isawaitable(value):
                    value = await value
            except GeneratorExit:
                steps.close()
                raise
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(value)
    except StopIteration as end:
        return end.value


def _discard(value: Awaitable[Any]) -> None:
    """Lets go of what will not be awaited, without a warning about it."""
    if inspect.iscoroutine(value):
        value.close()
    elif isinstance(value, asyncio.Future):
        cast("asyncio.Future[Any]", value).cancel()


NothingHappened.__module__ = Once.__module__ = "wireseal"
