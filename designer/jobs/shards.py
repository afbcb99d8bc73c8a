"""Leases on shards: claim, keep, finish.

A worker writes only under its lease. A shard of a dead or suspended worker is claimed by another
one when its lease has expired, and the first worker cannot finish it any more.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from designer.core import atomic_action
from designer.models import OPEN_JOB_STATES, Job, JobShard, JobState

RENEW_SECONDS = 1.0
"""Seconds between two renewals of a lease. A renewal notices that the job was stopped."""


class ShardLostError(Exception):
    """The job is over, or another worker has the shard; nothing may be written."""


@dataclass
class ShardLease:
    """Permission to run a shard until the lease expires."""

    job: Job
    shard_id: int
    number: int
    """Position of the shard within the job."""
    items: list[Any]
    fence: int
    """Number of the lease, from 1."""
    _renewed: float = field(default_factory=time.monotonic)

    @property
    def is_taken_over(self) -> bool:
        """True if an earlier worker did not finish the shard."""
        return self.fence > 1

    def keep(self) -> None:
        """Renew the lease if it is time to; raise `ShardLostError` if it is lost."""
        if time.monotonic() - self._renewed >= RENEW_SECONDS:
            self._renew()
            self._renewed = time.monotonic()

    def _renew(self) -> None:
        until = lease_end()
        held = self.held().filter(job__state=JobState.RUNNING)
        if not held.update(lease_until=until):
            raise ShardLostError
        Job.objects.filter(pk=self.job.pk, due__lt=until).update(due=until)

    def held(self) -> Any:
        """Return the query for the shard, empty without the lease."""
        return JobShard.objects.filter(pk=self.shard_id, fence=self.fence, is_done=False)


@atomic_action
def claim_shard(*, job_id: int) -> ShardLease | None:
    """Take the lease of the next free shard; None if there is none or the job is over."""
    now = timezone.now()
    shards = JobShard.objects.filter(job=job_id, job__state__in=OPEN_JOB_STATES, is_done=False)
    free = shards.filter(Q(lease_until=None) | Q(lease_until__lte=now)).order_by("number")
    # Other workers pass over locked shards instead of waiting for them.
    rows = free.select_for_update(skip_locked=True, of=("self",)).defer("output")
    shard = rows.select_related("job__asked_by").first()
    if shard is None:
        return None
    shard.fence += 1
    shard.lease_until = lease_end()
    shard.save(update_fields=["fence", "lease_until"])
    job = Job.objects.filter(pk=job_id)
    job.filter(state=JobState.WAITING).update(state=JobState.RUNNING, started=now)
    job.update(due=shard.lease_until)
    return ShardLease(shard.job, shard.pk, shard.number, shard.items, shard.fence)


@atomic_action
def finish_shard(*, lease: ShardLease, output: bytes) -> bool:
    """Store the output of a shard; return True if the job needs more work.

    Raises ShardLostError without the lease, or if the job is over.
    """
    job = Job.objects.select_for_update(of=("self",)).get(pk=lease.job.pk)
    if job.state != JobState.RUNNING:
        raise ShardLostError
    if not lease.held().update(is_done=True, lease_until=None, output=output):
        raise ShardLostError
    job.done = F("done") + len(lease.items)
    job.due = lease_end()
    job.save(update_fields=["done", "due"])
    rows = Job.objects.filter(pk=job.pk, done=F("total"))
    return not rows.update(state=JobState.DONE, ended=timezone.now())


def lease_end() -> datetime:
    """Return the end of a lease that begins now."""
    return timezone.now() + timedelta(seconds=settings.JOB_LEASE_SECONDS)
