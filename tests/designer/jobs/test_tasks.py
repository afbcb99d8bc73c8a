"""Work on jobs, within one process."""

from __future__ import annotations

import pytest
from django_tasks_db.models import DBTaskResult

from designer.jobs.tasks import MAX_ATTEMPTS, MAX_PARALLEL
from designer.models import Job
from tests.designer.jobs.gated_job import effects
from tests.designer.jobs.workers import output_of, run_tasks

pytestmark = pytest.mark.django_db


def test_a_job_runs_to_its_end(gated, tmp_path):
    job = gated(11)
    run_tasks()
    job.refresh_from_db()
    assert (job.state, job.done, job.message) == ("done", 11, "")
    assert job.created <= job.started <= job.ended
    assert effects(tmp_path) == list(range(1, 12))
    assert output_of(job) == b"".join(b"item %d\n" % number for number in range(1, 12))
    assert set(DBTaskResult.objects.values_list("status", flat=True)) == {"SUCCESSFUL"}


def test_progress_is_visible_after_each_shard(gated):
    job, seen = gated(5), []
    for _ in range(3):
        run_tasks(at_most=1)
        job.refresh_from_db()
        seen.append((job.state, job.done, job.percent))
    assert seen == [("running", 2, 40), ("running", 4, 80), ("done", 5, 100)]


def test_jobs_take_turns_and_a_long_one_does_not_fill_the_queue(gated):
    long, short = gated(1000), gated(2, asked_by=None)
    assert DBTaskResult.objects.ready().count() == MAX_PARALLEL + 1
    run_tasks(at_most=MAX_PARALLEL + 1)
    short.refresh_from_db()
    long.refresh_from_db()
    assert (short.state, long.state) == ("done", "running")


def test_a_failure_ends_the_job_with_its_sentence(gated, tmp_path):
    (tmp_path / "refuse-3").touch()
    job = gated(40)
    run_tasks()
    job.refresh_from_db()
    assert (job.state, job.done, job.message) == ("failed", 2, "Item 3 is refused.")
    assert effects(tmp_path) == [1, 2, 3]


def test_a_defect_ends_the_job_with_a_sentence_and_is_logged(gated, tmp_path, caplog):
    (tmp_path / "break-3").touch()
    job = gated(40)
    run_tasks()
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.message.startswith("Part 2 failed because of an error in Baton, which is in the log")
    assert "ValueError: 3" in caplog.text


def test_a_kind_that_is_missing_ends_the_job_with_a_sentence(gated, settings):
    job = gated(3)
    settings.JOB_KINDS = {}
    run_tasks()
    job.refresh_from_db()
    assert "This version of Baton has no job “gated”." in job.message


def test_a_shard_that_kills_its_workers_ends_the_job(gated, tmp_path):
    job = gated(3)
    job.shards.filter(number=1).update(fence=MAX_ATTEMPTS)
    run_tasks()
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.message.startswith("Part 1 was interrupted 5 times.")
    assert not (tmp_path / "effects").exists()


def test_a_job_of_a_deleted_person_is_gone(gated, user):
    gated(3)
    user.delete()
    run_tasks()
    assert not Job.objects.exists()
    assert set(DBTaskResult.objects.values_list("status", flat=True)) == {"SUCCESSFUL"}
