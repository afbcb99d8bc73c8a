"""Start of a job."""

from __future__ import annotations

import pytest

from designer.jobs import TooManyJobsError
from designer.jobs.start import MAX_OPEN
from designer.models import Job

pytestmark = pytest.mark.django_db


def test_a_job_is_divided_into_shards(gated):
    job = gated(5)
    assert (job.state, job.total, job.done) == ("waiting", 5, 0)
    assert list(job.shards.values_list("number", "items")) == [(1, [1, 2]), (2, [3, 4]), (3, [5])]


def test_a_second_start_returns_the_unfinished_job(gated, other_user):
    job = gated(5)
    assert gated(5) == job
    assert gated(5, asked_by=other_user) != job
    assert gated(5, arguments={"other": True}) != job
    assert gated(5, asked_by=None) != job


def test_a_person_has_a_limited_number_of_unfinished_jobs(gated, other_user):
    for number in range(MAX_OPEN):
        gated(1, arguments={"number": number})
    with pytest.raises(TooManyJobsError, match="You have 5 unfinished jobs"):
        gated(1)
    gated(1, asked_by=other_user)
    Job.objects.filter(arguments__number=0).update(state="done")
    gated(1)


def test_a_job_without_items_is_refused(gated):
    with pytest.raises(ValueError, match="at least one item"):
        gated(0)
