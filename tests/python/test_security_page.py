"""Every statement of docs/security.md that names a file, a test or a vector names one that is there."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
PATH = re.compile(r"`((?:core|docs|tests)/[\w./-]+)(?:(::|#)([\w/-]+))?`")


def test_what_the_page_points_at_is_there() -> None:
    pointers = PATH.findall(PAGE)
    assert len(pointers) > 50
    for path, kind, name in pointers:
        text = (ROOT / path).read_text(encoding="utf-8")
        if kind == "::":
            assert re.search(rf"\b(?:fn|def) {name}\b", text), f"{path}::{name}"
        elif kind == "#":
            assert name in {case["id"] for case in json.loads(text)["cases"]}, f"{path}#{name}"
    for link in re.findall(r"\]\(([\w./-]+)\)", PAGE):
        assert (ROOT / "docs" / link).is_file(), link


def test_every_label_of_the_code_is_in_the_table() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "core/src/seal").glob("*.rs")))
    labels = set(re.findall(r'b"((?:wireseal|mcp)/[\w/-]+)"', sources)) - {"wireseal/v1/token-id"}  # hashed, not derived
    assert len(labels) >= 10
    for label in labels:
        head, _, use = label.rpartition("/")
        rows = [line for line in PAGE.splitlines() if line.startswith(f"| `{head}/")]
        assert any(f"`{label}`" in row or f"`/{use}`" in row for row in rows), label
