"""Counts instructions with valgrind, and judges them; ends with one line: N passed, M failed.

usage: run.py [--record]

The two everyday requests, a seal and its opening must stay within 5 % of budget.json (--record writes it anew). The worst
shapes are read at n, 2n and 4n, and their instructions may grow 2.3 times at most from each to the next. SHA-256 is not
counted in: valgrind hides the instructions that processors have for it. Valgrind 3.19 or later is needed.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUDGET = HERE / "budget.json"
TARGET_DIR = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent.parent / "target" / "counts"))
PROGRAM = TARGET_DIR / "release" / "wireseal-counts"
INPUTS = TARGET_DIR / "inputs"
TOLERANCE = 1.05
GROWTH = 2.3
# SHA-256's compression, whichever of its variants runs.
SHA = re.compile(r"\bsha2::.*compress")
# Names that collide are compared byte by byte: that must show, or they do not collide any more.
COLLISION = 1.3


@dataclass
class Count:
    """One line of the manifest, and what it cost."""

    shape: str
    n: int
    length: int
    instructions: int
    sha: int


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def prepare() -> None:
    """Builds the program, and has it write its inputs unless they are there already."""
    build = ["cargo", "build", "-q", "--release", "--locked", "--target-dir", str(TARGET_DIR)]
    subprocess.run(build, cwd=HERE, check=True)
    sources = b"".join(path.read_bytes() for path in sorted((HERE / "src").iterdir()))
    stamp = INPUTS / "stamp"
    digest = hashlib.sha256(sources).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        subprocess.run([PROGRAM, "write", INPUTS], check=True)
        stamp.write_text(digest)


def sha(dump: str) -> int:
    """What SHA-256 cost by itself: the lines of its functions but for those that follow a `calls=`, which are other's."""
    names: dict[str, str] = {}
    cost, inside, called = 0, False, False
    for line in dump.splitlines():
        if match := re.match(r"c?fn=(\(\d+\))(?: (.*))?$", line):
            names.setdefault(match[1], match[2] or "")
            if line.startswith("fn="):
                inside = SHA.search(names[match[1]]) is not None
        elif line.startswith("calls="):
            called = True
        elif match := re.match(r"[-+*\d]+ (\d+)$", line):
            cost += int(match[1]) if inside and not called else 0
            called = False
    return cost


def measure() -> list[Count]:
    """Runs the program under callgrind, which leaves one file for each input."""
    dumps = TARGET_DIR / "callgrind"
    dumps.mkdir(exist_ok=True)
    for old in dumps.iterdir():
        old.unlink()
    command = [
        "valgrind",
        "-q",
        "--tool=callgrind",
        "--collect-atstart=no",
        "--toggle-collect=*::measured_*",
        "--dump-after=wireseal_counts::*measured_*",  # the same pattern twice would be taken once
        f"--callgrind-out-file={dumps}/out",
    ]
    subprocess.run([*command, PROGRAM, "measure", INPUTS], check=True)
    counts = []
    for number, line in enumerate((INPUTS / "manifest.tsv").read_text().splitlines(), 1):
        _, shape, _, _, n, length = line.split("\t")
        dump = (dumps / f"out.{number}").read_text()
        total = re.search(r"^totals: (\d+)$", dump, re.MULTILINE)
        if total is None:
            raise SystemExit(f"callgrind left no count for {line}")
        hashing = sha(dump)
        counts.append(Count(shape, int(n), int(length), int(total[1]) - hashing, hashing))
    return counts


def judge_budget(counts: list[Count], versions: dict[str, str], record: bool) -> list[bool]:
    """The counts with a budget, against it."""
    instructions = {count.shape: count.instructions for count in counts}
    if record:
        BUDGET.write_text(json.dumps({**versions, "instructions": instructions}, indent=2) + "\n")
    budget = json.loads(BUDGET.read_text())
    same = all(budget[name] == version for name, version in versions.items())
    if not same:
        recorded = ", ".join(f"{name} {budget[name]}" for name in versions)
        print(f"warning: the budget is for {recorded}: a count beyond it is shown and fails nothing")
    results = []
    for count in counts:
        allowed = budget["instructions"][count.shape]
        good = count.instructions <= allowed * TOLERANCE
        results.append(good or not same)
        change = f"{100 * (count.instructions / allowed - 1):+.1f} % of {allowed:,}"
        word = "" if good else "  TOO MUCH"
        apart = f", and {count.sha:,} of SHA-256" if count.sha else ""
        print(f"{count.shape:<44} {count.length:>9} {count.instructions:>13,} instructions, {change}{apart}{word}")
    return results


def judge_growth(counts: list[Count]) -> list[bool]:
    """The shapes that come in three sizes."""
    results = []
    print(f"\n{'shape':<44} {'bytes, 4n':>9} {'n':>13} {'2n':>13} {'4n':>13} {'growth':>11}")
    for index in range(0, len(counts), 3):
        sizes = counts[index : index + 3]
        small, middle, large = (count.instructions for count in sizes)
        first, second = middle / small, large / middle
        good = max(first, second) <= GROWTH
        results.append(good)
        growth = f"{first:.2f} {second:.2f}"
        word = "" if good else "  TOO MUCH"
        print(f"{sizes[2].shape:<44} {sizes[2].length:>9} {small:>13,} {middle:>13,} {large:>13,} {growth:>11}{word}")
    return results


def judge_collisions(counts: list[Count]) -> list[bool]:
    """Whether the colliding names still collide in the scanner."""
    largest = {count.shape: count.instructions / count.n for count in counts}
    ratio = largest["members, colliding"] / largest["members, shuffled"]
    good = ratio >= COLLISION
    word = "" if good else ": they DO NOT COLLIDE any more"
    print(f"\ncolliding names cost {ratio:.2f} times what others do{word}")
    return [good]


def main() -> int:
    parser = argparse.ArgumentParser(description="Counts instructions.")
    parser.add_argument("--record", action="store_true", help="write budget.json anew")
    arguments = parser.parse_args()
    start = time.monotonic()
    prepare()
    versions = {"rustc": output("rustc", "--version"), "valgrind": output("valgrind", "--version")}
    print(", ".join(versions.values()))
    counts = measure()
    shapes = [count.shape for count in counts]
    budgeted = [count for count in counts if shapes.count(count.shape) == 1]
    growing = [count for count in counts if shapes.count(count.shape) > 1]
    if not any(count.sha for count in counts):
        raise SystemExit("SHA-256 was not told apart: the name of its function has changed")
    results = judge_budget(budgeted, versions, arguments.record) + judge_growth(growing) + judge_collisions(growing)
    failed = results.count(False)
    print(f"{len(results) - failed} passed, {failed} failed in {time.monotonic() - start:.1f}s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
