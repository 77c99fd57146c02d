"""What the README says is so: its Python runs, its commands and its paths exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def test_the_python_example_runs() -> None:
    (example,) = blocks("python")
    run = subprocess.run([sys.executable, "-W", "error", "-c", example], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr


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
