"""Files that a backup contains and leaves out."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from django.conf import LazySettings

from designer.backup import BackupError, create_backup

KEPT = ("media/archive.tar.gz", "media/kept.txt")
LEFT_OUT = (
    "secret_key",
    "restored-keys.env",
    "baton.log",
    "media/half.tmp",
    "baton.sqlite3-wal",
    "baton.sqlite3.before-restore-20260101-000000",
    "earlier.tar.gz",
    "static/app.js",
)


@pytest.fixture
def data(tmp_path: Path, settings: LazySettings) -> Path:
    """A data folder with files to keep and to leave out, and a link out of it."""
    folder = tmp_path / "data"
    settings.DATA_DIR, settings.STATIC_ROOT = folder, folder / "static"
    for name in KEPT + LEFT_OUT:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "media" / "link").symlink_to("/etc/passwd")
    return folder


def names(backup: Path) -> list[str]:
    with tarfile.open(backup) as archive:
        return archive.getnames()


@pytest.mark.django_db
def test_keys_links_and_files_of_running_processes_are_left_out(data: Path) -> None:
    backup = data / "baton.tar.gz"
    manifest = create_backup(backup)
    files = [f"files/{name}" for name in KEPT]
    assert names(backup) == ["database.sqlite3", *files, "manifest.json"]
    assert [file.name for file in manifest.data_files] == files
    assert not manifest.contains_keys
    assert backup.stat().st_mode & 0o777 == 0o600


@pytest.mark.django_db
def test_keys_are_included_on_request_and_the_folder_of_the_backups_is_not(data: Path) -> None:
    backup = data / "media" / "baton.tar.gz"
    manifest = create_backup(backup, with_keys=True)
    assert names(backup) == [
        "database.sqlite3",
        "keys.env",
        "files/earlier.tar.gz",
        "manifest.json",
    ]
    assert manifest.contains_keys
    assert list(backup.parent.glob(".*")) == [], "the temporary folder is deleted"


def test_a_backup_overwrites_no_file_and_creates_no_folder(tmp_path: Path) -> None:
    present = tmp_path / "baton.tar.gz"
    present.write_text("kept")
    with pytest.raises(BackupError, match="exists already: choose another name"):
        create_backup(present)
    assert present.read_text() == "kept"
    with pytest.raises(BackupError, match="There is no folder"):
        create_backup(tmp_path / "none" / "baton.tar.gz")
