"""WireSeal's client against servers on the official SDKs: conversations of one to three rounds over HTTP, and what is refused.

usage: drive.py
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import wireseal

HERE = Path(__file__).resolve().parent
ME: dict[str, Any] = {"client_info": {"name": "wireseal", "version": "1"}, "capabilities": {"elicitation": {"form": {}}}}
WORDS = ["one", "z\u00e4hlt", "\U0001f512"]
SERVERS = {
    "mcp (Python), JSON": [sys.executable, str(HERE / "python_server.py"), "json"],
    "mcp (Python), event stream": [sys.executable, str(HERE / "python_server.py"), "events"],
    "@modelcontextprotocol/server (TypeScript)": ["node", str(HERE / "typescript_server.mjs")],
}


@contextmanager
def running(command: list[str]) -> Iterator[int]:
    """A server, and its port."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.kill()


def post(port: int, headers: dict[str, str], body: bytes, path: str) -> tuple[int, bytes]:
    """One exchange: the status, and the message that answers the request, out of an event stream where it comes in one."""
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST", path, body, headers)
    response = connection.getresponse()
    data = response.read()
    connection.close()
    if response.headers.get_content_type() == "text/event-stream":
        events = [event for event in wireseal.SseReader().feed(data) if isinstance(event, bytes)]
        (data,) = [event for event in events if b'"method"' not in event]
    return response.status, data


def conversation(port: int, rounds: int) -> str:
    """Asks for so many words, and gives them; what the server made of them."""
    path = f"/mcp?rounds={rounds}"
    headers, body = wireseal.request("tools/call", {"name": "collect", "arguments": {"rounds": rounds}}, id="leg-0", **ME)
    states = set()
    for leg in range(rounds):
        status, answer = post(port, headers, body, path)
        received = wireseal.read_result(answer)
        assert (status, received.id, received.result_type) == (200, f"leg-{leg}", "input_required"), (status, answer)
        assert received.input_requests is not None and list(received.input_requests) == [f"q{leg}"]
        states.add(received.request_state)
        answers = {f"q{leg}": {"action": "accept", "content": {"word": WORDS[leg]}}}
        headers, body = wireseal.retry(body, received, answers, id=f"leg-{leg + 1}")
    status, answer = post(port, headers, body, path)
    received = wireseal.read_result(answer)
    assert (status, received.result_type, len(states)) == (200, "complete", rounds), (status, answer)
    assert received.result is not None
    return str(received.result["content"][0]["text"])


def tampered(port: int) -> tuple[int, bytes]:
    """A second leg whose state was changed."""
    path = "/mcp?rounds=1"
    headers, body = wireseal.request("tools/call", {"name": "collect", "arguments": {"rounds": 1}}, id=1, **ME)
    received = wireseal.read_result(post(port, headers, body, path)[1])
    headers, body = wireseal.retry(body, received, {"q0": {"action": "accept", "content": {"word": "x"}}}, id=2)
    assert received.request_state is not None
    end = received.request_state[-8:].encode()
    return post(port, headers, body.replace(end, end[::-1]), path)


def main() -> int:
    failed = passed = 0

    def check(name: str, good: bool) -> None:
        nonlocal passed, failed
        print(f"{'pass' if good else 'FAIL'}: {name}")
        passed, failed = passed + good, failed + (not good)

    for name, command in SERVERS.items():
        with running(command) as port:
            headers, body = wireseal.request("server/discover", id=0, **ME)
            found = wireseal.probe(*post(port, headers, body, "/mcp"))
            check(f"{name}: it is modern", (found.era, found.choose()) == ("modern", "2026-07-28"))
            for rounds in (1, 2, 3):
                said = conversation(port, rounds)
                check(f"{name}: a conversation of {rounds} rounds", said == " ".join(WORDS[:rounds]))
            _, answer = tampered(port)  # with 400 in one of them, with 200 in the other
            error = wireseal.read_result(answer).error
            check(f"{name}: a state that was changed is refused", error is not None and error[0] == -32602)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
