"""Access to the database from the event loop."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import async_to_sync
from channels.db import DatabaseSyncToAsync
from django.db import connection

P = ParamSpec("P")
T = TypeVar("T")

# Separate threads: a slow page in the shared thread of synchronous code would delay every run and
# every socket.
_THREADS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="baton-live")


async def in_database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a synchronous function in a thread that opens and closes its own connection."""
    call: Callable[..., object] = DatabaseSyncToAsync(
        function, thread_sensitive=False, executor=_THREADS
    )
    return await call(*args, **kwargs)  # type: ignore[no-any-return, misc]


def return_connection() -> None:
    """Return the connection of this thread to the pool, except within a transaction.

    The persistent connection of SQLite stays.
    """
    if connection.settings_dict["CONN_MAX_AGE"] == 0 and not connection.in_atomic_block:
        connection.close()


def call_async(
    function: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call an asynchronous function that uses the database from a view.

    The connection of the view goes back to the pool first: views that wait for connections of
    others while each holds its own would wait forever.
    """
    return_connection()
    return async_to_sync(function)(*args, **kwargs)
