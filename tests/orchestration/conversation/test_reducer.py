"""The state of a conversation, reduced from its events."""

import copy
from typing import get_args

from orchestration.conversation import (
    ReducedState,
)
from orchestration.events import (
    Event,
    FeedbackGiven,
    HandoffAccepted,
    HookFailed,
    MessageDelta,
    RunStarted,
    SupervisionLimited,
    ToolReturned,
)
from orchestration.messages import ToolResult
from orchestration.state import ConversationState
from tests.orchestration.conversations import (
    HANDLER,
    NOON,
    TRIAGE,
    PlayedModel,
    handing_over,
    only,
    replayed,
    say,
    session_with,
)

FIRST = ConversationState(phase="intake")


async def test_reducing_a_trace_restores_the_session():
    """Contract S-7."""
    session = session_with(PlayedModel([("One moment.", handing_over(HANDLER)), ("Hello.",)]))
    events = await say(session, "hi")
    conversation = replayed(FIRST, events)
    assert conversation.state == session.state
    assert conversation.history == session.history
    assert session.seq == events[-1].seq


async def test_a_transition_carries_the_time_of_its_event():
    """Contract O-1: a trace gives the same state at any time."""
    session = session_with(PlayedModel([(handing_over(HANDLER),), ("Hello.",)]))
    await say(session, "hi")
    (step,) = session.state.phase_history
    assert (step.at, step.from_agent, step.to_agent) == (NOON, TRIAGE, HANDLER)


async def test_a_delta_changes_nothing():
    events = await say(session_with(PlayedModel([("Hello.",)])), "hi")
    conversation = replayed(FIRST, events[:4])
    before = copy.deepcopy(conversation)
    conversation.apply(
        MessageDelta(
            seq=99, at=NOON, session_id="s1", run_id="run", phase="x", turn=1, offset=0, text="x"
        )
    )
    assert conversation == before


async def test_a_repeated_result_is_stored_once():
    """Contract D-4: every call has exactly one result."""
    session = session_with(PlayedModel([(handing_over(HANDLER),), ("Hello.",)]))
    events = await say(session, "hi")
    accepted = only(HandoffAccepted, events)
    conversation = replayed(FIRST, events[: events.index(accepted) + 1])
    length = len(conversation.history)
    again = ToolResult(call_id=accepted.call_id, name="handoff_conversation", content="again")
    conversation.apply(
        ToolReturned(seq=99, at=NOON, session_id="s1", run_id="run", phase="handling", result=again)
    )
    assert len(conversation.history) == length


def test_only_these_events_change_nothing_within_a_run():
    unchanged = {FeedbackGiven, HookFailed, MessageDelta, RunStarted, SupervisionLimited}
    assert set(get_args(Event)) - set(ReducedState.run_handlers) == unchanged
