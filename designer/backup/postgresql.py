"""Dump of a PostgreSQL database with `pg_dump`, and its restoration with `pg_restore`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction

from designer.backup.errors import BackupError

ASIDE = "_before_restore_"
"""Part of the name of a schema that a restoration moved out of the way."""


def dump_database(target: Path) -> None:
    """Write a consistent dump while servers use the database."""
    _run(
        "pg_dump",
        "--format=custom",
        "--no-owner",
        "--no-privileges",
        f"--exclude-schema=*{ASIDE}*",
        f"--file={target}",
        f"--dbname={_address()}",
    )


def restore_database(dump: Path, *, replace: bool) -> str | None:
    """Restore a dump in one transaction; return the schema that contains the previous tables.

    The tables of a newer version would stay next to the restored ones, so the whole schema is
    moved away before, and moved back after a failure.
    """
    previous = _move_schema() if replace else None
    try:
        _run(
            "pg_restore",
            "--no-owner",
            "--no-privileges",
            "--exit-on-error",
            "--single-transaction",
            f"--dbname={_address()}",
            str(dump),
        )
    except BackupError:
        if previous:
            _move_schema_back(previous)
        raise
    return previous


def other_sessions() -> int:
    """Return the number of other connections to the database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        )
        return int(cursor.fetchone()[0])


def find_program(name: str) -> str:
    """Return the path of `pg_dump` or `pg_restore`, or raise `BackupError`."""
    if found := shutil.which(name, path=settings.POSTGRESQL_BIN or None):
        return found
    place = f"in {settings.POSTGRESQL_BIN}" if settings.POSTGRESQL_BIN else "on this machine"
    raise BackupError(
        f"There is no {name} {place}: install PostgreSQL's client programs, or set "
        "BATON_POSTGRESQL_BIN to their folder."
    )


def program_version(name: str) -> int:
    """Return the major version of a program of PostgreSQL."""
    output = subprocess.run(  # noqa: S603 - a program of the operator
        [find_program(name), "--version"], capture_output=True, text=True, check=False
    ).stdout
    match = re.search(r"(\d+)[.\d]*", output)
    return int(match[1]) if match else 0


def _address() -> str:
    """Return the parameters of the present connection, without the password."""
    connection.ensure_connection()
    return str(connection.connection.info.dsn)


def _run(name: str, *arguments: str) -> None:
    """Run a program; the password is not visible in the list of processes."""
    connection.ensure_connection()
    if password := connection.connection.info.password:
        environment = os.environ | {"PGPASSWORD": password}
    else:
        environment = dict(os.environ)
    server = connection.connection.info.server_version // 10_000
    if (own := program_version(name)) < server:
        raise BackupError(
            f"{find_program(name)} is of version {own}, but PostgreSQL is of version {server}: "
            f"install the client programs of version {server}, or set BATON_POSTGRESQL_BIN to "
            "their folder."
        )
    connection.close()
    ended = subprocess.run(  # noqa: S603 - a program of the operator
        [find_program(name), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if ended.returncode != 0:
        lines = ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"]
        raise BackupError(f"{name} failed: {lines[0].removeprefix(f'{name}: error: ')}.")


def _move_schema() -> str:
    """Rename the schema with the tables and create an empty one; return the new name."""
    schema = _schema()
    previous = f"{schema}{ASIDE}{datetime.now(tz=UTC):%Y%m%d_%H%M%S}"
    old, new = map(connection.ops.quote_name, (schema, previous))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"ALTER SCHEMA {old} RENAME TO {new}")
        cursor.execute(f"CREATE SCHEMA {old}")
    return previous


def _move_schema_back(previous: str) -> None:
    schema = previous.partition(ASIDE)[0]
    old, new = map(connection.ops.quote_name, (schema, previous))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"DROP SCHEMA {old}")
        cursor.execute(f"ALTER SCHEMA {new} RENAME TO {old}")


def _schema() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        return str(cursor.fetchone()[0])
