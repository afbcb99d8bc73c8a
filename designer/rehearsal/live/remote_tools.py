"""Remote tools of runs, with connections shared by the runs of an event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from django.conf import settings

from designer.core import PerEventLoop, connection_for, connection_in, in_database
from orchestration.network import ConnectionSettings
from orchestration.tools import McpServers, RemoteTools, WebClient

_OPENED: PerEventLoop[tuple[WebClient, McpServers]] = PerEventLoop(
    lambda: (WebClient(settings.ALLOWED_ADDRESSES), McpServers(settings.ALLOWED_ADDRESSES))
)
"""Connections of the runs of an event loop; both open nothing until they are used."""


def remote_tools_of(conversation_id: int) -> RemoteTools:
    """Return the remote tools of a conversation, with its owner's connections.

    A connection is looked up when it is needed, so that a call goes with it as it is then.
    """

    async def find(name: str) -> ConnectionSettings | None:
        return await in_database(connection_in, conversation_id, name)

    web, servers = _OPENED.get()
    return RemoteTools(web=web, servers=servers, find=find)


@asynccontextmanager
async def own_remote_tools(owner_id: int | None) -> AsyncIterator[RemoteTools]:
    """Return remote tools for one session, with an owner's connections and nothing shared."""

    async def find(name: str) -> ConnectionSettings | None:
        return None if owner_id is None else await in_database(connection_for, owner_id, name)

    async with (
        aclosing(WebClient(settings.ALLOWED_ADDRESSES)) as web,
        aclosing(McpServers(settings.ALLOWED_ADDRESSES)) as servers,
    ):
        yield RemoteTools(web=web, servers=servers, find=find)


async def close_remote_tools() -> None:
    """Close what the runs of this event loop have opened."""
    if (opened := _OPENED.pop()) is not None:
        web, servers = opened
        await servers.aclose()
        await web.aclose()
