"""The next step of a run, as a pure function of its state."""

import copy

from orchestration.conversation import (
    CallModel,
    CallTools,
    CompiledPipeline,
    DecideHandoff,
    Enter,
    Finish,
    Receive,
    ReducedState,
    RequestHandoff,
    Route,
    next_step,
)
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


async def steps_of(*turns) -> list[tuple[str, type]]:
    """Return the next step after each event of a run."""
    pipeline = CompiledPipeline(DEFINITION)
    events = await say(session_with(PlayedModel(turns), DEFINITION), "hi")
    conversation = ReducedState("s", pipeline.first_state())
    steps: list[tuple[str, type]] = []
    for event in events[:-1]:
        conversation.apply(event)
        assert conversation.run is not None
        steps.append((event.type, type(next_step(conversation, conversation.run, pipeline))))
    return steps


async def test_each_event_leads_to_one_step():
    assert await steps_of((calling("look"), handing_over(HANDLER)), ("Done.",)) == [
        ("run.started", Receive),
        ("message.received", Route),
        ("message.routed", CallModel),
        ("turn.started", CallModel),
        ("message.completed", CallTools),
        ("tool.called", CallTools),
        ("tool.returned", RequestHandoff),
        ("handoff.requested", DecideHandoff),
        ("handoff.accepted", Enter),
        ("phase.changed", CallModel),
        ("turn.started", CallModel),
        ("message.completed", Finish),
    ]


async def test_planning_the_next_step_changes_nothing():
    pipeline = CompiledPipeline(DEFINITION)
    events = await say(session_with(PlayedModel([("Hello.",)]), DEFINITION), "hi")
    conversation = replayed(pipeline.first_state(), events[:4])
    before = copy.deepcopy(conversation)
    run = conversation.run
    assert run is not None
    first, second = (next_step(conversation, run, pipeline) for _ in range(2))
    assert first == second == CallModel(TRIAGE, 1, started=True)
    assert conversation == before
