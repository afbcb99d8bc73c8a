"""What the tests of live runs look at, and wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from django.utils import timezone

from designer.core.database import in_database
from designer.models import Conversation
from orchestration.messages import InboundMessage
from tests.designer.live_conversations import PATIENCE, recorded


def message(number: int = 1) -> InboundMessage:
    return InboundMessage(id=f"message-{number}", text="Hello")


async def reloaded(conversation: Conversation) -> Conversation:
    return await in_database(Conversation.objects.get, pk=conversation.pk)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await condition():  # noqa: ASYNC110 - the journal is a database
            await asyncio.sleep(0.01)


async def last_event(conversation: Conversation) -> Any:
    return (await in_database(conversation.events))[-1]


async def types(conversation: Conversation) -> list[str]:
    rows = await recorded(conversation.pk)
    assert [seq for seq, _ in rows] == list(range(1, len(rows) + 1))
    return [kind for _, kind in rows]


def has(conversation: Conversation, last: str):
    async def condition() -> bool:
        found = await types(conversation)
        return bool(found) and found[-1] == last

    return condition


def is_over(conversation: Conversation):
    async def condition() -> bool:
        return not (await reloaded(conversation)).run_id

    return condition


def is_not_driven(conversation: Conversation):
    async def condition() -> bool:
        return f"run-{conversation.pk}" not in {task.get_name() for task in asyncio.all_tasks()}

    return condition


async def cut_off(conversation: Conversation, kept: int) -> None:
    """Leave the journal as a process leaves it that dies after an event.

    The run's end is recorded before its task is over; a dead process has no task.
    """
    await until(is_not_driven(conversation))
    await in_database(_cut_off, conversation.pk, kept)


def _cut_off(conversation_id: int, kept: int) -> None:
    rows = Conversation.objects.get(pk=conversation_id).recorded_events
    run_id = rows.get(seq=1).body["run_id"]
    rows.filter(seq__gt=kept).delete()
    Conversation.objects.filter(pk=conversation_id).update(
        run_id=run_id, last_seq=kept, attempts=1, lease_until=timezone.now()
    )


def story(conversation: Conversation) -> dict[str, list[str]]:
    """What happened in each of the conversations, in order; several may go on side by side."""
    told: dict[str, list[str]] = {}
    for event in conversation.events():
        told.setdefault(event.session_id, []).append(event.type)
    return told
