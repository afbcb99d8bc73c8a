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
"""Connections of the runs of an event loop, which open on first use."""


def remote_tools_of(conversation_id: int) -> RemoteTools:
    """Return the remote tools of a conversation, with its owner's connections.

    A connection is looked up for each call, so that edits apply at once.
    """

    async def find(name: str) -> ConnectionSettings | None:
        return await in_database(connection_in, conversation_id, name)

    web, servers = _OPENED.get()
    return RemoteTools(web=web, servers=servers, find=find)


@asynccontextmanager
async def own_remote_tools(owner_id: int | None) -> AsyncIterator[RemoteTools]:
    """Return remote tools for one session, with an owner's connections and without sharing."""

    async def find(name: str) -> ConnectionSettings | None:
        return None if owner_id is None else await in_database(connection_for, owner_id, name)

    async with (
        aclosing(WebClient(settings.ALLOWED_ADDRESSES)) as web,
        aclosing(McpServers(settings.ALLOWED_ADDRESSES)) as servers,
    ):
        yield RemoteTools(web=web, servers=servers, find=find)


async def close_remote_tools() -> None:
    """Close the connections of this event loop's runs."""
    if (connections := _OPENED.pop()) is not None:
        web, servers = connections
        await servers.aclose()
        await web.aclose()
