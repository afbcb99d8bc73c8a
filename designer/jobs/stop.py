"""End of a job before its work is done: it was stopped, or it failed."""

from __future__ import annotations

from django.utils import timezone

from designer.core import atomic_action
from designer.models import Job, JobShard, JobState


@atomic_action
def stop_job(*, job: Job) -> bool:
    """Stop a job; return False if it is over. Running shards have no further effect."""
    return _end_job(job.pk, JobState.STOPPED)


@atomic_action
def fail_job(*, job_id: int, message: str) -> bool:
    """End a job as failed with a sentence; return False if it is over."""
    return _end_job(job_id, JobState.FAILED, message)


def _end_job(job_id: int, state: JobState, message: str = "") -> bool:
    """End an open job, and delete its incomplete output."""
    rows = Job.objects.open().filter(pk=job_id)
    if not rows.update(state=state, message=message[:500], ended=timezone.now()):
        return False
    JobShard.objects.filter(job=job_id).update(output=b"")
    return True
