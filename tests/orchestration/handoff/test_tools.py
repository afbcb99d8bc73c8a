"""The handoff tool as offered to a model."""

import json

import pytest
from hypothesis import given

from orchestration.conversation import CompiledPipeline, offer
from orchestration.definition import PipelineDefinition, Stage, Transition
from orchestration.handoff import (
    HANDOFF_TOOL,
    HandoffHandler,
    HandoffRequest,
    delegate_tool,
    handoff_tools,
)
from orchestration.state import ConversationState
from orchestration.tools import HandoffOption, ToolSpec
from tests.orchestration.conversations import HANDLER, RESOLVER, REVIEWER, TRIAGE, four_stages
from tests.orchestration.strategies import handoff_pipelines

AT_INTAKE = ConversationState(phase="intake", active_agent_id=TRIAGE)
HANDOFFS = HandoffHandler(
    agents={TRIAGE, HANDLER},
    agent_aliases={"work": HANDLER},
    phase_map={TRIAGE: "intake", HANDLER: "handling"},
    allowed_transitions={"intake": {"handling"}, "handling": set()},
)


def tool_of(definition: PipelineDefinition, phase: str) -> ToolSpec | None:
    tools = offer(definition, phase).tools
    return next((tool for tool in tools if tool.name == "handoff_conversation"), None)


def test_the_tool_has_the_parameters_of_the_contract():
    """Contract O-8."""
    assert HANDOFF_TOOL.name == "handoff_conversation"
    assert HANDOFF_TOOL.parameters["required"] == ["target", "reason", "summary"]
    assert list(HANDOFF_TOOL.parameters["properties"]) == [
        "target",
        "reason",
        "summary",
        "next_phase",
        "channel_escalation",
    ]


@pytest.mark.parametrize("tool", [HANDOFF_TOOL, tool_of(four_stages(), "intake")])
def test_a_model_may_request_any_of_the_four_channels(tool):
    """Contract O-14: the tool offers them, and the check takes each of them into the state."""
    channels = tool.parameters["properties"]["channel_escalation"]["enum"]
    assert channels == ["same", "voice", "email", "sms"]
    for channel in channels:
        request = HandoffRequest.parse(
            json.dumps({"target": HANDLER, "channel_escalation": channel})
        )
        assert isinstance(request, HandoffRequest)
        assert HANDOFFS.decide(request, AT_INTAKE).state.channel == channel


def test_the_target_is_an_enum_of_exactly_the_allowed_ones():
    """Contract O-8."""
    tool = tool_of(four_stages(), "review")
    assert tool is not None
    assert tool.parameters["properties"]["target"]["enum"] == [RESOLVER, HANDLER, "human"]
    assert tool.parameters["properties"]["next_phase"]["enum"] == [
        "resolution",
        "handling",
        "escalation",
    ]


def test_a_terminal_stage_gets_no_handoff_tool():
    """Contract O-8."""
    assert tool_of(four_stages(), "resolution") is None
    assert handoff_tools([]) == []


def test_the_tool_does_not_offer_a_human_that_is_not_allowed():
    """Contract O-9."""
    tool = tool_of(four_stages(allow_human=False), "intake")
    assert tool is not None
    assert tool.parameters["properties"]["target"]["enum"] == [HANDLER]


def test_the_description_lists_each_target_with_stage_and_condition():
    """Contract O-8."""
    definition = four_stages(
        transitions=[
            Transition(source="review", target="resolution", description="All is well."),
            Transition(source="review", target="handling", kind="return"),
        ],
        stages=[
            Stage(phase="review", agent_id=REVIEWER),
            Stage(phase="resolution", agent_id=RESOLVER),
            Stage(phase="handling", agent_id=HANDLER, description="Work is done here."),
        ],
    )
    tool = tool_of(definition, "review")
    assert tool is not None
    assert tool.description.splitlines()[2:] == [
        "- agent-resolver (Resolver), stage resolution: All is well.",
        "- agent-handler (Handler), stage handling, back: Work is done here.",
        "- human, stage escalation: A person takes over, and no agent answers any more.",
    ]


@pytest.mark.parametrize("schema", [None, {"type": "object"}])
def test_only_a_typed_transition_has_its_own_tool(schema):
    """Contract S-2 and S-3."""
    option = HandoffOption("b", "agent-b", "Bee", tool="transfer_to_b", schema=schema)
    (tool,) = handoff_tools([option], among_peers=True)
    assert (tool.name, tool.kind) == (
        ("handoff", "handoff") if schema is None else ("transfer_to_b", "transfer")
    )
    assert tool.options == (option,)


def test_a_common_tool_has_the_name_that_the_definition_sets():
    """Contract S-1 and S-2: in a swarm with a target and a message only."""
    option = HandoffOption("b", "agent-b", "Bee", description="Knows\n bees.")
    (tool,) = handoff_tools([option], "pass_on", among_peers=True)
    assert tool.name == "pass_on"
    assert list(tool.parameters["properties"]) == ["target", "message"]
    assert tool.description.splitlines()[-1] == "- agent-b (Bee): Knows bees."


def test_a_delegation_tool_takes_a_task_and_names_the_worker():
    """Contract H-5."""
    option = HandoffOption("b", "agent-b", "Bee", description="Counts.", tool="delegate_to_b")
    tool = delegate_tool(option)
    assert (tool.name, tool.kind, tool.parameters["required"]) == (
        "delegate_to_b",
        "delegate",
        ["task"],
    )
    assert tool.description == "Have Bee do a task, and get the answer. Counts."


@given(handoff_pipelines())
def test_the_tool_offers_exactly_the_targets_that_the_check_accepts(definition):
    """Contract O-8, O-9: over all targets and phases."""
    handoffs = CompiledPipeline(definition).handoffs
    state = ConversationState(phase="a", active_agent_id="agent-x")
    offered = {(option.target, option.phase) for option in offer(definition, "a").options}
    targets = {"agent-x", "agent-y", "agent-z", "human"}
    accepted = set()
    for target in targets:
        for phase in ("a", "b", "c", "d", "desk", "missing", "escalation"):
            result = handoffs.decide(HandoffRequest(target=target, next_phase=phase), state)
            if result.accepted:
                accepted.add((target, result.to_phase))
    assert accepted == offered
    assert set(handoffs.allowed_targets(state)) == {target for target, _ in offered}
