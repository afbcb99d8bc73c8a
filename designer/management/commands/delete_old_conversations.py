"""`manage.py delete_old_conversations`: list old conversations, or delete them by a job."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from designer.models import Conversation, Job
from designer.rehearsal import (
    expired_conversations,
    old_conversations,
    start_deletion,
    start_expiry,
)

MAX_DAYS = 36_500


class Command(BaseCommand):
    """List the conversations without activity for a number of days, or delete them."""

    help = (
        "List the conversations without activity for a number of days; without --days, those that "
        "the retention of their pipelines deletes. With --delete, start the jobs that delete them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the age and the switch for the deletion."""
        parser.add_argument("--days", type=int, help="days without activity")
        parser.add_argument("--delete", action="store_true", help="delete the listed conversations")

    def handle(self, *args: Any, days: int | None, delete: bool, **options: Any) -> None:
        """List the conversations, and start the jobs."""
        if days is None:
            self._list_expired()
            if delete:
                self._announce(start_expiry())
            return
        if not 1 <= days <= MAX_DAYS:
            raise CommandError(f"--days must be from 1 to {MAX_DAYS}, not {days}.")
        until = timezone.now() - timedelta(days=days)
        count = 0
        for row in old_conversations(until=until).select_related("pipeline").iterator():
            name = row.pipeline.name if row.pipeline else "opened from a file"
            last = getattr(row, "last_event_at", None)
            day = last[:10] if last else f"{row.created:%Y-%m-%d}"
            self.stdout.write(f"{row.pk}\t{day}\t{name}\t{row.title}")
            count += 1
        if not delete or not count:
            self.stdout.write(f"Conversations without activity for {days} days: {count}.")
            return
        job = start_deletion(until=until)
        self._announce([job] if job is not None else [])

    def _list_expired(self) -> None:
        """List the conversations that the retention of their pipelines deletes next."""
        total = 0
        for pipeline, until, pks in expired_conversations():
            total += len(pks)
            for row in Conversation.objects.without_definition().filter(pk__in=pks):
                self.stdout.write(f"{row.pk}\t{until:%Y-%m-%d}\t{pipeline.name}\t{row.title}")
        self.stdout.write(f"Conversations that the retention of their pipelines deletes: {total}.")

    def _announce(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            self.stdout.write(
                f"Job {job.pk} deletes {job.total} conversations. It runs in the server, or with "
                "PostgreSQL in db_worker; the page Jobs shows its progress."
            )
