"""The table of contents of a backup."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from designer.backup.manifest import CHUNK, BackupManifest, StoredFile, describe_file


def stored(*names: str) -> tuple[StoredFile, ...]:
    return tuple(StoredFile(name=name, size=0, sha256="") for name in names)


@pytest.fixture
def manifest() -> BackupManifest:
    return BackupManifest(
        created=datetime(2026, 3, 9, tzinfo=UTC),
        baton="1.2.3",
        database="sqlite",
        migrations=("designer.0001_initial",),
        keys={"BATON_SECRET_KEY": ("0123456789abcdef",)},
        contains_keys=True,
        files=stored("database.sqlite3", "keys.env", "files/media/a.txt", "files-of-others.txt"),
    )


@pytest.mark.parametrize("size", [0, 1, CHUNK + 1])
def test_a_file_is_described_by_its_whole_content(tmp_path: Path, size: int) -> None:
    content = bytes(size)
    (tmp_path / "file").write_bytes(content)
    described = describe_file(tmp_path / "file", "files/file")
    assert described.name == "files/file"
    assert (described.size, described.sha256) == (size, hashlib.sha256(content).hexdigest())


def test_data_files_are_those_of_the_folder(manifest: BackupManifest) -> None:
    assert manifest.data_files == list(stored("files/media/a.txt"))


def test_a_stored_manifest_is_read_back(manifest: BackupManifest) -> None:
    assert BackupManifest.model_validate_json(manifest.model_dump_json()) == manifest


@pytest.mark.parametrize(
    "change",
    [{"version": 2}, {"format": "baton.pipeline"}, {"database": "mysql"}, {"comment": "new"}],
)
def test_a_manifest_of_another_format_is_refused(
    manifest: BackupManifest, change: dict[str, Any]
) -> None:
    [name] = change
    with pytest.raises(ValidationError, match=f"1 validation error.*\n{name}"):
        BackupManifest.model_validate(manifest.model_dump() | change)
