"""The database from the event loop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from channels.db import DatabaseSyncToAsync

P = ParamSpec("P")
T = TypeVar("T")

# Not the one thread that all synchronous code of the process shares: a slow page there would hold
# up every run and every socket.
_THREADS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="baton-live")


async def in_database(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do synchronous work in a thread that has no connection before it, and keeps none after."""
    call: Callable[..., object] = DatabaseSyncToAsync(
        work, thread_sensitive=False, executor=_THREADS
    )
    return await call(*args, **kwargs)  # type: ignore[no-any-return, misc]
