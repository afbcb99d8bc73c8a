"""Command that writes a backup."""

from __future__ import annotations

import tarfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db.migrations.recorder import MigrationRecorder

from designer.backup.manifest import FILES

pytestmark = pytest.mark.django_db


@pytest.fixture
def data(settings, tmp_path: Path) -> Path:
    """A data folder with one file."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    (settings.DATA_DIR / "kept.txt").write_text("a file")
    return tmp_path / "data"


@pytest.mark.usefixtures("data")
def test_the_content_of_the_backup_is_listed(tmp_path):
    file, output = tmp_path / "baton.tar.gz", StringIO()
    call_command("backup", str(file), stdout=output)
    lines = output.getvalue().splitlines()
    assert lines[0].startswith(f"Backup: {file} ({file.stat().st_size:,} bytes")
    migrations = MigrationRecorder.Migration.objects.count()
    assert lines[1:3] == [
        f"Database: sqlite, {migrations} migrations",
        "Files of the data folder: 1",
    ]
    with tarfile.open(file) as archive:
        assert f"{FILES}/kept.txt" in archive.getnames()


def test_a_file_that_exists_is_kept_and_reported(data):
    file = data / "kept.txt"
    with pytest.raises(CommandError, match=r"kept\.txt exists already: choose another name"):
        call_command("backup", str(file))
    assert file.read_text() == "a file"


def test_a_backup_is_written_to_the_current_folder(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call_command("backup", "baton.tar.gz", stdout=StringIO())
    assert (tmp_path / "baton.tar.gz").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in data.iterdir()] == ["kept.txt"]
