"""Nonces as docs/tokens.md counts them: those of a process, and those of a device without entropy."""

from __future__ import annotations

from common import Misuse

MAX_COUNT = 2**32


def of_process(random: bytes, made_by: int, asked_by: int, number: int) -> bytes:
    """The 20 bytes, nonce and salt, of the so many-eth token of a process, counted from 0."""
    if made_by != asked_by:
        raise Misuse("NoncesInherited")
    nonce = (int.from_bytes(random[:12], "big") + number) % 2**96
    salt = (int.from_bytes(random[12:], "big") + number) % 2**64
    return nonce.to_bytes(12, "big") + salt.to_bytes(8, "big")


def of_device(device: int, stored: int, read_back: int | None, number: int) -> bytes:
    """The nonce of the so many-eth token since a device was started, counted from 0.

    `stored` is what the device had in store when it started, `read_back` what it has when it begins to seal; `None`: the
    number of the boot, as it should be.
    """
    boot = stored + 1
    if boot == MAX_COUNT:
        raise Misuse("NoncesExhausted")
    if read_back is not None and read_back != boot:
        raise Misuse("BootNotStored")
    return device.to_bytes(4, "big") + boot.to_bytes(4, "big") + number.to_bytes(4, "big")
