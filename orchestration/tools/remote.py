"""Tools outside the process: HTTP APIs and MCP servers."""

from __future__ import annotations

from collections.abc import Mapping

from orchestration.definition import PipelineDefinition, Tool
from orchestration.network import ConnectionSettings, FindConnection, Secrets, merged_secrets
from orchestration.tools.function import RunnableTool
from orchestration.tools.http import HttpTool, WebClient
from orchestration.tools.mcp import McpServers, McpTool


class RemoteTools:
    """Source of the remote tools for the runs of one event loop.

    `find` returns the connection of a name and is called for each tool call. `web` and `servers`
    may be shared; their creator closes them.
    """

    def __init__(
        self,
        *,
        web: WebClient,
        servers: McpServers | None = None,
        find: FindConnection | None = None,
    ) -> None:
        self._web, self._servers, self._find = web, servers, find or _no_connection
        self.secrets: Secrets = ()
        """Secrets of the connections that were used so far."""

    def tools(self, definition: PipelineDefinition) -> Mapping[str, RunnableTool]:
        """Return the remote tools of a definition, except those replaced by their examples."""
        tools = {tool.name: self._tool(tool) for tool in definition.tools if not tool.stand_in}
        return {name: tool for name, tool in tools.items() if tool is not None}

    def _tool(self, tool: Tool) -> RunnableTool | None:
        match tool.kind:
            case "http":
                return HttpTool.of(tool, self._connection, self._web)
            case "mcp" if self._servers is not None:
                return McpTool.of(tool, self._connection, self._servers)
            case _:
                return None

    async def _connection(self, name: str) -> ConnectionSettings | None:
        """Return a connection, and add its secrets to those of these tools."""
        connection = await self._find(name)
        if connection is not None and not set(connection.secrets) <= set(self.secrets):
            self.secrets = merged_secrets([self.secrets, connection.secrets])
        return connection


async def _no_connection(_: str) -> ConnectionSettings | None:
    return None
