"""What the token formats share, written to be read and not to be quick. docs/tokens.md is the document."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

MIN_SECRET_BYTES = 32
MAX_SECRET_BYTES = 1024
MAX_KEYS = 16
MAX_TOKEN_BYTES = 300_000
MAX_STATE_BYTES = 32 * 1024
MAX_CONTEXT_BYTES = 4096
MIN_TIME_MS = 1_577_836_800_000
MAX_TIME_MS = 2**42 - 1
MIN_LIFETIME_MS = 1
MAX_LIFETIME_MS = 12 * 24 * 60 * 60 * 1000
MAX_SKEW_MS = 60_000


class Misuse(Exception):
    """The host's fault; the argument is the core's name for it."""


class Refused(Exception):
    """The peer is refused; the argument is the local reason."""


@dataclass(frozen=True)
class Binding:
    """What a token is bound to. Texts are decoded; arguments are a JSON text."""

    method: str
    target: str | None
    arguments: str | None
    principal: str | None


@dataclass(frozen=True)
class Opened:
    """What an opened token said."""

    state: bytes
    issued_at_ms: int
    expires_at_ms: int
    key_id: bytes
    token_id: bytes
    reissue_key: bytes
    format: str
    bound: tuple[str, ...]


def utf8(text: str) -> bytes:
    """UTF-8; a surrogate without its pair becomes the three bytes that its number would have."""
    return text.encode("utf-8", "surrogatepass")


def b64u(data: bytes) -> str:
    """base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def b64u_decode(text: str) -> bytes:
    """The bytes of a canonical text; ValueError for any other."""
    data = base64.b64decode(utf8(text) + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if b64u(data) != text:
        raise ValueError("not canonical")
    return data


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def hmac_sha256(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()


def hkdf(secret: bytes, label: str, length: int) -> bytes:
    """HKDF-SHA256 without salt."""
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=label.encode()).derive(secret)


def field(value: bytes | None) -> bytes:
    """One field of what a MAC is over: absent and empty differ, and nothing moves from one field to the next."""
    return b"\0" if value is None else b"\1" + len(value).to_bytes(8, "big") + value


def optional(text: str | None) -> bytes | None:
    return None if text is None else utf8(text)


def seal_envelope(prefix: str, key_id: bytes, key: bytes, nonce: bytes, plaintext: bytes) -> str:
    sealed = AESGCM(key).encrypt(nonce, plaintext, prefix.encode() + key_id)
    return prefix + b64u(key_id + nonce + sealed)


def open_envelope(
    prefix: str, token: str, ring: Sequence[tuple[bytes, bytes]], least_plaintext: int
) -> tuple[int, bytes]:
    """Which key of the ring (id, key) opens the token, and its plaintext."""
    try:
        raw = b64u_decode(token.removeprefix(prefix))
    except ValueError:
        raise Refused("state-malformed") from None
    if len(raw) < 4 + 12 + least_plaintext + 16:
        raise Refused("state-malformed")
    key_id, nonce, sealed = raw[:4], raw[4:16], raw[16:]
    for number, (ring_id, key) in enumerate(ring):
        if ring_id == key_id:
            try:
                return number, AESGCM(key).decrypt(nonce, sealed, prefix.encode() + key_id)
            except InvalidTag:
                raise Refused("state-tampered") from None
    raise Refused("state-unknown-key")
