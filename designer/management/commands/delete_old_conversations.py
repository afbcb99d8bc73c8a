"""`manage.py delete_old_conversations`: list old conversations, or delete them by a job."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from designer.rehearsal import old_conversations, start_deletion

MAX_DAYS = 36_500


class Command(BaseCommand):
    """List the conversations without activity for a number of days, or delete them."""

    help = (
        "List the conversations without activity for a number of days. With --delete, start a job "
        "that deletes them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the age and the switch for the deletion."""
        parser.add_argument("--days", type=int, required=True, help="days without activity")
        parser.add_argument("--delete", action="store_true", help="delete the listed conversations")

    def handle(self, *args: Any, days: int, delete: bool, **options: Any) -> None:
        """List the conversations, and start the job."""
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
        if job is None:
            return
        self.stdout.write(
            f"Job {job.pk} deletes {job.total} conversations. It runs in the server, or with "
            "PostgreSQL in db_worker; the page Jobs shows its progress."
        )
