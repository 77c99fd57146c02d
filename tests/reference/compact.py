"""The compact token, `w1.`: WireSeal's own."""

from __future__ import annotations

import hmac

import arguments
from common import (
    MAX_LIFETIME_MS,
    MAX_SKEW_MS,
    MAX_STATE_BYTES,
    MIN_LIFETIME_MS,
    Binding,
    Misuse,
    Refused,
    field,
    hkdf,
    hmac_sha256,
    open_envelope,
    optional,
    seal_envelope,
    utf8,
)

PREFIX = "w1."


# The middle of the labels: keys for random nonces, and those for nonces that a device counts.
LABELS = {"random": "compact", "counter": "counter"}


def key_id(secret: bytes, labels: str = "random") -> bytes:
    return hkdf(secret, f"wireseal/v1/{LABELS[labels]}/key-id", 4)


def key(secret: bytes, labels: str = "random") -> bytes:
    return hkdf(secret, f"wireseal/v1/{LABELS[labels]}/aes-256-gcm", 32)


def request_tag(secret: bytes, binding: Binding, labels: str = "random") -> bytes:
    mac_key = hkdf(secret, f"wireseal/v1/{LABELS[labels]}/request-tag", 32)
    digest = arguments.digest(binding.arguments)
    fields = field(utf8(binding.method)) + field(optional(binding.target)) + field(digest)
    return hmac_sha256(mac_key, fields)[:8]


def context_tag(secret: bytes, audience: str | None, principal: str | None, labels: str = "random") -> bytes:
    mac_key = hkdf(secret, f"wireseal/v1/{LABELS[labels]}/context-tag", 32)
    return hmac_sha256(mac_key, field(optional(audience)) + field(optional(principal)))[:8]


def seal(
    secret: bytes,
    audience: str | None,
    lifetime_ms: int,
    binding: Binding,
    state: bytes,
    now_ms: int,
    random: bytes,
    labels: str = "random",
) -> str:
    if len(state) > MAX_STATE_BYTES:
        raise Misuse("StateTooLong")
    times = (now_ms << 30 | lifetime_ms).to_bytes(9, "big")
    tags = request_tag(secret, binding, labels) + context_tag(secret, audience, binding.principal, labels)
    return seal_envelope(PREFIX, key_id(secret, labels), key(secret, labels), random[:12], times + tags + state)


def open_(
    secrets: list[bytes],
    audience: str | None,
    token: str,
    binding: Binding,
    now_ms: int,
    labels: list[str] | None = None,
) -> tuple[bytes, bytes, int, int]:
    """The secret that opened the token, the state, when it was issued and when it expires."""
    modes = labels or ["random"] * len(secrets)
    ring = [(key_id(secret, mode), key(secret, mode)) for secret, mode in zip(secrets, modes, strict=True)]
    number, plaintext = open_envelope(PREFIX, token, ring, 25)
    secret, mode = secrets[number], modes[number]
    times = int.from_bytes(plaintext[:9], "big")
    issued, lifetime = times >> 30, times & (2**30 - 1)
    if not MIN_LIFETIME_MS <= lifetime <= MAX_LIFETIME_MS:
        raise Refused("state-malformed")
    if issued > now_ms + MAX_SKEW_MS:
        raise Refused("state-future")
    if now_ms >= issued + lifetime:
        raise Refused("state-expired")
    try:
        request = request_tag(secret, binding, mode)
    except Refused:  # a number that no digest is made of: nothing was ever sealed for it
        raise Refused("state-other-request") from None
    if not hmac.compare_digest(request, plaintext[9:17]):
        raise Refused("state-other-request")
    if not hmac.compare_digest(context_tag(secret, audience, binding.principal, mode), plaintext[17:25]):
        raise Refused("state-other-context")
    return secret, plaintext[25:], issued, issued + lifetime
