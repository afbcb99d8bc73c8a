"""Lock that allows one server process on a SQLite database.

SQLite has one writer at a time, and the channel layer of a server without Redis reaches only its
own pages. Management commands need no lock: they write little, and end.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings


class ServerStartError(Exception):
    """The server cannot start; the text is shown to the operator."""


@contextmanager
def server_lock() -> Iterator[None]:
    """Hold the lock of this server's database, or raise `ServerStartError`.

    The kernel releases the lock when the process ends, even after `kill -9`. PostgreSQL needs no
    lock, and BATON_SEVERAL_SERVERS switches it off.
    """
    database = settings.DATABASES["default"]
    if database["ENGINE"] != "django.db.backends.sqlite3":
        yield
        return
    path = Path(database["NAME"])
    _require_writable(path)
    with path.with_name(f"{path.name}.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not settings.SEVERAL_SERVERS:
                raise ServerStartError(
                    f"Another server uses {path}, and several servers need PostgreSQL: set "
                    "DATABASE_URL and REDIS_URL, or set BATON_SEVERAL_SERVERS=1 to start "
                    "nevertheless."
                ) from None
        yield


def _require_writable(path: Path) -> None:
    """Raise `ServerStartError` if the database or its folder cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(f"{path.name}.lock").touch()
        is_writable = not path.exists() or os.access(path, os.W_OK)
        reason = "the file is read-only"
    except OSError as error:
        is_writable, reason = False, error.strerror or str(error)
    if not is_writable:
        raise ServerStartError(
            f"Baton cannot write its data to {path} ({reason}): make the file and its folder "
            "writable, or set BATON_DATA_DIR to a folder that is."
        )
