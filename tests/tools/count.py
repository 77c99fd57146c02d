"""Adds up what the parts of the checks reported, and ends with one line: N passed, M failed.

usage: count.py NAME ...

Each NAME is a part that tests/tools/part.sh ran. A part that never ran counts as one failure, and so does one that
ended badly without naming what failed. A part that counts nothing itself counts as one.
"""

import re
import sys
from pathlib import Path

LOG = Path("build/log")

# How each tool sums up: a pattern whose groups are named after what they count.
SUMMARIES = (
    re.compile(r"^test result: \w+\. (?P<passed>\d+) passed; (?P<failed>\d+) failed", re.M),  # cargo test
    re.compile(r"^ *Summary \[.*?(?P<passed>\d+) passed", re.M),  # cargo nextest
    re.compile(r"^ *Summary \[.*?(?P<failed>\d+) (?:failed|timed out)", re.M),
    re.compile(r"^(?:=+ )?(?:\d+ [a-z]+, )*(?P<passed>\d+) passed\b[\w, ]* in [\d.]+s", re.M),  # pytest
    re.compile(r"^(?:=+ )?(?:\d+ [a-z]+, )*(?P<failed>\d+) failed\b[\w, ]* in [\d.]+s", re.M),
    re.compile(r"^(?:=+ )?(?:\d+ [a-z]+, )*(?P<failed>\d+) errors?\b[\w, ]* in [\d.]+s", re.M),
    re.compile(r"^(?P<passed>\d+) passed, (?P<failed>\d+) failed$", re.M),  # our own scripts, at the end
    re.compile(r"^(?P<passed>pass): ", re.M),  # or a line for each check
    re.compile(r"^(?P<failed>FAIL): ", re.M),
)
DEMO = re.compile(r"^(\d+) of (\d+) as expected, (\d+) of \d+ acts not run", re.M)
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def count(text: str) -> tuple[int, int]:
    """What one log reports: (passed, failed)."""
    text = ANSI.sub("", text)
    counts = {"passed": 0, "failed": 0}
    for pattern in SUMMARIES:
        for match in pattern.finditer(text):
            for what, number in match.groupdict().items():
                counts[what] += int(number) if number.isdigit() else 1
    for match in DEMO.finditer(text):
        good, of, not_run = map(int, match.groups())
        counts["passed"] += good
        counts["failed"] += of - good + not_run
    return counts["passed"], counts["failed"]


def part(name: str) -> tuple[int, int]:
    """The counts of one part, from its log and its exit code."""
    try:
        code = int((LOG / f"{name}.code").read_text())
        text = (LOG / f"{name}.log").read_text(errors="replace")
    except FileNotFoundError:
        return 0, 1
    passed, failed = count(text)
    if code != 0 and failed == 0:
        failed = 1
    if code == 0 and passed + failed == 0:
        passed = 1
    return passed, failed


def main(names: list[str]) -> int:
    total_passed = total_failed = 0
    for name in names:
        passed, failed = part(name)
        print(f"{name:<16} {passed:>6} passed {failed:>4} failed")
        total_passed += passed
        total_failed += failed
    print(f"{total_passed} passed, {total_failed} failed")
    return 1 if total_failed or not total_passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
