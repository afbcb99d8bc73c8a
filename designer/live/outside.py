"""What the tools of runs reach outside, with connections that the runs of an event loop share."""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary

from django.conf import settings

from designer.connections import connection_in
from designer.live.database import in_database
from orchestration.connections import Connection
from orchestration.tools.http import Web
from orchestration.tools.outside import Outside

_WEBS: WeakKeyDictionary[asyncio.AbstractEventLoop, Web] = WeakKeyDictionary()


def outside_of(conversation_id: int) -> Outside:
    """What the tools of a conversation reach, with the connections of who owns its pipeline.

    A connection is looked up when it is needed, so that a call goes with it as it is then.
    """

    async def find(name: str) -> Connection | None:
        return await in_database(connection_in, conversation_id, name)

    loop = asyncio.get_running_loop()
    web = _WEBS.get(loop)
    if web is None:
        web = _WEBS[loop] = Web(settings.ALLOWED_ADDRESSES)
    return Outside(web=web, find=find)


async def close_outside() -> None:
    """Close what the runs of this event loop have opened."""
    web = _WEBS.pop(asyncio.get_running_loop(), None)
    if web is not None:
        await web.aclose()
