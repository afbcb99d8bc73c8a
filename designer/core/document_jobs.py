"""One import of a document at a time for each user, in all processes that share the database."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from designer.core.transactions import atomic_action
from designer.models import DocumentJob

MAX_JOB = timedelta(seconds=60)
"""Time after which a lock ends by itself."""

WAIT_SECONDS = 1.0
"""Time that an import waits for the previous one of its user."""

POLL_SECONDS = 0.05

BUSY = "Another import of yours is still running. Wait until it is finished, then try again."


class ImportRunningError(Exception):
    """The user already imports a document; the text is shown to the user."""

    def __init__(self) -> None:
        super().__init__(BUSY)


@contextmanager
def document_job(user_id: int, *, wait: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock of a user's imports; raise `ImportRunningError` if another one holds it.

    Use it outside of a transaction: other processes must see the lock.
    """
    deadline = time.monotonic() + wait
    while (locked_until := _lock(user_id)) is None:
        if time.monotonic() >= deadline:
            raise ImportRunningError
        time.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        # Another process may have taken over a lock that ended by itself.
        held = DocumentJob.objects.filter(user=user_id, locked_until=locked_until)
        held.update(locked_until=timezone.now())


@atomic_action
def _lock(user_id: int) -> datetime | None:
    """Take the lock; return the time at which it ends, or None if another import holds it."""
    now = timezone.now()
    locked_until = now + MAX_JOB
    lock = DocumentJob.objects.filter(user=user_id)
    if lock.filter(locked_until__gt=now).exists():
        return None
    if lock.filter(locked_until__lte=now).update(locked_until=locked_until):
        return locked_until
    try:
        with transaction.atomic():
            DocumentJob.objects.create(user_id=user_id, locked_until=locked_until)
    except IntegrityError:
        return None
    return locked_until
