"""Backups of running installations, restored after the loss of the disk."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from django.conf import LazySettings

from designer.backup import BackupError, restore_backup
from tests.designer.backup.backup_files import FILL, changed, failed, members
from tests.serving import BatonServer, clean_environment, manage

pytestmark = pytest.mark.server


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


def test_a_restoration_without_keys_names_them(backup: Path, tmp_path: Path) -> None:
    environment = clean_environment() | {"BATON_DATA_DIR": str(tmp_path / "data")}
    output = manage(environment, "restore", str(backup))
    assert "lacks a key of the backup in BATON_SECRET_KEY" in output


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
