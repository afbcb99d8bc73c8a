"""The one check of handoffs, and the tool the model sees."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.conversation import Blueprint, offer
from orchestration.definition import PipelineDefinition, Stage, Transition
from orchestration.handoff import (
    HANDOFF_TOOL,
    HandoffHandler,
    HandoffRequest,
    handoff_tools,
    setup_handoff,
)
from orchestration.routing import ConversationPipeline, PhaseMap, PipelineStage
from orchestration.state import ConversationState
from orchestration.tools import ToolSpec
from tests.orchestration.conversations import HANDLER, RESOLVER, REVIEWER, TRIAGE, four_stages

AT_INTAKE = ConversationState(phase="intake", active_agent_id=TRIAGE)
PIPELINE = ConversationPipeline(
    [
        PipelineStage("intake", TRIAGE, next="handling"),
        PipelineStage("handling", HANDLER, next="review"),
        PipelineStage("review", REVIEWER, can_return_to={"handling"}),
    ]
)
HANDS = HandoffHandler(
    agents={TRIAGE, HANDLER, REVIEWER},
    agent_aliases={"work": HANDLER, "person": "human"},
    phase_map=PIPELINE.get_phase_map(),
    allowed_transitions=PIPELINE.get_allowed_transitions(),
)


def asking(target: str, **arguments: Any) -> HandoffRequest:
    return HandoffRequest(target=target, **arguments)


def test_an_accepted_handoff_gives_the_new_state():
    """Contract O-7."""
    result = HANDS.decide(asking(HANDLER, reason="billing"), AT_INTAKE)
    assert result.accepted
    assert (result.to_agent, result.to_phase) == (HANDLER, "handling")
    assert (result.state.phase, result.state.active_agent_id) == ("handling", HANDLER)
    assert result.state.phase_history[-1].reason == "billing"


def test_an_alias_is_its_agent():
    """Contract O-7."""
    assert HANDS.decide(asking("work"), AT_INTAKE).to_agent == HANDLER


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        (asking("agent-stranger"), "unknown_target", "no agent 'agent-stranger'"),
        (asking(REVIEWER), "not_allowed", "no way to stage 'review'"),
        (asking(HANDLER, next_phase="review"), "not_allowed", "no way to stage 'review'"),
    ],
)
def test_a_refusal_changes_nothing_and_says_what_would_do(request_, code, words):
    """Contract O-7."""
    result = HANDS.decide(request_, AT_INTAKE)
    assert not result.accepted
    assert result.code == code
    assert words in result.why
    assert "You can hand over to: agent-handler, human." in result.why
    assert result.allowed == (HANDLER, "human")
    assert result.state is AT_INTAKE


def test_the_phase_is_the_one_asked_for_else_the_agents_own_else_handling():
    """Contract O-7."""
    free = HandoffHandler(phase_map={HANDLER: "work"})
    assert free.decide(asking(HANDLER, next_phase="special"), AT_INTAKE).to_phase == "special"
    assert free.decide(asking(HANDLER), AT_INTAKE).to_phase == "work"
    assert free.decide(asking("agent-new"), AT_INTAKE).to_phase == "handling"


def test_the_human_is_allowed_unless_forbidden():
    """Contract O-9."""
    result = HANDS.decide(asking("person"), AT_INTAKE)
    assert (result.accepted, result.to_agent, result.to_phase) == (True, None, "escalation")
    assert result.state.with_human
    forbidding = HandoffHandler(
        agents=HANDS.agents,
        phase_map=HANDS.phase_map,
        allowed_transitions=HANDS.allowed_transitions,
        allow_human=False,
    )
    refused = forbidding.decide(asking("human"), AT_INTAKE)
    assert not refused.accepted
    assert refused.allowed == (HANDLER,)


def test_a_handoff_to_the_human_goes_to_the_human_stage_that_is_drawn():
    """Contract O-9: even where the blanket permission is withdrawn."""
    hands = HandoffHandler(
        agents={TRIAGE},
        allowed_transitions={"intake": {"desk"}},
        stages={"intake": TRIAGE, "desk": None},
        allow_human=False,
    )
    assert hands.decide(asking("human"), AT_INTAKE).to_phase == "desk"
    assert hands.decide(asking("desk"), AT_INTAKE).to_phase == "desk"


def test_the_human_does_not_stand_in_an_agents_stage_of_that_name():
    """Contract O-9: a stage of the human is used, an agent's stage called escalation is not."""
    of_agent, of_human = (
        HandoffHandler(
            agents={TRIAGE, HANDLER},
            allowed_transitions={"intake": {"handling"}},
            stages={"intake": TRIAGE, "escalation": owner},
        )
        for owner in (HANDLER, None)
    )
    result = of_agent.decide(asking("human"), AT_INTAKE)
    assert (result.accepted, result.to_agent, result.to_phase) == (True, None, "intake")
    assert result.state.with_human
    assert of_human.decide(asking("human"), AT_INTAKE).to_phase == "escalation"


def test_the_human_is_meant_even_where_a_stage_of_an_agent_is_called_so():
    """Contract O-9: whoever asks for the human never gets an agent."""
    hands = HandoffHandler(
        agents={TRIAGE, HANDLER},
        allowed_transitions={"intake": {"human"}},
        stages={"intake": TRIAGE, "human": HANDLER},
    )
    result = hands.decide(asking("human"), AT_INTAKE)
    assert (result.accepted, result.to_agent) == (True, None)


def test_an_agent_of_two_stages_is_asked_for_with_the_phase_that_is_meant():
    """Contract O-12."""
    hands = HandoffHandler(
        agents={TRIAGE, HANDLER},
        phase_map=PhaseMap([(TRIAGE, "intake"), (HANDLER, "draft"), (HANDLER, "rework")]),
        allowed_transitions={"intake": {"draft", "rework"}},
        stages={"intake": TRIAGE, "draft": HANDLER, "rework": HANDLER},
    )
    open_ = hands.decide(asking(HANDLER), AT_INTAKE)
    assert (open_.accepted, open_.code) == (False, "ambiguous")
    assert "'draft', 'rework'" in open_.why
    assert hands.decide(asking(HANDLER, next_phase="rework"), AT_INTAKE).to_phase == "rework"
    assert hands.decide(asking("rework"), AT_INTAKE).to_phase == "rework"


def test_of_two_stages_the_one_that_can_be_reached_is_meant():
    """Contract O-12: also where it is not the first in the phase map."""
    hands = HandoffHandler(
        agents={TRIAGE, HANDLER},
        phase_map=PhaseMap([(HANDLER, "draft"), (HANDLER, "rework")]),
        allowed_transitions={"intake": {"rework"}},
    )
    assert hands.decide(asking(HANDLER), AT_INTAKE).to_phase == "rework"


def test_a_phase_must_be_served_by_the_agent_that_is_to_enter_it():
    hands = HandoffHandler(
        agents={TRIAGE, HANDLER},
        allowed_transitions={"intake": {"review"}},
        stages={"intake": TRIAGE, "review": REVIEWER, "handling": HANDLER},
    )
    result = hands.decide(asking(HANDLER, next_phase="review"), AT_INTAKE)
    assert (result.accepted, result.code) == (False, "not_serving")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("{", "Invalid JSON"),
        ("[]", "arguments"),
        ("{}", "target: Field required"),
        ('{"target": "a", "channel_escalation": "fax"}', "channel_escalation"),
    ],
)
def test_wrong_arguments_are_explained_in_a_sentence(arguments, words):
    """Contract O-7."""
    explained = HandoffRequest.parse(arguments)
    assert isinstance(explained, str)
    assert words in explained


def test_what_a_model_leaves_open_is_as_if_it_had_not_been_named():
    request = HandoffRequest.parse(
        '{"target": " work ", "reason": null, "next_phase": "", "channel_escalation": ""}'
    )
    assert isinstance(request, HandoffRequest)
    assert (request.target, request.reason, request.channel_escalation) == ("work", "", "same")
    assert HANDS.decide(request, AT_INTAKE).to_phase == "handling"


def test_what_a_model_writes_is_bounded():
    request = HandoffRequest.parse(json.dumps({"target": "a", "summary": "x" * 100_000}))
    assert isinstance(request, HandoffRequest)
    assert len(request.summary) == 4_000


# The tool


def tool_of(definition: PipelineDefinition, phase: str) -> ToolSpec | None:
    tools = offer(definition, phase).tools
    return next((tool for tool in tools if tool.name == "handoff_conversation"), None)


def test_the_tool_has_the_parameters_of_the_seeds():
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
def test_a_model_may_ask_for_any_of_the_four_channels(tool):
    """Contract O-14: the tool offers them, and the check takes each of them into the state."""
    channels = tool.parameters["properties"]["channel_escalation"]["enum"]
    assert channels == ["same", "voice", "email", "sms"]
    for channel in channels:
        request = HandoffRequest.parse(
            json.dumps({"target": HANDLER, "channel_escalation": channel})
        )
        assert isinstance(request, HandoffRequest)
        assert HANDS.decide(request, AT_INTAKE).state.channel == channel


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


def test_where_the_human_is_forbidden_the_tool_does_not_offer_it():
    """Contract O-9."""
    tool = tool_of(four_stages(allow_human=False), "intake")
    assert tool is not None
    assert tool.parameters["properties"]["target"]["enum"] == [HANDLER]


def test_the_description_says_who_serves_which_stage_and_when_to_go_there():
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


class OwnAgent:
    """An agent of the caller's own, with tools."""

    def __init__(self) -> None:
        self.id = TRIAGE
        self.tools = [ToolSpec("look", "", {})]
        self.state = AT_INTAKE
        self.tool_handler: Callable[[str, str], Awaitable[str]] = self.answer

    async def answer(self, name: str, arguments: str) -> str:
        return f"{name} was called"


async def test_setup_handoff_equips_an_agent_with_the_tool_and_its_answer():
    """Contract O-8."""
    agent = OwnAgent()
    setup_handoff(agent, HANDS)
    setup_handoff(agent, HANDS)
    assert [tool.name for tool in agent.tools] == ["look", "handoff_conversation"]
    assert await agent.tool_handler("look", "{}") == "look was called"
    refused = await agent.tool_handler("handoff_conversation", '{"target": "agent-nobody"}')
    assert json.loads(refused)["accepted"] is False
    assert agent.state is AT_INTAKE
    accepted = await agent.tool_handler("handoff_conversation", '{"target": "work"}')
    assert json.loads(accepted) == {"accepted": True, "target": HANDLER, "phase": "handling"}
    assert agent.state.active_agent_id == HANDLER


# The tool and the check agree

phases = st.sampled_from(["a", "b", "c", "d", "desk", "missing", "escalation"])
ids = st.sampled_from(["agent-x", "agent-y", "agent-z"])
small_pipelines = st.builds(
    lambda served, ways, allow_human: PipelineDefinition(
        name="Small",
        agents=[{"id": agent, "name": agent} for agent in ("agent-x", "agent-y")],
        stages=[
            *(Stage(phase=phase, agent_id=agent) for phase, agent in served.items()),
            Stage(phase="desk", kind="human"),
        ],
        transitions=[Transition(source="a", target=way, kind="return") for way in ways],
        allow_human=allow_human,
    ),
    st.fixed_dictionaries(
        {phase: st.one_of(st.none(), ids) for phase in "abcd"},
        optional={"escalation": st.one_of(st.none(), ids)},
    ),
    st.sets(phases),
    st.booleans(),
)


@given(small_pipelines)
def test_the_tool_offers_exactly_what_the_check_accepts(definition):
    """Contract O-8, O-9: over all targets and phases."""
    hands = Blueprint(definition).handoffs
    state = ConversationState(phase="a", active_agent_id="agent-x")
    offered = {(way.target, way.phase) for way in offer(definition, "a").options}
    targets = {"agent-x", "agent-y", "agent-z", "human"}
    accepted = set()
    for target in targets:
        for phase in ("a", "b", "c", "d", "desk", "missing", "escalation"):
            result = hands.decide(asking(target, next_phase=phase), state)
            if result.accepted:
                accepted.add((target, result.to_phase))
    assert accepted == offered
    assert set(hands.allowed_targets(state)) == {target for target, _ in offered}
