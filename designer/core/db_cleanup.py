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
from django.db import connections

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
    """Return the connections of a view for an error, which Django calls in a thread of its own."""

    @wraps(view)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return view(*args, **kwargs)
        finally:
            return_connection()

    return wrapped


def _close(**_: object) -> None:
    connections.close_all()
