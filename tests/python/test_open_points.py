"""docs/open-points.md: every point once, and every vector that it names exists."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    line.split(" | ")
    for line in (ROOT / "docs" / "open-points.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| \d+ \|", line)
]


def test_every_point_is_decided_once() -> None:
    assert [int(row[0].strip("| ")) for row in ROWS] == list(range(1, 43))
    assert all(len(row) == 5 and all(cell.strip("| ") for cell in row) for row in ROWS)


def test_the_vectors_exist() -> None:
    ids = {
        case["id"]
        for path in (ROOT / "tests" / "vectors").glob("*.json")
        for case in json.loads(path.read_text(encoding="utf-8")).get("cases", [])
    }
    named = {name for row in ROWS for name in re.findall(r"`([A-Z]+-\d\d/[^`]+)`", row[4])}
    assert named and named <= ids, named - ids
