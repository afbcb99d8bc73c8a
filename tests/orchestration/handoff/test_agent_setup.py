"""Handoffs of agents that the caller runs: `setup_handoff`."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration import CastError, HandoffMemoryProvider
from orchestration.conversation import View
from orchestration.definition import HUMAN
from orchestration.handoff import (
    HANDOFF_TOOL,
    HandoffHandler,
    HandoffRequest,
    ToolCallingAgent,
    allowed_handoff_tool,
    setup_handoff,
)
from orchestration.handoff.agent_setup import ToolCallHandler
from orchestration.routing import ConversationPipeline, PhaseMap, PipelineStage
from orchestration.state import ConversationState
from orchestration.tools import ToolSpec
from tests.orchestration.conversations import HANDLER, RESOLVER, REVIEWER, TRIAGE

LOOK = ToolSpec("look", "", {})
PIPELINE = ConversationPipeline(
    [
        PipelineStage("intake", TRIAGE, next="handling"),
        PipelineStage("handling", HANDLER, next="review"),
        PipelineStage("review", REVIEWER, next="resolution", can_return_to={"handling"}),
        PipelineStage("resolution", RESOLVER),
    ]
)
HANDOFFS = HandoffHandler(
    agents={TRIAGE, HANDLER, REVIEWER, RESOLVER},
    agent_aliases={"work": HANDLER},
    phase_map=PIPELINE.get_phase_map(),
    allowed_transitions=PIPELINE.get_allowed_transitions(),
)


class OwnAgent:
    """An agent of the caller, with tools."""

    def __init__(self, phase: str = "intake", agent_id: str = TRIAGE) -> None:
        self.id = agent_id
        self.tools: Sequence[ToolSpec] = [LOOK]
        self.state = ConversationState(phase=phase, active_agent_id=agent_id)
        self.tool_handler: ToolCallHandler = self.answer

    async def answer(self, name: str, arguments: str) -> str:
        return f"{name} was called with {arguments}"


def set_up(phase: str = "intake", handler: HandoffHandler = HANDOFFS) -> OwnAgent:
    agent = OwnAgent(phase)
    setup_handoff(agent, handler)
    return agent


def targets_of(agent: ToolCallingAgent) -> list[str] | None:
    """Return the targets that the agent's handoff tool offers; None without such a tool."""
    for tool in agent.tools:
        if tool.name == "handoff_conversation":
            targets: list[str] = tool.parameters["properties"]["target"]["enum"]
            return targets
    return None


@pytest.mark.parametrize(
    ("phase", "targets", "phases"),
    [
        ("intake", [HANDLER, HUMAN], ["handling", "escalation"]),
        ("handling", [REVIEWER, HUMAN], ["review", "escalation"]),
        ("review", [HANDLER, RESOLVER, HUMAN], ["handling", "resolution", "escalation"]),
    ],
)
def test_the_tool_offers_exactly_the_targets_of_the_state(phase, targets, phases):
    """Contract O-8."""
    agent = set_up(phase)
    assert [tool.name for tool in agent.tools] == ["look", "handoff_conversation"]
    properties = agent.tools[-1].parameters["properties"]
    assert properties["target"]["enum"] == targets
    assert properties["next_phase"]["enum"] == phases


def test_a_terminal_stage_gets_no_tool():
    """Contract O-8."""
    agent = set_up("resolution")
    assert list(agent.tools) == [LOOK]
    assert agent.tools == [LOOK]
    assert len(agent.tools) == 1


async def test_the_offered_targets_follow_the_state():
    """Contract O-8: after an accepted handoff, and after the caller sets another state."""
    agent = set_up("intake")
    await agent.tool_handler("handoff_conversation", json.dumps({"target": HANDLER}))
    assert targets_of(agent) == [REVIEWER, HUMAN]
    agent.state = agent.state.transition("resolution", RESOLVER)
    assert targets_of(agent) is None
    agent.state = agent.state.transition("review", REVIEWER)
    assert targets_of(agent) == [HANDLER, RESOLVER, HUMAN]


async def test_calls_of_the_tool_are_checked_and_other_calls_are_unchanged():
    """Contract O-7, O-8."""
    agent = set_up()
    before = agent.state
    assert await agent.tool_handler("look", "{}") == "look was called with {}"
    refused = json.loads(await agent.tool_handler("handoff_conversation", '{"target": "nobody"}'))
    assert refused["accepted"] is False
    assert HANDLER in refused["reason"]
    invalid = json.loads(await agent.tool_handler("handoff_conversation", "no JSON"))
    assert invalid["accepted"] is False
    assert agent.state is before
    accepted = await agent.tool_handler("handoff_conversation", '{"target": "work"}')
    assert json.loads(accepted) == {"accepted": True, "target": HANDLER, "phase": "handling"}
    assert agent.state.active_agent_id == HANDLER


async def test_the_receiver_and_only_it_remembers_the_summary():
    """Contract O-10: until the next handoff to that agent."""
    agent, memory = set_up("handling"), HandoffMemoryProvider()

    def remembered(agent_id: str) -> list[str]:
        return [each.text for each in memory.recall(View(agent_id), agent.state).messages]

    async def hand_over(target: str, summary: str) -> None:
        arguments = {"target": target, "reason": "Checked", "summary": summary}
        await agent.tool_handler("handoff_conversation", json.dumps(arguments))

    await hand_over(REVIEWER, "Order 7.\nIt is late.")
    assert agent.state.phase_history[-1].metadata == {"summary": "Order 7.\nIt is late."}
    note = f"[Context from previous agent ({TRIAGE})]: Order 7.\n> It is late."
    assert remembered(REVIEWER) == [note]
    assert remembered(HANDLER) == []
    await hand_over(HANDLER, "The address is wrong.")
    assert remembered(HANDLER) == [
        f"[Context from previous agent ({REVIEWER})]: The address is wrong."
    ]
    assert remembered(REVIEWER) == [note]
    await hand_over(REVIEWER, "")
    assert remembered(REVIEWER) == [f"[Context from previous agent ({HANDLER})]: Checked"]


async def test_a_refused_handoff_stores_no_summary():
    """Contract O-7, O-10."""
    agent = set_up()
    await agent.tool_handler("handoff_conversation", json.dumps({"target": "x", "summary": "No."}))
    assert agent.state.phase_history == ()


@pytest.mark.parametrize("phase", ["intake", "resolution"])
def test_a_second_setup_is_an_error(phase):
    """Contract O-8: also in a terminal stage, and after the caller wrapped the agent again."""
    agent = set_up(phase)
    with pytest.raises(CastError, match="'agent-triage' has the tool handoff_conversation already"):
        setup_handoff(agent, HANDOFFS)
    agent.tool_handler = agent.answer
    with pytest.raises(CastError, match="call setup_handoff once"):
        setup_handoff(agent, HANDOFFS)
    wrapped = set_up()
    wrapped.tools = list(wrapped.tools)
    wrapped.tool_handler = wrapped.answer
    with pytest.raises(CastError, match="call setup_handoff once"):
        setup_handoff(wrapped, HANDOFFS)


def test_tools_can_be_added_and_removed_beside_the_handoff_tool():
    agent = set_up()
    other = ToolSpec("other", "", {})
    agent.tools.append(other)  # type: ignore[attr-defined]
    assert [tool.name for tool in agent.tools] == ["look", "other", "handoff_conversation"]
    agent.tools.remove(LOOK)  # type: ignore[attr-defined]
    agent.tools[0] = LOOK  # type: ignore[index]
    assert [tool.name for tool in agent.tools] == ["look", "handoff_conversation"]


@pytest.mark.parametrize(
    ("handler", "targets"),
    [
        (HandoffHandler(agents={"a", "b"}), ["a", "b", HUMAN]),
        (HandoffHandler(agents={"a", "b"}, allow_human=False), ["a", "b"]),
        (HandoffHandler(phase_map={"a": "intake", "b": "work"}), ["a", "b", HUMAN]),
    ],
)
def test_without_transitions_all_known_agents_and_phases_are_allowed(handler, targets):
    """Contract O-8."""
    agent = set_up(handler=handler)
    assert targets_of(agent) == targets
    assert "enum" not in agent.tools[-1].parameters["properties"]["next_phase"]


def test_without_known_agents_any_target_may_be_requested():
    """Contract O-8: the check decides; a terminal phase still has no tool."""
    assert allowed_handoff_tool(HandoffHandler(), ConversationState()) is HANDOFF_TOOL
    handler = HandoffHandler(allowed_transitions={"intake": {"handling"}})
    assert allowed_handoff_tool(handler, ConversationState()) is HANDOFF_TOOL
    assert allowed_handoff_tool(handler, ConversationState(phase="handling")) is None


AGENTS, PHASES = ("a", "b", "c"), ("p", "q", "r", "handling")


@st.composite
def handlers(draw: st.DrawFn) -> HandoffHandler:
    owned = draw(st.dictionaries(st.sampled_from(PHASES), st.sampled_from([*AGENTS, None])))
    served = [(agent, phase) for phase, agent in owned.items() if agent is not None]
    targets = st.sets(st.sampled_from(PHASES))
    return HandoffHandler(
        agents=draw(st.sets(st.sampled_from(AGENTS))),
        phase_map=PhaseMap(served),
        allowed_transitions=draw(st.dictionaries(st.sampled_from(PHASES), targets) | st.none()),
        stages=draw(st.sampled_from([None, owned])),
        allow_human=draw(st.booleans()),
    )


@given(handlers(), st.sampled_from(PHASES))
def test_the_tool_offers_exactly_the_targets_that_the_check_accepts(handler, phase):
    """Contract O-7, O-8: with any transitions, stages, participants and phase map."""
    state = ConversationState(phase=phase, active_agent_id="a")
    tool = allowed_handoff_tool(handler, state)
    offered = set() if tool is None else {*tool.parameters["properties"]["target"]["enum"]}
    accepted = {
        target
        for target in (*AGENTS, HUMAN)
        for next_phase in (None, *PHASES)
        if handler.decide(HandoffRequest(target=target, next_phase=next_phase), state).accepted
    }
    if handler.stages is None and handler.allowed_transitions is not None:
        # Without stages, an agent can be sent to any allowed phase that the request names.
        assert offered <= accepted
        decisions = {
            target: handler.decide(HandoffRequest(target=target), state)
            for target in (*AGENTS, HUMAN)
        }
        accepted = {t for t, each in decisions.items() if each.accepted or each.code == "ambiguous"}
    assert offered == accepted
