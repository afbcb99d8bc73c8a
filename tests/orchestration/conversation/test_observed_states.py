"""States of conversations that pass their events to the log of a supervisor."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.conversation import CompiledPipeline
from orchestration.conversation.observed_states import ObservedState, SupervisedState
from orchestration.conversation.supervision.log import PauseRequest, SupervisionLog
from orchestration.definition import Group, Stage, Supervision
from orchestration.events import Event, MessageDelta, SubtaskCompleted, SubtaskStarted
from orchestration.messages import InboundMessage, Usage
from tests.orchestration.conversations import (
    HANDLER,
    NOON,
    RESOLVER,
    TRIAGE,
    PlayedModel,
    four_stages,
    handing_over,
    say,
    session_with,
)
from tests.orchestration.supervised_sessions import (
    WATCHER,
    supervised,
    supervised_session,
    supervisor_inputs,
)

FIRST_STATE = CompiledPipeline(four_stages()).first_state()


def new_log() -> SupervisionLog:
    return SupervisionLog("s1", WATCHER, Supervision(ask_at=("run_end",)))


async def events_of_a_run() -> list[Event]:
    """Return all events of a run with a handoff, with its deltas."""
    session = session_with(PlayedModel([("One moment.", handing_over(HANDLER)), ("Hello.",)]))
    return [event async for event in session.receive(InboundMessage(id="1", text="hi"))]


async def test_the_events_of_a_subtask_are_passed_on():
    stages = [Stage(phase="intake", kind="group", group=Group(agents=(HANDLER, RESOLVER)))]
    session, model = supervised_session(
        [("One.",), ("Two.",)], [], definition=supervised("run_end", stages=stages, transitions=[])
    )
    await say(session, "hi")
    (text,) = supervisor_inputs(model)
    assert f"message.completed {HANDLER} (intake) in s1__group_" in text
    assert text.count("subtask.completed") == 2


async def test_the_supervisor_gets_every_event_of_the_main_conversation_but_no_delta():
    conversation, log = SupervisedState("s1", FIRST_STATE), new_log()
    conversation.supervision = log
    events = await events_of_a_run()
    assert [conversation.apply(event) for event in events] == events
    recorded = [event for event in events if not isinstance(event, MessageDelta)]
    assert log.events == recorded
    assert len(recorded) < len(events)
    assert conversation.state.active_agent_id == HANDLER


@pytest.mark.parametrize(("is_supervisor", "turns"), [(True, 2), (False, 0)])
async def test_only_turns_of_the_supervisor_are_counted_and_only_other_events_are_logged(
    is_supervisor, turns
):
    conversation, log = ObservedState("s1", FIRST_STATE), new_log()
    conversation.log, conversation.is_supervisor = log, is_supervisor
    events = await events_of_a_run()
    assert [conversation.apply(event) for event in events] == events
    recorded = [event for event in events if not isinstance(event, MessageDelta)]
    assert log.events == ([] if is_supervisor else recorded)
    assert log.used == turns
    assert conversation.state.active_agent_id == HANDLER


async def test_a_requested_pause_reaches_the_run_at_the_end_of_the_call():
    conversation, log = SupervisedState("s1", FIRST_STATE), new_log()
    conversation.supervision = log
    started, received, routed, *_ = await events_of_a_run()
    conversation.apply(started)
    conversation.apply(received)
    task: dict[str, Any] = {"task_id": "s1__supervisor_0", "kind": "supervision", "title": WATCHER}
    head = (routed.seq, NOON, "s1", "run", "intake", TRIAGE)
    conversation.apply(SubtaskStarted(*head, **task, input=""))
    log.requested_pause = pause = PauseRequest(command_id="c1", by=WATCHER, reason="Look.")
    conversation.apply(routed)
    run = conversation.run
    assert run is not None
    before = run.requested_pause
    conversation.apply(SubtaskCompleted(*head, **task, output="", error=None, usage=Usage()))
    assert (before, run.requested_pause) == (None, pause)
    assert log.requested_pause is None
