"""Real limits of a SQLite database: a writer that holds the lock, a full disk, a read-only file."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import closing, contextmanager

from django.db import connection, connections
from django.db.backends.signals import connection_created

from designer.core import database

LIVE_THREADS = 4


def pragma(text: str) -> int | None:
    """Run a pragma on the connection of this thread; return its value."""
    with connection.cursor() as cursor:
        row = cursor.execute(f"PRAGMA {text}").fetchone()
    return row[0] if row else None


@contextmanager
def locked_database() -> Iterator[Callable[[], None]]:
    """Hold the write lock as another process does; yield a function that releases it."""
    pragma("busy_timeout = 20")
    try:
        path = connection.settings_dict["NAME"]
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")

            def release() -> None:
                if other.in_transaction:
                    other.execute("ROLLBACK")

            yield release
            release()
    finally:
        pragma("busy_timeout = 5000")


@contextmanager
def full_disk() -> Iterator[None]:
    """Let the database of this thread's connection grow no further."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # so that no free pages are left
    pages = pragma("page_count")
    pragma(f"max_page_count = {pages}")
    try:
        yield
    finally:
        pragma("max_page_count = 1073741823")


@contextmanager
def read_only_database() -> Iterator[None]:
    """Refuse writing on the connections of all threads."""
    connection_created.connect(_refuse_writing)
    _open_new_connections()
    pragma("query_only = 1")
    try:
        yield
    finally:
        connection_created.disconnect(_refuse_writing)
        _open_new_connections()
        pragma("query_only = 0")


def _refuse_writing(*, connection, **_: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only = 1")


def _open_new_connections() -> None:
    """Close the connections of the threads that runs and sockets use."""
    together = threading.Barrier(LIVE_THREADS, timeout=60)

    def close() -> None:
        together.wait()
        connections.close_all()

    wait([database._THREADS.submit(close) for _ in range(LIVE_THREADS)])
