"""Creation of a backup."""

from __future__ import annotations

import os
import tarfile
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from designer.backup.errors import BackupError
from designer.backup.keys import KEY_FILE, RESTORED_KEYS, fingerprints, write_keys
from designer.backup.manifest import (
    FILES,
    KEYS,
    MANIFEST,
    POSTGRESQL_DUMP,
    SQLITE_COPY,
    BackupManifest,
    StoredFile,
    describe_file,
)
from designer.backup.postgresql import dump_database
from designer.backup.sqlite import copy_database

TEMPORARY = ".baton-backup-"
"""Beginning of the name of the folder in which a backup is made."""

LEFT_OUT = (".log", ".lock", ".tmp", "-wal", "-shm", "-journal")
"""Endings of files that a backup leaves out: they belong to a running process."""


def create_backup(target: Path, *, with_keys: bool = False) -> BackupManifest:
    """Write the database and the files of the data folder to one file, while servers run.

    The file appears when it is complete; an existing file is not overwritten.
    """
    if target.exists():
        raise BackupError(f"{target} exists already: choose another name.")
    if not target.parent.is_dir():
        raise BackupError(f"There is no folder {target.parent}: create it and start again.")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=TEMPORARY) as folder:
            return _create(target, Path(folder), with_keys=with_keys)
    except OSError as error:
        raise BackupError(f"{target} cannot be written: {error.strerror or error}.") from error
    except DatabaseError as error:
        reason = " ".join(str(error).split())
        raise BackupError(f"The database cannot be read: {reason}.") from error


def _create(target: Path, folder: Path, *, with_keys: bool) -> BackupManifest:
    contents = _dump(folder)
    if with_keys:
        write_keys(folder / KEYS)
        contents[KEYS] = folder / KEYS
    contents |= {f"{FILES}/{name}": path for name, path in _data_files(target)}
    complete = folder / "complete"
    with tarfile.open(complete, "w:gz", compresslevel=6) as archive:
        files = [_describe_and_add(archive, path, name) for name, path in contents.items()]
        manifest = BackupManifest(
            created=datetime.now(tz=UTC),
            baton=baton_version(),
            database="sqlite" if SQLITE_COPY in contents else "postgresql",
            migrations=applied_migrations(),
            keys=fingerprints(),
            contains_keys=with_keys,
            files=tuple(files),
        )
        (folder / MANIFEST).write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
        archive.add(folder / MANIFEST, MANIFEST)
    complete.chmod(0o600)
    with complete.open("rb") as file:
        os.fsync(file.fileno())
    os.link(complete, target)  # fails if another process has created the file
    return manifest


def baton_version() -> str:
    """Return the version of Baton; a clone is not installed as a package."""
    try:
        return version("baton")
    except PackageNotFoundError:
        return "unreleased"


def applied_migrations() -> tuple[str, ...]:
    """Return the migrations of the database as "app.name"."""
    applied = MigrationRecorder(connection).applied_migrations()
    return tuple(sorted(f"{app}.{name}" for app, name in applied))


def _dump(folder: Path) -> dict[str, Path]:
    database = settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
        copy_database(database, folder / SQLITE_COPY)
        return {SQLITE_COPY: folder / SQLITE_COPY}
    dump_database(folder / POSTGRESQL_DUMP)
    return {POSTGRESQL_DUMP: folder / POSTGRESQL_DUMP}


def _describe_and_add(archive: tarfile.TarFile, path: Path, name: str) -> StoredFile:
    archive.add(path, name, recursive=False)
    return describe_file(path, name)


def _data_files(target: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of the data folder, apart from database, keys, logs and static files."""
    root = Path(settings.DATA_DIR)
    database = settings.DATABASES["default"]["NAME"]
    keys = {root / KEY_FILE, root / RESTORED_KEYS}
    excluded = keys | {root / str(database), Path(settings.STATIC_ROOT), target.parent}
    for path in sorted(root.rglob("*")):
        is_own = excluded.isdisjoint({path, *path.parents} - {root, *root.parents})
        if path.is_file() and not path.is_symlink() and is_own and not _is_left_out(path, target):
            yield path.relative_to(root).as_posix(), path


def _is_left_out(path: Path, target: Path) -> bool:
    is_backup = path.parent == target.parent and path.name.endswith(".tar.gz")
    is_temporary = any(part.startswith(TEMPORARY) for part in path.parts)
    is_old = ".before-restore" in path.name
    return is_backup or is_temporary or is_old or path.name.endswith(LEFT_OUT)
