"""MCP servers and calls of their tools, for tests."""

import asyncio
import json
import subprocess
import sys
from contextlib import aclosing

import pytest

from orchestration.definition import McpCall, Tool
from orchestration.exceptions import ToolError
from orchestration.messages import ToolCall
from orchestration.network import AllowedAddresses, ConnectionSettings
from orchestration.tools import McpServers, McpTool, ToolHandler
from tests.orchestration.web_server import Answer, WebServer
from tests.serving import ROOT

PROGRAM = (sys.executable, str(ROOT / "tests" / "orchestration" / "mcp_server.py"))


LOOPBACK = AllowedAddresses.parse(["127.0.0.1"])


KEY = "sk-canary-0123456789"


STDIO = ConnectionSettings("files", "mcp_stdio", command=(*PROGRAM, "stdio"))


TRANSPORTS = ["stdio", "http", "json"]


class Served:
    """Server over HTTP in a separate process."""

    def __init__(self, kind):
        self.process = subprocess.Popen([*PROGRAM, kind], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.output = self.process.stdout
        self.url = self.output.readline().strip()

    def end(self):
        self.process.kill()
        self.process.wait()
        self.output.close()


def finder_of(connection):
    async def find(name):
        return connection if connection is not None and connection.name == name else None

    return find


async def call(servers, connection, tool, arguments=None, *, seconds=30.0, named="files"):
    """Return the handler's result of a tool."""
    described = Tool(name="ask", kind="mcp", mcp=McpCall(connection=named, tool=tool))
    running = McpTool.of(described, finder_of(connection), servers)
    handler = ToolHandler(tools={"ask": running}, timeout=seconds)
    tool_call = ToolCall(id="1", name="ask", arguments=json.dumps(arguments or {}))
    (result,) = await handler.run([tool_call])
    return result


async def process_at(mark, calling):
    """Wait until a call has reached its server; return the process id."""
    while not (mark.exists() and mark.read_text()):
        assert not calling.done(), calling.result()
        await asyncio.sleep(0.01)
    return int(mark.read_text())


def greeting(request, **answers):
    """Return the answer of a server with a valid handshake and these other answers."""
    sent = request.json if request.body else {}
    if request.method != "POST" or "id" not in sent:
        return Answer(status=202 if request.method == "POST" else 405)
    info = {"name": "odd", "version": "1"}
    result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    answer = answers.get(sent["method"].replace("/", "_"), {"result": result})
    if isinstance(answer, Answer):
        return answer
    return Answer(as_json={"jsonrpc": "2.0", "id": sent["id"], **answer})


async def listing_error(*, listing=30.0, **answers):
    """Return the error for a list of tools with these answers."""
    with WebServer(lambda request: greeting(request, **answers)) as web:
        connection = ConnectionSettings("files", "mcp", web.url, key=KEY)
        async with aclosing(McpServers(LOOPBACK, list_seconds=listing)) as servers:
            with pytest.raises(ToolError) as refused:
                await servers.tools(connection)
    return str(refused.value)
