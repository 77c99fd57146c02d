"""The demo: a room is booked end to end, in seven acts, on loopback.

    .venv/bin/python examples/room-desk/demo/run.py              all acts
    .venv/bin/python examples/room-desk/demo/run.py --acts 1,3   some of them

Prints the conversation and, at the end, what was expected beside what was seen. Exits with 0 only if both
agree everywhere. Environment: ACTS selects like --acts; DEMO=all makes an act that cannot run a failure;
NO_COLOR is honoured.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import itertools
import os
import signal
import sys
import textwrap
import time
import traceback
from types import FrameType

from acts import ACTS
from stage import WIDTH, Check, Stage, paint

LIMIT_SECONDS = 300
INTRODUCTION = (
    "A server, the room desk, books meeting rooms over MCP 2026-07-28. When several rooms fit, the choice belongs to "
    "the person: the server answers with a question and a sealed token (requestState) instead of a result, and the "
    "client sends the call again with the token and the answer. All that you see below is real traffic on loopback. "
    "JSON is shortened for reading: {...}, [...] and ...(n characters) stand for what was left out. # explains."
)
INSTALL = {
    "wireseal": "make build",
    "mcp": ".venv/bin/pip install -r examples/room-desk/requirements.txt",
    "uvicorn": ".venv/bin/pip install -r examples/room-desk/requirements.txt",
    "httpx": ".venv/bin/pip install -r examples/room-desk/requirements.txt",
}
NEEDS = {
    1: ("wireseal", "uvicorn", "mcp"),
    2: ("wireseal", "uvicorn", "httpx"),
    3: ("wireseal", "uvicorn", "httpx"),
    4: ("wireseal", "uvicorn", "httpx"),
    5: ("wireseal", "uvicorn", "httpx", "mcp"),
    6: ("wireseal", "uvicorn", "httpx", "mcp"),
    7: ("wireseal", "uvicorn", "httpx", "mcp"),
}


def selected(text: str) -> list[int]:
    """The acts that a text like `1,3-5` names."""
    chosen: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        try:
            chosen |= set(range(int(first), int(last or first) + 1))
        except ValueError:
            raise argparse.ArgumentTypeError(f"not a list of acts: {text}") from None
    if not chosen <= ACTS.keys() or not chosen:
        raise argparse.ArgumentTypeError(f"the acts are 1 to {max(ACTS)}, not {text}")
    return sorted(chosen)


def missing(act: int) -> str | None:
    """The first tool that an act lacks."""
    return next((tool for tool in NEEDS[act] if importlib.util.find_spec(tool) is None), None)


def give_up(number: int, frame: FrameType | None) -> None:
    """Turn a signal into an exception, so that every server is stopped on the way out."""
    if number == signal.SIGALRM:
        raise TimeoutError(f"the demo takes more than {LIMIT_SECONDS} seconds")
    sys.exit(128 + number)


def play(act: int) -> list[Check]:
    """Run one act. Whatever goes wrong in it is one more line that does not agree."""
    run = ACTS[act]
    stage = Stage(act, (run.__doc__ or "").strip())
    try:
        with stage:
            try:
                run(stage)
            except Exception:
                print(paint("  the act broke off:", "31;1"))
                print(textwrap.indent(traceback.format_exc(), "    "))
                for server in stage.servers:
                    print(textwrap.indent(server.log()[-2000:], f"    {server.name} | "))
                raise
    except Exception as fault:
        stage.checks.append(
            Check(act, "the act", "runs to its end", f"{type(fault).__name__}: {fault}".splitlines()[0])
        )
    return stage.checks


def table(checks: list[Check]) -> None:
    """Print what was expected beside what was seen."""

    def row(act: object, mark: str, *cells: str) -> None:
        # A cell that is too wide moves on to further lines of its column.
        lines = itertools.zip_longest(*(textwrap.wrap(cell, 31) or [""] for cell in cells), fillvalue="")
        for first, (what, expected, seen) in enumerate(lines):
            print(f"{'' if first else act:<2}{'' if first else mark:<5}{what:<29}{expected:<32}{seen}".rstrip())

    print()
    print(paint("Expected and seen", "1"))
    print(paint("=" * WIDTH, "1"))
    row("", "", "act", "expected", "seen")
    for check in checks:
        mark = paint("ok   ", "32") if check.agrees else paint("NOT  ", "31;1")
        row(check.act, mark, check.what, check.expected, check.seen)


def main() -> int:
    """Play the acts. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--acts", type=selected, default=os.environ.get("ACTS") or f"1-{max(ACTS)}")
    acts: list[int] = parser.parse_args().acts

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, give_up)
    signal.alarm(LIMIT_SECONDS)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True, errors="replace")
    began = time.monotonic()
    print(textwrap.fill(INTRODUCTION, WIDTH))

    checks: list[Check] = []
    not_run: dict[int, str] = {}
    for act in acts:
        tool = missing(act)
        if tool is None:
            checks += play(act)
        else:
            not_run[act] = tool
    signal.alarm(0)

    table(checks)
    for act, tool in not_run.items():
        print(f"{act} {paint('not run', '33')}: {tool} is missing. To install it: {INSTALL[tool]}")
    wrong = sum(not check.agrees for check in checks)
    print()
    print(
        f"{len(checks) - wrong} of {len(checks)} as expected, {len(not_run)} of {len(acts)} acts not run, "
        f"{time.monotonic() - began:.1f} s"
    )
    if wrong or not checks or (not_run and os.environ.get("DEMO") == "all"):
        print(paint("The demo failed.", "31;1"))
        return 1
    print(paint("All is as expected.", "32;1"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
