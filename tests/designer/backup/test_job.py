"""The backup that an administrator starts."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from designer.backup.job import start_backup
from designer.models import Job
from tests.conftest import signed_in
from tests.designer.jobs.workers import run_tasks

pytestmark = pytest.mark.django_db

START = "backup_start"


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.BACKUP_DIR = str(tmp_path)
    return tmp_path


@pytest.fixture
def administrator() -> User:
    return User.objects.create_user("root", is_staff=True)


def test_a_job_writes_the_backup_into_the_folder(folder, administrator):
    client = signed_in(administrator)
    assert reverse(START) in client.get(reverse("jobs")).text
    page = client.post(reverse(START), follow=True)
    job = Job.objects.get()
    assert page.redirect_chain == [(reverse("job", args=[job.pk]), 302)]
    run_tasks()
    job.refresh_from_db()
    assert (job.state, job.message) == ("done", "")
    [backup] = folder.iterdir()
    assert backup.name.startswith("baton-")
    with tarfile.open(backup) as archive:
        assert "database.sqlite3" in archive.getnames()


def test_a_repeated_attempt_keeps_the_complete_file(folder, administrator):
    job = start_backup(user=administrator)
    [name] = job.shards.get().items
    (folder / name).write_bytes(b"complete")
    run_tasks()
    job.refresh_from_db()
    assert job.state == "done"
    assert (folder / name).read_bytes() == b"complete"


def test_a_failed_backup_and_a_worker_without_a_folder_say_the_reason(settings, administrator):
    for folder, message in (
        ("/nowhere/at/all", "There is no folder /nowhere/at/all"),
        ("", "set BATON_BACKUP_DIR"),
    ):
        settings.BACKUP_DIR = folder
        job = start_backup(user=administrator)
        run_tasks()
        job.refresh_from_db()
        assert job.state == "failed"
        assert message in job.message


def test_only_administrators_start_backups_and_only_with_a_folder(
    client, anonymous_client, folder, administrator, settings
):
    assert reverse(START) not in client.get(reverse("jobs")).text
    assert client.post(reverse(START)).status_code == 404
    assert anonymous_client.post(reverse(START)).status_code == 302
    root = signed_in(administrator)
    assert root.get(reverse(START)).status_code == 405
    settings.BACKUP_DIR = ""
    assert reverse(START) not in root.get(reverse("jobs")).text
    assert root.post(reverse(START)).status_code == 404
    assert not Job.objects.exists()


def test_a_sixth_unfinished_job_is_refused_with_a_sentence(folder, administrator):
    for _ in range(5):
        Job.objects.create(kind="other", asked_by=administrator, total=1, due=timezone.now())
    page = signed_in(administrator).post(reverse(START), follow=True)
    assert "You have 5 unfinished jobs." in page.text
