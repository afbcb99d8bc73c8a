"""Tools that MCP servers answer, over streamable HTTP or stdio."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from orchestration.definition import Tool
from orchestration.exceptions import ToolError, ToolUnavailableError
from orchestration.network import AllowedAddresses, ConnectionSettings, FindConnection
from orchestration.tools.function import CallContext

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.types import CallToolResult, ListToolsResult

    from orchestration.tools.links import Link

Said = TypeVar("Said")

MAX_LINKS = 50
"""Sessions that are open at once. One that nobody uses gives way to another, else one in a call:
of who has the most of them, the one that was used least recently."""

MAX_LISTED = 1_000
"""Tools of one server that are listed."""

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
    """The sessions of one event loop with MCP servers: one for each connection, used by all."""

    def __init__(
        self, allowed: AllowedAddresses, *, listing: float = LIST_SECONDS, most: int = MAX_LINKS
    ) -> None:
        self._allowed, self._listing, self._most = allowed, listing, most
        self._links: dict[ConnectionSettings, Link] = {}

    async def call(
        self, connection: ConnectionSettings, tool: str, arguments: dict[str, Any]
    ) -> str:
        """Return the result of a server's tool, or raise `ToolError`."""
        result = await self._ask(
            connection, lambda session: _told(session.call_tool(tool, arguments))
        )
        text = connection.without_secrets(_text(result))
        if result.isError:
            raise ToolError(text or f"{tool} failed, and does not say why.")
        return text

    async def tools(self, connection: ConnectionSettings) -> list[ListedTool]:
        """The tools of a server, or `ToolError`."""
        try:
            return await self._ask(connection, partial(_all_tools, self._listing))
        except TimeoutError:
            raise ToolUnavailableError(
                f"The MCP server {connection.name!r} did not list its tools within"
                f" {self._listing:g} seconds."
            ) from None

    async def aclose(self) -> None:
        """End every session."""
        links, self._links = self._links, {}
        await asyncio.gather(*(link.aclose() for link in links.values()))

    async def _ask(
        self,
        connection: ConnectionSettings,
        what: Callable[[ClientSession], Coroutine[Any, Any, Said]],
    ) -> Said:
        """Return a server's answer; error messages contain no secrets."""
        link = await self._link(connection)
        try:
            return await link.ask(what)
        except ToolError as error:
            raise type(error)(connection.without_secrets(str(error))) from None

    async def _link(self, connection: ConnectionSettings) -> Link:
        from orchestration.tools.links import Link

        if connection.fault:
            raise ToolError(connection.fault)
        if connection.kind == "mcp_stdio" and not connection.command:
            raise ToolError(
                f"The MCP server {connection.name!r} is none that the operator of this server"
                " lists in BATON_MCP_STDIO."
            )
        link = self._links.pop(connection, None)
        if link is None or not link.is_open:
            link = Link(connection, self._allowed)
        self._links[connection] = link
        while len(self._links) > self._most:
            await self._links.pop(self._least_needed()).aclose()
        return link

    def _least_needed(self) -> ConnectionSettings:
        """Return the connection to close first: the least used one, never the newest."""
        counts = Counter(one.owner for one in self._links)
        others = list(self._links)[:-1]
        return min(others, key=lambda one: (self._links[one].is_used, -counts[one.owner]))


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool of an MCP server, under a name of the definition's own."""

    name: str
    connection: str
    there: str
    """Name of the tool on the server."""
    find: FindConnection
    servers: McpServers

    @classmethod
    def of(cls, tool: Tool, find: FindConnection, servers: McpServers) -> McpTool:
        """The tool of a definition."""
        called = tool.mcp
        connection, there = (called.connection, called.tool) if called else ("", "")
        return cls(tool.name, connection, there or tool.name, find, servers)

    async def run(self, arguments: dict[str, Any], context: CallContext) -> str:
        """Call it."""
        if not self.connection:
            raise ToolError(f"{self.name} does not say which MCP server answers it.")
        found = await self.find(self.connection)
        if found is None or found.kind not in ("mcp", "mcp_stdio"):
            what = f"is one of the kind {found.kind}" if found else "this server does not have"
            raise ToolError(
                f"{self.name} goes with the MCP connection {self.connection!r}, which {what}: add"
                " it to the connections."
            )
        return await self.servers.call(found, self.there, arguments)


async def _all_tools(within: float, session: ClientSession) -> list[ListedTool]:
    """Return all tools of a server within the time limit, from all pages."""
    found: list[ListedTool] = []
    cursor: str | None = None
    async with asyncio.timeout(within):
        while len(found) < MAX_LISTED:
            page = await _page(cursor, session)
            found += [_listed(tool) for tool in page.tools]
            cursor = page.nextCursor
            if cursor is None:
                break
    return found[:MAX_LISTED]


async def _page(cursor: str | None, session: ClientSession) -> ListToolsResult:
    from mcp.types import PaginatedRequestParams

    params = PaginatedRequestParams(cursor=cursor) if cursor else None
    return await _told(session.list_tools(params=params))


async def _told(asked: Awaitable[Said]) -> Said:
    """Return the answer; errors of the server and of the SDK become `ToolError`."""
    from mcp import McpError
    from pydantic import ValidationError

    from orchestration.tools.links import is_closed

    try:
        return await asked
    except McpError as error:
        if is_closed(error):
            raise
        raise ToolError(f"The MCP server says: {error.error.message[:2_000]}") from None
    except (RuntimeError, ValidationError) as error:
        raise ToolError(f"The MCP server answered what is no answer: {error}"[:2_000]) from None


def _listed(tool: Any) -> ListedTool:
    notes = tool.annotations
    return ListedTool(
        name=tool.name,
        description=tool.description or tool.title or "",
        parameters=tool.inputSchema,
        is_read_only=bool(notes and notes.readOnlyHint),
        is_idempotent=bool(notes and notes.idempotentHint),
    )


def _text(result: CallToolResult) -> str:
    """All that a result says, as text."""
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
