"""Restoration of a backup."""

from __future__ import annotations

import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from pydantic import ValidationError

from designer.backup.errors import BackupError
from designer.backup.keys import missing_keys, restore_keys
from designer.backup.manifest import (
    FILES,
    KEYS,
    MANIFEST,
    POSTGRESQL_DUMP,
    SQLITE_COPY,
    BackupManifest,
    describe_file,
)
from designer.backup.postgresql import other_sessions, restore_database
from designer.backup.sqlite import check_database, replace_database
from designer.serving.server_lock import ServerStartError, server_lock


@dataclass(frozen=True, slots=True)
class Restoration:
    """Result of a restoration, for the operator."""

    manifest: BackupManifest
    previous: str | None
    """File or schema that contains the previous database."""
    missing_keys: list[str] = field(default_factory=list)
    """Settings that lack a key of the backup."""
    keys_to_set: list[str] = field(default_factory=list)
    """Settings whose keys are in restored-keys.env."""


def restore_backup(source: Path, *, replace: bool = False) -> Restoration:
    """Replace the database and the data files by a backup, after checking all of it.

    A database with tables is only replaced if `replace` is true, and it is kept under another
    name.
    """
    try:
        with _unpacked(source) as folder:
            manifest = _check(source, folder)
            return _restore(manifest, folder, replace=replace)
    except ServerStartError as error:
        raise BackupError(f"{error} Stop the server before a restoration.") from error
    except OSError as error:
        raise BackupError(f"{source} cannot be restored: {error.strerror or error}.") from error
    except DatabaseError as error:
        reason = " ".join(str(error).split())
        raise BackupError(f"The database cannot be written: {reason}.") from error


@contextmanager
def _unpacked(source: Path) -> Iterator[Path]:
    """Unpack a backup into a folder next to the data, so that its files can be moved."""
    root = Path(settings.DATA_DIR)
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root, prefix=".restore-", suffix=".tmp") as folder:
        try:
            with tarfile.open(source, "r:gz") as archive:
                archive.extraction_filter = getattr(tarfile, "data_filter", None)
                archive.extractall(folder, members=_files(archive))  # noqa: S202 - checked
        except (tarfile.TarError, EOFError) as error:
            raise BackupError(f"{source} is no backup, or is incomplete: {error}.") from error
        yield Path(folder)


def _files(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield the members of a backup, and refuse all others: links, devices and paths outside of it.

    The extraction filter of PEP 706 does so too, but Python 3.11.0 to 3.11.3 do not have it.
    """
    for member in archive:
        path = PurePosixPath(member.name)
        if not member.isfile() or path.is_absolute() or ".." in path.parts:
            raise tarfile.TarError(f"{member.name} is not a file of a backup")
        yield member


def _check(source: Path, folder: Path) -> BackupManifest:
    """Return the manifest of a complete backup that this version can restore."""
    try:
        manifest = BackupManifest.model_validate_json((folder / MANIFEST).read_bytes())
    except (FileNotFoundError, ValidationError) as error:
        raise BackupError(f"{source} is no backup of Baton: it has no valid manifest.") from error
    for file in manifest.files:
        path = folder / file.name
        if not path.is_file() or describe_file(path, file.name) != file:
            raise BackupError(f"{source} is damaged: {file.name} differs from the manifest.")
    is_sqlite = settings.DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3"
    if (manifest.database == "sqlite") != is_sqlite:
        here = "SQLite" if is_sqlite else "PostgreSQL"
        raise BackupError(
            f"{source} contains a {manifest.database} database, but DATABASE_URL names "
            f"{here}: set DATABASE_URL to a database of the same kind."
        )
    _refuse_newer(source, manifest)
    return manifest


def _refuse_newer(source: Path, manifest: BackupManifest) -> None:
    loader = MigrationLoader(None)
    apps = {app for app, _ in loader.disk_migrations}
    replaced = {key for each in loader.disk_migrations.values() for key in each.replaces}
    known = {f"{app}.{name}" for app, name in {*loader.disk_migrations, *replaced}}
    ours = {name for name in manifest.migrations if name.partition(".")[0] in apps}
    if unknown := sorted(ours - known):
        raise BackupError(
            f"{source} was made by a newer version of Baton (it has the migration {unknown[0]}): "
            "update Baton and start again."
        )


def _restore(manifest: BackupManifest, folder: Path, *, replace: bool) -> Restoration:
    with server_lock():
        has_tables = _has_tables()
        if has_tables and not replace:
            raise BackupError(
                "The database contains tables already: use --replace to put the backup in its "
                "place; the present database is kept under another name."
            )
        previous = _restore_database(manifest, folder, replace=has_tables)
        for file in manifest.data_files:
            target = Path(settings.DATA_DIR) / file.name.removeprefix(f"{FILES}/")
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(folder / file.name, target)
    keys_to_set = restore_keys(folder / KEYS) if manifest.contains_keys else []
    missing = [] if manifest.contains_keys else missing_keys(manifest.keys)
    return Restoration(manifest, previous, missing, keys_to_set)


def _restore_database(manifest: BackupManifest, folder: Path, *, replace: bool) -> str | None:
    if manifest.database == "sqlite":
        check_database(folder / SQLITE_COPY)
        database = settings.DATABASES["default"]
        previous = replace_database(database, folder / SQLITE_COPY, keep=replace)
        return str(previous) if previous else None
    if count := other_sessions():
        raise BackupError(
            f"{count} other connections use the database: stop all servers and workers first."
        )
    return restore_database(folder / POSTGRESQL_DUMP, replace=replace)


def _has_tables() -> bool:
    with connection.cursor() as cursor:
        return bool(connection.introspection.table_names(cursor))
