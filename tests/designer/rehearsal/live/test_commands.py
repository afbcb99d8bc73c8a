"""What waits while a conversation is live: in order, within bounds, and whoever sees to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from django.utils import timezone

from designer.core.database import in_database
from designer.models import Command, Conversation
from designer.rehearsal import live
from designer.rehearsal.actions import commands
from designer.rehearsal.actions.conversations import take_steps
from designer.rehearsal.live.sessions import Sessions
from orchestration.control import COMMAND_KINDS, SendNote, TakeOver
from orchestration.exceptions import SteeringError
from orchestration.messages import InboundMessage
from orchestration.runtime import Session
from tests.designer.live_conversations import provide, provide_turns
from tests.designer.live_waits import (
    has,
    is_over,
    message,
    types,
    until,
)
from tests.designer.steering_commands import (
    begin,
    by_ada,
    events,
    waiting,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest_asyncio.fixture(autouse=True)
async def no_run_stays_behind() -> AsyncIterator[None]:
    yield
    await live.shut_down()


def test_the_queue_has_a_label_for_each_command():
    assert dict(Command.kind.field.flatchoices).keys() == {"say", *COMMAND_KINDS}


# The queue


async def test_what_waits_survives_its_process_and_is_done_in_order(conversation):
    provider = await begin(conversation, ("Hi.",))
    for number in (2, 3):
        await live.say(conversation.pk, message(number))
    await live.shut_down()
    assert await waiting(conversation) == ["say", "say"]

    provider.let(3)
    live.attend(conversation.pk)
    await until(is_quiet_after(conversation, 3))
    received = await events(conversation, "message.received")
    assert [one.message.id for one in received] == ["message-1", "message-2", "message-3"]


def is_quiet_after(conversation: Conversation, runs: int):
    async def condition() -> bool:
        return (await types(conversation)).count("run.completed") == runs

    return condition


async def test_where_no_run_is_on_what_waits_is_done_by_whoever_looks(conversation):
    """As after a process that died between keeping a message and beginning its run."""
    provider = provide_turns(("Hi.",))
    await in_database(
        commands.put_command, conversation_id=conversation.pk, command=message(), user_id=None
    )
    provider.let()
    live.attend(conversation.pk)
    await until(has(conversation, "run.completed"))
    assert await waiting(conversation) == []


async def test_a_session_that_missed_what_another_process_wrote_is_not_gone_on_with(conversation):
    provider = provide_turns(("Hi.",))
    provider.let(2)
    await live.say(conversation.pk, message())
    await until(is_over(conversation))
    session = await in_database(session_of, conversation)
    [noted] = session.steer(by_ada(SendNote, text="From elsewhere."))
    await in_database(take_steps, conversation_id=conversation.pk, events=[noted])
    await live.say(conversation.pk, message(2))
    await until(is_quiet_after(conversation, 2))
    assert any("From elsewhere." in one.text for one in provider.requests[1].messages)


def session_of(conversation: Conversation) -> Session:
    return Session(
        conversation.snapshot(),
        conversation.events(),
        session_id=conversation.session_id,
        providers={},
    )


async def test_no_more_than_fifty_wait_and_one_kept_twice_is_one(conversation):
    await begin(conversation, ("Hi.",))
    for number in range(2, 2 + commands.MAX_WAITING):
        await live.say(conversation.pk, message(number))
        await live.say(conversation.pk, message(number))
    with pytest.raises(commands.QueueFullError):
        await live.say(conversation.pk, message(100))
    await live.withdraw(conversation.pk, "message-2")
    await live.say(conversation.pk, message(100))


async def test_a_trace_opened_from_a_file_takes_nothing(conversation):
    rows = Conversation.objects.filter(pk=conversation.pk)
    await in_database(rows.update, pipeline=None)
    with pytest.raises(commands.ReadOnlyError):
        await live.say(conversation.pk, message())
    with pytest.raises(commands.ReadOnlyError):
        await live.command(conversation.pk, by_ada(TakeOver))
    with pytest.raises(SteeringError, match="opened from a file"):
        await live.set_break_point(conversation.pk, "intake", on=True)


# Sessions between runs


async def test_sessions_are_kept_within_bounds_and_used_by_one_at_a_time(conversation):
    provide("Hi.")
    sessions = Sessions(max_kept=2, max_events=10)
    made = [await in_database(session_of, conversation) for _ in range(3)]
    for number, session in enumerate(made):
        sessions.keep(number, session)
    answering = [session.providers for session in made]
    taken = [sessions.take(number, 0, answering[number]) for number in range(3)]
    assert taken == [None, *made[1:]]
    assert sessions.take(2, 0, answering[2]) is None
    sessions.keep(1, made[1])
    assert sessions.take(1, 5, answering[1]) is None, "it has not seen that far"
    sessions.keep(1, made[1])
    assert sessions.take(1, 0, answering[2]) is None, "others answer now"
    [noted] = made[2].steer(by_ada(SendNote, text="…"))
    made[2].conversation.trace.seq = 11
    sessions.keep(2, made[2])
    assert sessions.take(2, 11, answering[2]) is None, "too much to keep"
    assert noted.at <= timezone.now()


def test_a_message_as_it_waits_is_the_message(conversation):
    said = InboundMessage(id="message-1", text="Hi\0", channel_type="sms", intent="billing")
    row: Any = commands.put_command(conversation_id=conversation.pk, command=said)
    kept: Any = commands.value_of(row)
    assert (kept.text, kept.channel_type, kept.intent) == ("Hi�", "sms", "billing")
