"""End of a job before its work is done."""

from __future__ import annotations

import pytest

from designer.jobs.shards import claim_shard
from designer.jobs.stop import fail_job, stop_job
from designer.models import Job
from tests.designer.jobs.gated_job import effects
from tests.designer.jobs.workers import output_of, run_tasks

pytestmark = pytest.mark.django_db


def test_a_stopped_job_has_no_further_effect(gated, tmp_path):
    job = gated(40)
    run_tasks(at_most=3)
    lease = claim_shard(job_id=job.pk)
    assert stop_job(job=job)
    run_tasks()
    job.refresh_from_db()
    assert (job.state, job.done) == ("stopped", 6)
    assert effects(tmp_path) == [1, 2, 3, 4, 5, 6]
    assert output_of(job) == b""
    assert lease is not None
    assert not stop_job(job=job)


def test_a_failed_job_keeps_its_sentence_and_no_output(gated):
    job, other = gated(4), gated(4, arguments={"other": True})
    run_tasks(at_most=1)
    assert output_of(job)
    assert fail_job(job_id=job.pk, message="x" * 501)
    job.refresh_from_db()
    assert (job.state, job.message) == ("failed", "x" * 500)
    assert job.ended is not None
    assert output_of(job) == b""
    assert Job.objects.open().get() == other


def test_a_job_that_is_over_keeps_its_state_and_its_output(gated):
    job = gated(2)
    run_tasks()
    assert not fail_job(job_id=job.pk, message="Too late.")
    assert not stop_job(job=job)
    job.refresh_from_db()
    assert (job.state, job.message) == ("done", "")
    assert output_of(job) == b"item 1\nitem 2\n"
