"""The task that works on jobs.

A job has a few queued tasks at a time. Each runs one shard and queues its successor in the
transaction that finishes the shard, so jobs take turns, and a stopped job leaves no queue behind.
"""

from __future__ import annotations

import zlib

from django.db import DatabaseError, InterfaceError
from django_tasks import task

from designer.core import atomic_action
from designer.jobs.kinds import JobFailedError, find_kind
from designer.jobs.shards import ShardLease, ShardLostError, claim_shard, finish_shard
from designer.jobs.stop import fail_job

MAX_PARALLEL = 4
"""Maximum number of shards of one job that run at the same time."""

MAX_ATTEMPTS = 5
"""Number of leases of a shard before its job ends as failed."""


def queue_work(job_id: int, *, shards: int) -> None:
    """Queue tasks for a job with a number of free shards."""
    for _ in range(min(shards, MAX_PARALLEL)):
        work_on_job.enqueue(job_id)


@task
def work_on_job(job_id: int) -> None:
    """Run the next free shard of a job, and queue the task that runs the one after it."""
    lease = claim_shard(job_id=job_id)
    if lease is None:
        return
    if lease.is_taken_over:
        work_on_job.enqueue(job_id)  # in place of the task that was lost with its worker
    try:
        if lease.fence > MAX_ATTEMPTS:
            raise JobFailedError(
                f"Part {lease.number} was interrupted {MAX_ATTEMPTS} times. Look for the reason in "
                "the log of the workers, then start the job again."
            )
        _finish(lease, _process(lease))
    except ShardLostError:
        return
    except JobFailedError as failure:
        fail_job(job_id=job_id, message=str(failure))
    except (DatabaseError, InterfaceError):
        raise  # the shard runs again after its lease
    except Exception:
        fail_job(
            job_id=job_id,
            message=f"Part {lease.number} failed because of an error in Baton, which is in the "
            "log of the workers. Report it to your administrator, then start the job again.",
        )
        raise  # the worker logs it


def _process(lease: ShardLease) -> bytes:
    """Process the items of a shard, and return its compressed output."""
    process = find_kind(lease.job).process
    compressor = zlib.compressobj()
    parts = []
    for item in lease.items:
        output = iter(process(lease.job, item))
        for part in output:
            parts.append(compressor.compress(part))
            lease.keep()
        lease.keep()
    return b"".join([*parts, compressor.flush()])


@atomic_action
def _finish(lease: ShardLease, output: bytes) -> None:
    """Finish a shard, and queue the next task in the same transaction."""
    if finish_shard(lease=lease, output=output):
        work_on_job.enqueue(lease.job.pk)
