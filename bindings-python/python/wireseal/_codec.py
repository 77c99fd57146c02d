"""A codec for the official Python SDK."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from ._native import CodecRing

__all__ = ["RequestStateCodec"]


@final
class RequestStateCodec:
    """Seals the claims of the official Python SDK: ``RequestStateSecurity(codec=RequestStateCodec(keys))``.

    The SDK makes and checks the claims (expiry, request, audience, principal); this seals them with AES-256-GCM under keys
    of their own label, so that no token of a `Sealer` opens here nor the other way round, even with the same secret. A
    key seals at most 2**32 tokens.

    Args:
        keys: secrets of 32 to 1024 bytes (``str`` counts as UTF-8), at most 16. The first seals, every one opens.

    Raises:
        ValueError: a key too short or too long, two keys with one id, or no key.
        TypeError: a value of the wrong type; a single key instead of a list of them.
    """

    def __init__(self, keys: Iterable[bytes | str]) -> None:
        self._ring = CodecRing(keys)

    def seal(self, payload: bytes) -> str:
        """The text that carries the payload.

        Raises:
            OSError: the system gave no randomness; nothing was sealed.
            ValueError: the payload is too long, or the key has sealed as much as it may.
        """
        return self._ring.seal(payload)

    def unseal(self, token: str) -> bytes:
        """The payload.

        Raises:
            mcp.server.request_state.InvalidRequestState: not a token of this codec, or of another key. Where the SDK is
                not installed it is a ``ValueError``.
        """
        opened = self._ring.open(token)
        if isinstance(opened, bytes):
            return opened
        raise _invalid(opened)

    def __repr__(self) -> str:
        return "<wireseal.RequestStateCodec>"


def _invalid(reason: str) -> Exception:
    try:
        from mcp.server.request_state import InvalidRequestState
    except ImportError:
        return ValueError(reason)
    return InvalidRequestState(reason)
