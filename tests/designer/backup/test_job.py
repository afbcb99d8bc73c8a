"""The backup that an administrator starts."""

from __future__ import annotations

import tarfile

import pytest
from django.urls import reverse

from designer.backup.job import start_backup
from designer.models import Job
from tests.conftest import signed_in
from tests.designer.jobs.workers import run_tasks

pytestmark = pytest.mark.django_db

START = "backup_start"


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
