"""Order and inputs of agents in every topology."""

import pytest

from orchestration.definition import Limits, Stage, Transition
from orchestration.events import (
    HandoffAccepted,
    HandoffRequested,
    MessageCompleted,
    MessageRouted,
    PhaseChanged,
    RunCompleted,
    SubtaskCompleted,
    SubtaskStarted,
    ToolReturned,
)
from orchestration.exceptions import ProviderError, SessionError
from tests.orchestration.conversations import (
    calling,
    every,
    only,
    say,
    session_with,
)
from tests.orchestration.topologies import (
    chain,
    model_of,
    once,
    star,
)

# Workflow


async def test_each_agent_of_a_workflow_gets_the_previous_output():
    """Contract H-3."""
    model = model_of({})
    session = session_with(model, chain("a", "b", "c"))
    events = await say(session, "hi")
    assert model.seen == [["hi"], ["a(hi)"], ["b(a(hi))"]]
    assert [one.text for one in every(MessageCompleted, events)][-1] == "c(b(a(hi)))"
    assert only(RunCompleted, events).reason == "replied"
    assert [one.agent_id for one in every(PhaseChanged, events)] == ["b", "c"]
    assert all(not request.tools for request in model.requests)


async def test_a_workflow_restarts_with_each_message_and_remembers():
    """Contract H-3: each agent remembers its earlier inputs and outputs."""
    model = model_of({})
    session = session_with(model, chain("a", "b"))
    await say(session, "one")
    await say(session, "two")
    assert model.seen[2] == ["one", "a(one)", "two"]
    assert model.seen[3] == ["a(one)", "b(a(one))", "a(two)"]


async def test_a_workflow_that_ends_with_the_human_waits_for_the_human():
    definition = chain("a")
    stages = (*definition.stages, Stage(phase="desk", kind="human"))
    ways = (Transition(source="at-a", target="desk"),)
    definition = definition.model_copy(update={"stages": stages, "transitions": ways})
    session = session_with(model_of({}), definition)
    assert only(RunCompleted, await say(session, "hi")).reason == "waiting_for_human"
    assert session.state.with_human


async def test_a_workflow_stops_at_its_limit_of_turns():
    """Contract T-4."""
    definition = chain("a", "b", "c", limits=Limits(max_turns=2))
    session = session_with(model_of({}), definition)
    assert only(RunCompleted, await say(session, "hi")).reason == "turn_limit"


# Team


async def test_the_lead_of_a_team_delegates_and_its_answer_ends_the_run():
    """Contract H-5 and D-6."""
    model = model_of({"lead": once(calling("delegate_to_b", task="count"))})
    session = session_with(model, star("lead", "a", "b"))
    events = await say(session, "hi")
    assert [tool.name for tool in model.requests[0].tools] == ["delegate_to_a", "delegate_to_b"]
    assert model.seen == [["hi"], ["count"], ["hi", "", "b(count)"]]
    assert every(MessageCompleted, events)[-1].text == "lead says: b(count)"
    end = every(RunCompleted, events)[-1]
    assert (end.reason, end.usage.calls, end.turns) == ("replied", 3, 2)
    done = only(SubtaskCompleted, events)
    assert (done.kind, done.title, done.output, done.error) == ("delegate", "b", "b(count)", None)
    worker = [event for event in events if event.session_id == done.task_id]
    assert [event.type for event in worker][:2] == ["run.started", "message.received"]
    assert done.task_id == "s1__team_b_0"


async def test_delegations_of_one_turn_run_in_parallel():
    both = (calling("delegate_to_a", task="1"), calling("delegate_to_b", task="2"))
    session = session_with(model_of({"lead": once(*both)}), star("lead", "a", "b"))
    events = await say(session, "hi")
    kinds = [event.type for event in events]
    assert (
        kinds.index("subtask.completed")
        > [at for at, kind in enumerate(kinds) if kind == "subtask.started"][1]
    )
    assert [message.text for message in session.history if message.role == "tool"] == [
        "a(1)",
        "b(2)",
    ]


async def test_a_delegation_without_a_task_is_an_error_the_lead_can_correct():
    session = session_with(
        model_of({"lead": once(calling("delegate_to_a", work="1"))}), star("lead", "a")
    )
    events = await say(session, "hi")
    assert "needs the argument task" in (only(ToolReturned, events).result.error or "")
    assert not every(SubtaskStarted, events)


async def test_a_worker_that_fails_is_an_error_for_the_lead():
    def fails(request):
        raise ProviderError("The model is away.")

    model = model_of({"lead": once(calling("delegate_to_a", task="1")), "a": fails})
    events = await say(session_with(model, star("lead", "a")), "hi")
    assert only(SubtaskCompleted, events).error == "The model is away."
    assert every(RunCompleted, events)[-1].reason == "replied"


# Swarm


async def test_an_answer_that_names_a_peer_hands_over():
    """Contract H-4."""
    model = model_of({"a": lambda request: (" B \n",)})
    events = await say(session_with(model, star("a", "b", topology="swarm")), "hi")
    assert only(HandoffAccepted, events).to_agent == "b"
    assert every(MessageCompleted, events)[-1].agent_id == "b"
    assert events.index(every(MessageCompleted, events)[0]) < events.index(
        only(HandoffRequested, events)
    )


# Typed handoffs


@pytest.mark.parametrize("topology", ["pipeline", "swarm", "workflow", "team"])
async def test_a_conversation_begins_at_the_stage_of_its_first_message(topology):
    definition = chain("a", "b", "c", topology=topology)
    model = model_of({})
    session = session_with(model, definition)
    events = await say(session, "hi", start_phase="at-b")
    assert only(MessageRouted, events).by == "start"
    assert model.seen[0] == ["hi"]
    assert model.requests[0].agent.id == "b"
    assert all(event.to_phase != "at-b" for event in every(PhaseChanged, events))

    again = session_with(None, definition, events=events)
    assert again.state == session.state
    assert again.conversation.view("b").messages[0].text == "hi"


async def test_only_the_first_message_chooses_a_stage_and_it_exists():
    session = session_with(model_of({}), chain("a", "b", topology="pipeline"))
    with pytest.raises(SessionError, match="There is no stage 'at-z'"):
        await say(session, "hi", start_phase="at-z")
    await say(session, "hi", start_phase="at-b")
    await say(session, "again", start_phase="at-a")
    assert session.state.phase == "at-b"


async def test_a_conversation_that_begins_at_the_human_waits_for_the_human():
    definition = chain("a", topology="pipeline")
    stages = (*definition.stages, Stage(phase="desk", kind="human"))
    definition = definition.model_copy(
        update={
            "stages": stages,
            "transitions": (Transition(source="at-a", target="desk"),),
        }
    )
    model = model_of({})
    events = await say(session_with(model, definition), "hi", start_phase="desk")
    assert only(RunCompleted, events).reason == "waiting_for_human"
    assert not model.requests
