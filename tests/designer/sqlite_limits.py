"""Real limits of a SQLite database: a writer that holds the lock, a full disk, a read-only file."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import wait
from contextlib import asynccontextmanager, closing, contextmanager
from typing import Any

from django.db import connection, connections
from django.db.backends.signals import connection_created

from designer.core import database

READ_ONLY = "query_only = 1"
FULL = "max_page_count = 1"
"""Pragma that sets the maximum to the current number of pages."""
IMPATIENT = "busy_timeout = 20"


def pragma(text: str) -> int | None:
    """Run a pragma on the connection of this thread; return its value."""
    with connection.cursor() as cursor:
        row = cursor.execute(f"PRAGMA {text}").fetchone()
    return row[0] if row else None


@contextmanager
def locked_database() -> Iterator[Callable[[], None]]:
    """Hold the write lock as another process does; yield a function that releases it."""
    pragma(IMPATIENT)
    try:
        with write_lock() as release:
            yield release
    finally:
        pragma("busy_timeout = 5000")


@contextmanager
def write_lock() -> Iterator[Callable[[], None]]:
    """Hold the write lock on a connection of its own."""
    path = connection.settings_dict["NAME"]
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        def release() -> None:
            if other.in_transaction:
                other.execute("ROLLBACK")

        yield release
        release()


@contextmanager
def full_disk() -> Iterator[None]:
    """Let the database of this thread's connection grow no further."""
    vacuum()
    pragma(FULL)
    try:
        yield
    finally:
        pragma("max_page_count = 1073741823")


@contextmanager
def read_only_database() -> Iterator[None]:
    """Refuse writing on the connection of this thread."""
    pragma(READ_ONLY)
    try:
        yield
    finally:
        pragma("query_only = 0")


@asynccontextmanager
async def live_connections(limit: str) -> AsyncIterator[None]:
    """Set a limit on the connections that runs and sockets use."""

    def set_limit(*, connection: Any, **_: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA {limit}")

    await asyncio.to_thread(_release_free_pages)
    connection_created.connect(set_limit)
    await asyncio.to_thread(_open_new_connections)
    try:
        yield
    finally:
        connection_created.disconnect(set_limit)
        await asyncio.to_thread(_open_new_connections)


def vacuum() -> None:
    """Release the free pages that earlier tests left, so that a full database has no space."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")


def _release_free_pages() -> None:
    vacuum()
    connections.close_all()


def _open_new_connections() -> None:
    """Close the connections of all threads that runs and sockets use."""
    threads: int = database._THREADS._max_workers
    together = threading.Barrier(threads, timeout=60)

    def close() -> None:
        together.wait()
        connections.close_all()

    done, _ = wait([database._THREADS.submit(close) for _ in range(threads)])
    for future in done:
        future.result()
