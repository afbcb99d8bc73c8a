"""A real MCP server of the official SDK: `python mcp_server.py stdio`, or `http` or `json`.

Over HTTP it prints its address once it listens.
"""

import asyncio
import itertools
import os
import socket
import sys
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import uvicorn
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from mcp.types import EmbeddedResource, ImageContent, TextResourceContents, ToolAnnotations

server = FastMCP("tests", log_level="CRITICAL", json_response=sys.argv[1] == "json")
sessions = itertools.count(1)
calls: WeakKeyDictionary[Any, list[int]] = WeakKeyDictionary()  # the number of a session, its calls


@server.tool(annotations=ToolAnnotations(readOnlyHint=True, idempotentHint=True))
def look_up(order: int, verbose: bool = False) -> str:
    """Look an order up."""
    return f"Order {order} is on its way." + (" It is blue." if verbose else "")


@server.tool()
def add(first: int, second: int) -> int:
    """Add two numbers."""
    return first + second


@server.tool()
def fail(why: str) -> str:
    """Fail."""
    raise ToolError(why)


@server.tool()
def parts() -> list[Any]:
    """Answer with parts of several kinds."""
    text = TextResourceContents(uri="memo://1", text="A memo.")
    image = ImageContent(type="image", data="AAAA", mimeType="image/png")
    return ["One", image, EmbeddedResource(type="resource", resource=text)]


@server.tool()
async def wait(mark: str) -> str:
    """Report the call by a file and never answer; report its cancellation by another file."""
    Path(mark).write_text(str(os.getpid()))  # noqa: ASYNC240 - it is the test's clock
    try:
        await asyncio.Event().wait()
    finally:
        Path(f"{mark}-given-up").touch()  # noqa: ASYNC240
    return ""


@server.tool()
def count(context: Context[Any, Any, Any]) -> str:
    """Count the calls of this session: "2 of 3" is the second call of session 3."""
    known = calls.get(context.session) or calls.setdefault(context.session, [next(sessions), 0])
    known[1] += 1
    return f"{known[1]} of {known[0]}"


@server.tool()
def header(name: str, context: Context[Any, Any, Any]) -> str:
    """Return the value of a header of the request."""
    request = context.request_context.request
    return str(request.headers.get(name)) if request is not None else "none"


def noting(app: Any) -> Any:
    """The same application; the method of each request is noted in the file MCP_NOTES."""
    notes = os.environ.get("MCP_NOTES")

    async def noted(scope: Any, receive: Any, send: Any) -> None:
        if notes and scope["type"] == "http":
            with Path(notes).open("a") as file:  # noqa: ASYNC230 - a line
                file.write(f"{scope['method']}\n")
        await app(scope, receive, send)

    return noted


def listen() -> None:
    """Serve streamable HTTP on a port of its own."""
    listening = socket.create_server(("127.0.0.1", 0))
    app = server.streamable_http_app()
    config = uvicorn.Config(noting(app), log_level="critical", timeout_graceful_shutdown=1)
    sys.stdout.write(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp\n")
    sys.stdout.flush()
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio")
    else:
        listen()
