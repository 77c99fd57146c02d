"""What the tests share: a record of which vector covers which rule, where the environment asks for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Writes `python-*.tsv` into `WIRESEAL_COVERAGE_DIR`: rule, vector file, case."""
    directory = os.environ.get("WIRESEAL_COVERAGE_DIR")
    if not directory:
        return
    lines: dict[str, list[str]] = {}
    for item in items:
        params: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
        case = params.get("case")
        if not isinstance(case, dict):
            continue
        name = str(params.get("file", ""))
        lines.setdefault(name, []).extend(f"{rule}\t{name}.json\t{case['id']}\n" for rule in case.get("rules", ()))
    Path(directory).mkdir(parents=True, exist_ok=True)
    for name, found in lines.items():
        Path(directory, f"python-{name}.tsv").write_text("".join(found), encoding="utf-8")
