"""Backups as files, their members, and commands that make them."""

from __future__ import annotations

import io
import tarfile
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.serving import run_command

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
    """Return the contents of the members of a backup by their names."""
    with tarfile.open(backup) as archive:
        return {
            member.name: file.read()
            for member in archive.getmembers()
            if (file := archive.extractfile(member))
        }


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
