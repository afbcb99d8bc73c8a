"""Progress of a run after each of its events."""

import pytest

from orchestration.conversation import ReducedState, RunProgress
from orchestration.events import Event
from tests.orchestration.conversations import (
    HANDLER,
    TRIAGE,
    PlayedModel,
    calling,
    four_stages,
    handing_over,
    replayed,
    say,
    session_with,
)

DEFINITION = four_stages(tools=[{"name": "look"}])


async def progress_after(kind: str) -> RunProgress:
    """Return the progress of a run with a tool and a handoff after its last event of a kind."""
    turns = [("One moment.", calling("look"), handing_over(HANDLER)), ("Done.",)]
    session = session_with(PlayedModel(turns), DEFINITION)
    first_state = session.state
    events = await say(session, "hi")
    last = max(index for index, event in enumerate(events) if event.type == kind)
    run = replayed(first_state, events[: last + 1]).run
    assert run is not None
    return run


async def test_progress_has_the_message_before_it_is_routed():
    run = await progress_after("message.received")
    assert run.message is not None
    assert (run.message.text, run.received, run.routing) == ("hi", True, None)


async def test_progress_has_the_open_calls_of_a_turn_in_order():
    run = await progress_after("tool.called")
    assert [call.name for call in run.open_calls.values()] == ["look", "handoff_conversation"]
    assert len(run.started_calls) == 1
    assert (run.caller, run.has_text, run.speaker) == (TRIAGE, True, TRIAGE)


async def test_progress_has_the_handoff_and_the_phase_before_it():
    run = await progress_after("handoff.accepted")
    assert run.handoff is not None
    assert (run.handoff.to_agent, run.previous_phase, run.handoffs) == (HANDLER, "intake", 1)
    assert run.path == [TRIAGE, HANDLER]
    assert run.handoff_request is None
    assert not run.open_calls


async def test_progress_has_the_usage_and_the_output_of_the_last_turn():
    run = await progress_after("message.completed")
    assert (run.turns, run.usage.calls, run.output, run.answered) == (2, 2, "Done.", True)
    assert not run.in_turn


@pytest.mark.parametrize("name", ["open_calls", "path", "members", "failed_rules", "decisions"])
def test_two_runs_share_no_collection(name):
    first, second = RunProgress("one", None), RunProgress("two", None)
    assert getattr(first, name) is not getattr(second, name)


async def test_usage_of_turns_outlives_the_run():
    session = session_with(PlayedModel([("Hello.",)]))
    first_state = session.state
    events: list[Event] = await say(session, "hi")
    conversation: ReducedState = replayed(first_state, events)
    assert conversation.run is None
    assert conversation.usage.turns == 1
    assert conversation.usage.peak == conversation.usage.context > 0
