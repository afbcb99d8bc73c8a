"""Conversations with commands that no process has processed."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from designer.models import Command
from designer.rehearsal.actions.commands import PAUSE_COMMAND_KINDS


def overdue_conversations(*, limit: int) -> list[int]:
    """Return at most `limit` conversations with a command that could have been processed long ago.

    Its process has died, or ended, between storing and processing it.
    """
    is_idle = Q(conversation__run_id="")
    is_paused = Q(conversation__is_paused=True, kind__in=PAUSE_COMMAND_KINDS)
    overdue = timezone.now() - timedelta(seconds=settings.LEASE_SECONDS)
    commands = Command.objects.filter(is_idle | is_paused, refusal="", created__lte=overdue)
    found = commands.order_by("pk").values_list("conversation_id", flat=True)[:limit]
    return list(dict.fromkeys(found))
