"""Tools outside the process: HTTP APIs and MCP servers."""

from __future__ import annotations

from collections.abc import Mapping

from orchestration.definition import PipelineDefinition, Tool
from orchestration.network import ConnectionSettings, FindConnection
from orchestration.tools.function import RunnableTool
from orchestration.tools.http import HttpTool, Web
from orchestration.tools.mcp import McpServers, McpTool


class Outside:
    """Reaches what is elsewhere for the runs of one event loop.

    `find` gives the connection of a name, asked at each call. `web` and `servers` may be shared
    with others: whoever made them closes them.
    """

    def __init__(
        self,
        *,
        web: Web,
        servers: McpServers | None = None,
        find: FindConnection | None = None,
    ) -> None:
        self._web, self._servers, self._find = web, servers, find or _none

    def tools(self, definition: PipelineDefinition) -> Mapping[str, RunnableTool]:
        """The tools of a definition that are elsewhere, but for those whose examples stand in."""
        found = {tool.name: self._tool(tool) for tool in definition.tools if not tool.stand_in}
        return {name: tool for name, tool in found.items() if tool is not None}

    def _tool(self, tool: Tool) -> RunnableTool | None:
        match tool.kind:
            case "http":
                return HttpTool.of(tool, self._find, self._web)
            case "mcp" if self._servers is not None:
                return McpTool.of(tool, self._find, self._servers)
            case _:
                return None


async def _none(_: str) -> ConnectionSettings | None:
    return None
