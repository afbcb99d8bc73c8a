"""Conversations with work that no process does."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from designer.models import Command, Conversation
from designer.rehearsal.actions.commands import PAUSE_COMMAND_KINDS


def orphaned_conversations(*, limit: int) -> list[int]:
    """Return the conversations with an orphaned run or command, at most `limit` of each kind.

    A run is orphaned when its lease has expired, and a command when it could have been processed
    long ago.
    """
    now = timezone.now()
    runs = Conversation.objects.filter(lease_until__lte=now).order_by("lease_until")
    is_idle = Q(conversation__run_id="")
    is_paused = Q(conversation__is_paused=True, kind__in=PAUSE_COMMAND_KINDS)
    overdue = now - timedelta(seconds=settings.LEASE_SECONDS)
    commands = Command.objects.filter(is_idle | is_paused, refusal="", created__lte=overdue)
    found = [
        *runs.values_list("pk", flat=True)[:limit],
        *commands.order_by("pk").values_list("conversation_id", flat=True)[:limit],
    ]
    return list(dict.fromkeys(found))
