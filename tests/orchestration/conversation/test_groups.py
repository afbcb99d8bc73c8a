"""Groups in a conversation: inputs, outputs and failures of members."""

import pytest

from orchestration.definition import Group, Limits, Transition
from orchestration.events import (
    MessageCompleted,
    RunCompleted,
    RunFailed,
    SubtaskStarted,
)
from orchestration.exceptions import ProviderError
from tests.orchestration.conversations import (
    every,
    handing_over,
    say,
    session_with,
    unchecked_session_with,
)
from tests.orchestration.topologies import (
    model_of,
    with_group,
)

PANEL = Group(agents=("b", "a"))


async def test_members_of_a_group_get_one_input_and_join_in_order():
    """Contract H-9."""
    model = model_of({"first": lambda request: (handing_over("panel", summary="look"),)})
    session = session_with(model, with_group(PANEL))
    events = await say(session, "hi")
    told = "hi\n\n[Context from previous agent (first)]: look"
    assert [one.input for one in every(SubtaskStarted, events)] == [told, told]
    said = [(one.agent_id, one.text) for one in session.history if one.role == "assistant"][1:]
    assert [who for who, _ in said] == ["b", "a", "last"]
    assert model.requests[-1].agent.id == "last"
    assert model.seen[-1][-2:] == [f"[b]: b({told})", f"[a]: a({told})"]
    assert every(RunCompleted, events)[-1].reason == "replied"
    assert session.state.phase == "verdict"


async def test_a_group_in_a_workflow_gets_and_passes_on_outputs():
    """Contract H-3, H-9: never the user's message itself."""
    model = model_of({})
    events = await say(session_with(model, with_group(PANEL, topology="workflow")), "hi")
    assert [one.input for one in every(SubtaskStarted, events)] == ["first(hi)", "first(hi)"]
    assert model.requests[-1].agent.id == "last"
    assert model.seen[-1] == ["[b]: b(first(hi))", "[a]: a(first(hi))"]


async def test_a_member_gets_the_outputs_of_its_dependencies():
    """Contract H-9."""
    group = Group(agents=("c", "a", "b"), parallel=False, dependencies={"c": ("a", "b")})
    model = model_of({"first": lambda request: (handing_over("panel", summary="x"),)})
    events = await say(session_with(model, with_group(group)), "hi")
    started = every(SubtaskStarted, events)
    assert [one.title for one in started] == ["a", "b", "c"]
    assert started[-1].input.startswith(started[0].input)
    assert "[a]: a(" in started[-1].input
    assert "[b]: b(" in started[-1].input


async def test_a_serial_group_without_dependencies_chains_output_to_input():
    """Contract H-9."""
    group = Group(agents=("b", "a"), parallel=False)
    definition = with_group(group, entry="panel")
    events = await say(session_with(model_of({}), definition), "hi")
    assert [one.input for one in every(SubtaskStarted, events)] == ["hi", "b(hi)"]
    assert every(MessageCompleted, events)[-1].agent_id == "last"


async def test_a_failed_group_names_every_failed_member():
    """Contract H-9."""

    def fails(request):
        raise ProviderError("away")

    model = model_of({"a": fails, "b": fails})
    events = await say(session_with(model, with_group(PANEL, entry="panel")), "hi")
    failed = every(RunFailed, events)[-1]
    assert failed.error == "GroupError"
    assert "b (away)" in failed.message
    assert "a (away)" in failed.message


@pytest.mark.parametrize(
    ("dependencies", "waiting"),
    [({"a": ("b",), "b": ("a",)}, "b, a"), ({"a": ("stranger",)}, "a")],
)
@pytest.mark.parametrize("parallel", [True, False])
async def test_members_that_wait_for_each_other_fail_the_group(dependencies, waiting, parallel):
    """Contract H-9, D-2: also in a draft."""
    group = Group(agents=("b", "a"), parallel=parallel, dependencies=dependencies)
    events = await say(unchecked_session_with(model_of({}), with_group(group, entry="panel")), "hi")
    failed = events[-1]
    assert isinstance(failed, RunFailed)
    assert failed.error == "GroupError"
    assert (
        failed.message == f"Members of the group of stage 'panel' wait for each other: {waiting}."
    )


async def test_a_group_without_a_next_stage_answers_the_next_message():
    definition = with_group(PANEL, entry="panel", transitions=[])
    model = model_of({})
    session = session_with(model, definition)
    first = await say(session, "one")
    second = await say(session, "two")
    assert every(RunCompleted, first)[-1].reason == "replied"
    assert [one.title for one in every(SubtaskStarted, second)] == ["b", "a"]
    assert len({one.task_id for one in every(SubtaskStarted, first + second)}) == 4
    own = [request for request in model.requests if request.agent.id == "a"][-1]
    assert [message.text for message in own.messages] == ["one", "[b]: b(one)", "a(one)", "two"]


async def test_members_count_as_turns():
    """Contract T-4: so groups that lead to each other end."""
    definition = with_group(
        PANEL,
        entry="panel",
        transitions=[Transition(source="panel", target="panel")],
        limits=Limits(max_turns=6),
    )
    events = await say(unchecked_session_with(model_of({}), definition), "hi")
    assert every(RunCompleted, events)[-1].reason == "turn_limit"
    assert len(every(SubtaskStarted, events)) == 6
