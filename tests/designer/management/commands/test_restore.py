"""Command that restores a backup, and its list of the next steps."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from designer.backup import BackupManifest, Restoration
from designer.backup.manifest import FILES, SQLITE_COPY, StoredFile
from designer.management.commands.restore import next_steps

LAST = "Next: manage.py migrate, then manage.py doctor, then start the server."


def restored(**fields: Any) -> Restoration:
    """Return the result of the restoration of a backup with one data file."""
    names = (SQLITE_COPY, f"{FILES}/media/kept.txt")
    manifest = BackupManifest(
        created=datetime(2026, 1, 31, 9, 5, tzinfo=UTC),
        baton="1.0",
        database="sqlite",
        migrations=(),
        keys={},
        contains_keys=False,
        files=tuple(StoredFile(name=name, size=1, sha256="0" * 64) for name in names),
    )
    return Restoration(manifest, **{"previous": None, **fields})


def test_a_complete_restoration_has_its_date_and_the_next_commands():
    assert next_steps(restored()) == [
        "Restored the sqlite database, and 1 files.",
        "They are of 2026-01-31 09:05 UTC.",
        LAST,
    ]


def test_the_previous_database_is_named():
    steps = next_steps(restored(previous="/data/baton.sqlite3.before-restore"))
    assert steps[2].startswith("The previous database is in /data/baton.sqlite3.before-restore:")
    assert steps[3:] == [LAST]


def test_each_missing_key_is_a_step_and_the_keys_to_set_are_one():
    names = ["BATON_SECRET_KEY", "BATON_ENCRYPTION_KEYS"]
    *missing, last = next_steps(restored(missing_keys=names))[2:]
    assert [f"in {name}:" in line for name, line in zip(names, missing, strict=True)] == [True] * 2
    assert last == LAST
    [step, last] = next_steps(restored(keys_to_set=names))[2:]
    assert step.startswith("Set BATON_SECRET_KEY and BATON_ENCRYPTION_KEYS as in restored-keys.env")
    assert last == LAST


@pytest.mark.django_db
def test_a_file_that_is_no_backup_is_refused_in_one_sentence(settings, tmp_path: Path):
    settings.DATA_DIR = tmp_path / "data"
    with pytest.raises(CommandError, match="No such file or directory"):
        call_command("restore", str(tmp_path / "missing.tar.gz"))
