"""Signs of life of the workers, and the newest event format that a worker can replay."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from designer.core import atomic_action
from designer.models import Conversation, WorkerHeartbeat
from orchestration.events import EVENT_FORMAT

BEAT_SECONDS = 4.0
"""Seconds between two signs of life."""

DEAD_SECONDS = 15.0
"""Seconds without a sign of life after which a worker counts as dead."""

DELETE_SECONDS = 3600.0
"""Seconds after which the last sign of life of a dead worker is deleted."""


@atomic_action
def record_heartbeat(*, name: str, runs: int, capacity: int) -> None:
    """Record that a worker of this version is alive."""
    now = timezone.now()
    values = {"seen": now, "runs": runs, "capacity": capacity, "event_format": EVENT_FORMAT}
    _, is_new = WorkerHeartbeat.objects.update_or_create(name=name, defaults=values)
    if is_new:
        oldest = now - timedelta(seconds=DELETE_SECONDS)
        WorkerHeartbeat.objects.filter(seen__lt=oldest).delete()


@atomic_action
def delete_heartbeat(*, name: str) -> None:
    """Record that a worker has ended."""
    WorkerHeartbeat.objects.filter(name=name).delete()


def find_workers() -> list[WorkerHeartbeat]:
    """Return the workers that are alive."""
    since = timezone.now() - timedelta(seconds=DEAD_SECONDS)
    return list(WorkerHeartbeat.objects.filter(seen__gte=since))


def newest_replayable() -> int:
    """Return the newest event format that a process can replay; 0 if there is no such process.

    Runs are driven by the servers, which have this version, or by the workers that are alive.
    """
    if settings.RUNS == "here":
        return EVENT_FORMAT
    return max((worker.event_format for worker in find_workers()), default=0)


def count_unreplayable(*, event_format: int) -> int:
    """Return the number of ready runs that a version with this format cannot replay."""
    runs = Conversation.objects.filter(ready_since__isnull=False)
    return runs.filter(event_format__gt=event_format).count()
