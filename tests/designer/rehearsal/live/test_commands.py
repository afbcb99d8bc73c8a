"""Queue of a live conversation: order, limits and processes."""

from __future__ import annotations

from typing import Any

import pytest

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.actions import commands
from orchestration.control import GiveFeedback, TakeOver
from orchestration.exceptions import SteeringError
from orchestration.messages import InboundMessage
from tests.designer.live_conversations import provide_turns
from tests.designer.live_waits import (
    has,
    message,
    until,
)
from tests.designer.rehearsal.live.run_waits import is_quiet_after
from tests.designer.steering_commands import (
    HANDOFF_TURNS,
    begin,
    by_ada,
    events,
    has_been_asked,
    waiting,
)

pytestmark = pytest.mark.django_db(transaction=True)


async def test_queued_commands_survive_their_process_and_keep_their_order(conversation):
    provider = await begin(conversation, ("Hi.",))
    for number in (2, 3):
        await live.say(conversation.pk, message(number))
    await live.shut_down()
    assert await waiting(conversation) == ["say", "say"]

    provider.release(3)
    live.wake()
    await until(is_quiet_after(conversation, 3))
    received = await events(conversation, "message.received")
    assert [one.message.id for one in received] == ["message-1", "message-2", "message-3"]


async def test_without_a_run_any_process_executes_the_queued_commands(conversation):
    """The process may have died after it stored a message."""
    provider = provide_turns(("Hi.",))
    await in_database(
        commands.put_command, conversation_id=conversation.pk, command=message(), user_id=None
    )
    provider.release()
    await live.process_queue(conversation.pk)
    await until(has(conversation, "run.completed"))
    assert await waiting(conversation) == []


async def test_feedback_during_an_answer_is_recorded_once_after_it(conversation):
    provider = await begin(conversation, *HANDOFF_TURNS)
    provider.release(1)
    await until(has_been_asked(provider, 2))
    [answer] = await events(conversation, "message.completed")
    feedback = by_ada(GiveFeedback, about=answer.seq, rating="down", comment="Too short.")
    for _ in range(2):
        await live.command(conversation.pk, feedback)
    assert await waiting(conversation) == ["feedback"]
    provider.release(1)
    await until(has(conversation, "run.completed"))
    [given] = await events(conversation, "feedback.given")
    assert (given.about, given.rating, given.by) == (answer.seq, "down", "ada")
    assert await waiting(conversation) == []

    await live.command(conversation.pk, by_ada(GiveFeedback, 2, about=answer.seq))
    assert [one.rating for one in await events(conversation, "feedback.given")] == ["down", ""]
    with pytest.raises(SteeringError, match="not an answer"):
        await live.command(conversation.pk, by_ada(GiveFeedback, 3, about=1, rating="up"))


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


def test_a_message_as_it_waits_is_the_message(conversation):
    said = InboundMessage(id="message-1", text="Hi\0", channel_type="sms", intent="billing")
    row: Any = commands.put_command(conversation_id=conversation.pk, command=said)
    kept: Any = commands.value_of(row)
    assert (kept.text, kept.channel_type, kept.intent) == ("Hi�", "sms", "billing")
