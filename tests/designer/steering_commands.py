"""Commands and conditions for tests of steering."""

from __future__ import annotations

import asyncio
from typing import Any

from designer.core.database import in_database
from designer.models import Command, Conversation
from designer.rehearsal import live
from tests.designer.live_conversations import HeldTurns, provide_turns
from tests.designer.live_waits import (
    is_not_driven,
    message,
    reloaded,
    until,
)
from tests.orchestration.conversations import HANDLER, handing_over

HANDOFF_TURNS = (("One moment.", handing_over(HANDLER)), ("It is done.",))


def by_ada(kind: Any, number: int = 1, **fields: Any) -> Any:
    """Return a command by Ada."""
    return kind(id=f"{kind.__name__}-command-{number}", by="ada", **fields)


async def begin(conversation: Conversation, *turns: Any) -> HeldTurns:
    """Send a message, and wait until the model is called."""
    provider = provide_turns(*turns)
    await live.say(conversation.pk, message())
    await until(has_been_asked(provider, 1))
    return provider


def has_been_asked(provider: HeldTurns, times: int):
    async def condition() -> bool:
        return len(provider.requests) == times

    return condition


def is_paused(conversation: Conversation):
    async def condition() -> bool:
        is_paused: bool = (await reloaded(conversation)).is_paused
        return is_paused and await is_not_driven(conversation)()

    return condition


def is_left_alone(conversation: Conversation):
    async def condition() -> bool:
        busy = {task.get_name() for task in asyncio.all_tasks()}
        return not busy & {f"run-{conversation.pk}", f"watch-{conversation.pk}"}

    return condition


async def waiting(conversation: Conversation) -> list[str]:
    rows = Command.objects.filter(conversation=conversation)
    return await in_database(
        lambda: [f"{row.kind}{row.refusal and ' ' + row.refusal}" for row in rows]
    )


async def events(conversation: Conversation, kind: str) -> list[Any]:
    recorded_events = await in_database(conversation.events)
    return [event for event in recorded_events if event.type == kind]


def nothing_waits(conversation: Conversation):
    async def condition() -> bool:
        return await waiting(conversation) == []

    return condition
