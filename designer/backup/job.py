"""The job that writes a backup to the backup folder of a worker's machine."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from designer.backup.creation import create_backup
from designer.backup.errors import BackupError
from designer.jobs import JobFailedError, JobKind, start_job
from designer.models import Job

STEP_SECONDS = 0.5
"""Seconds between two signs of life of a backup that is being written."""


def start_backup(*, user: User) -> Job:
    """Start a backup without keys, or return the user's unfinished one.

    Raises TooManyJobsError.
    """
    name = f"baton-{timezone.now():%Y%m%d-%H%M%S}.tar.gz"
    return start_job(kind=BACKUP, title="Backup", items=[name], asked_by=user)


def _process(job: Job, name: str) -> Iterator[bytes]:
    """Write the backup in a thread, so that the lease is kept meanwhile.

    The file appears when it is complete, so an existing one is the result of an earlier attempt.
    """
    if not settings.BACKUP_DIR:
        raise JobFailedError(
            "This worker has no folder for backups: set BATON_BACKUP_DIR, then start it again."
        )
    target = Path(settings.BACKUP_DIR).absolute() / name
    if target.exists():
        return
    with ThreadPoolExecutor(1) as pool:
        backup = pool.submit(_create, target)
        while not wait([backup], timeout=STEP_SECONDS).done:
            yield b""
    try:
        backup.result()
    except BackupError as error:
        raise JobFailedError(str(error)) from error


def _create(target: Path) -> None:
    try:
        create_backup(target)
    finally:
        connection.close()


BACKUP = JobKind(name="back-up", unit="backup", process=_process)
