"""What the README and the pages say is so: their Python runs, the README's commands and paths exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def examples() -> list[tuple[str, str]]:
    """Every fenced block of Python in the README and in the pages, with the name of its file."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [
        (page.name, block)
        for page in pages
        for block in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    ]


def test_there_are_examples() -> None:
    assert {"README.md", "notifications.md"} <= {name for name, _ in examples()}


@pytest.mark.parametrize(("page", "example"), [pytest.param(*one, id=f"{one[0]}-{at}") for at, one in enumerate(examples())])
def test_the_python_examples_run(page: str, example: str) -> None:
    run = subprocess.run([sys.executable, "-W", "error", "-c", example], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, f"{page}: {run.stderr}"


def test_every_command_named_is_a_target_of_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", README, re.M))
    assert {"demo", "test"} <= named
    assert named <= targets


def test_every_path_named_exists() -> None:
    links = {link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link}
    folders = set(re.findall(r"`([a-z-]+(?:/[a-z-]+)*/)`", README))
    assert {"core/", "bindings-python/"} <= folders
    assert [path for path in links | folders if not (ROOT / path).exists()] == []
