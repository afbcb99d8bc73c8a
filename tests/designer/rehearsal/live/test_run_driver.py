"""Steering of a live conversation."""

from __future__ import annotations

from typing import Any

import pytest

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.live import runs, sessions
from orchestration.control import GoOn, HandBack, HandOver, Pause, Reply, SendNote, TakeOver
from orchestration.exceptions import SteeringError
from orchestration.runtime import Session
from tests.designer.leases import take_lease
from tests.designer.live_conversations import provide, provide_turns
from tests.designer.live_waits import (
    is_over,
    last_event,
    message,
    reloaded,
    types,
    until,
)
from tests.designer.steering_commands import (
    HANDOFF_TURNS,
    begin,
    by_ada,
    events,
    is_left_alone,
    is_paused,
    nothing_waits,
    waiting,
)
from tests.orchestration.conversations import HANDLER, RESOLVER, TRIAGE, handing_over

pytestmark = pytest.mark.django_db(transaction=True)


# Standing still


async def test_a_run_that_stands_still_survives_its_process_and_is_taken_up_by_nobody(
    conversation, settings
):
    settings.LEASE_SECONDS = 0.01
    await live.set_break_point(conversation.pk, "handling", on=True)
    provider = await begin(conversation, *HANDOFF_TURNS)
    provider.release(2)
    await until(is_paused(conversation))
    assert (await last_event(conversation)).why == "break_point"

    await live.shut_down()
    live.wake()
    await until(is_left_alone(conversation))
    assert await in_database(take_lease, conversation_id=conversation.pk) is None
    assert len(provider.requests) == 1
    row: Any = await reloaded(conversation)
    assert (bool(row.run_id), row.lease_until, row.attempts) == (True, None, 1)

    await live.command(conversation.pk, by_ada(GoOn))
    await until(is_over(conversation))
    assert len(provider.requests) == 2
    assert (await types(conversation)).count("run.paused") == 1


async def test_a_pause_precedes_the_next_handoff_and_a_step_ends_at_the_next_turn(
    conversation,
):
    provider = await begin(conversation, *HANDOFF_TURNS)
    await live.command(conversation.pk, by_ada(Pause))
    assert await waiting(conversation) == ["pause"]
    provider.release()
    await until(is_paused(conversation))
    paused = await last_event(conversation)
    assert (paused.ahead, paused.by, paused.command_id) == ("handoff", "ada", "Pause-command-1")
    assert await waiting(conversation) == []

    await live.command(conversation.pk, by_ada(GoOn, step=True))
    await until(is_paused(conversation))
    assert (await last_event(conversation)).ahead == "turn"
    provider.release()
    await live.command(conversation.pk, by_ada(GoOn, 2))
    await until(is_over(conversation))


async def test_a_pause_that_was_withdrawn_in_time_is_none(conversation):
    provider = await begin(conversation, *HANDOFF_TURNS)
    await live.command(conversation.pk, by_ada(Pause))
    assert await live.withdraw(conversation.pk, "Pause-command-1")
    provider.release(2)
    await until(is_over(conversation))
    assert "run.paused" not in await types(conversation)


async def test_a_pause_that_comes_too_late_is_forgotten(conversation):
    provider = await begin(conversation, ("Hi.",))
    await live.command(conversation.pk, by_ada(Pause))
    provider.release()
    await until(is_over(conversation))
    await until(nothing_waits(conversation))


async def test_a_break_point_can_be_set_and_taken_away_while_a_run_is_on(conversation):
    provider = await begin(conversation, *HANDOFF_TURNS)
    way = ("intake", "handling")
    await live.set_break_point(conversation.pk, way, on=True)
    await live.set_break_point(conversation.pk, "review", on=True)
    await live.set_break_point(conversation.pk, "review", on=False)
    provider.release(2)
    await until(is_paused(conversation))
    assert (await last_event(conversation)).ahead == "handoff"
    kept = (await reloaded(conversation)).break_points
    assert kept == {"stages": [], "ways": [["intake", "handling"]]}
    with pytest.raises(SteeringError, match="There is no stage 'elsewhere' here"):
        await live.set_break_point(conversation.pk, ("intake", "elsewhere"), on=True)


async def test_a_run_that_stands_still_can_be_ended(conversation):
    await live.set_break_point(conversation.pk, "intake", on=True)
    provide_turns(*HANDOFF_TURNS)
    await live.say(conversation.pk, message())
    await until(is_paused(conversation))
    assert await live.stop(conversation.pk)
    row = await reloaded(conversation)
    assert (row.run_id, row.is_paused) == ("", False)
    assert (await last_event(conversation)).reason == "cancelled"


async def test_a_run_that_goes_on_as_somebody_ends_it_is_ended(conversation, monkeypatch):
    await live.set_break_point(conversation.pk, "intake", on=True)
    provide_turns(*HANDOFF_TURNS)
    await live.say(conversation.pk, message())
    await until(is_paused(conversation))
    replayed = sessions.replayed

    async def meanwhile(pk: int) -> Session:
        session = await replayed(pk)
        monkeypatch.setattr(runs, "replayed", replayed)
        await live.command(pk, by_ada(GoOn))
        return session

    monkeypatch.setattr(runs, "replayed", meanwhile)
    assert await live.stop(conversation.pk)
    assert (await reloaded(conversation)).run_id == ""
    assert "run.resumed" in await types(conversation)


# Notes and handoffs


async def test_a_note_reaches_the_next_turn_and_counts_once(conversation):
    provider = await begin(conversation, *HANDOFF_TURNS)
    note = by_ada(SendNote, text="Be kind.")
    await live.command(conversation.pk, note)
    await live.command(conversation.pk, note)
    provider.release(2)
    await until(is_over(conversation))
    await live.command(conversation.pk, note)

    assert (await types(conversation)).count("supervisor.noted") == 1
    assert any("Be kind." in one.text for one in provider.requests[1].messages)
    assert not any("Be kind." in one.text for one in provider.requests[0].messages)


async def test_a_note_and_a_handoff_are_done_at_once_where_no_run_is_on(conversation):
    await live.command(conversation.pk, by_ada(SendNote, text="Be kind.", to_agent=TRIAGE))
    await live.command(conversation.pk, by_ada(HandOver, target=HANDLER))
    assert await types(conversation) == [
        "supervisor.noted",
        "handoff.requested",
        "handoff.accepted",
        "phase.changed",
    ]
    provider = await begin(conversation, ("It is done.",))
    assert provider.requests[0].agent.id == HANDLER


async def test_a_handoff_goes_through_the_check_or_knowingly_past_it(conversation):
    provider = await begin(conversation, ("One moment.",), ("It is done.",))
    await live.command(conversation.pk, by_ada(HandOver, target=RESOLVER))
    await live.command(conversation.pk, by_ada(HandOver, 2, target=RESOLVER, past_check=True))
    provider.release(2)
    await until(is_over(conversation))
    [refused] = await events(conversation, "handoff.rejected")
    assert (refused.by, refused.code) == ("ada", "not_allowed")
    [accepted] = await events(conversation, "handoff.accepted")
    assert (accepted.by, accepted.forced, accepted.to_agent) == ("ada", True, RESOLVER)
    assert provider.requests[1].agent.id == RESOLVER


async def test_a_refused_command_is_reported_to_its_sender_and_not_queued(conversation):
    for command, why in [
        (by_ada(Pause), "There is no run to pause: send a message first."),
        (by_ada(GoOn), "The conversation is not paused."),
        (by_ada(Reply, text="Hello"), "An agent has the conversation"),
        (by_ada(HandBack, target=TRIAGE), "An agent has the conversation already."),
        (
            by_ada(SendNote, text="Psst", to_agent="nobody"),
            "There is no agent 'nobody' in this pipeline.",
        ),
    ]:
        with pytest.raises(SteeringError, match=why):
            await live.command(conversation.pk, command)
    provider = await begin(conversation, ("Hi.",))
    with pytest.raises(SteeringError, match="There is no agent 'nobody' in this pipeline"):
        await live.command(conversation.pk, by_ada(SendNote, 2, text="Psst", to_agent="nobody"))
    assert await waiting(conversation) == []
    provider.release()
    await until(is_over(conversation))


async def test_a_command_that_failed_in_the_queue_is_shown_until_withdrawn(
    conversation,
):
    provider = await begin(conversation, ("Hi.",))
    await live.command(conversation.pk, by_ada(Reply, text="Hello"))
    assert await waiting(conversation) == ["reply"]
    provider.release()
    sentence = "reply An agent has the conversation: take it over first."
    await until(waits_with(conversation, sentence))
    assert await live.withdraw(conversation.pk, "Reply-command-1")
    assert await waiting(conversation) == []


def waits_with(conversation: Conversation, sentence: str):
    async def condition() -> bool:
        return await waiting(conversation) == [sentence]

    return condition


# The human


async def test_a_takeover_ends_the_current_answer_and_precedes_the_queue(conversation, user):
    await begin(conversation, ("One ", "two."))
    await live.say(conversation.pk, message(2))
    await live.command(conversation.pk, by_ada(TakeOver))
    row: Any = await reloaded(conversation)
    assert (row.taken_by_id, row.waits_for_human) == (user.pk, False)
    [joined] = await events(conversation, "human.joined")
    received = await events(conversation, "message.received")
    assert joined.by == "ada"
    assert all(one.seq < joined.seq for one in received if one.message.id == "message-1")
    await until(has_ended(conversation, "waiting_for_human"))
    assert (await events(conversation, "run.completed"))[0].reason == "cancelled"


def has_ended(conversation: Conversation, reason: str):
    async def condition() -> bool:
        ends = await events(conversation, "run.completed")
        return bool(ends) and ends[-1].reason == reason and await is_over(conversation)()

    return condition


@pytest.mark.parametrize("has_replied", [False, True])
async def test_after_a_takeover_the_agent_answers_the_open_message(conversation, has_replied):
    await live.command(conversation.pk, by_ada(TakeOver))
    provider = provide("It is done.")
    provider.release(1)
    await live.say(conversation.pk, message())
    await until(has_ended(conversation, "waiting_for_human"))
    if has_replied:
        await live.command(conversation.pk, by_ada(Reply, text="I have seen to it."))
    await live.command(conversation.pk, by_ada(HandBack, target=TRIAGE))
    if not has_replied:
        await until(has_ended(conversation, "replied"))
    assert provider.calls == (0 if has_replied else 1)
    row = await reloaded(conversation)
    assert (row.taken_by_id, row.waits_for_human) == (None, False)


async def test_a_conversation_given_to_the_human_waits_for_somebody_to_take_it(conversation, user):
    provider = await begin(conversation, ("One moment.", handing_over("human")))
    provider.release()
    await until(has_ended(conversation, "waiting_for_human"))
    assert (await reloaded(conversation)).waits_for_human
    await live.command(conversation.pk, by_ada(TakeOver))
    row: Any = await reloaded(conversation)
    assert (row.waits_for_human, row.taken_by_id) == (False, user.pk)
