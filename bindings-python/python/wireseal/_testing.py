"""Hooks for the project's own tests: fixed randomness, times in milliseconds. Not part of the API, never stable.

A seal whose randomness is not fresh gives its key away: never call these from a program.
"""

from typing import Protocol

from . import _native
from ._native import Message, Opened, Sealer


class _Hooks(Protocol):
    def seal_with(
        self, sealer: Sealer, msg: Message, state: bytes | str, *, principal: str | None, now_ms: int, random: bytes
    ) -> str: ...

    def seal_for_with(
        self,
        sealer: Sealer,
        method: str,
        target: str | None,
        arguments_json: object,
        state: bytes | str,
        *,
        principal: str | None,
        now_ms: int,
        random: bytes,
    ) -> str: ...

    def open_at_ms(self, sealer: Sealer, msg: Message, *, principal: str | None, now_ms: int) -> Opened | None: ...

    def open_for_at_ms(
        self,
        sealer: Sealer,
        token: str,
        method: str,
        target: str | None,
        arguments_json: object,
        *,
        principal: str | None,
        now_ms: int,
        input_responses_json: object = None,
    ) -> Opened: ...

    def opened(self, token_id: bytes, reissue_key: bytes, issued_at_ms: int | None, expires_at_ms: int) -> Opened: ...

    def canonical_python(self, json: bytes) -> bytes: ...

    def digest(self, json: bytes | None) -> bytes: ...

    def digest_python(self, json: bytes | None) -> bytes: ...


# Reached by name, so that the stub of the compiled module has only what programs may use.
_hooks: _Hooks = getattr(_native, "_testing")

seal_with = _hooks.seal_with
"""``Sealer.seal`` with 20 bytes of ``random``: 12 of nonce, then 8 of salt."""
seal_for_with = _hooks.seal_for_with
"""``Sealer.seal_for`` with 20 bytes of ``random``: 12 of nonce, then 8 of salt."""
open_at_ms = _hooks.open_at_ms
"""``Sealer.open`` at a time in Unix milliseconds."""
open_for_at_ms = _hooks.open_for_at_ms
"""``Sealer.open_for`` at a time in Unix milliseconds."""
opened = _hooks.opened
"""An ``Opened`` of a token that nothing sealed: its id and reissue key, 16 bytes each, and its times."""
canonical_python = _hooks.canonical_python
"""The canonical form that the ``python`` format digests, of one JSON value."""
digest = _hooks.digest
"""The digest of arguments that the ``compact`` format binds, 32 bytes; ``None``: there are none."""
digest_python = _hooks.digest_python
"""The digest of arguments that the ``python`` format binds, 16 bytes; ``None``: there are none."""
