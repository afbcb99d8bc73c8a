"""Rules about tools and their names."""

from typing import Any

import pytest
from hypothesis import given

from orchestration.conversation import offer
from orchestration.definition import HUMAN, PipelineDefinition
from orchestration.validation import Draft, validate
from tests.orchestration.sound_pipeline import (
    SOUND,
    codes,
    only_issue,
    sound,
    team,
    value_at,
    with_more,
    with_transition,
)
from tests.orchestration.strategies import storable_definitions

ORDER = {"type": "object"}


def with_tool(name: str, topology: str = "pipeline", **changes: Any) -> Any:
    """Return a valid definition with a tool of every agent."""
    agents = [agent | {"tools": [name]} for agent in SOUND["agents"]]
    make = {"team": team}.get(topology, sound)
    extra = {} if topology == "team" else {"topology": topology}
    return make(**extra, agents=agents, tools=[{"name": name}], **changes)


@pytest.mark.parametrize(
    ("topology", "name", "clashing"),
    [
        ("pipeline", "handoff_conversation", ["handler", "reviewer", "triage"]),
        ("pipeline", "handoff", []),
        ("swarm", "handoff", ["handler", "reviewer", "triage"]),
        ("swarm", "handoff_conversation", []),
        ("team", "delegate_to_handler", ["triage"]),
        ("team", "delegate_to_triage", []),
        ("team", "handoff_conversation", []),
    ],
)
def test_a_tool_cannot_have_the_name_of_a_handoff_tool(
    topology: str, name: str, clashing: list[str]
) -> None:
    """Contract O-8, S-2, H-5."""
    definition = with_tool(name, topology)
    issues = validate(definition)
    assert [issue.where.keys for issue in issues] == [(agent,) for agent in clashing]
    for issue in issues:
        assert (issue.code, issue.severity) == ("tool-name-clash", "error")
        assert value_at(definition, issue.where.path) == name


def test_the_tool_of_a_handoff_with_a_schema_uses_its_name() -> None:
    """Contract S-3."""
    transitions = [
        transition | ({"input_schema": ORDER} if transition["source"] == "intake" else {})
        for transition in SOUND["transitions"]
    ]
    definition = with_tool("transfer_to_handler", transitions=transitions)
    issue = only_issue(definition)
    assert (issue.code, issue.where.keys) == ("tool-name-clash", ("triage",))
    assert "a handoff tool of the stage 'intake'" in issue.message


def test_the_common_name_is_free_if_every_handoff_has_its_own_tool() -> None:
    """Contract S-3."""
    transitions = [transition | {"input_schema": ORDER} for transition in SOUND["transitions"][:2]]
    free = {"stages": SOUND["stages"][:3], "transitions": transitions}
    assert validate(with_tool("handoff_conversation", **free, allow_human=False)) == ()
    assert "tool-name-clash" in codes(with_tool("handoff_conversation", **free))


def test_the_default_name_is_free_if_the_handoff_tool_is_renamed() -> None:
    """Contract S-1."""
    assert validate(with_tool("handoff_conversation", handoff_tool_name="pass_on")) == ()
    found = codes(with_tool("pass_on", handoff_tool_name="pass_on"))
    assert set(found) == {"tool-name-clash"}


@pytest.mark.parametrize("name", ["take_over", "handoff_conversation"])
def test_two_handoffs_of_a_stage_cannot_share_a_tool_name(name: str) -> None:
    """Contract E-2."""
    own = {"input_schema": ORDER, "tool_name": name}
    further = [
        {"source": "intake", "target": "handling"} | own,
        {"source": "intake", "target": "review", "kind": "return"} | own,
    ]
    definition = sound(transitions=[*further, *SOUND["transitions"][1:]])
    issues = validate(definition)
    assert {issue.code for issue in issues} == {"handoff-name-clash"}
    assert issues[-1].severity == "error"
    assert issues[-1].where.keys == ("intake", "review")
    assert value_at(definition, issues[-1].where.path) == name


def test_handoffs_of_two_stages_may_share_a_tool_name() -> None:
    """Contract E-2."""
    own = {"input_schema": ORDER, "tool_name": "take_over"}
    transitions = [
        transition | (own if transition["target"] != "desk" else {})
        for transition in SOUND["transitions"]
    ]
    assert validate(sound(transitions=transitions)) == ()


def test_default_tool_names_of_handoffs_are_unique() -> None:
    """Contract E-2."""
    twins = [{"id": "tech-b", "name": "B"}, {"id": "tech_b", "name": "B too"}]
    stages = [{"phase": "one", "agent_id": "tech-b"}, {"phase": "two", "agent_id": "tech_b"}]
    transitions = [
        {"source": "intake", "target": target, "kind": "return", "input_schema": ORDER}
        for target in ("one", "two")
    ]
    definition = sound(
        agents=[*SOUND["agents"], *twins],
        stages=[*SOUND["stages"], *stages],
        transitions=[*SOUND["transitions"], *transitions],
    )
    assert validate(definition) == ()


@pytest.mark.parametrize("found_by", [{"pipeline": "Refunds"}, {"template_hints": ["refund"]}])
def test_a_subtask_may_have_a_pipeline_or_hints(
    found_by: dict[str, Any],
) -> None:
    """Contract T-9."""
    tools = [SOUND["tools"][0], {"name": "refund", "kind": "subtask", **found_by}]
    assert validate(sound(tools=tools)) == ()


def test_a_subtask_without_a_pipeline_is_an_error() -> None:
    """Contract T-9."""
    definition = with_more("tools", {"name": "refund", "kind": "subtask"})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("subtask-unnamed", "error")
    assert (issue.where.kind, issue.where.keys) == ("tool", ("refund",))
    assert value_at(definition, issue.where.path) is None


@pytest.mark.parametrize("kind", ["function", "user_input"])
def test_a_pipeline_of_another_tool_is_a_warning(kind: str) -> None:
    """Contract T-9."""
    assert validate(with_more("tools", {"name": "ask", "kind": kind})) == ()
    for extra in ({"pipeline": "Refunds"}, {"template_hints": ["refund"]}):
        issue = only_issue(with_more("tools", {"name": "ask", "kind": kind, **extra}))
        assert (issue.code, issue.severity) == ("tool-setting-unused", "warning")
        assert issue.where.keys == ("ask",)


@pytest.mark.parametrize("kind", [{"kind": "subtask", "pipeline": "X"}, {"kind": "user_input"}])
def test_a_cue_may_call_tools_of_every_kind(kind: dict[str, str]) -> None:
    """Contract T-8: models do not see the kind of a tool."""
    agents = [
        agent | ({"cues": [{"call": {"tool": "lookup"}}]} if agent["id"] == "handler" else {})
        for agent in SOUND["agents"]
    ]
    assert validate(sound(agents=agents, tools=[{"name": "lookup", **kind}])) == ()


def test_a_cue_may_call_handoff_and_delegation_tools() -> None:
    """Contract S-3, H-5."""
    typed = with_transition("intake", "handling", input_schema=ORDER)
    calls = {"cues": [{"call": {"tool": "transfer_to_handler", "arguments": {}}}]}
    agents = [agent | (calls if agent["id"] == "triage" else {}) for agent in SOUND["agents"]]
    transitions = [transition.model_dump() for transition in typed.transitions]
    assert validate(sound(agents=agents, transitions=transitions)) == ()
    assert codes(sound(agents=agents)) == ["cue-tool-unknown"]
    asks = {"cues": [{"call": {"tool": "delegate_to_handler", "arguments": {"task": "Look."}}}]}
    led = [agent | (asks if agent["id"] == "triage" else {}) for agent in SOUND["agents"]]
    assert validate(team(agents=led)) == ()


@given(storable_definitions().filter(lambda drawn: HUMAN not in drawn.agents_by_id))
def test_the_checked_names_are_those_offered_to_the_agent(
    definition: PipelineDefinition,
) -> None:
    """Contract O-8, S-3, H-5."""
    bare = definition.model_copy(
        update={
            "tools": (),
            "stages": tuple(stage for stage in definition.stages if stage.kind != "group"),
        }
    )
    draft = Draft(bare)
    for phase in bare.stages_by_phase:
        offered = offer(bare, phase).tools
        assert [tool.name for tool in offered] == [name for name, _ in draft.handoff_tools(phase)]


@pytest.mark.parametrize(
    "schema", [{}, {"type": "object", "properties": 3}, {"type": "object", "required": 5}]
)
def test_the_schema_of_arguments_must_describe_an_object(
    schema: dict[str, Any],
) -> None:
    definition = sound(tools=[SOUND["tools"][0] | {"parameters": schema}])
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("tool-schema-invalid", "error")
    assert (issue.where.kind, issue.where.keys) == ("tool", (SOUND["tools"][0]["name"],))
    assert value_at(definition, issue.where.path) == schema


def test_a_complex_schema_of_arguments_is_valid() -> None:
    properties: dict[str, Any] = {f"a{number}": {"type": "string"} for number in range(1_001)}
    properties["mail"] = {"type": "string", "pattern": "^(?!\\.)"}
    schema = {"type": "object", "properties": properties}
    assert validate(sound(tools=[SOUND["tools"][0] | {"parameters": schema}])) == ()


def test_a_subtask_replaced_by_examples_needs_no_pipeline():
    tool = {"name": "lookup", "kind": "subtask"}
    assert [one.code for one in validate(sound(tools=[tool]))] == ["subtask-unnamed"]
    played = tool | {"stand_in": True, "examples": [{"result": "Shipped."}]}
    assert validate(sound(tools=[played])) == ()
