"""Feedback of people on answers."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from orchestration import events as e
from orchestration.control import MAX_COMMENT, GiveFeedback, read_command
from orchestration.exceptions import SteeringError
from tests.orchestration.conversations import HANDLER, TRIAGE, say, session_with, types
from tests.orchestration.steering_session import (
    HELP,
    as_recorded,
    by_ada,
    only,
    steer,
    two_agents,
)


async def test_feedback_names_the_answer_and_its_agent():
    session = session_with(two_agents())
    first, last = answers_of(await say(session, "Help!"))
    rated = only(
        e.FeedbackGiven,
        await steer(session, by_ada(GiveFeedback, about=last, rating="down", comment=" Rude. ")),
    )
    assert (rated.about, rated.rating, rated.comment, rated.by) == (last, "down", "Rude.", "ada")
    assert (rated.agent_id, rated.run_id) == (HANDLER, "")
    again = only(e.FeedbackGiven, await steer(session, by_ada(GiveFeedback, about=first)))
    assert (again.agent_id, again.rating, again.comment) == (TRIAGE, "", "")


async def test_feedback_during_a_run_is_recorded_between_two_steps():
    session = session_with(two_agents())
    events: list[Any] = []
    async for event in session.receive(HELP):
        if isinstance(event, e.MessageDelta):
            continue
        events.append(event)
        if isinstance(event, e.MessageCompleted) and len(answers_of(events)) == 1:
            session.queue(by_ada(GiveFeedback, about=event.seq, rating="up"))
    rated = only(e.FeedbackGiven, events)
    assert rated.run_id == events[0].run_id
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    without = [kind for kind in types(events) if kind != "feedback.given"]
    assert without == types(await say(session_with(two_agents()), "Help!"))


async def test_feedback_changes_neither_the_history_nor_the_state():
    session = session_with(two_agents())
    events: list[Any] = await say(session, "Help!")
    before = list(session.history), session.state
    events += await steer(session, by_ada(GiveFeedback, about=answers_of(events)[0], rating="up"))
    assert (list(session.history), session.state) == before
    again = session_with(two_agents(), events=as_recorded(events))
    assert (list(again.history), again.state, again.seq) == (*before, session.seq)


@pytest.mark.parametrize("about", [1, 99])
async def test_only_an_answer_gets_feedback(about):
    session = session_with(two_agents())
    await say(session, "Help!")
    with pytest.raises(SteeringError, match=f"Event {about} is not an answer"):
        await steer(session, by_ada(GiveFeedback, about=about, rating="up"))


@pytest.mark.parametrize(
    "fields", [{"rating": "best"}, {"comment": "x" * (MAX_COMMENT + 1)}, {"about": 0}]
)
def test_feedback_is_bounded(fields):
    with pytest.raises(ValidationError):
        read_command({"kind": "feedback", "id": "f1", "by": "ada", "about": 7} | fields)


def answers_of(events: Any) -> list[int]:
    """Return the numbers of the answers with a text."""
    return [event.seq for event in events if isinstance(event, e.MessageCompleted) and event.text]
