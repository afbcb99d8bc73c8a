"""Recovery of lost work, and deletion of old jobs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from designer.jobs import has_queued_work
from designer.jobs.recovery import delete_old_jobs, sweep_jobs
from designer.jobs.shards import claim_shard
from designer.models import Job, JobShard
from tests.designer.jobs.workers import run_tasks

pytestmark = pytest.mark.django_db


def let_time_pass() -> None:
    past = timezone.now() - timedelta(seconds=1)
    Job.objects.update(due=past)
    JobShard.objects.filter(lease_until__isnull=False).update(lease_until=past)


def test_work_that_was_lost_with_its_worker_runs_again(gated):
    job = gated(5)
    DBTaskResult.objects.update(status="RUNNING")
    assert claim_shard(job_id=job.pk)
    run_tasks()
    sweep_jobs()
    assert not has_queued_work()
    let_time_pass()
    sweep_jobs()
    assert has_queued_work()
    run_tasks()
    job.refresh_from_db()
    assert (job.state, job.done) == ("done", 5)
    assert list(job.shards.values_list("fence", flat=True)) == [2, 1, 1]


def test_work_that_waits_for_a_worker_is_not_queued_twice(gated):
    gated(5)
    queued = DBTaskResult.objects.count()
    let_time_pass()
    sweep_jobs()
    assert DBTaskResult.objects.count() == queued


def test_a_job_that_is_over_is_not_queued_again(gated):
    job = gated(5)
    run_tasks()
    let_time_pass()
    sweep_jobs()
    assert not has_queued_work()
    job.refresh_from_db()
    assert job.done == 5


def test_old_jobs_and_tasks_are_deleted(gated):
    old, new = gated(1), gated(2, asked_by=None)
    run_tasks()
    gated(3, arguments={"other": True})
    week = timezone.now() - timedelta(days=7, minutes=1)
    Job.objects.filter(pk=old.pk).update(ended=week)
    task = DBTaskResult.objects.filter(args_kwargs__args=[old.pk])
    task.update(finished_at=timezone.now() - timedelta(days=1, minutes=1))
    delete_old_jobs()
    assert not Job.objects.filter(pk=old.pk).exists()
    assert Job.objects.filter(pk=new.pk).exists()
    assert Job.objects.open().count() == 1
    assert not task.exists()
    assert DBTaskResult.objects.exists()
