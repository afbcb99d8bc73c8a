"""Copies of SQLite databases, and their replacement."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from designer.backup import BackupError
from designer.backup.sqlite import check_database, copy_database, replace_database


@pytest.fixture
def live(tmp_path: Path) -> Path:
    """A database after the end of its process, with its last row only in its log."""
    with closing(sqlite3.connect(tmp_path / "running.sqlite3")) as running:
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("PRAGMA wal_autocheckpoint = 0")
        running.execute("CREATE TABLE word (text)")
        running.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        running.execute("INSERT INTO word VALUES ('last')")
        running.commit()
        for ending in ("", "-wal"):
            shutil.copy(tmp_path / f"running.sqlite3{ending}", tmp_path / f"baton.sqlite3{ending}")
    return tmp_path / "baton.sqlite3"


@pytest.fixture
def restored(tmp_path: Path) -> Path:
    """A copy from a backup."""
    with closing(sqlite3.connect(tmp_path / "restored")) as database:
        database.execute("CREATE TABLE word (text)")
        database.execute("INSERT INTO word VALUES ('restored')")
        database.commit()
    return tmp_path / "restored"


def words(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        return [text for (text,) in database.execute("SELECT text FROM word")]


def test_a_copy_has_the_changes_in_the_log_and_no_log_of_its_own(live: Path) -> None:
    copy = live.with_name("copy")
    copy_database({"NAME": str(live)}, copy)
    assert list(live.parent.glob("copy*")) == [copy]
    assert words(copy) == ["last"]
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_a_missing_database_and_a_file_of_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="There is no database at"):
        copy_database({"NAME": str(tmp_path / "missing")}, tmp_path / "copy")
    assert not (tmp_path / "missing").exists()
    (tmp_path / "text").write_text("no database" * 100)
    with pytest.raises(BackupError, match="text cannot be copied"):
        copy_database({"NAME": str(tmp_path / "text")}, tmp_path / "copy")


def test_a_damaged_copy_is_refused(restored: Path) -> None:
    check_database(restored)
    with restored.open("r+b") as file:
        file.seek(-4096, 2)
        file.write(b"\xff" * 8)
    with pytest.raises(BackupError, match="The copy of the database is damaged"):
        check_database(restored)


def test_a_replaced_database_is_kept_with_the_changes_in_its_log(
    live: Path, restored: Path
) -> None:
    previous = replace_database({"NAME": str(live)}, restored, keep=True)
    assert previous is not None
    assert previous.name.startswith("baton.sqlite3.before-restore-")
    assert words(previous) == ["last"]
    assert words(live) == ["restored"]
    assert not restored.exists()


def test_the_log_of_a_database_that_is_not_kept_goes_with_it(live: Path, restored: Path) -> None:
    assert replace_database({"NAME": str(live)}, restored, keep=False) is None
    assert words(live) == ["restored"]
    assert list(live.parent.glob("baton*")) == [live]


def test_a_present_database_that_cannot_be_read_stays(tmp_path: Path, restored: Path) -> None:
    present = tmp_path / "baton.sqlite3"
    present.write_text("no database" * 100)
    with pytest.raises(BackupError, match="move it and its -wal file away"):
        replace_database({"NAME": str(present)}, restored, keep=True)
    assert present.read_text() == "no database" * 100
    assert words(restored) == ["restored"]
