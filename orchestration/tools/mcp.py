"""Tools of MCP servers, over streamable HTTP or stdio."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from orchestration.definition import Tool
from orchestration.exceptions import ToolError, ToolUnavailableError
from orchestration.network import (
    AllowedAddresses,
    ConnectionSettings,
    FindConnection,
    Secrets,
    redact,
    redact_json,
)
from orchestration.tools.function import CallContext

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.types import CallToolResult, ListToolsResult

    from orchestration.tools.mcp_session import McpSession

T = TypeVar("T")

MAX_SESSIONS = 50
"""Maximum number of open sessions. A new session closes an unused one, or else one with a call in
progress; among these, the least recently used one of the owner with the most sessions.
"""

MAX_LISTED = 1_000
"""Maximum number of listed tools of one server."""

LIST_SECONDS = 30.0
"""Maximum seconds for listing the tools of a connected server."""


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as its server describes it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    is_read_only: bool = False
    """True if the server declares the tool read-only."""
    is_idempotent: bool = False


class McpServers:
    """The MCP sessions of one event loop: one shared session for each connection."""

    def __init__(
        self,
        allowed: AllowedAddresses,
        *,
        list_seconds: float = LIST_SECONDS,
        max_sessions: int = MAX_SESSIONS,
    ) -> None:
        self._allowed = allowed
        self._list_seconds, self._max_sessions = list_seconds, max_sessions
        self._sessions: dict[ConnectionSettings, McpSession] = {}

    async def call(
        self, connection: ConnectionSettings, tool: str, arguments: dict[str, Any]
    ) -> str:
        """Return the result of a server's tool, or raise `ToolError`."""
        result = await self._send(
            connection, lambda session: _response(session.call_tool(tool, arguments))
        )
        text = connection.without_secrets(_text(result))
        if result.isError:
            raise ToolError(text or f"{tool} failed without a message.")
        return text

    async def tools(self, connection: ConnectionSettings) -> list[ListedTool]:
        """Return the tools of a server, or raise `ToolError`."""
        try:
            tools = await self._send(connection, partial(_all_tools, self._list_seconds))
        except TimeoutError:
            raise ToolUnavailableError(
                f"The MCP server {connection.name!r} did not list its tools within"
                f" {self._list_seconds:g} seconds."
            ) from None
        return [_without_secrets(tool, connection.secrets) for tool in tools]

    async def aclose(self) -> None:
        """End every session."""
        sessions, self._sessions = self._sessions, {}
        await asyncio.gather(*(session.aclose() for session in sessions.values()))

    async def _send(
        self,
        connection: ConnectionSettings,
        request: Callable[[ClientSession], Coroutine[Any, Any, T]],
    ) -> T:
        """Return a server's response; error messages contain no secrets."""
        session = await self._session(connection)
        try:
            return await session.send(request)
        except ToolError as error:
            raise type(error)(connection.without_secrets(str(error))) from None

    async def _session(self, connection: ConnectionSettings) -> McpSession:
        from orchestration.tools.mcp_session import McpSession

        if connection.fault:
            raise ToolError(connection.fault)
        if connection.kind == "mcp_stdio" and not connection.command:
            raise ToolError(
                f"The MCP server {connection.name!r} has no command: the operator of this server"
                " must list it in BATON_MCP_STDIO."
            )
        session = self._sessions.pop(connection, None)
        if session is None or not session.is_open:
            session = McpSession(connection, self._allowed)
        self._sessions[connection] = session
        while len(self._sessions) > self._max_sessions:
            await self._sessions.pop(self._least_needed()).aclose()
        return session

    def _least_needed(self) -> ConnectionSettings:
        """Return the connection to close first: the least used one, never the newest."""
        counts = Counter(connection.owner for connection in self._sessions)
        others = list(self._sessions)[:-1]
        return min(
            others,
            key=lambda connection: (self._sessions[connection].is_used, -counts[connection.owner]),
        )


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool of an MCP server under the definition's name for it."""

    name: str
    connection: str
    remote_name: str
    """Name of the tool on the server."""
    find: FindConnection
    servers: McpServers

    @classmethod
    def of(cls, tool: Tool, find: FindConnection, servers: McpServers) -> McpTool:
        """Create the tool of a definition."""
        call = tool.mcp
        connection, remote_name = (call.connection, call.tool) if call else ("", "")
        return cls(tool.name, connection, remote_name or tool.name, find, servers)

    async def run(self, arguments: dict[str, Any], context: CallContext) -> str:
        """Call the tool on its server."""
        if not self.connection:
            raise ToolError(f"{self.name} has no MCP server: choose its connection.")
        connection = await self.find(self.connection)
        if connection is None or connection.kind not in ("mcp", "mcp_stdio"):
            reason = f"has the kind {connection.kind}" if connection else "does not exist"
            raise ToolError(
                f"{self.name} uses the MCP connection {self.connection!r}, which {reason}: add it"
                " to the connections."
            )
        return await self.servers.call(connection, self.remote_name, arguments)


async def _all_tools(within: float, session: ClientSession) -> list[ListedTool]:
    """Return the tools of a server from all pages; raise `TimeoutError` after `within` seconds."""
    tools: list[ListedTool] = []
    cursor: str | None = None
    async with asyncio.timeout(within):
        while len(tools) < MAX_LISTED:
            page = await _page(cursor, session)
            tools += [_listed_tool(tool) for tool in page.tools]
            cursor = page.nextCursor
            if cursor is None:
                break
    return tools[:MAX_LISTED]


async def _page(cursor: str | None, session: ClientSession) -> ListToolsResult:
    from mcp.types import PaginatedRequestParams

    params = PaginatedRequestParams(cursor=cursor) if cursor else None
    return await _response(session.list_tools(params=params))


async def _response(request: Awaitable[T]) -> T:
    """Return the response; errors of the server and of the SDK become `ToolError`."""
    from mcp import McpError
    from pydantic import ValidationError

    from orchestration.tools.mcp_session import is_closed

    try:
        return await request
    except McpError as error:
        if is_closed(error):
            raise
        raise ToolError(f"The MCP server says: {error.error.message[:2_000]}") from None
    except (RuntimeError, ValidationError) as error:
        raise ToolError(f"The MCP server sent an invalid response: {error}"[:2_000]) from None


def _listed_tool(tool: Any) -> ListedTool:
    hints = tool.annotations
    return ListedTool(
        name=tool.name,
        description=tool.description or tool.title or "",
        parameters=tool.inputSchema,
        is_read_only=bool(hints and hints.readOnlyHint),
        is_idempotent=bool(hints and hints.idempotentHint),
    )


def _without_secrets(tool: ListedTool, secrets: Secrets) -> ListedTool:
    """Return a tool without secrets that its server repeats."""
    return replace(
        tool,
        name=redact(tool.name, secrets),
        description=redact(tool.description, secrets),
        parameters=redact_json(tool.parameters, secrets),
    )


def _text(result: CallToolResult) -> str:
    """Return the content of a result as text."""
    parts = [_part(block) for block in result.content]
    if not parts and result.structuredContent is not None:
        return json.dumps(result.structuredContent, ensure_ascii=False)
    return "\n".join(parts)


def _part(block: Any) -> str:
    match block.type:
        case "text":
            return str(block.text)
        case "resource" if hasattr(block.resource, "text"):
            return str(block.resource.text)
        case "resource":
            return f"({block.resource.mimeType or 'data'} at {block.resource.uri}: no text)"
        case "resource_link":
            return f"({block.name} at {block.uri})"
        case kind:
            return f"({getattr(block, 'mimeType', kind)}: no text)"
