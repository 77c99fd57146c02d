"""The sealer whole: ring, formats, limits, token id and reissue key."""

from __future__ import annotations

from dataclasses import dataclass

import arguments
import compact
import python_token
from common import (
    MAX_CONTEXT_BYTES,
    MAX_KEYS,
    MAX_LIFETIME_MS,
    MAX_SECRET_BYTES,
    MAX_TIME_MS,
    MAX_TOKEN_BYTES,
    MIN_LIFETIME_MS,
    MIN_SECRET_BYTES,
    MIN_TIME_MS,
    Binding,
    Misuse,
    Opened,
    Refused,
    field,
    hkdf,
    hmac_sha256,
    optional,
    sha256,
    utf8,
)

FORMATS = {"compact": compact, "python": python_token}


@dataclass(frozen=True)
class Sealer:
    keys: tuple[bytes, ...]
    audience: str | None
    lifetime_ms: int
    format: str
    accept: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for secret in self.keys:
            if len(secret) < MIN_SECRET_BYTES:
                raise Misuse("SecretTooShort")
            if len(secret) > MAX_SECRET_BYTES:
                raise Misuse("SecretTooLong")
        if not self.keys:
            raise Misuse("NoKeys")
        if len(self.keys) > MAX_KEYS:
            raise Misuse("TooManyKeys")
        for name in self.opens():
            if len({FORMATS[name].key_id(secret) for secret in self.keys}) < len(self.keys):
                raise Misuse("EqualKeys")
        if not MIN_LIFETIME_MS <= self.lifetime_ms <= MAX_LIFETIME_MS:
            raise Misuse("Lifetime")
        check_context(self.audience)

    def opens(self) -> set[str]:
        return {self.format, *self.accept}

    def seal(self, binding: Binding, state: bytes, now_ms: int, random: bytes) -> str:
        check_time(now_ms)
        check_context(binding.principal)
        token: str = FORMATS[self.format].seal(
            self.keys[0], self.audience, self.lifetime_ms, binding, state, now_ms, random
        )
        return token

    def open(self, token: str, binding: Binding, input_responses: str | None, now_ms: int) -> Opened:
        check_time(now_ms)
        check_context(binding.principal)
        if len(utf8(token)) > MAX_TOKEN_BYTES:
            raise Refused("state-malformed")
        for name in self.opens():
            if token.startswith(FORMATS[name].PREFIX):
                break
        else:
            raise Refused("state-malformed")
        secret, state, issued, expires = FORMATS[name].open_(list(self.keys), self.audience, token, binding, now_ms)
        hash_ = sha256(b"wireseal/v1/token-id" + token.encode())
        reissue = reissue_key(secret, hash_, self.audience, binding, input_responses)
        bound = {
            "method": True,
            "target": True,
            "arguments": name == "compact" or binding.method != "resources/read",
            "audience": self.audience is not None,
            "principal": binding.principal is not None,
        }
        return Opened(
            state=state,
            issued_at_ms=issued,
            expires_at_ms=expires,
            key_id=FORMATS[name].key_id(secret),
            token_id=hash_[:16],
            reissue_key=reissue,
            format=name,
            bound=tuple(binding for binding, verified in bound.items() if verified),
        )


def reissue_key(
    secret: bytes, token_hash: bytes, audience: str | None, binding: Binding, input_responses: str | None
) -> bytes:
    """The same in both formats, with WireSeal's own digests."""
    answers = None if input_responses is None else arguments.digest(input_responses)
    fields = [
        token_hash,
        utf8(binding.method),
        optional(binding.target),
        arguments.digest(binding.arguments),
        answers,
        optional(audience),
        optional(binding.principal),
    ]
    return hmac_sha256(hkdf(secret, "wireseal/v1/reissue", 32), b"".join(map(field, fields)))[:16]


def check_time(now_ms: int) -> None:
    if not MIN_TIME_MS <= now_ms <= MAX_TIME_MS:
        raise Misuse("ImplausibleTime")


def check_context(text: str | None) -> None:
    if text is not None and len(utf8(text)) > MAX_CONTEXT_BYTES:
        raise Misuse("ContextTooLong")
