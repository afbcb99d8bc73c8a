"""Installations, a folder for backups, and an administrator."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.serving import clean_environment


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.BACKUP_DIR = str(tmp_path)
    return tmp_path


@pytest.fixture
def administrator() -> User:
    return User.objects.create_user("root", is_staff=True)


@pytest.fixture
def alone(tmp_path: Path, empty_data: Path) -> dict[str, str]:
    """Return the environment of an installation on SQLite without a server."""
    shutil.copytree(empty_data, tmp_path / "data")
    return clean_environment() | {"BATON_DATA_DIR": str(tmp_path / "data")}
