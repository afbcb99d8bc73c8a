"""Closing of a request's database connections at its end or before a long wait.

Django renders each page in a separate thread, which ends with the request. A persistent connection
of that thread (SQLite) would stay open until garbage collection, and a stream would keep its
connection for its whole duration.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.core.signals import request_finished
from django.db import connection, connections

from designer.core.database import return_connection

P = ParamSpec("P")
T = TypeVar("T")


def close_connections_after_requests() -> None:
    """Close the connections of a request's thread when the request ends."""
    request_finished.connect(_close, sender=ASGIHandler)


async def close_connections() -> None:
    """Close the connections of this request's thread before a long stream."""
    await sync_to_async(connections.close_all)()


def returns_connections(view: Callable[P, T]) -> Callable[P, T]:
    """Close the connection that a view for an error opens.

    Django calls such a view in a thread of its own, which ends without closing it. A connection
    that is open already belongs to the request.
    """

    @wraps(view)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        is_of_request = connection.connection is not None
        try:
            return view(*args, **kwargs)
        finally:
            if is_of_request:
                return_connection()
            else:
                connection.close()

    return wrapped


def _close(**_: object) -> None:
    connections.close_all()
