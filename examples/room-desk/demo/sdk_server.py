"""The same room desk on the official Python SDK, for the acts that need a neighbour.

Its handler is written the short way: each leg starts from the top. It remembers no first results, and act 6
shows what that costs. Its seal is the SDK's own, so its tokens are of the `python` format.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
from rooms import Bookings, Meeting, describe

SCHEMA = {
    "type": "object",
    "properties": {"date": {"type": "string"}, "attendees": {"type": "integer"}},
    "required": ["date", "attendees"],
}

bookings = Bookings()


def result(text: str, **structured: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=structured)


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
    tools = [types.Tool(name=name, input_schema=SCHEMA) for name in ("check_availability", "book_room")]
    return types.ListToolsResult(tools=tools)


async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult | types.InputRequiredResult:
    meeting = Meeting.read(params.arguments)
    free = bookings.free(meeting)
    if params.name == "check_availability":
        return result(f"Free: {', '.join(free) or 'no room'}", rooms=free)
    if not free:
        raise ValueError("no room is free")
    if len(free) == 1:
        room = free[0]
    else:
        answer = (params.input_responses or {}).get("room")
        if not isinstance(answer, types.ElicitResult):
            return ask(meeting, free)
        if answer.action != "accept":
            return result("Nothing was booked.", room=None)
        room = str((answer.content or {}).get("room"))
        if room not in json.loads(params.request_state or "[]"):
            return ask(meeting, free)
    bookings.book(meeting, room)
    return result(f"{room} is booked on {meeting.date}.", room=room)


def ask(meeting: Meeting, free: list[str]) -> types.InputRequiredResult:
    schema = {"type": "object", "properties": {"room": {"type": "string", "enum": free}}, "required": ["room"]}
    question = types.ElicitRequestFormParams(
        message=f"Which room on {meeting.date}? {describe(free)}", requested_schema=schema
    )
    return types.InputRequiredResult(
        input_requests={"room": types.ElicitRequest(params=question)}, request_state=json.dumps(free)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--audience", default="room-desk")
    args = parser.parse_args()

    server = Server("room-desk", version="0.1.0", on_list_tools=list_tools, on_call_tool=call_tool)
    security = RequestStateSecurity(keys=[os.environ["ROOM_DESK_KEY"]])
    server.middleware.append(RequestStateBoundary(security, default_audience=args.audience))
    app = server.streamable_http_app(json_response=True, stateless_http=True)

    config = uvicorn.Config(app, host="127.0.0.1", port=args.port, access_log=False, log_level="warning")
    listener = config.bind_socket()
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.listen(config.backlog)
    print("listening on http://{}:{}/mcp".format(*listener.getsockname()), flush=True)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
