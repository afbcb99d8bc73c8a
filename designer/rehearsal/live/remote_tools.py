"""Remote tools of runs, with connections shared by the runs of an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from weakref import WeakKeyDictionary

from django.conf import settings

from designer.core import connection_for, connection_in, in_database
from orchestration.network import ConnectionSettings
from orchestration.tools import McpServers, Outside, Web

_OPENED: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[Web, McpServers]] = WeakKeyDictionary()


def outside_of(conversation_id: int) -> Outside:
    """Return the remote tools of a conversation, with its owner's connections.

    A connection is looked up when it is needed, so that a call goes with it as it is then.
    """

    async def find(name: str) -> ConnectionSettings | None:
        return await in_database(connection_in, conversation_id, name)

    web, servers = _opened()
    return Outside(web=web, servers=servers, find=find)


@asynccontextmanager
async def own_outside(owner_id: int | None) -> AsyncIterator[Outside]:
    """Return remote tools for one session, with an owner's connections and nothing shared."""

    async def find(name: str) -> ConnectionSettings | None:
        return None if owner_id is None else await in_database(connection_for, owner_id, name)

    async with (
        aclosing(Web(settings.ALLOWED_ADDRESSES)) as web,
        aclosing(McpServers(settings.ALLOWED_ADDRESSES)) as servers,
    ):
        yield Outside(web=web, servers=servers, find=find)


async def close_outside() -> None:
    """Close what the runs of this event loop have opened."""
    web, servers = _OPENED.pop(asyncio.get_running_loop(), (None, None))
    if web is not None and servers is not None:
        await servers.aclose()
        await web.aclose()


def _opened() -> tuple[Web, McpServers]:
    """Both open nothing until they are used."""
    loop = asyncio.get_running_loop()
    if loop not in _OPENED:
        allowed = settings.ALLOWED_ADDRESSES
        _OPENED[loop] = Web(allowed), McpServers(allowed)
    return _OPENED[loop]
