"""A server on the official Python SDK: a tool that asks as often as it is told to. Prints its port."""

from __future__ import annotations

import json
import socket
import sys

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.request_state import RequestStateSecurity
from mcp_types import CallToolResult, ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequests, InputRequiredResult, TextContent

SCHEMA = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
server = MCPServer("python", version="1", request_state_security=RequestStateSecurity(keys=[bytes(range(32))]))


@server.tool()
def collect(rounds: int, ctx: Context) -> CallToolResult | InputRequiredResult:
    """Asks for one word in each round, and says them all."""
    words = json.loads(ctx.request_state) if ctx.request_state else []
    answer = (ctx.input_responses or {}).get(f"q{len(words)}")
    if isinstance(answer, ElicitResult) and answer.content is not None:
        words.append(answer.content["word"])
    if len(words) == rounds:
        return CallToolResult(content=[TextContent(type="text", text=" ".join(words))])
    params = ElicitRequestFormParams(message="A word?", requested_schema=SCHEMA)
    question: InputRequests = {f"q{len(words)}": ElicitRequest(params=params)}
    return InputRequiredResult(input_requests=question, request_state=json.dumps(words))


if __name__ == "__main__":
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)
        config = uvicorn.Config(server.streamable_http_app(json_response=sys.argv[1] == "json"), log_level="error")
        uvicorn.Server(config).run(sockets=[listener])
