"""Agents that follow each other, hand over, or are led."""

import inspect
from contextlib import aclosing

import pytest

from orchestration import (
    Agent,
    AgentHandler,
    AgentSpec,
    Handler,
    HandlerError,
    Handoff,
    MemoryJournal,
    StopReason,
    SwarmMode,
)
from orchestration.events import HandoffRejected, HandoffRequested
from orchestration.exceptions import ProviderError
from tests.orchestration.conversations import PlayedModel, Turn, calling, every, types
from tests.orchestration.library_agents import (
    NAMES,
    handler,
    outputs,
    results_of,
    to,
)
from tests.orchestration.topologies import model_of, once

# Construction


def test_all_arguments_are_keyword_only():
    """Contract H-2."""
    with pytest.raises(TypeError, match="positional"):
        AgentHandler({"a": AgentSpec()})  # type: ignore[call-arg]
    kinds = {one.kind for one in inspect.signature(AgentHandler).parameters.values()}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}
    assert issubclass(AgentHandler, Handler)


@pytest.mark.parametrize("mode", [*SwarmMode, "workflow", "handoff", "team"])
def test_a_mode_may_be_its_plain_name(mode):
    """Contract H-1."""
    assert handler(mode).mode is SwarmMode(mode)


def test_an_unknown_mode_is_refused_at_construction():
    """Contract H-1."""
    with pytest.raises(HandlerError, match=r"no mode 'ring': choose one of 'workflow', 'handoff'"):
        handler("ring")


def test_without_flow_order_the_agents_keep_their_order():
    """Contract H-2."""
    assert handler("workflow", names=("b", "a")).flow_order == ("b", "a")
    assert handler("workflow", flow_order=[]).flow_order == NAMES
    assert handler("workflow", flow_order=["c", "a"]).flow_order == ("c", "a")


def test_an_unknown_name_in_the_order_is_refused():
    """Contract H-2."""
    with pytest.raises(HandlerError) as caught:
        handler("workflow", flow_order=["a", "d"])
    assert str(caught.value) == "Agent 'd' not found in swarm"


def test_a_team_has_a_lead():
    """Contract H-5."""
    with pytest.raises(HandlerError) as caught:
        handler("team", names=())
    assert str(caught.value) == "Team mode requires at least one agent"


@pytest.mark.parametrize(
    ("mode", "fields", "why"),
    [
        ("workflow", {"names": ()}, "Workflow mode requires at least one agent"),
        ("workflow", {"flow_order": ["a", "a"]}, "'a' is in flow_order twice"),
        ("handoff", {"max_handoffs": -1}, "max_handoffs"),
        ("handoff", {"limit_counts": "all"}, "'completed' or 'requested'"),
        ("handoff", {"agents": {"a": AgentSpec(handoffs=["d"])}}, "'a' hands over to 'd'"),
        ("handoff", {"agents": {"a": AgentSpec(handoffs=["a"])}}, "'a' hands over to itself"),
        (
            "handoff",
            {"agents": {"a": AgentSpec(handoffs=["b", Handoff("b")]), "b": AgentSpec()}},
            "'a' hands over to 'b' twice",
        ),
    ],
)
def test_invalid_arguments_are_refused_with_the_name(mode, fields, why):
    with pytest.raises(HandlerError, match=why):
        handler(mode, **fields)


# Workflow


async def test_each_agent_gets_its_predecessors_output():
    """Contract H-3."""
    results = await results_of(handler("workflow"))
    assert outputs(results) == [("a", "a(hi)"), ("b", "b(a(hi))"), ("c", "c(b(a(hi)))")]
    assert [result.reason for result in results] == [None, None, StopReason.REPLIED]


async def test_a_workflow_follows_flow_order():
    """Contract H-2: whoever is not in it takes no part."""
    results = await results_of(handler("workflow", flow_order=["c", "a"]))
    assert outputs(results) == [("c", "c(hi)"), ("a", "a(c(hi))")]


async def test_every_result_is_yielded_as_soon_as_it_exists():
    """Contract H-3: no agent is asked before its predecessor's result was taken."""
    model = model_of({})
    results = handler("workflow", provider=model).handle("hi")
    asked = [(result.agent, len(model.requests)) async for result in results]
    assert asked == [("a", 1), ("b", 2), ("c", 3)]


async def test_a_tool_of_an_agent_does_not_end_its_part():
    """Contract H-3: what it says last is its output, and all its turns are its cost."""

    def look(order: int) -> str:
        return f"order {order}"

    plays = {"a": once("Let me look.", calling("look", order=7))}
    agents = {"a": AgentSpec(tools=[look]), "b": AgentSpec()}
    results = await results_of(handler("workflow", plays, agents=agents))
    assert outputs(results) == [("a", "a says: order 7"), ("b", "b(a says: order 7)")]
    assert [result.usage.calls for result in results] == [2, 1]


async def test_agents_may_have_any_names():
    agents = {"HTTPAgent": AgentSpec(), "billing agent": Agent(id="x", name="X")}
    results = await results_of(handler("workflow", agents=agents))
    assert outputs(results) == [
        ("HTTPAgent", "HTTPAgent(hi)"),
        ("billing agent", "billing agent(HTTPAgent(hi))"),
    ]


# Handoff


async def test_the_active_agent_hands_over_or_answers():
    """Contract H-4."""
    results = await results_of(handler("handoff", {"a": to("b"), "b": once("One moment.")}))
    assert outputs(results) == [("a", ""), ("b", "One moment.")]
    assert [result.reason for result in results] == [None, StopReason.REPLIED]
    (record,) = results[-1].handoffs
    assert (record.from_agent, record.to_agent, record.count) == ("a", "b", 1)


async def test_the_result_is_yielded_before_the_handoff_is_checked():
    """Contract H-4."""
    for play in (to("b"), lambda request: ("b",)):
        journal = MemoryJournal()
        results = handler("handoff", {"a": play}).handle("hi", journal=journal)
        async with aclosing(results):
            assert (await anext(results)).agent == "a"
            assert types(journal.events)[-1] == "message.completed"
            assert (await anext(results)).agent == "b"
            assert len(every(HandoffRequested, journal.events)) == 1


@pytest.mark.parametrize("output", ["b", " b\n", "Bee"])
async def test_an_output_that_is_a_targets_name_hands_over(output):
    """Contract H-4: stripped, and nothing else."""
    agents = {"a": AgentSpec(), "b": AgentSpec(), "Bee": AgentSpec()}
    results = await results_of(handler("handoff", {"a": lambda _: (output,)}, agents=agents))
    assert [result.agent for result in results] == ["a", output.strip()]
    assert results[0].output == output


@pytest.mark.parametrize("output", ["ask b", "B", "b.", "a", "d", ""])
async def test_any_other_output_is_the_answer(output):
    """Contract H-4: its own name, a stranger's, or a name among other words."""
    turns: Turn = (output,) if output else (" ",)
    results = await results_of(handler("handoff", {"a": lambda _: turns}))
    assert [result.agent for result in results] == ["a"]
    assert results[0].reason == "replied"


async def test_only_declared_targets_are_accepted():
    """Contract H-4: neither by the tool nor by name; who declares none may hand to all."""
    agents = {"a": AgentSpec(handoffs=["b"]), "b": AgentSpec(), "c": AgentSpec(handoffs=[])}
    journal = MemoryJournal()
    plays = {"a": once(calling("handoff", target="c")), "b": to("c")}
    results = await results_of(handler("handoff", plays, agents=agents), journal=journal)
    assert [result.agent for result in results] == ["a", "a"]
    assert every(HandoffRejected, journal.events)[0].allowed == ("b",)
    by_name = handler("handoff", {"a": lambda _: ("c",)}, agents=agents)
    assert outputs(await results_of(by_name)) == [("a", "c")]
    through = handler("handoff", {"a": to("b"), "b": to("c")}, agents=agents)
    assert [result.agent for result in await results_of(through)] == ["a", "b", "c"]
    model = through._cast.providers["default"]
    assert isinstance(model, PlayedModel)
    assert not model.requests[-1].tools


async def test_the_target_gets_the_original_query_and_the_handoff():
    """Contract H-4 and D-3."""
    model = model_of({"a": lambda _: (calling("handoff", target="b", message="Order 7."),)})
    await results_of(handler("handoff", provider=model), "Where is my order?")
    assert "Where is my order?" in model.seen[1]
    assert any("Order 7." in text for text in model.seen[1])


async def test_the_first_agent_of_flow_order_begins():
    """Contract H-2: the others can be handed to all the same."""
    made = handler("handoff", {"c": to("a")}, flow_order=["c"])
    assert [result.agent for result in await results_of(made)] == ["c", "a"]


async def test_after_a_refused_handoff_the_agent_continues():
    """Contract H-4: each time that it asks there is a result."""
    plays = {"a": once("Let me see.", calling("handoff", target="nobody"))}
    results = await results_of(handler("handoff", plays))
    assert [result.agent for result in results] == ["a", "a"]
    assert "There is no agent 'nobody'" in results[1].output
    assert "b, c" in results[1].output


@pytest.mark.parametrize("limit", [0, 1, 3])
@pytest.mark.parametrize("counts", ["completed", "requested"])
async def test_the_limit_of_handoffs_ends_the_run(limit, counts):
    """Contract D-1: ping-pong is no circle here; the limit ends it."""
    made = handler("handoff", {"a": to("b"), "b": to("a")}, max_handoffs=limit, limit_counts=counts)
    results = await results_of(made)
    completed = limit if counts == "completed" else max(0, limit - 1)
    assert results[-1].reason == "handoff_limit"
    assert len(results[-1].handoffs) == completed
    assert [one.count for one in results[-1].handoffs] == list(range(1, completed + 1))
    assert [result.agent for result in results[:-1]] == [
        "ab"[index % 2] for index in range(completed + 1)
    ]


@pytest.mark.parametrize("limit", [60, 250])
async def test_max_handoffs_may_exceed_the_default_turns_and_calls(limit):
    """Contract D-1: no other limit comes first."""
    made = handler("handoff", {"a": to("b"), "b": to("a")}, max_handoffs=limit)
    results = await results_of(made)
    assert (len(results[-1].handoffs), results[-1].reason) == (limit, "handoff_limit")


async def test_a_declared_handoff_has_its_own_tool():
    """Contract H-4 and E-1."""
    agents = {"a": AgentSpec(handoffs=[Handoff("HTTPAgent"), "c"]), "HTTPAgent": AgentSpec()}
    agents["c"] = AgentSpec()
    model = model_of({"a": lambda _: (calling("transfer_to_http_agent"),)})
    results = await results_of(handler("handoff", agents=agents, provider=model))
    assert [tool.name for tool in model.requests[0].tools] == ["handoff", "transfer_to_http_agent"]
    assert [result.agent for result in results] == ["a", "HTTPAgent"]


async def test_one_agent_may_have_two_names():
    """Contract H-4: a target given as the agent itself must be one; its name is good always."""
    same = AgentSpec()
    agents = {"a": same, "b": same}
    made = handler("handoff", {"a": lambda _: ("b",), "b": lambda _: ("a",)}, agents=agents)
    assert [one.agent for one in (await results_of(made))[:3]] == ["a", "b", "a"]
    for edge in (same, Handoff(same)):
        with pytest.raises(HandlerError, match="'c' hands over to an agent with the names"):
            handler("handoff", agents=agents | {"c": AgentSpec(handoffs=[edge])})


async def test_a_target_may_be_the_agent_object():
    """Contract H-4."""
    b = AgentSpec()
    agents = {"a": AgentSpec(handoffs=[b]), "b": b, "c": AgentSpec()}
    for target, last in (("b", "b"), ("c", "a")):
        plays = {"a": once(calling("handoff", target=target))}
        results = await results_of(handler("handoff", plays, agents=agents))
        assert results[-1].agent == last


# Team


async def test_the_lead_has_a_tool_per_worker_and_its_answer_ends_the_run():
    """Contract H-5: results of the workers as they come, the lead's last."""
    model = model_of({"b": once(calling("delegate_to_a", task="count"))})
    results = await results_of(handler("team", flow_order=["b"], provider=model))
    offered = [tool.name for tool in model.requests[0].tools]
    assert offered == ["delegate_to_a", "delegate_to_c"]
    assert outputs(results) == [("a", "a(count)"), ("b", "b says: a(count)")]
    assert [result.reason for result in results] == [StopReason.REPLIED, StopReason.REPLIED]
    assert not any(request.tools for request in model.requests if request.agent.id == "a")


async def test_a_failed_worker_is_an_error_for_the_lead():
    """Contract H-5."""

    def away(request: object) -> Turn:
        raise ProviderError("away")

    plays = {"a": once(calling("delegate_to_b", task="count")), "b": away}
    results = await results_of(handler("team", plays))
    assert [(result.agent, result.reason, result.error) for result in results] == [
        ("b", "failed", "away"),
        ("a", "replied", None),
    ]
