"""The count of .ci/run: what each tool prints at its end is read for what it says, and silence is a failure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

COUNT = Path(__file__).resolve().parents[1] / "tools" / "count.py"


def run(directory: Path, *names: str) -> tuple[int, str]:
    """Counts the logs in a directory: exit code and last line."""
    done = subprocess.run([sys.executable, COUNT, *names], cwd=directory, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout.splitlines()[-1]


def part(directory: Path, name: str, text: str, code: int) -> None:
    """Leaves what a part of that name would have left."""
    log = directory / "build" / "log"
    log.mkdir(parents=True, exist_ok=True)
    (log / f"{name}.log").write_text(text)
    (log / f"{name}.code").write_text(f"{code}\n")


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("", 0, "1 passed, 0 failed"),
        ("", 1, "0 passed, 1 failed"),
        ("test result: ok. 2 passed; 0 failed; 0 ignored; finished in 0.01s\n", 0, "2 passed, 0 failed"),
        ("test result: FAILED. 2 passed; 3 failed; 0 ignored; finished in 0.01s\n", 101, "2 passed, 3 failed"),
        ("     Summary [   4.190s] 57 tests run: 57 passed, 0 skipped\n", 0, "57 passed, 0 failed"),
        ("\x1b[31m     Summary\x1b[0m [   4.1s] 57 tests run: 55 passed (1 slow), 2 failed\n", 100, "55 passed, 2 failed"),
        ("1346 passed in 3.47s\n", 0, "1346 passed, 0 failed"),
        ("2 failed, 1346 passed in 3.47s\n", 1, "1346 passed, 2 failed"),
        ("==== 3 passed, 1 skipped in 61.00s (0:01:01) ====\n", 0, "3 passed, 0 failed"),
        ("1 error in 0.50s\n", 2, "0 passed, 1 failed"),
        ("pass: one\nFAIL: two\npass: three\n", 1, "2 passed, 1 failed"),
        ("one\n4 passed, 1 failed\n", 1, "4 passed, 1 failed"),
        ("38 of 38 as expected, 0 of 6 acts not run, 9.0 s\n", 0, "38 passed, 0 failed"),
        ("30 of 32 as expected, 1 of 6 acts not run, 9.0 s\n", 1, "30 passed, 3 failed"),
        ("5 passed in 0.10s\n", 1, "5 passed, 1 failed"),
    ],
)
def test_summaries(tmp_path: Path, text: str, code: int, expected: str) -> None:
    part(tmp_path, "it", text, code)
    assert run(tmp_path, "it") == (0 if expected.endswith(" 0 failed") else 1, expected)


def test_the_sum(tmp_path: Path) -> None:
    part(tmp_path, "a", "2 passed in 1.00s\n", 0)
    part(tmp_path, "b", "pass: x\n", 0)
    assert run(tmp_path, "a", "b") == (0, "3 passed, 0 failed")


def test_a_part_that_never_ran_is_a_failure(tmp_path: Path) -> None:
    part(tmp_path, "a", "2 passed in 1.00s\n", 0)
    assert run(tmp_path, "a", "b") == (1, "2 passed, 1 failed")
