"""Jobs and their shards as rows."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from designer.models import Job, JobShard, JobState

pytestmark = pytest.mark.django_db


def job(**fields: Any) -> Job:
    now = timezone.now()
    return Job.objects.create(**{"kind": "export", "title": "Job", "total": 3, "due": now} | fields)


def test_users_see_their_own_jobs_and_administrators_all(user, other_user):
    own, _, of_command = job(asked_by=user), job(asked_by=other_user), job()
    assert list(Job.objects.seen_by(user)) == [own]
    user.is_staff = True
    assert Job.objects.seen_by(user).count() == 3
    assert of_command in Job.objects.seen_by(user)


def test_only_waiting_and_running_jobs_are_open():
    jobs = [job(state=state) for state in JobState]
    assert [each.state for each in jobs if each.is_open] == ["waiting", "running"]
    assert set(Job.objects.open()) == {each for each in jobs if each.is_open}
    assert [each.state for each in jobs if each.is_done] == ["done"]


@pytest.mark.parametrize(("done", "percent"), [(0, 0), (1, 33), (2, 66), (3, 100)])
def test_a_job_is_complete_only_with_its_last_item(done, percent):
    assert job(done=done).percent == percent


def test_the_shards_of_a_job_are_ordered_and_each_number_exists_once():
    first = job()
    for number in (2, 1):
        JobShard.objects.create(job=first, number=number, items=[number])
    JobShard.objects.create(job=job(), number=1, items=[1])
    assert [shard.items for shard in first.shards.all()] == [[1], [2]]
    with pytest.raises(IntegrityError), transaction.atomic():
        JobShard.objects.create(job=first, number=1, items=[3])
