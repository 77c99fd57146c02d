"""At most once per token, for several processes that share a Redis.

The scripts find, keep and count, each in one step that nothing comes between; what a claim comes to is the core's
decision, as for the table in memory. Times are Redis's own: one clock for all processes.
"""

from __future__ import annotations

import secrets
from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

from ._native import OnceClaim, once_settings, once_time
from ._once import Steps, Store, drive, drive_async

if TYPE_CHECKING:
    import redis
    import redis.asyncio

NOW: Final = """
local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
end
now = string.format('%.0f', now)
"""

# What is known of a token: now, since when the store remembers, and the entry, if there is one.
FIND: Final = (
    NOW
    + """
local since = redis.call('GET', KEYS[2])
if not since then
    since = now
    redis.call('SET', KEYS[2], since)
end
local entry = redis.call('HMGET', KEYS[1], 'until', 'key', 'stage', 'lease', 'result')
if not entry[1] or tonumber(entry[1]) <= tonumber(now) then
    return {now, since}
end
if entry[3] == 'claimed' and tonumber(entry[4]) <= tonumber(now) then
    redis.call('HSET', KEYS[1], 'stage', 'unknown')
    entry[3] = 'unknown'
end
return {now, since, entry[2], entry[3], entry[4], entry[5]}
"""
)

# Makes the entry, if there is room and nothing has changed since it was looked for. A client that lost the answer sends
# the command again: the ticket tells that the entry is its own. The first command that writes is one that Redis refuses
# when its memory is full; behind it, it would refuse none.
CLAIM: Final = (
    NOW
    + """
local since, ticket, key, keep, lease, capacity, share = unpack(ARGV, 2)
local entry = redis.call('HMGET', KEYS[1], 'until', 'ticket')
if entry[2] == ticket then
    return 'claimed'
end
if redis.call('GET', KEYS[2]) ~= since or (entry[1] and tonumber(entry[1]) > tonumber(now)) then
    return 'again'
end
if redis.call('ZCOUNT', KEYS[3], '(' .. now, '+inf') >= tonumber(share) then
    return 'once-share'
end
if redis.call('ZCOUNT', KEYS[4], '(' .. now, '+inf') >= tonumber(capacity) then
    return 'once-full'
end
redis.call('HSET', KEYS[1], 'until', keep, 'key', key, 'ticket', ticket, 'stage', 'claimed',
    'lease', string.format('%.0f', now + lease), 'result', '')
redis.call('PEXPIREAT', KEYS[1], keep)
for i = 3, 4 do
    redis.call('ZADD', KEYS[i], keep, KEYS[1])
    redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now)
    redis.call('PEXPIREAT', KEYS[i], redis.call('ZRANGE', KEYS[i], -1, -1, 'WITHSCORES')[2])
end
return 'claimed'
"""
)

# Ends a claim, if it is still the caller's; kept too when the command is sent again.
END: Final = (
    NOW
    + """
local _, ticket, stage, result = unpack(ARGV)
local entry = redis.call('HMGET', KEYS[1], 'ticket', 'stage', 'lease', 'until')
if entry[1] ~= ticket then
    return 'late'
end
if entry[2] == stage then
    return 'kept'
end
if entry[2] ~= 'claimed' or math.min(entry[3], entry[4]) <= tonumber(now) then
    return 'late'
end
if stage == 'free' then
    redis.call('DEL', KEYS[1])
    redis.call('ZREM', KEYS[2], KEYS[1])
    redis.call('ZREM', KEYS[3], KEYS[1])
else
    redis.call('HSET', KEYS[1], 'stage', stage, 'result', result)
end
return 'kept'
"""
)

TRIES = 8  # each but the first because another process did something to the same token in between


@final
class RedisOnce(Store):
    """Makes an action happen at most once per token, for all processes that share a Redis (5.0 or later).

    Redis must not evict what it keeps: its ``maxmemory-policy`` is checked, and only ``noeviction`` is taken. What it
    loses is forgotten, and a token may then act twice: a claim that a replica had not received when it was promoted, or
    that was not on disk when Redis died. A Redis that comes back empty is noticed; older tokens are then refused.

    Give the client timeouts (``socket_timeout``): a call waits as long as the client does. Everything lies under one
    hash tag, so a cluster keeps it on one node. Needs the package ``redis``: ``pip install wireseal[redis]``.

    Args:
        client: a ``redis.Redis``, for `run` and `recall`; or a ``redis.asyncio.Redis``, for `run_async` and
            `recall_async`, after `ready`.
        prefix: names the store; servers with the same prefix share it, and must have the same settings.
        capacity: how many tokens are remembered at most. Each is until it has expired and a minute more. A full store
            refuses; it never forgets.
        max_result_bytes: the longest result that is kept, as JSON and with a byte of its own. A reissue of a longer one
            is refused.
        lease: how many seconds an action may take. After that its outcome counts as unknown, whatever it returns; so
            does that of a process that died.
        share: how many tokens one principal can hold; ``None``: an eighth. All callers without a principal are one.
        skew: by how many seconds the clocks of processes that seal tokens may be ahead of Redis's, up to 60: tokens
            issued in the first so many seconds of an empty store are refused too.
        assume_noeviction: take the host's word for ``noeviction``, where the command ``CONFIG`` is forbidden.
        now: when the store begins if it is new, in Unix seconds; ``None``: Redis's clock.

    Raises:
        ValueError: a setting out of range; Redis evicts, or does not say whether it does.
        redis.RedisError: Redis cannot be reached (with a ``redis.Redis``).
    """

    def __init__(
        self,
        client: redis.Redis | redis.asyncio.Redis,
        *,
        prefix: str = "wireseal:once",
        capacity: int = 100_000,
        max_result_bytes: int = 65_536,
        lease: float = 60,
        share: int | None = None,
        skew: float = 0,
        assume_noeviction: bool = False,
        now: float | None = None,
    ) -> None:
        from redis.asyncio import Redis as AsyncRedis
        from redis.exceptions import RedisError

        if max_result_bytes < 0:
            raise ValueError("max_result_bytes must not be negative")
        if not prefix or "{" in prefix or "}" in prefix:
            raise ValueError("prefix must not be empty, nor have braces")
        self._max_result_bytes = max_result_bytes
        self._lease_ms, self._share, self._skew_ms = once_settings(capacity, lease, share, skew)
        self._capacity, self._prefix, self._start = capacity, "{" + prefix + "}:", now
        _ms(now)  # before anything is noted
        self._failures = (RedisError, OSError)
        self._client: Any = client
        self._scripts: dict[str, Any] = {code: client.register_script(code) for code in (FIND, CLAIM, END)}
        self._checked, self._assume_noeviction = False, assume_noeviction
        if not isinstance(client, AsyncRedis):
            drive(self._check())

    async def ready(self) -> None:
        """Checks the Redis behind an asyncio client, and begins the store if it is new. Call it when the server starts:
        the first call would do it too, but the tokens issued until then would be older than the store.

        Raises:
            ValueError: Redis evicts, or does not say whether it does.
            redis.RedisError: Redis cannot be reached.
        """
        await drive_async(self._check())

    def _check(self) -> Steps:
        from redis.exceptions import ResponseError

        if not self._assume_noeviction:
            try:
                found = yield partial(self._client.config_get, "maxmemory-policy")
            except ResponseError as error:
                told = "Redis does not say whether it evicts (CONFIG GET is refused): pass assume_noeviction=True if not"
                raise ValueError(told) from error
            policy = _text(next(iter(found.values()), ""))
            if policy != "noeviction":
                raise ValueError(f"Redis would forget what was used: its maxmemory-policy is {policy or 'not known'}, "
                                 "and must be noeviction")
        yield self._call(FIND, ["", "since"], [_ms(self._start)])
        self._checked = True

    def _call(self, script: str, names: list[str], arguments: list[Any]) -> partial[object]:
        return partial(self._scripts[script], keys=[self._prefix + name for name in names], args=arguments)

    def _find(self, claim: OnceClaim, now: float | None) -> Steps:
        _, found = yield from self._look(claim, now)
        return found

    def _look(self, claim: OnceClaim, now: float | None) -> Steps:
        """Since when the store remembers, and what it has."""
        if not self._checked:
            yield from self._check()
        now_ms, since, *entry = yield self._call(FIND, [_token(claim), "since"], [_ms(now)])
        claim.admit(int(since) + self._skew_ms, int(now_ms))
        if not entry:
            return since, ("unseen", None)
        key, stage, lease, result = entry
        word, _ = claim.meet(bytes.fromhex(_text(key)), _text(stage), int(lease), int(now_ms))
        return since, (word, _bytes(result) if word == "done" else None)

    def _claim(self, claim: OnceClaim, now: float | None) -> Steps:
        ticket = secrets.token_hex(16)
        names = [_token(claim), "since", _principal(claim), "all"]
        for _ in range(TRIES):
            since, (word, payload) = yield from self._look(claim, now)
            if word != "unseen":
                return word, payload
            keep = (claim.reissue_key.hex(), claim.keep_until_ms, self._lease_ms, self._capacity, self._share)
            word = _text((yield self._call(CLAIM, names, [_ms(now), since, ticket, *keep])))
            if word == "claimed":
                return word, ticket
            if word != "again":
                raise claim.refused(word)
        raise claim.refused("once-unavailable")

    def _finish(self, claim: OnceClaim, ticket: Any, result: bytes | None, now: float | None) -> Steps:
        kept = result is not None and len(result) <= self._max_result_bytes
        stage, result = ("done", result) if kept else ("lost", b"")
        word = _text((yield self._end_call(claim, ticket, stage, result or b"", now)))
        return "without-result" if word == "kept" and not kept else word

    def _release(self, claim: OnceClaim, ticket: Any, now: float | None) -> Steps:
        return _text((yield self._end_call(claim, ticket, "free", b"", now))) == "kept"

    def _abandon(self, claim: OnceClaim, ticket: Any, now: float | None) -> Steps:
        yield self._end_call(claim, ticket, "unknown", b"", now)

    def _end_call(
        self, claim: OnceClaim, ticket: str, stage: str, result: bytes, now: float | None
    ) -> partial[object]:
        return self._call(END, [_token(claim), _principal(claim), "all"], [_ms(now), ticket, stage, result])

    def _reason(self, failure: BaseException) -> str:
        from redis.exceptions import OutOfMemoryError

        return "once-full" if isinstance(failure, OutOfMemoryError) else "once-unavailable"


def _token(claim: OnceClaim) -> str:
    return "token:" + claim.token_id.hex()


def _principal(claim: OnceClaim) -> str:
    return "principal:" + claim.principal_id.hex()


def _ms(now: float | None) -> int | str:
    """A time for a script; empty: its own."""
    return "" if now is None else once_time(now)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _bytes(value: Any) -> bytes:
    """What a client gives that decodes what it receives, too."""
    return value.encode() if isinstance(value, str) else bytes(value)


RedisOnce.__module__ = "wireseal"
