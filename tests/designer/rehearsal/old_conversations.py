"""Conversations of different ages, and the command that lists and deletes the old ones."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone

from designer.models import Conversation, RecordedEvent
from designer.rehearsal.actions.conversations import start_conversation
from tests.designer.recorded_conversations import converse


def age(conversation: Conversation, *, created: int, last_event: int | None = None) -> None:
    """Move the start of a conversation and its last event into the past, in days."""
    now = timezone.now()
    Conversation.objects.filter(pk=conversation.pk).update(created=now - timedelta(days=created))
    if last_event is not None:
        row = RecordedEvent.objects.get(conversation=conversation, seq=conversation.last_seq)
        at = now - timedelta(days=last_event)
        row.body["at"] = at.isoformat().replace("+00:00", "Z")
        row.save()


def command(**options: Any) -> str:
    """Run the command; return its output."""
    output = StringIO()
    call_command("delete_old_conversations", stdout=output, **options)
    return output.getvalue()


def make_conversations(user: User, recorded: Conversation) -> list[Conversation]:
    """Return an old one, an old one with a new event, a new one, and an old empty one."""
    pipeline: Any = recorded.pipeline
    rows = [recorded, *(start_conversation(pipeline=pipeline, user=user) for _ in "123")]
    converse(rows[1], "Hello")
    age(rows[0], created=60, last_event=31)
    age(rows[1], created=60, last_event=29)
    age(rows[2], created=29)
    age(rows[3], created=31)
    return rows
