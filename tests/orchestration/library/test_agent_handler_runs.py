"""Results, usage and stop conditions of the runs of an `AgentHandler`."""

from contextlib import aclosing

import pytest

from orchestration import (
    AgentSpec,
    HandlerError,
    MemoryJournal,
    SwarmMode,
    Usage,
)
from orchestration.definition import Tool
from orchestration.events import InputRequested, RunCompleted
from orchestration.exceptions import ProviderError
from orchestration.messages import ToolCall
from orchestration.runtime import RunResult
from orchestration.tools import user_input_tool
from tests.orchestration.conversations import Turn, calling, every
from tests.orchestration.library_agents import NAMES, handler, results_of, to
from tests.orchestration.topologies import Play, chain, model_of, once

# Ends


async def test_a_failed_run_yields_its_error_and_raises():
    """Contract D-2: the last result has the reason."""

    def away(request: object) -> Turn:
        raise ProviderError("The model is away.")

    results = handler("workflow", {"b": away}).handle("hi")
    assert (await anext(results)).agent == "a"
    last = await anext(results)
    assert (last.agent, last.reason, last.error) == ("a", "failed", "The model is away.")
    with pytest.raises(HandlerError, match="The model is away"):
        await anext(results)


@pytest.mark.parametrize("mode", list(SwarmMode))
async def test_the_usage_of_the_results_adds_up_to_that_of_the_run(mode):
    """Contract D-6: what the results took is what the run took."""
    journal = MemoryJournal()
    handing: dict[str, Play] = {"a": to("b"), "b": to("c")}
    plays = {"team": {"a": once(calling("delegate_to_b", task="x"))}, "workflow": {}}
    results = await results_of(handler(mode, plays.get(mode, handing)), journal=journal)
    total = sum((result.usage for result in results), Usage())
    assert total == every(RunCompleted, journal.events)[-1].usage
    assert total.calls == 3


async def test_the_usage_of_a_subtask_is_part_of_its_agents_usage():
    """Contract D-6."""
    look = Tool(name="look", kind="subtask", pipeline="ReaderMessage")
    agents = {"a": AgentSpec(tools=[look])}
    journal = MemoryJournal()
    (result,) = await results_of(
        handler("workflow", {"a": once(calling("look", what="this"))}, agents=agents),
        pipelines=lambda request: chain("b"),
        journal=journal,
    )
    assert result.output == "a says: b(this)"
    assert result.usage == every(RunCompleted, journal.events)[-1].usage
    assert result.usage.calls == 3


async def test_a_turn_limit_is_a_result_with_the_usage():
    """Contract D-2."""

    def look() -> str:
        return "nothing"

    made = handler(
        "workflow", {"a": lambda _: (calling("look"),)}, agents={"a": AgentSpec(tools=[look])}
    )
    (result,) = await results_of(made)
    assert result.reason == "turn_limit"
    assert result.usage.calls > 0


async def test_an_answer_of_the_user_may_come_at_once_or_later():
    """Contract D-2 and T-10: `ask_user` may answer at once, or the next message does."""

    async def later(request: InputRequested) -> None:
        assert request.question == "Which order?"

    async def at_once(request: InputRequested) -> str:
        return "Order 7"

    agents = {"a": AgentSpec(tools=[user_input_tool()])}
    made = handler(
        "handoff", {"a": once(calling("ask_user", question="Which order?"))}, agents=agents
    )
    (answered,) = await results_of(made, ask_user=at_once)
    assert answered.output == "a says: Order 7"

    journal = MemoryJournal()
    (waiting,) = await results_of(made, session_id="s1", ask_user=later, journal=journal)
    assert (waiting.agent, waiting.reason) == ("a", "waiting_for_user")
    (result,) = await results_of(
        made, "Order 8", session_id="s1", message_id="2", events=journal.events
    )
    assert result.output == "a says: Order 8"


async def test_closing_the_results_cancels_the_run():
    """Contract D-2: the journal says that it was cancelled."""
    journal, model = MemoryJournal(), model_of({})
    results = handler("workflow", provider=model).handle("hi", journal=journal)
    async with aclosing(results):
        await anext(results)
    assert every(RunCompleted, journal.events)[0].reason == "cancelled"
    assert len(model.requests) == 1


# The stop conditions


@pytest.mark.parametrize("mode", list(SwarmMode))
async def test_the_run_ends_exactly_at_the_stop_condition(mode):
    """Contract H-6: of every result but the last it says no, of the last it says yes."""
    plays = {"team": {"a": once(calling("delegate_to_b", task="x"))}, "workflow": {}}
    handing: dict[str, Play] = {"a": to("b"), "b": lambda _: ("c",)}
    made = handler(mode, plays.get(mode, handing))
    results = await results_of(made)
    assert len(results) > 1
    asked = {
        "workflow": lambda result: made._check_workflow_stop(result.agent),
        "handoff": lambda result: made._check_handoff_stop(result, made.agents[result.agent]),
        "team": lambda result: made._check_team_stop(result.agent),
    }[mode]
    for _ in range(2):  # pure: asked again, the same
        assert [asked(result) for result in results] == [False] * (len(results) - 1) + [True]


def test_a_workflow_stops_after_the_last_in_its_order():
    """Contract H-6."""
    made = handler("workflow", flow_order=["c", "a"])
    stops = {name: made._check_workflow_stop(name) for name in ("c", "a")}
    assert stops == {"c": False, "a": True}


def test_a_handoff_is_a_call_of_the_tool_or_a_targets_name():
    """Contract H-6."""
    made = handler("handoff")
    agent = made.agents["a"]

    def stops(output: str = "", *calls: str) -> bool:
        made_calls = tuple(ToolCall(id=name, name=name) for name in calls)
        result = RunResult(agent="a", output=output, tool_calls=made_calls)
        return made._check_handoff_stop(result, agent)

    assert stops("Done.")
    assert stops("Done.", "look")
    assert not stops("Done.", "look", "handoff")
    assert not stops(" b ")
    assert stops("a")


def test_a_team_stops_after_the_answer_of_its_lead():
    """Contract H-6."""
    made = handler("team", flow_order=["b"])
    assert [made._check_team_stop(name) for name in NAMES] == [False, True, False]
