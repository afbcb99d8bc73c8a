"""Names of the engine's own tools."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.definition import (
    TOOL_NAME_PATTERN,
    Agent,
    PipelineDefinition,
    Stage,
    Transition,
)
from orchestration.handoff import (
    delegate_tool_names,
    distinct_names,
    handoff_tool_names,
    passing_tool_names,
    shared_handoff_tool_name,
    snake_case,
    transfer_tool_names,
)
from tests.orchestration.strategies import definitions

ORDER = {"type": "object", "properties": {"order": {"type": "string"}}}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("BillingAgent", "billing_agent"),
        ("HTTPAgent", "http_agent"),
        ("AgentHTTP", "agent_http"),
        ("HTTP2Agent", "http2_agent"),
        ("S3Client", "s3_client"),
        ("agent-billing", "agent_billing"),
        ("billing_v2", "billing_v2"),
        ("agent--b", "agent_b"),
        ("Tech support", "tech_support"),
        ("Ärzte", "arzte"),
        ("日本", ""),
    ],
)
def test_snake_case_keeps_acronyms_and_numbers_whole(name: str, expected: str) -> None:
    """Contract E-1."""
    assert snake_case(name) == expected


def test_equal_names_are_numbered_in_their_order() -> None:
    """Contract E-2: two targets never share a tool."""
    assert distinct_names(["a", "b", "a", "a"]) == ("a", "b", "a_2", "a_3")


def test_a_numbered_name_is_never_one_of_the_other_names() -> None:
    """Contract E-2: a name that is not repeated stays unchanged."""
    assert distinct_names(["a", "a", "a_2"]) == ("a", "a_3", "a_2")
    assert distinct_names(["a", "a"], taken=["a", "a_2"]) == ("a_3", "a_4")


def test_names_that_are_too_long_are_cut_and_stay_distinct() -> None:
    """Contract E-2: the number is part of the 64 characters."""
    assert distinct_names(["x" * 70, "x" * 80]) == ("x" * 64, "x" * 62 + "_2")


@given(st.lists(st.sampled_from(["a", "a_2", "a_3", "b", "x" * 63, "x" * 70])))
def test_distinct_names_are_distinct_and_fit(names: list[str]) -> None:
    """Contract E-2."""
    result = distinct_names(names)
    assert len(result) == len(names)
    assert len(set(result)) == len(result)
    assert all(len(name) <= 64 for name in result)


def test_a_handoff_tool_is_named_after_the_target_agent() -> None:
    """Contract S-3: `transfer_to_` and the target's key."""
    definition = desk(Transition(source="intake", target="billing", input_schema=ORDER))
    assert handoff_tool_names("intake", definition) == {"billing": "transfer_to_agent_money"}


def test_handoff_tools_to_two_stages_of_one_agent_are_named_by_phase() -> None:
    """Contract E-2: also the tool of a human stage, which has no agent."""
    definition = desk(
        Transition(source="intake", target="billing", input_schema=ORDER),
        Transition(source="intake", target="refunds", kind="return", input_schema=ORDER),
        Transition(source="intake", target="front-desk", kind="return", input_schema=ORDER),
    )
    assert handoff_tool_names("intake", definition) == {
        "billing": "transfer_to_billing",
        "refunds": "transfer_to_refunds",
        "front-desk": "transfer_to_front_desk",
    }


def test_a_handoff_tool_has_the_name_that_its_transition_sets() -> None:
    """Contract S-3: `tool_name` overrides, and no other tool has it."""
    definition = desk(
        Transition(source="intake", target="billing", input_schema=ORDER),
        Transition(
            source="intake",
            target="front-desk",
            kind="return",
            input_schema=ORDER,
            tool_name="transfer_to_agent_money",
        ),
    )
    assert handoff_tool_names("intake", definition) == {
        "billing": "transfer_to_agent_money_2",
        "front-desk": "transfer_to_agent_money",
    }


def test_a_handoff_tool_never_has_the_name_of_the_common_tool() -> None:
    """Contract E-2."""
    transition = Transition(source="intake", target="billing", input_schema=ORDER)
    definition = desk(transition).model_copy(
        update={"handoff_tool_name": "transfer_to_agent_money"}
    )
    assert handoff_tool_names("intake", definition) == {"billing": "transfer_to_agent_money_2"}


def test_every_transition_can_have_a_tool_of_its_own() -> None:
    """For frameworks without a common tool; a tool of the agent keeps its name."""
    definition = desk(
        Transition(source="intake", target="billing", input_schema=ORDER, tool_name="send"),
        Transition(source="intake", target="refunds", kind="return"),
        Transition(source="intake", target="front-desk", kind="return"),
    )
    asking = Agent(id="agent-front", name="Front", tools=["transfer_to_front_desk"])
    stage = Stage(phase="intake", agent_id="agent-front")
    changed = definition.model_copy(
        update={"agents": (asking, *definition.agents), "stages": (*definition.stages, stage)}
    )
    names = transfer_tool_names("intake", changed)
    assert names["billing"] == "send"
    assert "transfer_to_front_desk" not in names.values()
    assert len(set(names.values())) == 3


def test_a_handoff_without_a_schema_uses_the_common_tool() -> None:
    """Contract O-8, S-2: in a swarm the tool is called `handoff`."""
    plain = Transition(source="intake", target="billing", tool_name="unused")
    definition = desk(plain)
    assert shared_handoff_tool_name(definition) == "handoff_conversation"
    swarm = definition.model_copy(update={"topology": "swarm"})
    assert shared_handoff_tool_name(swarm) == "handoff"
    assert handoff_tool_names("intake", definition) == {}


def test_workers_with_similar_or_equal_ids_have_distinct_tools() -> None:
    """Contract E-2 and H-5: named by key; for an agent of two stages by phase."""
    workers = [("b", "agent-b"), ("c", "agent_b"), ("d", "agent-d"), ("e", "agent-d")]
    team = PipelineDefinition(
        name="Team",
        topology="team",
        entry="a",
        stages=tuple(Stage(phase=phase, agent_id=agent) for phase, agent in workers),
        transitions=tuple(Transition(source="a", target=phase) for phase, _ in workers),
    )
    assert delegate_tool_names(team) == {
        "b": "delegate_to_agent_b",
        "c": "delegate_to_agent_b_2",
        "d": "delegate_to_d",
        "e": "delegate_to_e",
    }


def test_the_tools_of_a_stage_depend_on_the_topology() -> None:
    """Contract S-3, H-5, H-3."""
    transition = Transition(source="intake", target="billing", input_schema=ORDER)
    names = {
        topology: passing_tool_names(
            "intake", desk(transition).model_copy(update={"topology": topology, "entry": "intake"})
        )
        for topology in ("pipeline", "swarm", "team", "workflow")
    }
    assert names == {
        "pipeline": {"billing": "transfer_to_agent_money"},
        "swarm": {"billing": "transfer_to_agent_money"},
        "team": {"billing": "delegate_to_agent_money"},
        "workflow": {},
    }
    team = desk(transition).model_copy(update={"topology": "team", "entry": "billing"})
    assert passing_tool_names("intake", team) == {}


@given(definitions())
def test_every_tool_name_matches_the_pattern_of_the_models(
    definition: PipelineDefinition,
) -> None:
    """Contract E-2: the names of delegation tools are distinct."""
    for phase in definition.stages_by_phase:
        names = handoff_tool_names(phase, definition).values()
        assert all(re.fullmatch(TOOL_NAME_PATTERN, name) for name in names)
    delegations = delegate_tool_names(definition).values()
    assert len(set(delegations)) == len(delegations)
    assert all(re.fullmatch(TOOL_NAME_PATTERN, name) for name in delegations)


def desk(*transitions: Transition) -> PipelineDefinition:
    """Intake may lead to billing and refunds, which one agent serves, and to a human front desk."""
    return PipelineDefinition(
        name="Desk",
        agents=(Agent(id="agent-hello", name="Hello"), Agent(id="agent-money", name="Money")),
        stages=(
            Stage(phase="intake", agent_id="agent-hello"),
            Stage(phase="billing", agent_id="agent-money"),
            Stage(phase="refunds", agent_id="agent-money"),
            Stage(phase="front-desk", kind="human"),
        ),
        transitions=transitions,
    )
