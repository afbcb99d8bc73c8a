"""Copy of a SQLite database while a server uses it, and its restoration.

The database file alone is no backup: recent changes are in its write-ahead log.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.db import connection

from designer.backup.errors import BackupError

SIDE_FILES = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps next to a database."""


def copy_database(database: dict[str, Any], target: Path) -> None:
    """Copy one consistent state with SQLite's online backup, while a server reads and writes."""
    source = Path(database["NAME"])
    if not source.exists():
        raise BackupError(f"There is no database at {source}: check DATABASE_URL.")
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as live,
            closing(sqlite3.connect(target)) as copy,
        ):
            live.execute("PRAGMA busy_timeout = 10000")
            live.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        check_database(target)
    except sqlite3.Error as error:
        raise BackupError(f"The database {source} cannot be copied: {error}.") from error


def check_database(path: Path) -> None:
    """Raise `BackupError` if SQLite finds an error in the file."""
    with closing(sqlite3.connect(path)) as copy:
        [result] = copy.execute("PRAGMA quick_check(1)").fetchone()
    if result != "ok":
        raise BackupError(f"The copy of the database is damaged: {result}.")


def replace_database(database: dict[str, Any], copy: Path, *, keep: bool) -> Path | None:
    """Put a checked copy in the place of the database; return the new path of the old one.

    No process may use the database: the caller holds its lock. An empty database is not kept.
    """
    target = Path(database["NAME"])
    connection.close()
    previous = None
    if keep:
        fold_log(target)
        now = datetime.now(tz=UTC)
        previous = target.with_name(f"{target.name}.before-restore-{now:%Y%m%d-%H%M%S}")
        target.replace(previous)
    for ending in SIDE_FILES:
        target.with_name(target.name + ending).unlink(missing_ok=True)
    os.replace(copy, target)
    return previous


def fold_log(path: Path) -> None:
    """Move the changes in the write-ahead log into the file."""
    try:
        with closing(sqlite3.connect(path)) as old:
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise BackupError(
            f"The present database {path} cannot be read ({error}): move it and its -wal file "
            "away, and start again."
        ) from error
