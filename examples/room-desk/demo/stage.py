"""What the acts stand on: processes that always end, HTTP that shows itself, checks that are remembered."""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

WIDTH = 100
START_SECONDS = 30
HTTP_SECONDS = 15
HERE = Path(__file__).resolve().parent
ROOM_DESK = HERE.parent / "python" / "room_desk.py"
SDK_SERVER = HERE / "sdk_server.py"

COLOUR = sys.stdout.isatty() and "NO_COLOR" not in os.environ


def paint(text: str, code: str) -> str:
    """Colour on a terminal, plain text everywhere else."""
    return f"\x1b[{code}m{text}\x1b[0m" if COLOUR else text


def indented(text: str, first: str, rest: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, replace_whitespace=False
    )


# Wire JSON, made short enough to read

SEPARATOR = re.compile(r'([,:])(?=["{\[\d])')
META = re.compile(r'"_meta":\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}')


def shorten(value: Any, *, show_meta: bool = False, budget: int = 560) -> str:
    """A JSON value on few lines: `_meta` and long texts are cut, then the innermost values until it fits."""
    for depth in (9, 8, 7, 6, 5, 4, 3):
        text = json.dumps(_cut(value, depth, show_meta), ensure_ascii=False)
        text = text.replace('{"...": 0}', "{...}").replace('["..."]', "[...]")
        if len(text) <= budget:
            break
    return text


def _cut(value: Any, depth: int, show_meta: bool, name: str = "") -> Any:
    if isinstance(value, dict):
        if (depth == 0 or (name == "_meta" and not show_meta)) and value:
            return {"...": 0}
        return {key: _cut(item, depth - 1, show_meta, key) for key, item in value.items()}
    if isinstance(value, list):
        return ["..."] if depth == 0 and value else [_cut(item, depth - 1, show_meta) for item in value]
    if isinstance(value, str):
        room = 16 if name == "requestState" else 100
        return value if len(value) <= room + 12 else f"{value[:room]}...({len(value)} characters)"
    return value


@dataclass
class Check:
    """One line of the table at the end."""

    act: int
    what: str
    expected: str
    seen: str

    @property
    def agrees(self) -> bool:
        return self.expected == self.seen


class Server:
    """A server process of one act. It ends with the act, whatever happens."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str]) -> None:
        self.name = name
        self._log = tempfile.NamedTemporaryFile(mode="w+b", prefix="room-desk-", suffix=".log")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._log.fileno(),
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", **environment},
        )

    @cached_property
    def url(self) -> str:
        """Where the server listens. Waits until it does, so that servers can start side by side."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            found = re.search(r"^listening on (http://\S+)$", self.log(), re.MULTILINE)
            if found:
                return found[1]
            if self._process.poll() is not None:
                raise RuntimeError(f"{self.name} ended at once:\n{self.log()}")
            time.sleep(0.02)
        raise RuntimeError(f"{self.name} did not start within {START_SECONDS} seconds:\n{self.log()}")

    def log(self) -> str:
        """All that the server wrote so far."""
        return Path(self._log.name).read_text("utf-8", "replace")

    def refusals(self) -> list[str]:
        """The log lines of the refusals so far. A line is written before its answer is sent."""
        return [line for line in self.log().splitlines() if line.startswith("refused ")]

    def last_reason(self) -> str:
        """Why the last refusal happened, as the server's log tells it; the wire does not."""
        found = re.match(r"refused reason=(\S+)", self.refusals()[-1]) if self.refusals() else None
        return found[1] if found else "nothing logged"

    def stop(self) -> None:
        """End the process: politely, then for certain."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(5)
        self._log.close()


@dataclass
class Reply:
    """The answer to one POST."""

    status: int
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        return dict(json.loads(self.raw))

    @property
    def result(self) -> dict[str, Any]:
        return dict(self.body.get("result", {}))

    @property
    def outcome(self) -> str:
        """In a word: HTTP status and error code, or the room that was booked, or that there is a question."""
        if "error" in self.body:
            return f"{self.status} {self.body['error']['code']}"
        if self.result.get("resultType") == "input_required":
            return "a question"
        room = self.result.get("structuredContent", {}).get("room")
        return str(room or self.result["content"][0]["text"])

    @property
    def offer(self) -> str:
        """The rooms that a question offers."""
        schema = self.result["inputRequests"]["room"]["params"]["requestedSchema"]
        return ", ".join(schema["properties"]["room"]["enum"])

    @property
    def rooms(self) -> str:
        """The rooms that a check of availability found."""
        return ", ".join(self.result["structuredContent"]["rooms"]) or "none"


VERSION = "2026-07-28"
CLIENT_META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "raw-http", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}


@dataclass
class Stage:
    """One act: its servers, its conversation, its checks."""

    act: int
    title: str
    checks: list[Check] = field(default_factory=list)
    servers: list[Server] = field(default_factory=list)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Stage:
        print()
        print(paint(f"Act {self.act}. {self.title}", "1"))
        print(paint("=" * WIDTH, "1"))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    # Processes: they start side by side, and the first call to one waits until it listens

    def desk(self, name: str, key: str | None = None, **options: str | float) -> Server:
        """Start a room desk written on wireseal. Without a key it makes its own."""
        environment = {"ROOM_DESK_KEY": key or ""}
        command = [sys.executable, str(ROOM_DESK), "--port", "0"]
        for option, value in options.items():
            command += [f"--{option}", str(value)]
        told = [f"{option} {value}" for option, value in options.items()] + ([] if key else ["a key of its own"])
        return self._start(name, command, environment, ", ".join(["room_desk.py on wireseal", *told]))

    def sdk(self, name: str, key: str) -> Server:
        """Start a room desk written on the official SDK."""
        command = [sys.executable, str(SDK_SERVER)]
        return self._start(name, command, {"ROOM_DESK_KEY": key}, "sdk_server.py on the official SDK")

    def _start(self, name: str, command: list[str], environment: dict[str, str], what: str) -> Server:
        server = Server(name, command, environment)
        self._stack.callback(server.stop)
        self.servers.append(server)
        print(paint(f"  [start] {name}: {what}", "2"))
        return server

    # The conversation

    def say(self, text: str) -> None:
        """One line of explanation."""
        print(indented(text, "  # ", "    "))

    def request(self, server: Server, headers: dict[str, str], body: str, who: str = "client") -> None:
        """Show a request."""
        print()
        print(paint(f"  {who} -> {server.name}", "36") + f"   POST {server.url}")
        shown = {"mcp-protocol-version": "MCP-Protocol-Version", "mcp-method": "Mcp-Method", "mcp-name": "Mcp-Name"}
        given = {name.lower(): value for name, value in headers.items()}
        shown |= {"authorization": "Authorization"} if "authorization" in given else {}
        shown |= {"mcp-session-id": "Mcp-Session-Id"} if "mcp-session-id" in given else {}
        print(
            indented("   ".join(f"{label}: {given[n]}" for n, label in shown.items() if n in given), " " * 6, " " * 6)
        )
        print(indented(body, " " * 6, " " * 7))

    def response(self, server: Server, status: int, body: str, who: str = "client") -> None:
        """Show the answer to it."""
        print(paint(f"  {who} <- {server.name}", "36") + f"   HTTP {status}")
        if body:
            print(indented(body, " " * 6, " " * 7))

    def post(
        self,
        server: Server,
        method: str,
        params: dict[str, Any],
        id: int,
        *,
        meta: dict[str, Any] | None = None,
        without: str | None = None,
        version: str = VERSION,
        bearer: str | None = None,
        edit: Callable[[str], str] | None = None,
        brief: bool = False,
    ) -> Reply:
        """Send one request by hand and show both sides, in brief when they were seen before.

        `meta`, `without` (a header), `version` and `edit` (of the finished text) make mistakes on purpose.
        """
        import httpx

        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": meta or CLIENT_META}}
        text = json.dumps(message, separators=(",", ":"))
        shown = shorten(message, show_meta=meta is not None)
        if edit is not None:
            text = edit(text)
            shown = SEPARATOR.sub(r"\1 ", META.sub('"_meta":{...}', text))
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": version,
            "Mcp-Method": method,
            **({"Mcp-Name": params["name"]} if "name" in params else {}),
            **({"Authorization": f"Bearer {bearer}"} if bearer else {}),
        }
        headers = {name: value for name, value in headers.items() if name != without}
        if not brief:
            self.request(server, headers, shown)
        response = httpx.post(server.url, content=text.encode(), headers=headers, timeout=HTTP_SECONDS, trust_env=False)
        reply = Reply(response.status_code, response.content)
        if brief:
            what = f"{params['name']} {json.dumps(params['arguments'])}"
            print()
            print(paint(f"  client <> {server.name}", "36") + f"   {what}: {reply.outcome}")
        else:
            self.response(server, reply.status, shorten(reply.body))
        return reply

    def legacy(self, server: Server, message: Any, session: str | None = None) -> tuple[Reply, str | None]:
        """Send one message as a client of an earlier revision. Returns the session id that the answer gives out, too."""
        import httpx

        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if session is not None:
            headers["Mcp-Session-Id"] = session
        self.request(server, headers, shorten(message))
        text = json.dumps(message, separators=(",", ":"))
        response = httpx.post(server.url, content=text.encode(), headers=headers, timeout=HTTP_SECONDS, trust_env=False)
        self.response(server, response.status_code, shorten(response.json()) if response.content else "")
        return Reply(response.status_code, response.content), response.headers.get("mcp-session-id")

    def call(self, server: Server, tool: str, arguments: dict[str, Any], id: int, **options: Any) -> Reply:
        """Call a tool by hand."""
        return self.post(server, "tools/call", {"name": tool, "arguments": arguments}, id, **options)

    def answer(
        self, server: Server, arguments: dict[str, Any], token: str, room: str, id: int, **options: Any
    ) -> Reply:
        """The second leg of a booking by hand: the same call with the token and the person's choice."""
        params = {
            "name": "book_room",
            "arguments": arguments,
            "inputResponses": {"room": {"action": "accept", "content": {"room": room}}},
            "requestState": token,
        }
        return self.post(server, "tools/call", params, id, **options)

    def show_log(self, server: Server) -> None:
        """Show the server's last line about a refusal."""
        print(paint(f"  {server.name}'s log   ", "36") + (server.refusals() or ["(nothing)"])[-1])

    # What is remembered

    def check(self, what: str, expected: str, seen: object) -> None:
        """Note what was expected and what was seen."""
        check = Check(self.act, what, expected, str(seen))
        self.checks.append(check)
        mark = paint("ok", "32") if check.agrees else paint("NOT AS EXPECTED", "31;1")
        print(indented(f"{what}: {check.seen}", f"  [{mark}] ", " " * 7))


def new_key() -> str:
    """A key for one act. Servers get it in their environment, where no list of processes shows it."""
    return secrets.token_hex(32)
