"""Agents that answer the same input, at once or one after the other."""

import asyncio
from collections.abc import AsyncGenerator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration import (
    AgentSpec,
    GroupHandler,
    HandlerError,
    MemoryJournal,
    Message,
    StopReason,
    Usage,
)
from orchestration.events import RunCompleted
from orchestration.exceptions import ProviderError
from orchestration.providers.provider import ModelRequest, Piece
from tests.orchestration.conversations import NOON, PlayedModel, Turn, calling, every
from tests.orchestration.library_agents import NAMES, outputs, results_of
from tests.orchestration.topologies import Play, model_of, once


def group(plays: Mapping[str, Play] | None = None, names=NAMES, tools=(), **fields) -> GroupHandler:
    """Agents of these names, played so; those that are not played echo what they are told."""
    fields.setdefault("agents", {name: AgentSpec(tools=tools) for name in names})
    fields.setdefault("provider", model_of(plays or {}))
    return GroupHandler(**fields)


def away(request: object) -> Turn:
    raise ProviderError("away")


# In parallel


async def test_parallel_agents_get_one_input_and_answer_in_order():
    """Contract H-9."""
    results = await results_of(group(names=("c", "a", "b")))
    assert outputs(results) == [("c", "c(hi)"), ("a", "a(hi)"), ("b", "b(hi)")]
    assert {result.reason for result in results} == {StopReason.REPLIED}


class Waiting(PlayedModel):
    """A model that answers for the first agent when the last has been asked."""

    def __init__(self) -> None:
        super().__init__(model_of({})._turns)
        self.last_was_asked = asyncio.Event()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        if request.agent.id == "c":
            self.last_was_asked.set()
        await self.last_was_asked.wait()
        async for piece in super().stream(request):
            yield piece


async def test_all_agents_run_at_once():
    """Contract H-9: the first waits for the last, and their results keep their order."""
    results = await asyncio.wait_for(results_of(group(provider=Waiting())), 5)
    assert [result.agent for result in results] == ["a", "b", "c"]


async def test_a_failure_names_every_agent_that_failed():
    """Contract H-9: the others' results are given, each in its place."""
    results = group({"a": away, "c": away}).handle("hi")
    came = [await anext(results) for _ in NAMES]
    assert [(one.agent, one.reason, one.error) for one in came] == [
        ("a", "failed", "away"),
        ("b", "replied", None),
        ("c", "failed", "away"),
    ]
    with pytest.raises(HandlerError, match=r"failed: 'a' \(away\), 'c' \(away\)") as caught:
        await anext(results)
    assert "'b'" not in str(caught.value)


async def test_an_agent_at_the_turn_limit_counts_as_failed():
    """Contract D-2: its result has the reason."""

    def look() -> str:
        return "nothing"

    made = group({"a": lambda _: (calling("look"),)}, tools=[look])
    results = made.handle("hi")
    assert (await anext(results)).reason == "turn_limit"
    with pytest.raises(HandlerError, match="'a'"):
        [result async for result in results]


async def test_an_agent_begins_after_its_dependencies():
    """Contract H-9: in parallel too."""
    model = model_of({})
    made = group(provider=model, dependencies={"a": ["c"]})
    results = await results_of(made)
    assert outputs(results) == [("a", "a(hi\n\n[c]: c(hi))"), ("b", "b(hi)"), ("c", "c(hi)")]
    assert model.requests[-1].agent.id == "a"


# One after the other


async def test_without_dependencies_each_gets_the_previous_output():
    """Contract H-9."""
    results = await results_of(group(parallel=False))
    assert outputs(results) == [("a", "a(hi)"), ("b", "b(a(hi))"), ("c", "c(b(a(hi)))")]


async def test_with_dependencies_each_gets_the_input_and_their_outputs():
    """Contract H-9: ties in order of registration."""
    made = group(
        names=("d", "c", "b", "a"), parallel=False, dependencies={"d": ["a", "b"], "b": ["a"]}
    )
    assert outputs(await results_of(made)) == [
        ("c", "c(hi)"),
        ("a", "a(hi)"),
        ("b", "b(hi\n\n[a]: a(hi))"),
        ("d", "d(hi\n\n[b]: b(hi\n\n[a]: a(hi))\n\n[a]: a(hi))"),
    ]


async def test_every_result_is_yielded_before_the_next_agent_runs():
    """Contract H-9."""
    model = model_of({})
    results = group(provider=model, parallel=False).handle("hi")
    asked = [(result.agent, len(model.requests)) async for result in results]
    assert asked == [("a", 1), ("b", 2), ("c", 3)]


async def test_a_failure_ends_the_group_and_names_the_agent():
    """Contract H-9."""
    model = model_of({"b": away})
    results = group(provider=model, parallel=False).handle("hi")
    assert (await anext(results)).agent == "a"
    failed = await anext(results)
    assert (failed.agent, failed.reason, failed.error) == ("b", "failed", "away")
    with pytest.raises(HandlerError, match=r"failed: 'b' \(away\)"):
        await anext(results)
    assert [request.agent.id for request in model.requests] == ["a", "b"]


@st.composite
def orders(draw: st.DrawFn) -> tuple[list[str], dict[str, list[str]]]:
    """Names in an order of registration, and dependencies without a circle."""
    names = draw(st.permutations([f"n{number}" for number in range(draw(st.integers(1, 6)))]))
    ranked = draw(st.permutations(names))
    wanted = {
        name: draw(st.lists(st.sampled_from(ranked[:index]), unique=True)) if index else []
        for index, name in enumerate(ranked)
    }
    return list(names), wanted


@given(orders())
async def test_the_order_is_topological_with_ties_as_registered(drawn):
    """Contract H-9."""
    names, wanted = drawn
    results = await results_of(group(names=names, parallel=False, dependencies=wanted))
    came: list[str] = []
    for result in results:
        ready = [one for one in names if one not in came and set(wanted[one]) <= set(came)]
        assert result.agent == ready[0]
        came.append(result.agent)
    assert sorted(came) == sorted(names)


# Construction


@pytest.mark.parametrize("parallel", [True, False])
@pytest.mark.parametrize(
    ("dependencies", "why"),
    [
        ({"a": ["d"]}, "dependencies of 'a' name 'd', which is no agent of the group"),
        ({"d": ["a"]}, "dependencies of 'd' name 'd', which is no agent of the group"),
        ({"a": ["a"]}, "'a' depends on itself"),
        ({"a": ["b"], "b": ["a"]}, "form a cycle: '[ab]' → '[ab]' → '[ab]'"),
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, "form a cycle: .*'c'"),
    ],
)
def test_invalid_dependencies_are_refused_before_any_agent_runs(dependencies, parallel, why):
    """Contract H-9."""
    with pytest.raises(HandlerError, match=why):
        group(dependencies=dependencies, parallel=parallel)


def test_a_group_without_agents_or_with_too_many_is_refused():
    with pytest.raises(HandlerError, match="at least one agent"):
        group(names=())
    with pytest.raises(HandlerError, match="at most 50 agents, not 51"):
        group(names=[f"n{number}" for number in range(51)])


async def test_an_agent_may_have_the_name_of_the_group_stage():
    results = await results_of(group(names=("group", "Group")))
    assert outputs(results) == [("group", "group(hi)"), ("Group", "Group(hi)")]


async def test_a_large_group_has_enough_turns_for_all_agents():
    """Contract D-2: no limit on turns comes before the last agent."""
    names = [f"n{number}" for number in range(50)]
    for parallel in (True, False):
        assert len(await results_of(group(names=names, parallel=parallel))) == 50


# Context


async def test_the_usage_of_the_results_adds_up_to_that_of_the_run():
    """Contract D-6: tools and all."""

    def look() -> str:
        return "nothing"

    journal = MemoryJournal()
    made = group({"a": once(calling("look"))}, tools=[look])
    results = await results_of(made, journal=journal)
    assert [result.usage.calls for result in results] == [2, 1, 1]
    total = sum((result.usage for result in results), Usage())
    assert total == every(RunCompleted, journal.events)[-1].usage


async def test_earlier_messages_are_part_of_every_prompt():
    """`messages` in a run of its own."""
    model = model_of({})
    before = [Message(role="user", text="My name is Ada.", at=NOON)]
    await results_of(group(provider=model), messages=before)
    assert model.seen == [["My name is Ada.", "hi"]] * 3


async def test_a_recorded_group_calls_no_model_again():
    """Contract S-7: of three, one had not answered."""
    journal, model = MemoryJournal(), model_of({})
    whole = await results_of(group(parallel=False), session_id="s1", journal=journal)
    ended = [index for index, one in enumerate(journal.events) if one.type == "subtask.completed"]
    made = group(parallel=False, provider=model)
    again = await results_of(made, session_id="s1", events=journal.events[: ended[1] + 1])
    assert outputs(again) == outputs(whole)
    assert [request.agent.id for request in model.requests] == ["c"]
