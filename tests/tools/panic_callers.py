#!/usr/bin/env python3
"""Names the functions of a linked program that can panic, to find what broke the panic proof.

usage: panic_callers.py OBJDUMP ELF
"""

import re
import subprocess
import sys

# Where panics begin: the entry points in `core`, and the handler they end in.
ENTRY = re.compile(r"core::panicking::|core::(option|result)::\w*_failed|slice_index_fail|slice_error_fail|mismatch_fail|begin_unwind")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
BRANCH = re.compile(r"^\s*[0-9a-f]+:\s+(?:b|bl|bx|b\.w|b\w\w(?:\.[nw])?)\s.*?<(.*?)(?:\+0x[0-9a-f]+)?>")


def callers(disassembly: str) -> dict[str, dict[str, int]]:
    """Each panic entry point with the functions that branch to it, and how often."""
    found: dict[str, dict[str, int]] = {}
    function = ""
    for line in disassembly.splitlines():
        if match := FUNCTION.match(line):
            function = match[1]
        elif (match := BRANCH.match(line)) and ENTRY.search(match[1]) and match[1] != function:
            by = found.setdefault(match[1], {})
            by[function] = by.get(function, 0) + 1
    return found


def main(objdump: str, elf: str) -> int:
    command = [objdump, "-d", "-C", "--no-show-raw-insn", "--print-imm-hex", elf]
    found = callers(subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout)
    for entry, by in sorted(found.items()):
        print(entry)
        for function, times in sorted(by.items(), key=lambda item: -item[1]):
            print(f"    {times:>3} x {function}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
