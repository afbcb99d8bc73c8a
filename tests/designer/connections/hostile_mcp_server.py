"""An MCP server with a schema that is nested too deeply: `python hostile_mcp_server.py`."""

import asyncio
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import Tool

server: Server[Any] = Server("hostile")


@server.list_tools()  # type: ignore[untyped-decorator,no-untyped-call,unused-ignore]
async def list_tools() -> list[Tool]:
    """Return one tool."""
    schema: dict[str, Any] = {}
    for _ in range(100):
        schema = {"a": schema}
    return [Tool(name="deep", description="", inputSchema=schema)]


async def main() -> None:
    """Serve on standard input and output."""
    async with stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
