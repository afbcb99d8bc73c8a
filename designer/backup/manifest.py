"""Table of contents of a backup."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

MANIFEST = "manifest.json"
SQLITE_COPY = "database.sqlite3"
POSTGRESQL_DUMP = "database.dump"
KEYS = "keys.env"
FILES = "files"
"""Names of the members of a backup; the data files are in a folder."""

CHUNK = 1024 * 1024


class StoredFile(BaseModel):
    """A member of a backup."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    size: int
    sha256: str


class BackupManifest(BaseModel):
    """Origin and content of a backup, stored as its last member."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["baton.backup"] = "baton.backup"
    version: Literal[1] = 1
    created: datetime
    baton: str
    database: Literal["sqlite", "postgresql"]
    migrations: tuple[str, ...] = Field(max_length=10_000)
    """Applied migrations as "app.name"."""
    keys: dict[str, tuple[str, ...]]
    """Fingerprints of the keys by the name of their setting."""
    contains_keys: bool
    files: tuple[StoredFile, ...] = Field(max_length=1_000_000)

    @property
    def data_files(self) -> list[StoredFile]:
        """The files of the data folder."""
        return [file for file in self.files if file.name.startswith(f"{FILES}/")]


def describe_file(path: Path, name: str) -> StoredFile:
    """Return the size and the digest of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return StoredFile(name=name, size=path.stat().st_size, sha256=digest.hexdigest())
