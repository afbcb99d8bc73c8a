"""Failures of the database that are no defects: it is busy, full, read-only or unreachable."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from django.db import DatabaseError, InterfaceError, OperationalError

UNAVAILABLE, INSUFFICIENT_STORAGE = 503, 507
"""Status codes (RFC 9110, 15.6.4 and RFC 4918, 11.5)."""


class DatabaseFailure(NamedTuple):
    """Problem of the database, the next step of the user, and the status code of the response."""

    problem: str
    next_step: str
    status: int = UNAVAILABLE

    @property
    def text(self) -> str:
        """Message to the user."""
        return f"{self.problem}: {self.next_step}."


BUSY = DatabaseFailure("The database is busy", "try again")
FULL = DatabaseFailure(
    "The disk is full", "free some space on the server, then try again", INSUFFICIENT_STORAGE
)
READ_ONLY = DatabaseFailure(
    "The database is read-only", "make its file and folder writable, then try again"
)
FAULTY_DISK = DatabaseFailure(
    "The disk is full or faulty", "check it on the server, then try again", INSUFFICIENT_STORAGE
)
UNREACHABLE = DatabaseFailure("The database cannot be reached", "try again in a moment")

_SQLITE = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_IOERR: FAULTY_DISK,
    sqlite3.SQLITE_CANTOPEN: UNREACHABLE,
}
"""Failures by SQLite's primary result code."""

_POSTGRESQL = {
    "25006": READ_ONLY,  # read_only_sql_transaction
    "40001": BUSY,  # serialization_failure
    "40P01": BUSY,  # deadlock_detected
    "53100": FULL,  # disk_full
    "53300": BUSY,  # too_many_connections
    "55P03": BUSY,  # lock_not_available
    "57P01": UNREACHABLE,  # admin_shutdown
    "57P02": UNREACHABLE,  # crash_shutdown
    "57P03": UNREACHABLE,  # cannot_connect_now
}
"""Failures by PostgreSQL's SQLSTATE."""


def database_failure(error: BaseException | None) -> DatabaseFailure | None:
    """Return the failure behind an error; None for a defect or an error of another kind."""
    if isinstance(error, InterfaceError):
        return UNREACHABLE
    if not isinstance(error, DatabaseError):
        return None
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        code: int | None = getattr(cause, "sqlite_errorcode", None)
        return None if code is None else _SQLITE.get(code & 0xFF)
    state: str | None = getattr(cause, "sqlstate", None)  # of psycopg's errors
    if state is not None:
        return _POSTGRESQL.get(state)
    return UNREACHABLE if isinstance(error, OperationalError) else None


def is_busy(error: BaseException) -> bool:
    """Report whether the database was busy, so that another attempt may succeed."""
    return database_failure(error) is BUSY
