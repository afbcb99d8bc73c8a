"""Checks of the database."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings
from django.db import connection

from designer.backup import BackupError, program_version
from designer.doctor.findings import Finding, error, ok, warning
from designer.serving.migration_state import (
    missing_migrations,
    require_connection,
    unknown_migrations,
)
from designer.serving.server_lock import ServerStartError

MIN_POSTGRESQL = 14
"""Oldest version of PostgreSQL that Django 5.2 supports."""


def check_connection() -> Finding:
    """Connect to the database."""
    try:
        require_connection()
    except ServerStartError as reason:
        problem, _, fix = str(reason).rpartition(": ")
        return error("Database", f"{problem}.", f"{fix[:1].upper()}{fix[1:]}")
    if connection.vendor == "postgresql":
        major = connection.connection.info.server_version // 10_000
        if major < MIN_POSTGRESQL:
            text = f"PostgreSQL {major} is too old."
            return error("Database", text, f"Use PostgreSQL {MIN_POSTGRESQL} or newer.")
        return ok("Database", f"PostgreSQL {major}")
    path = Path(settings.DATABASES["default"]["NAME"])
    if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
        text = f"{path} or its folder is read-only."
        return error("Database", text, "Make both writable for the user of the server.")
    return ok("Database", f"SQLite in {path}, for one server process")


def check_encoding() -> Finding:
    """Compare the encoding of PostgreSQL, or the journal mode of SQLite, with the required one."""
    is_postgresql = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_encoding" if is_postgresql else "PRAGMA journal_mode")
        value = str(cursor.fetchone()[0])
    if is_postgresql and value != "UTF8":
        fix = "Create the database with ENCODING 'UTF8' and restore a backup."
        return error("Database", f"Its encoding is {value}.", fix)
    if not is_postgresql and value != "wal":
        fix = "Move the database to a local disk; network file systems do not support it."
        return warning("Database", f"Its journal mode is {value} instead of WAL.", fix)
    return ok("Database", f"{'Encoding' if is_postgresql else 'Journal mode'} {value}")


def check_migrations() -> Finding:
    """Compare the tables with this version of Baton."""
    if missing := missing_migrations():
        text = f"{len(missing)} are missing, the first is {missing[0]}."
        return error("Migrations", text, "Run manage.py migrate.")
    if unknown := unknown_migrations():
        text = f"The database is newer than this version of Baton: {unknown[0]}."
        return error("Migrations", text, "Update Baton, or restore an older backup.")
    return ok("Migrations", "All are applied.")


def check_client_programs() -> Finding:
    """Look for a version of pg_dump that fits to PostgreSQL."""
    if connection.vendor != "postgresql":
        return ok("Backup", "manage.py backup needs no other program.")
    try:
        own = program_version("pg_dump")
    except BackupError as reason:
        problem, _, fix = str(reason).partition(": ")
        return warning("Backup", f"{problem}.", fix[:1].upper() + fix[1:])
    server = connection.connection.info.server_version // 10_000
    if own < server:
        text = f"pg_dump is of version {own}, but PostgreSQL of version {server}."
        return warning("Backup", text, f"Install the client programs of version {server}.")
    return ok("Backup", f"pg_dump {own}")
