"""Findings about files, keys and users."""

from __future__ import annotations

from pathlib import Path

from django.conf import LazySettings
from django.contrib.auth.models import User

from designer.models import Connection
from tests.designer.doctor.single_checks import finding


def test_uncollected_static_files_are_an_error(settings: LazySettings, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path
    assert finding("Static files").level == "error"
    (tmp_path / "staticfiles.json").touch()
    assert finding("Static files").level == "ok"


def test_secrets_of_another_key_are_an_error(user: User, settings: LazySettings) -> None:
    secret = Connection(owner=user, name="work", base_url="https://models.example/v1")
    secret.store_secrets(key="sk-secret", headers=None)
    secret.save()
    assert finding("Keys").level == "ok"
    settings.SECRET_KEY = "another-key-" + "y" * 50
    assert finding("Keys").level == "error"
    assert "work" in finding("Keys").text


def test_an_installation_without_administrators_is_reported(user: User) -> None:
    assert finding("Administrators").level == "warning"
    user.is_superuser = True
    user.save()
    assert finding("Administrators").text == "1"
