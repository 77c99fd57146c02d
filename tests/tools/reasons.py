"""Writes the page of reasons from the tables in the core, by way of the Python module.

usage: reasons.py FILE            writes the file
       reasons.py FILE --check    fails when the file is not what would be written
"""

import sys
from pathlib import Path

import wireseal

HEAD = """\
# Reasons

Why a message or a token was refused. A name is stable: it keeps its meaning for ever and is not used again. The
reason is for logs and tests; the peer gets the code and the message, with this status on HTTP. The order is about
that of the checks, of which the first that fails decides; the vectors pin it. This page is made by `make docs`.

| reason | code | status | message |
| --- | --- | --- | --- |
"""

DEPRECATED = """
## What is deprecated

By 2026-07-28, and valid until it is removed. `deprecated` of a message, and of what a client received, names what it uses.

| name | feature | since | removed at the earliest | instead |
| --- | --- | --- | --- | --- |
"""


def page() -> str:
    """The whole page."""
    rows = (f"| `{name}` | {code} | {status} | {message} |\n" for name, code, status, message in wireseal.REASONS)
    old = (f"| `{name}` | {feature} | {since} | {removal} | {instead} |\n" for name, feature, since, removal, instead in wireseal.DEPRECATED)
    return HEAD + "".join(rows) + DEPRECATED + "".join(old)


def main(arguments: list[str]) -> int:
    path = Path(arguments[0])
    if "--check" not in arguments[1:]:
        path.write_text(page(), encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != page():
        print(f"FAIL: {path} is not what the core says; run `make docs` and commit it")
        return 1
    else:
        print(f"pass: {path} is current")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
