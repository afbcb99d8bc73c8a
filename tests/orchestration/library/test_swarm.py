"""Swarms: construction, handoffs, cycles and limits."""

import inspect
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import BaseModel

from orchestration import (
    Agent,
    AgentSpec,
    Handoff,
    Swarm,
)
from orchestration.events import (
    CycleDetected,
    HandoffAccepted,
    HandoffRejected,
    LimitReached,
    ToolReturned,
)
from tests.orchestration.conversations import Turn, calling, only
from tests.orchestration.library_agents import (
    handoff_ring,
    run,
    swarm,
    to,
)
from tests.orchestration.topologies import Play, model_of, once

# Construction


def test_all_arguments_are_keyword_only():
    """Contract S-1."""
    parameters = inspect.signature(Swarm).parameters.values()
    assert {each.kind for each in parameters} == {inspect.Parameter.KEYWORD_ONLY}
    defaults = {each.name: each.default for each in parameters if each.default is not each.empty}
    assert defaults | {"provider": None, "tools": ()} == {
        "max_handoffs": 8,
        "detect_cycles": True,
        "pass_full_history": True,
        "handoff_tool_name": "handoff",
        "limit_counts": "completed",
        "provider": None,
        "tools": (),
    }
    assert Swarm.name == "swarm"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"entry_agent": "d"}, "no entry agent 'd'. Known: 'a', 'b', 'c'"),
        ({"names": ()}, "no entry agent 'a'. Known: none"),
        ({"max_handoffs": -1}, "max_handoffs: .*greater than or equal to 0"),
        ({"handoff_tool_name": "hand over"}, "handoff_tool_name: .*pattern"),
        ({"limit_counts": "all"}, "'completed' or 'requested'"),
        ({"agents": {"a": AgentSpec(handoffs=["d"])}}, "'a' hands over to 'd'"),
        ({"agents": {"a": Handoff("b")}}, "'a' is a Handoff to a name, 'b'"),
        ({"agents": {"": AgentSpec()}}, "'' is no agent name"),
        (
            {"agents": {"a": AgentSpec(), "b": Handoff(AgentSpec(), tool_name="go!")}},
            "handoff to 'b' is invalid: tool_name",
        ),
    ],
)
def test_invalid_arguments_are_refused_with_the_name(fields, why):
    """Contract S-1."""
    with pytest.raises(ValueError, match=why):
        swarm(**fields)


def test_a_tool_with_the_name_of_the_handoff_tool_is_refused():
    """Contract S-1: also with another handoff_tool_name."""

    def pass_on() -> str:
        return ""

    swarm(tools=[pass_on])
    with pytest.raises(ValueError, match="'a' would have two tools called 'pass_on'"):
        swarm(tools=[pass_on], handoff_tool_name="pass_on")


def test_declared_workers_are_the_agents_of_the_peers():
    """Contract S-1."""
    a, b = AgentSpec(), Agent(id="b", name="B")
    peers = swarm(agents={"a": a, "b": Handoff(b, description="Bills.")}, entry_agent="a")
    assert peers.declared_workers() == {"a": a, "b": b}


# Plain peers


async def test_plain_peers_share_one_tool_with_their_names():
    """Contract S-2."""
    model = model_of({})
    await run(swarm(provider=model, handoff_tool_name="pass_on"))
    (tool,) = model.requests[0].tools
    assert tool.name == "pass_on"
    properties = tool.parameters["properties"]
    assert properties["target"]["enum"] == ["b", "c"]
    assert set(properties) == {"target", "message"}
    assert tool.parameters["required"] == ["target"]


async def test_a_handoff_may_have_a_message_for_the_target():
    """Contract S-2 and D-3."""
    model = model_of({"a": to("b", message="Order 7 is late.")})
    await run(swarm(provider=model), "Where is my order?")
    assert model.seen[-1][0] == "[Context from previous agent (a)]: Order 7 is late."
    assert "Where is my order?" in model.seen[-1]


async def test_an_unknown_target_is_an_error_with_the_known_ones():
    """Contract S-2: the model can correct it."""
    model = model_of({"a": once(calling("handoff", target="d"))})
    events, result = await run(swarm(provider=model))
    assert only(HandoffRejected, events).allowed == ("b", "c")
    assert "There is no agent 'd' here. You can hand over to: b, c." in model.seen[-1][-1]
    assert (result.agent, result.reason) == ("a", "replied")


async def test_a_peer_hands_over_neither_to_itself_nor_to_the_human():
    """Contract S-2."""
    for call in (to("a"), to("human")):
        events, result = await run(swarm({"a": once(*call(None))}))  # type: ignore[arg-type]
        assert only(HandoffRejected, events).allowed == ("b", "c")
        assert (result.reason, result.handoffs) == ("replied", ())


async def test_of_several_handoffs_in_one_turn_the_first_valid_one_counts():
    """Contract D-4: and every call has a result."""
    calls = [calling("handoff", call_id=str(n), target=to) for n, to in enumerate("dbbc")]
    events, result = await run(swarm({"a": once(*calls)}))
    assert [(each.from_agent, each.to_agent) for each in result.handoffs] == [("a", "b")]
    answered_calls = {
        event.result.call_id if isinstance(event, ToolReturned) else event.call_id
        for event in events
        if isinstance(event, ToolReturned | HandoffAccepted | HandoffRejected)
    }
    assert answered_calls == {"0", "1", "2", "3"}


async def test_peers_may_list_their_targets():
    """Contract S-2."""
    model = model_of({"a": to("b")})
    agents = {"a": AgentSpec(handoffs=["b"]), "b": AgentSpec(handoffs=[]), "c": AgentSpec()}
    await run(swarm(agents=agents, provider=model))
    first, last = model.requests
    assert first.tools[0].parameters["properties"]["target"]["enum"] == ["b"]
    assert last.tools == ()


async def test_a_target_is_described_by_its_handoff_or_instructions():
    """Contract S-3: a description without an input_type."""
    model = model_of({})
    agents = {
        "a": AgentSpec(),
        "b": Handoff(AgentSpec(instructions="You bill."), description="For refunds."),
        "c": AgentSpec(instructions="You ship. Always."),
    }
    await run(swarm(agents=agents, provider=model))
    (tool,) = model.requests[0].tools
    assert tool.description.splitlines()[-2:] == ["- b: For refunds.", "- c: You ship."]


# Typed peers


class Line(BaseModel):
    sku: str
    pieces: int


class Refund(BaseModel):
    order: int
    lines: list[Line]


def typed(plays: Mapping[str, Play], **fields: Any) -> Swarm:
    agents = {"a": AgentSpec(), "b": Handoff(AgentSpec(), input_type=Refund), "c": AgentSpec()}
    return swarm(plays, agents=agents, entry_agent="a", **fields)


async def test_a_typed_peer_has_its_own_tool_with_the_models_schema():
    """Contract S-3: nested models included."""
    model = model_of({})
    await run(typed({}, provider=model))
    shared, own = model.requests[0].tools
    assert shared.parameters["properties"]["target"]["enum"] == ["c"]
    assert own.name == "transfer_to_b"
    assert own.parameters == Refund.model_json_schema()
    assert own.parameters["$defs"]["Line"]["required"] == ["sku", "pieces"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"order": "seven", "lines": []},
        {"order": 7},
        {"order": 7, "lines": [{"sku": "x", "pieces": "many"}]},
        {"order": 7, "lines": [{"sku": "x"}]},
    ],
)
async def test_an_invalid_payload_goes_back_to_the_model(wrong):
    """Contract S-3."""
    right = {"order": 7, "lines": [{"sku": "x", "pieces": 2}]}

    def play(request: Any) -> Turn:
        corrected = request.messages[-1].role == "tool"
        return (calling("transfer_to_b", **(right if corrected else wrong)),)

    events, result = await run(typed({"a": play}))
    error = only(ToolReturned, events).result.error
    assert error is not None
    assert error.startswith("The arguments of transfer_to_b are wrong: ")
    assert result.handoffs[0].payload == right
    assert only(HandoffAccepted, events).payload == right
    assert result.agent == "b"


@pytest.mark.parametrize("play", [to("b"), lambda request: ("b",)])
async def test_a_typed_peer_is_not_reached_without_its_payload(play):
    """Contract S-3: neither by the common tool nor by its name."""
    events, result = await run(typed({"a": lambda r: play(r) if len(r.messages) == 1 else ("Ok",)}))
    assert "call transfer_to_b" in only(HandoffRejected, events).why
    assert (result.agent, result.handoffs) == ("a", ())


# Cycles and limits


@pytest.mark.parametrize("names", ["ab", "abc"])
async def test_a_cycle_of_handoffs_ends_the_run_with_the_loop(names):
    """Contract S-5: A→B→A→B, and longer ones."""
    events, result = await run(swarm(handoff_ring(names), max_handoffs=100))
    assert result.reason == "cycle"
    assert result.loop == only(CycleDetected, events).loop == tuple(names)
    assert len(result.handoffs) == 2 * len(names) - 2
    assert only(HandoffRejected, events).code == "cycle"


async def test_the_loop_has_the_callers_names():
    """Contract S-5."""
    plays = {"HTTPAgent": to("billing agent"), "billing agent": to("HTTPAgent")}
    _, result = await run(swarm(plays, names=("HTTPAgent", "billing agent")))
    assert result.loop == ("HTTPAgent", "billing agent")
    assert result.handoffs[0].to_agent == "billing agent"


async def test_a_single_return_is_no_cycle():
    """Contract S-5: A→B→A."""

    def ask_b(request: Any) -> Turn:
        return ("Done.",) if len(request.messages) > 1 else (calling("handoff", target="b"),)

    _, result = await run(swarm({"a": ask_b, "b": to("a")}))
    assert (result.agent, result.reason, len(result.handoffs)) == ("a", "replied", 2)


async def test_without_cycle_detection_the_limit_ends_the_run():
    """Contract S-5 and D-1."""
    _, result = await run(swarm(handoff_ring("ab"), detect_cycles=False))
    assert (result.reason, len(result.handoffs), result.loop) == ("handoff_limit", 8, ())


@pytest.mark.parametrize("limit", [0, 1, 2])
@pytest.mark.parametrize("counts", ["completed", "requested"])
async def test_the_limit_of_handoffs_ends_the_run(limit, counts):
    """Contract D-1."""
    peers = swarm(handoff_ring("abc"), max_handoffs=limit, limit_counts=counts)
    events, result = await run(peers)
    completed = limit if counts == "completed" else max(0, limit - 1)
    assert (result.reason, len(result.handoffs)) == ("handoff_limit", completed)
    assert result.agent == "abc"[completed]
    assert only(HandoffRejected, events).code == "limit"
    reached = only(LimitReached, events)
    assert (reached.resource, reached.limit) == ("handoffs", limit)


# Prompts


@pytest.mark.parametrize("full", [True, False])
async def test_the_users_question_is_always_part_of_the_prompt(full):
    """Contract S-6."""
    model = model_of({"a": once("Let me see.", *to("b", message="Late.")(None))})  # type: ignore[arg-type]
    await run(swarm(provider=model, pass_full_history=full), "Where is my order?")
    prompt = model.seen[-1]
    assert "Where is my order?" in prompt
    assert ("[a]: Let me see." in prompt) is full
    assert prompt[0].endswith(": Late.")
