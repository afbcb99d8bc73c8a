"""Start of a job: its items are divided into shards, and its first tasks are queued."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User

from designer.core import atomic_action
from designer.jobs.kinds import JobKind
from designer.jobs.shards import lease_end
from designer.jobs.tasks import queue_work
from designer.models import Job, JobShard

MAX_OPEN = 5
"""Maximum number of unfinished jobs of one person."""


class TooManyJobsError(Exception):
    """The user has the maximum number of unfinished jobs; the text is shown to the user."""

    def __init__(self) -> None:
        super().__init__(
            f"You have {MAX_OPEN} unfinished jobs. Wait until one of them is finished, or stop one."
        )


@atomic_action
def start_job(
    *,
    kind: JobKind,
    title: str,
    items: Sequence[Any],
    asked_by: User | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Job:
    """Start a job on some items, at least one, and return it.

    Returns the unfinished job of the same person with the same arguments, if there is one. Raises
    TooManyJobsError if the person has `MAX_OPEN` other unfinished jobs.
    """
    if not items:
        raise ValueError("A job needs at least one item.")
    arguments = dict(arguments or {})
    if asked_by is not None:
        # The lock makes the limit hold for simultaneous requests.
        User.objects.select_for_update().get(pk=asked_by.pk)
        unfinished = Job.objects.open().filter(asked_by=asked_by)
        if job := unfinished.filter(kind=kind.name, arguments=arguments).first():
            return job
        if unfinished.count() >= MAX_OPEN:
            raise TooManyJobsError
    job = Job.objects.create(
        kind=kind.name,
        title=title[:200],
        arguments=arguments,
        asked_by=asked_by,
        total=len(items),
        due=lease_end(),
    )
    starts = range(0, len(items), kind.shard_size)
    JobShard.objects.bulk_create(
        (
            JobShard(job=job, number=number, items=list(items[start : start + kind.shard_size]))
            for number, start in enumerate(starts, 1)
        ),
        batch_size=500,
    )
    queue_work(job.pk, shards=len(starts))
    return job
