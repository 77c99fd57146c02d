"""The token of the official Python SDK, `v1.`."""

from __future__ import annotations

import hmac
import json
from fractions import Fraction
from math import ceil, floor
from typing import Any

import arguments
from common import (
    MAX_SKEW_MS,
    MAX_STATE_BYTES,
    MAX_TOKEN_BYTES,
    Binding,
    Misuse,
    Refused,
    b64u,
    b64u_decode,
    hkdf,
    open_envelope,
    seal_envelope,
    sha256,
    utf8,
)

PREFIX = "v1."


def key(secret: bytes) -> bytes:
    return hkdf(secret, "mcp/request-state/v1/aes-256-gcm", 32)


def key_id(secret: bytes) -> bytes:
    return sha256(b"mcp/request-state/v1/kid:" + key(secret))[:4]


def seconds(ms: int) -> int | float:
    return ms // 1000 if ms % 1000 == 0 else ms / 1000


def principal_claim(principal: str, salt: bytes) -> str:
    return b64u(salt + sha256(b"mcp/request-state/principal:" + salt + utf8(principal))[:16])


def bound_digest(binding: Binding) -> str:
    bound = None if binding.method == "resources/read" else binding.arguments
    return b64u(arguments.python_digest(bound))


def claims_of(
    audience: str | None, lifetime_ms: int, binding: Binding, state: str, now_ms: int, salt: bytes
) -> dict[str, Any]:
    claims: dict[str, Any] = {
        "v": 1,
        "iat": seconds(now_ms),
        "exp": seconds(now_ms + lifetime_ms),
        "m": binding.method,
        "t": binding.target or "",
        "a": bound_digest(binding),
        "s": state,
    }
    if audience is not None:
        claims["aud"] = audience
    if binding.principal is not None:
        claims["p"] = principal_claim(binding.principal, salt)
    return claims


def seal(
    secret: bytes,
    audience: str | None,
    lifetime_ms: int,
    binding: Binding,
    state: bytes,
    now_ms: int,
    random: bytes,
) -> str:
    if len(state) > MAX_STATE_BYTES:
        raise Misuse("StateTooLong")
    try:
        text = state.decode()
    except UnicodeDecodeError:
        raise Misuse("StateNotText") from None
    claims = claims_of(audience, lifetime_ms, binding, text, now_ms, random[12:])
    token = seal_claims(secret, json.dumps(claims, separators=(",", ":")), random[:12])
    if len(token) > MAX_TOKEN_BYTES:
        raise Misuse("TokenTooLong")
    return token


def seal_claims(secret: bytes, claims: str, nonce: bytes) -> str:
    """Seals any text as claims: what another implementation might have minted."""
    return seal_envelope(PREFIX, key_id(secret), key(secret), nonce, utf8(claims))


def strict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a member twice")
    return dict(pairs)


def no_constant(name: str) -> Any:
    raise ValueError(name)


def read_claims(plaintext: bytes) -> dict[str, Any]:
    """The claims, each of its proper type; ValueError, KeyError or TypeError if not. Numbers are exact."""
    claims = json.loads(
        plaintext.decode("utf-8-sig"),
        object_pairs_hook=strict,
        parse_constant=no_constant,
        parse_int=arguments.Number,
        parse_float=arguments.Number,
    )
    if not isinstance(claims, dict):
        raise TypeError
    for name in ("v", "iat", "exp"):
        if not isinstance(claims[name], arguments.Number):
            raise TypeError
        arguments.decimal(claims[name])
        claims[name] = Fraction(claims[name])
    for name in ("m", "t", "a", "s"):
        if not isinstance(claims[name], str) or isinstance(claims[name], arguments.Number):
            raise TypeError
    for name in ("aud", "p"):
        claim = claims.setdefault(name, None)
        if claim is not None and (not isinstance(claim, str) or isinstance(claim, arguments.Number)):
            raise TypeError
    if claims["v"] != 1:
        raise ValueError
    claims["s"].encode()  # a lone surrogate is a UnicodeEncodeError, which is a ValueError
    if claims["p"] is not None:
        claims["p"] = b64u_decode(claims["p"])
        if len(claims["p"]) != 24:
            raise ValueError
    return claims


def open_(
    secrets: list[bytes], audience: str | None, token: str, binding: Binding, now_ms: int
) -> tuple[bytes, bytes, int, int]:
    """The secret that opened the token, the state, when it was issued and when it expires."""
    ring = [(key_id(secret), key(secret)) for secret in secrets]
    number, plaintext = open_envelope(PREFIX, token, ring, 0)
    try:
        claims = read_claims(plaintext)
    except (ValueError, KeyError, TypeError, Refused):
        raise Refused("state-malformed") from None
    if claims["iat"] * 1000 > now_ms + MAX_SKEW_MS:
        raise Refused("state-future")
    if claims["exp"] * 1000 <= now_ms:
        raise Refused("state-expired")
    try:
        digest = bound_digest(binding)
        arguments.digest(binding.arguments)  # the reissue key needs it
    except Refused:  # a number that no digest is made of: nothing was ever sealed for it
        raise Refused("state-other-request") from None
    if (claims["m"], claims["t"], claims["a"]) != (binding.method, binding.target or "", digest):
        raise Refused("state-other-request")
    if claims["aud"] != audience or (claims["p"] is None) != (binding.principal is None):
        raise Refused("state-other-context")
    if binding.principal is not None:
        expected = b64u_decode(principal_claim(binding.principal, claims["p"][:8]))
        if not hmac.compare_digest(claims["p"], expected):
            raise Refused("state-other-context")
    issued = max(0, min(2**64 - 1, floor(claims["iat"] * 1000)))
    expires = max(0, min(2**64 - 1, ceil(claims["exp"] * 1000)))
    return secrets[number], claims["s"].encode(), issued, expires
