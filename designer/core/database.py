"""Access to the database from the event loop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from channels.db import DatabaseSyncToAsync

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
