"""Workers for tests, in this process."""

from __future__ import annotations

import zlib

from django_tasks_db.management.commands.db_worker import Worker
from django_tasks_db.models import DBTaskResult

from designer.models import Job


def run_tasks(*, at_most: int = 10_000) -> None:
    """Run the queued tasks until there are none, or at most a number of them.

    The loop of the worker would close the connection of a test's transaction.
    """
    worker = Worker(
        queue_names=["default"],
        interval=0,
        batch=True,
        backend_name="default",
        startup_delay=False,
        max_tasks=None,
        worker_id="test",
        excluded_queue_names=[],
    )
    for _ in range(at_most):
        task = DBTaskResult.objects.ready().get_locked()
        if task is None:
            return
        task.claim(worker.worker_id)
        worker.run_task(task)


def output_of(job: Job) -> bytes:
    """Return the content of a job's result file."""
    parts = job.shards.values_list("output", flat=True)
    return b"".join(zlib.decompress(part) for part in parts if part)
