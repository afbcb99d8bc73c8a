"""A request's connection to the database: let go of when it ends, or before it waits for long.

Django makes each page in a thread of its own, which ends with the request. A connection that is
kept there, as SQLite's are, would be left to the garbage collector with its open files; and a
stream would hold one, of SQLite or of PostgreSQL, for as long as somebody reads it.
"""

from __future__ import annotations

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.core.signals import request_finished
from django.db import connections


def let_go_at_the_end() -> None:
    """Have every request that the server answers close what its thread has opened."""
    request_finished.connect(_close, sender=ASGIHandler)


async def let_go() -> None:
    """Close what the thread of this request has opened: what comes now may take hours."""
    await sync_to_async(connections.close_all)()


def _close(**_: object) -> None:
    connections.close_all()
