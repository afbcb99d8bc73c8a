"""Leases of runs: claim, renew, seize and release them; and the queue of runs without a worker.

A run is ready from its start, or its last resumption, until it ends or pauses (`ready_since`). One
worker at a time holds its lease. A ready run without a valid lease is queued: its worker has died
or released it, or no worker has claimed it yet.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db.models import Case, Count, Exists, F, Min, OuterRef, Value, When
from django.utils import timezone

from designer.core import atomic_action
from designer.models import Conversation, ConversationQuerySet
from orchestration.events import EVENT_FORMAT

MAX_ATTEMPTS = 3
"""Number of attempts without progress before a run ends as failed."""


class LeaseLostError(Exception):
    """Another worker has taken the run, or it is over; nothing may be written."""


@dataclass(frozen=True)
class Lease:
    """Permission to write a conversation's events until it expires or is taken."""

    conversation_id: int
    fence: int
    session_id: str
    """Id of the main conversation in its events; subtasks have other ids."""
    attempt: int = 1
    """Number of the attempt since the last progress of the run, from 1."""
    last_seq: int = 0
    """Last recorded event when the lease was taken."""
    is_seized: bool = False
    """True if it was taken from another worker."""

    @property
    def is_exhausted(self) -> bool:
        """True if the run has no attempts left."""
        return self.attempt > MAX_ATTEMPTS

    @property
    def rows(self) -> ConversationQuerySet:
        """Query for the conversation; empty without the lease or without a run."""
        rows = Conversation.objects.filter(pk=self.conversation_id, fence=self.fence)
        return rows.exclude(run_id="")


def claim_runs(*, limit: int, skip: Collection[int] = ()) -> list[Lease]:
    """Take the leases of at most `limit` queued runs, the oldest first, except those in `skip`.

    A user has at most `RUNS_PER_USER` runs with a worker. Runs that this version of Baton cannot
    replay are left to other workers. Concurrent claims do not wait for each
    other and never take the same run.
    """
    if limit <= 0 or not _claimable(skip).exists():  # no transaction without a queued run
        return []
    return _claim(limit, skip)


@atomic_action
def _claim(limit: int, skip: Collection[int]) -> list[Lease]:
    rows = _claimable(skip).order_by("ready_since", "pk").select_for_update(skip_locked=True)
    claimed = list(rows.only("session", "fence", "attempts", "last_seq")[:limit])
    _take([row.pk for row in claimed], attempts=1)
    return [
        Lease(row.pk, row.fence + 1, row.session_id, row.attempts + 1, row.last_seq)
        for row in claimed
    ]


@atomic_action
def seize_lease(*, conversation_id: int) -> Lease | None:
    """Take the lease of a run, paused or not, to end it; None if there is no run."""
    rows = Conversation.objects.without_definition().select_for_update()
    row = rows.get(pk=conversation_id)
    if not row.run_id:
        return None
    is_seized = row.lease_until is not None and row.lease_until > timezone.now()
    _take([row.pk], attempts=0)
    fence = row.fence + 1
    return Lease(row.pk, fence, row.session_id, row.attempts, row.last_seq, is_seized)


def renew_leases(*, leases: Collection[Lease]) -> set[int]:
    """Extend all leases of a process in one statement; return the conversations of lost leases."""
    fences = {lease.conversation_id: lease.fence for lease in leases}
    own = Case(*(When(pk=pk, then=Value(fence)) for pk, fence in fences.items()))
    held = Conversation.objects.filter(pk__in=fences, ready_since__isnull=False, fence=own)
    if held.update(lease_until=lease_end()) == len(fences):
        return set()
    return fences.keys() - set(held.values_list("pk", flat=True))


def release_lease(*, lease: Lease) -> None:
    """Release an unfinished run for immediate takeover, without counting a failed attempt.

    Its worker can write nothing more.
    """
    lease.rows.update(fence=F("fence") + 1, lease_until=timezone.now(), attempts=F("attempts") - 1)


def lease_end() -> datetime:
    """Return the end of a lease that is taken or renewed now."""
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def count_driven_runs() -> int:
    """Return the number of runs with a valid lease."""
    return Conversation.objects.filter(
        ready_since__isnull=False, lease_until__gt=timezone.now()
    ).count()


class RunQueue(NamedTuple):
    """Runs that wait for a worker."""

    length: int
    seconds: float
    """Seconds since the oldest of them became ready; 0 for an empty queue."""


def run_queue() -> RunQueue:
    """Return the number and the age of the queued runs."""
    length, since = _queued().aggregate(n=Count("pk"), since=Min("ready_since")).values()
    return RunQueue(length, (timezone.now() - since).total_seconds() if since else 0.0)


def is_run_queue_full() -> bool:
    """Report whether the queue has its maximum number of runs."""
    return _queued()[settings.MAX_QUEUED_RUNS - 1 : settings.MAX_QUEUED_RUNS].exists()


def place_in_queue(conversation_id: int) -> int | None:
    """Return the number of queued runs before this one; None if it is not queued."""
    since = _queued().filter(pk=conversation_id).values_list("ready_since", flat=True).first()
    return None if since is None else _queued().filter(ready_since__lt=since).count()


def _queued() -> ConversationQuerySet:
    return Conversation.objects.filter(
        ready_since__isnull=False, lease_until__lte=timezone.now()
    ).order_by()


def _claimable(skip: Collection[int]) -> ConversationQuerySet:
    """Return the queued runs for this version, without those that exceed a user's limit.

    The order of a user's runs does not change while they are ready. The limit holds although
    concurrent claims do not see each other, because only the first runs of a user are claimable.
    """
    earlier = Conversation.objects.filter(
        started_by=OuterRef("started_by"), ready_since__lt=OuterRef("ready_since")
    ).order_by()
    at_limit = Exists(earlier[settings.RUNS_PER_USER - 1 : settings.RUNS_PER_USER])
    replayable = _queued().filter(event_format__lte=EVENT_FORMAT)
    return replayable.exclude(pk__in=skip).exclude(at_limit)


def _take(pks: Collection[int], *, attempts: int) -> None:
    """Take the leases of locked rows, and add to their attempts."""
    Conversation.objects.filter(pk__in=pks).update(
        fence=F("fence") + 1, attempts=F("attempts") + attempts, lease_until=lease_end()
    )
