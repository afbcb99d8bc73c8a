"""Calls of tools on MCP servers; addresses and keys come from the environment only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from langchain_mcp_adapters.sessions import create_session


async def call_mcp_tool(connection: str, tool: str, arguments: Mapping[str, Any]) -> str:
    """Call a tool and return the texts of its answer.

    The variable `<connection>_URL` has the address of the server, and the optional variable
    `<connection>_AUTHORIZATION` the value of the header `Authorization`.
    """
    authorization = os.environ.get(f"{connection}_AUTHORIZATION")
    headers = {"Authorization": authorization} if authorization else {}
    url = os.environ[f"{connection}_URL"]
    server = {"transport": "streamable_http", "url": url, "headers": headers}
    async with create_session(server) as session:
        await session.initialize()
        result = await session.call_tool(tool, dict(arguments))
    text = "\n".join(each.text for each in result.content if each.type == "text")
    if result.isError:
        raise RuntimeError(text)
    return text
