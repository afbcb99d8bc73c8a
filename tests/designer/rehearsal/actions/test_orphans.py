"""Conversations with commands that no process has processed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from designer.core.database import in_database
from designer.models import Command, Conversation
from designer.rehearsal.actions.commands import put_command
from designer.rehearsal.actions.leases import claim_runs
from designer.rehearsal.actions.orphans import overdue_conversations
from tests.designer.live_conversations import make_conversation
from tests.designer.live_waits import message

pytestmark = pytest.mark.django_db(transaction=True)


async def test_only_orphans_are_found(user):
    idle, driven, dead, paused, refused, fresh = [
        await in_database(make_conversation, user) for _ in range(6)
    ]
    now = timezone.now()
    later, earlier = now + timedelta(seconds=9), now - timedelta(seconds=9)
    rows = Conversation.objects
    await in_database(
        rows.filter(pk=driven.pk).update, run_id="run-1", lease_until=later, ready_since=now
    )
    await in_database(
        rows.filter(pk=dead.pk).update, run_id="run-1", lease_until=earlier, ready_since=earlier
    )
    await in_database(rows.filter(pk=paused.pk).update, run_id="run-1", is_paused=True)
    for row in (idle, driven, paused, refused, fresh):
        await in_database(put_command, conversation_id=row.pk, command=message())
    commands = Command.objects
    await in_database(commands.exclude(conversation=fresh).update, created=now - timedelta(days=1))
    await in_database(commands.filter(conversation=refused).update, refusal="No.")
    assert await in_database(overdue_conversations, limit=9) == [idle.pk]
    leases = await in_database(claim_runs, limit=9)
    assert [lease.conversation_id for lease in leases] == [dead.pk]
    assert await in_database(overdue_conversations, limit=0) == []
