"""Conditions and states of live runs, for tests that wait for them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from django.utils import timezone

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from orchestration.messages import InboundMessage
from tests.designer.live_conversations import MAX_WAIT, recorded

_PROCESSES: set[asyncio.Task[None]] = set()


def start_work() -> None:
    """Drive runs in this event loop, as a new process does, until `live.shut_down`."""
    task = asyncio.create_task(live.work())
    _PROCESSES.add(task)
    task.add_done_callback(_PROCESSES.discard)


def message(number: int = 1) -> InboundMessage:
    return InboundMessage(id=f"message-{number}", text="Hello")


async def reloaded(conversation: Conversation) -> Conversation:
    return await in_database(Conversation.objects.get, pk=conversation.pk)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(MAX_WAIT):
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
        recorded_types = await types(conversation)
        return bool(recorded_types) and recorded_types[-1] == last

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
    """Cut the journal after an event, as if the process had died there.

    Waits for the end of the run's task, which comes after its last event.
    """
    await until(is_not_driven(conversation))
    await in_database(_cut_off, conversation.pk, kept)


def _cut_off(conversation_id: int, kept: int) -> None:
    rows = Conversation.objects.get(pk=conversation_id).recorded_events
    run_id = rows.get(seq=1).body["run_id"]
    rows.filter(seq__gt=kept).delete()
    Conversation.objects.filter(pk=conversation_id).update(
        run_id=run_id,
        last_seq=kept,
        attempts=1,
        lease_until=timezone.now(),
        ready_since=timezone.now(),
    )


def events_by_session(conversation: Conversation) -> dict[str, list[str]]:
    """Return the types of the events by session, in order; subtasks may run in parallel."""
    sessions: dict[str, list[str]] = {}
    for event in conversation.events():
        sessions.setdefault(event.session_id, []).append(event.type)
    return sessions
