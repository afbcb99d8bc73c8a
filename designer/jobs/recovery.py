"""Work at intervals: recovery of lost jobs, start of regular jobs, deletion of old jobs."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.module_loading import import_string
from django_tasks_db.models import DBTaskResult

from designer.jobs.shards import lease_end
from designer.jobs.tasks import queue_work, work_on_job
from designer.models import Job, JobShard

SWEEP_SECONDS = 1.0
"""Seconds between two sweeps of a process."""

SWEEPS_PER_START = 60
"""Number of sweeps from one start of the regular jobs to the next."""

SWEEPS_PER_DELETION = 3600
"""Number of sweeps from one deletion of old jobs to the next."""

KEEP_JOBS = timedelta(days=7)
"""Time after which a job that is over is deleted, with its result file."""

KEEP_TASKS = timedelta(days=1)
"""Time after which a finished task is deleted."""


class JobSweeper:
    """The work at intervals of one process.

    Several processes may do it at the same time: each step leaves finished work alone.
    """

    def __init__(self) -> None:
        self._sweeps = 0

    def sweep(self) -> None:
        """Recover lost work; less often, start the regular jobs and delete old jobs."""
        sweep_jobs()
        if self._sweeps % SWEEPS_PER_START == 0:
            start_regular_jobs()
        if self._sweeps % SWEEPS_PER_DELETION == 0:
            delete_old_jobs()
        self._sweeps += 1


def start_regular_jobs() -> None:
    """Call the functions of the setting REGULAR_JOBS, which start a job if there is work."""
    for path in settings.REGULAR_JOBS:
        import_string(path)()


def sweep_jobs() -> None:
    """Queue the work of each open job again that has made no progress for the time of a lease."""
    overdue = Job.objects.open().filter(due__lte=timezone.now())
    for job_id in overdue.values_list("pk", flat=True):
        _queue_again(job_id)


def has_queued_work() -> bool:
    """Report whether a task waits for a worker."""
    return DBTaskResult.objects.ready().exists()


def delete_old_jobs() -> None:
    """Delete old jobs and tasks."""
    now = timezone.now()
    Job.objects.filter(ended__lt=now - KEEP_JOBS).delete()
    is_old, is_lost = Q(finished_at__lt=now - KEEP_TASKS), Q(started_at__lt=now - KEEP_JOBS)
    DBTaskResult.objects.filter(is_old | is_lost).delete()


@transaction.atomic
def _queue_again(job_id: int) -> None:
    now = timezone.now()
    rows = Job.objects.select_for_update(skip_locked=True, of=("self",))
    job = rows.open().filter(pk=job_id, due__lte=now).first()
    if job is None:
        return  # another process was faster
    job.due = lease_end()
    job.save(update_fields=["due"])
    if not _is_queued(job):
        shards = JobShard.objects.filter(job=job, is_done=False)
        queue_work(job.pk, shards=shards.count())


def _is_queued(job: Job) -> bool:
    """Report whether a task for the job waits: workers may be away, or busy with other jobs."""
    tasks = DBTaskResult.objects.ready().filter(task_path=work_on_job.module_path)
    return tasks.filter(args_kwargs__args=[job.pk]).exists()
