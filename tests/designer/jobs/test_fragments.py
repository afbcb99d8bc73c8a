"""Context of a job's fragment."""

from __future__ import annotations

import pytest

from designer.jobs.fragments import job_context
from designer.jobs.stop import fail_job
from designer.models import Job
from tests.designer.jobs.workers import run_tasks

pytestmark = pytest.mark.django_db


def context(job: Job, user) -> dict[str, object]:
    return job_context(Job.objects.get(pk=job.pk), user)


def test_the_status_changes_with_the_progress_and_the_state(gated, user):
    job = gated(6)
    seen = [context(job, user)["status"] for _ in range(2)]
    for _ in range(3):
        run_tasks(at_most=1)
        seen.append(context(job, user)["status"])
    assert seen[0] == seen[1]
    assert len(set(seen)) == 4


def test_a_finished_job_has_a_file_for_the_person_who_started_it(gated, user, other_user):
    job = gated(2)
    assert not context(job, user)["has_file"]
    run_tasks()
    assert context(job, user)["has_file"]
    assert context(job, user)["may_download"]
    assert not context(job, other_user)["may_download"]


def test_a_failed_job_has_no_file(gated, user):
    job = gated(4)
    run_tasks(at_most=1)
    fail_job(job_id=job.pk, message="The disk is full.")
    assert not context(job, user)["has_file"]


def test_a_job_of_an_unknown_kind_is_shown_without_a_file(gated, user, settings):
    job = gated(2)
    run_tasks()
    settings.JOB_KINDS = {}
    shown = context(job, user)
    assert (shown["unit"], shown["has_file"]) == ("item", False)
