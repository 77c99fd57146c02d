"""Which rules of the specification have vectors and tests: `coverage.py docs/coverage.md [--check]`.

A vector names its rules in `rules`; a test names one by writing it (`HDR-07`, or `hdr_07` in a function's name).
Every MUST and MUST NOT of the families in tests/coverage/rules.tsv needs one of either, or a line in
tests/coverage/uncovered.tsv that says why not. With --check the page is compared instead of written.
"""

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COVERAGE = ROOT / "tests" / "coverage"
TEST_FILES = ("core/src/**/*.rs", "core/tests/*.rs", "tests/python/*.py", "tests/json/**/*.rs", "examples/**/test_*.py")
SHOWN = 3  # names listed for a rule, so that a row stays a row


def table(path: Path) -> list[list[str]]:
    """The rows of a tab-separated file without its head."""
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def vectors() -> dict[str, list[str]]:
    """Rule to the vectors that name it."""
    named: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests" / "vectors").glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")).get("cases", []):
            for rule in case.get("rules", []):
                named[rule].append(f"{path.stem}:{case['id']}")
    return named


def tests(families: set[str]) -> dict[str, list[str]]:
    """Rule to the test files that name it."""
    pattern = re.compile(rf"(?<![A-Za-z])({'|'.join(sorted(families))})[-_](\d\d)(?!\d)", re.IGNORECASE)
    to_rule = re.compile(r"(?<![A-Za-z])([A-Za-z]+)[-_](\d\d)[-_ ]to[-_ ](\d\d)(?!\d)")
    named: dict[str, set[str]] = defaultdict(set)
    for path in sorted(found for glob in TEST_FILES for found in ROOT.glob(glob)):
        text = path.read_text(encoding="utf-8")
        if path.is_relative_to(ROOT / "core" / "src"):
            text = text.partition("#[cfg(test)]")[2]  # above it are comments, which test nothing
        name = str(path.relative_to(ROOT))
        for family, number in pattern.findall(text):
            named[f"{family.upper()}-{number}"].add(name)
        for family, first, last in to_rule.findall(text):
            for number in range(int(first), int(last) + 1):
                named[f"{family.upper()}-{number:02}"].add(name)
    return {rule: sorted(files) for rule, files in named.items()}


def few(names: list[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(f"`{name}`" for name in names[:SHOWN]) + more


def page() -> tuple[str, list[str]]:
    """The page, and what is wrong."""
    rules = table(COVERAGE / "rules.tsv")
    reasons = dict(table(COVERAGE / "uncovered.tsv"))
    by_vector = vectors()
    by_test = tests({rule.partition("-")[0] for rule, _, _ in rules})
    known = {rule for rule, _, _ in rules}
    wrong = [f"{rule}: a reason for a rule that is not in the table" for rule in reasons if rule not in known]
    rows: list[str] = []
    covered = 0
    for rule, level, side in rules:
        named = few(by_vector.get(rule, [])), few(by_test.get(rule, []))
        if any(named):
            covered += 1
            if rule in reasons:
                wrong.append(f"{rule}: is covered, and has a reason why it is not")
        elif level in ("MUST", "MUST NOT") and rule not in reasons:
            wrong.append(f"{rule} ({level}, {side}): neither a vector, nor a test, nor a reason")
        rows.append(f"| {rule} | {level} | {side} | {named[0]} | {named[1]} | {reasons.get(rule, '')} |")
    head = f"""# Which rules have vectors and tests

Written by `make docs`. A rule is a numbered statement of the specification that a core can check; the vectors in
`tests/vectors` and the tests name the rules that they cover. {covered} of {len(rules)} rules of these families have at
least one; every MUST and MUST NOT without one has its reason here.

| rule | level | side | vectors | tests | why none |
| --- | --- | --- | --- | --- | --- |
"""
    return head + "\n".join(rows) + "\n", wrong


def main() -> int:
    """Write or check the page."""
    target = ROOT / sys.argv[1]
    text, wrong = page()
    if "--check" not in sys.argv[2:]:
        target.write_text(text, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != text:
        wrong.append(f"{sys.argv[1]} is not current: run `make docs`")
    for line in wrong:
        print(line)
    print(f"{0 if wrong else 1} passed, {1 if wrong else 0} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
