"""Adds up what the parts of the checks reported, and ends with one line: N passed, M failed.

usage: count.py NAME ...

Each NAME is a part that tests/tools/part.sh ran. A part that never ran counts as one failure, and so does one that
ended badly without naming what failed. A part that counts nothing itself counts as one.
"""

import re
import sys
from pathlib import Path

LOG = Path("build/log")

# How each tool says it: (pattern, group of passed or 0, group of failed or 0).
SUMMARIES = (
    (re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed", re.M), 1, 2),  # cargo test
    (re.compile(r"^ *Summary \[.*?(\d+) passed", re.M), 1, 0),  # cargo nextest
    (re.compile(r"^ *Summary \[.*?(\d+) failed", re.M), 0, 1),
    (re.compile(r"^ *Summary \[.*?(\d+) timed out", re.M), 0, 1),
    (re.compile(r"^(?:=+ )?[^=\n]*?\b(\d+) passed\b[^=\n]* in [\d.]+s", re.M), 1, 0),  # pytest
    (re.compile(r"^(?:=+ )?[^=\n]*?\b(\d+) failed\b[^=\n]* in [\d.]+s", re.M), 0, 1),
    (re.compile(r"^(?:=+ )?[^=\n]*?\b(\d+) errors?\b[^=\n]* in [\d.]+s", re.M), 0, 1),
)
DEMO = re.compile(r"^(\d+) of (\d+) as expected, (\d+) of \d+ acts not run", re.M)
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def count(text: str) -> tuple[int, int]:
    """What one log reports: (passed, failed)."""
    text = ANSI.sub("", text)
    passed = len(re.findall(r"^pass: ", text, re.M))
    failed = len(re.findall(r"^FAIL: ", text, re.M))
    for pattern, good, bad in SUMMARIES:
        for match in pattern.finditer(text):
            passed += int(match[good]) if good else 0
            failed += int(match[bad]) if bad else 0
    for match in DEMO.finditer(text):
        good, of, not_run = map(int, match.groups())
        passed += good
        failed += of - good + not_run
    return passed, failed


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
