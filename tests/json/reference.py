"""Python's json as a reference: reads documents from standard input, answers on standard output.

A document comes as its length (four bytes, little-endian) and its bytes. The answer is a letter, the length of the
value's spelling (four bytes) and the spelling: A accepted, D accepted but a name comes twice, R refused. The spelling
is described in src/lib.rs. The length FLUSH, without a document, asks for the answers that are still held back.
"""

import json
import struct
import sys
from typing import BinaryIO

LENGTH = struct.Struct("<I")
FLUSH = 0xFFFF_FFFF


class Reader:
    """json.loads, strict: no constants beyond JSON's, numbers as text, members as they came."""

    def __init__(self) -> None:
        self.duplicate = False
        self.decode = json.JSONDecoder(
            object_pairs_hook=self.members,
            parse_float=number,
            parse_int=number,
            parse_constant=refuse,
            strict=True,
        ).decode
        self.encode = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode

    def members(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len({name for name, _ in pairs}) != len(pairs):
            self.duplicate = True
        return {"o": pairs}

    def read(self, document: bytes) -> tuple[bytes, bytes]:
        self.duplicate = False
        try:
            value = self.decode(document.decode("utf-8", "strict"))
        except ValueError:
            return b"R", b""
        return b"D" if self.duplicate else b"A", self.encode(value).encode("ascii")


def number(text: str) -> dict[str, str]:
    return {"n": text}


def refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def main(source: BinaryIO, sink: BinaryIO) -> None:
    sys.setrecursionlimit(20_000)
    reader = Reader()
    while head := source.read(LENGTH.size):
        (length,) = LENGTH.unpack(head)
        if length == FLUSH:
            sink.flush()
            continue
        letter, spelling = reader.read(source.read(length))
        sink.write(letter + LENGTH.pack(len(spelling)) + spelling)
    sink.flush()


if __name__ == "__main__":
    if sys.argv[1:] == ["--version"]:
        print(sys.version.split()[0])
    else:
        main(sys.stdin.buffer, sys.stdout.buffer)
