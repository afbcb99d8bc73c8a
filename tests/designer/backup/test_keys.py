"""Keys of an installation in a backup."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.conf import LazySettings

from designer.backup.keys import (
    ENCRYPTION_KEYS,
    SECRET_KEY,
    fingerprints,
    key_sources,
    missing_keys,
    restore_keys,
    write_keys,
)
from tests.serving import manage

OLD, NEW, OTHER = "old-" + "o" * 40, "new-" + "n" * 40, "other-" + "t" * 40


@pytest.fixture
def data(tmp_path: Path, settings: LazySettings) -> Path:
    """A data folder of an installation with a secret key."""
    folder = tmp_path / "data"
    folder.mkdir()
    settings.DATA_DIR = folder
    settings.SECRET_KEY, settings.ENCRYPTION_KEYS = NEW, []
    return folder


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_key_of_a_backup_is_missing_if_no_setting_has_it(settings: LazySettings) -> None:
    settings.SECRET_KEY, settings.ENCRYPTION_KEYS = OLD, [OTHER]
    expected = fingerprints()
    assert not [key for key in (OLD, OTHER) if key in str(expected)]
    assert missing_keys(expected) == []
    settings.SECRET_KEY, settings.ENCRYPTION_KEYS = NEW, [OTHER, OLD]
    assert missing_keys(expected) == [], "the former secret key decrypts as well"
    settings.ENCRYPTION_KEYS = [OLD]
    assert missing_keys(expected) == [ENCRYPTION_KEYS]
    settings.ENCRYPTION_KEYS = [OTHER]
    assert missing_keys(expected) == [SECRET_KEY]


def test_the_place_of_each_key_is_named(data: Path, settings, monkeypatch) -> None:
    monkeypatch.setenv(SECRET_KEY, NEW)
    assert key_sources() == {SECRET_KEY: "the variable BATON_SECRET_KEY"}
    monkeypatch.delenv(SECRET_KEY)
    settings.ENCRYPTION_KEYS = [OTHER]
    assert key_sources() == {
        SECRET_KEY: str(data / "secret_key"),
        ENCRYPTION_KEYS: "the variable BATON_ENCRYPTION_KEYS",
    }


def test_a_restored_secret_key_keeps_another_one_next_to_it(
    data: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.delenv(SECRET_KEY)
    write_keys(tmp_path / "keys.env")
    assert mode(tmp_path / "keys.env") == 0o600
    (data / "secret_key").write_text(f"{OLD}\n")
    for _ in range(2):  # a repetition moves nothing
        assert restore_keys(tmp_path / "keys.env") == []
    assert (data / "secret_key").read_text() == NEW
    assert mode(data / "secret_key") == 0o600
    assert (data / "secret_key.before-restore").read_text() == f"{OLD}\n"
    assert not (data / "restored-keys.env").exists()


def test_a_secret_key_that_a_variable_has_is_left_to_the_operator(
    data: Path, tmp_path: Path, settings, monkeypatch
) -> None:
    write_keys(tmp_path / "keys.env")
    monkeypatch.setenv(SECRET_KEY, OLD)
    settings.SECRET_KEY = OLD
    assert restore_keys(tmp_path / "keys.env") == [SECRET_KEY]
    assert (data / "restored-keys.env").read_text() == f"{SECRET_KEY}={NEW}\n"
    assert mode(data / "restored-keys.env") == 0o600
    assert not (data / "secret_key").exists()


@pytest.mark.server
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
