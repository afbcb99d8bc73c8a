"""The rules about tools, and the names by which models know them."""

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
    with_way,
)
from tests.orchestration.strategies import storable_definitions

ORDER = {"type": "object"}


def with_tool(name: str, topology: str = "pipeline", **changes: Any) -> Any:
    """A definition without issues, apart from a tool that every agent has."""
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
def test_a_tool_by_which_an_agent_passes_on_is_none_of_its_own(
    topology: str, name: str, clashing: list[str]
) -> None:
    """Contract O-8, S-2, H-5."""
    definition = with_tool(name, topology)
    issues = validate(definition)
    assert [issue.where.keys for issue in issues] == [(agent,) for agent in clashing]
    for issue in issues:
        assert (issue.code, issue.severity) == ("tool-name-clash", "error")
        assert value_at(definition, issue.where.path) == name


def test_a_handoff_that_has_a_tool_of_its_own_takes_its_name_from_the_agent() -> None:
    """Contract S-3."""
    ways = [
        way | ({"input_schema": ORDER} if way["source"] == "intake" else {})
        for way in SOUND["transitions"]
    ]
    definition = with_tool("transfer_to_handler", transitions=ways)
    issue = only_issue(definition)
    assert (issue.code, issue.where.keys) == ("tool-name-clash", ("triage",))
    assert "a handoff tool of the stage 'intake'" in issue.message


def test_where_every_handoff_has_its_own_tool_the_name_of_the_one_for_all_is_free() -> None:
    """Contract S-3."""
    ways = [way | {"input_schema": ORDER} for way in SOUND["transitions"][:2]]
    free = {"stages": SOUND["stages"][:3], "transitions": ways}
    assert validate(with_tool("handoff_conversation", **free, allow_human=False)) == ()
    assert "tool-name-clash" in codes(with_tool("handoff_conversation", **free))


def test_a_tool_of_all_handoffs_by_another_name_leaves_the_usual_one_free() -> None:
    """Contract S-1."""
    assert validate(with_tool("handoff_conversation", handoff_tool_name="pass_on")) == ()
    found = codes(with_tool("pass_on", handoff_tool_name="pass_on"))
    assert set(found) == {"tool-name-clash"}


@pytest.mark.parametrize("name", ["take_over", "handoff_conversation"])
def test_two_handoffs_from_a_stage_are_told_apart(name: str) -> None:
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


def test_handoffs_from_two_stages_may_be_called_the_same() -> None:
    """Contract E-2."""
    own = {"input_schema": ORDER, "tool_name": "take_over"}
    ways = [way | (own if way["target"] != "desk" else {}) for way in SOUND["transitions"]]
    assert validate(sound(transitions=ways)) == ()


def test_handoffs_that_would_be_called_the_same_are_told_apart_by_themselves() -> None:
    """Contract E-2."""
    twins = [{"id": "tech-b", "name": "B"}, {"id": "tech_b", "name": "B too"}]
    stages = [{"phase": "one", "agent_id": "tech-b"}, {"phase": "two", "agent_id": "tech_b"}]
    ways = [
        {"source": "intake", "target": target, "kind": "return", "input_schema": ORDER}
        for target in ("one", "two")
    ]
    definition = sound(
        agents=[*SOUND["agents"], *twins],
        stages=[*SOUND["stages"], *stages],
        transitions=[*SOUND["transitions"], *ways],
    )
    assert validate(definition) == ()


@pytest.mark.parametrize("found_by", [{"pipeline": "Refunds"}, {"template_hints": ["refund"]}])
def test_a_subtask_is_done_by_a_pipeline_that_is_named_or_hinted_at(
    found_by: dict[str, Any],
) -> None:
    """Contract T-9."""
    tools = [SOUND["tools"][0], {"name": "refund", "kind": "subtask", **found_by}]
    assert validate(sound(tools=tools)) == ()


def test_a_subtask_that_nobody_does_is_an_error() -> None:
    """Contract T-9."""
    definition = with_more("tools", {"name": "refund", "kind": "subtask"})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("subtask-unnamed", "error")
    assert (issue.where.kind, issue.where.keys) == ("tool", ("refund",))
    assert value_at(definition, issue.where.path) is None


@pytest.mark.parametrize("kind", ["function", "user_input"])
def test_only_a_subtask_has_a_pipeline(kind: str) -> None:
    """Contract T-9."""
    assert validate(with_more("tools", {"name": "ask", "kind": kind})) == ()
    for extra in ({"pipeline": "Refunds"}, {"template_hints": ["refund"]}):
        issue = only_issue(with_more("tools", {"name": "ask", "kind": kind, **extra}))
        assert (issue.code, issue.severity) == ("tool-setting-unused", "warning")
        assert issue.where.keys == ("ask",)


@pytest.mark.parametrize("kind", [{"kind": "subtask", "pipeline": "X"}, {"kind": "user_input"}])
def test_a_cue_calls_tools_of_every_kind(kind: dict[str, str]) -> None:
    """Contract T-8: to a model all kinds look alike."""
    agents = [
        agent | ({"cues": [{"call": {"tool": "lookup"}}]} if agent["id"] == "handler" else {})
        for agent in SOUND["agents"]
    ]
    assert validate(sound(agents=agents, tools=[{"name": "lookup", **kind}])) == ()


def test_a_cue_calls_the_tools_by_which_its_agent_passes_on() -> None:
    """Contract S-3, H-5."""
    typed = with_way("intake", "handling", input_schema=ORDER)
    calls = {"cues": [{"call": {"tool": "transfer_to_handler", "arguments": {}}}]}
    agents = [agent | (calls if agent["id"] == "triage" else {}) for agent in SOUND["agents"]]
    ways = [way.model_dump() for way in typed.transitions]
    assert validate(sound(agents=agents, transitions=ways)) == ()
    assert codes(sound(agents=agents)) == ["cue-tool-unknown"]
    asks = {"cues": [{"call": {"tool": "delegate_to_handler", "arguments": {"task": "Look."}}}]}
    led = [agent | (asks if agent["id"] == "triage" else {}) for agent in SOUND["agents"]]
    assert validate(team(agents=led)) == ()


@given(storable_definitions().filter(lambda drawn: HUMAN not in drawn.agents_by_id))
def test_the_names_that_must_not_clash_are_those_that_an_agent_is_offered(
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
def test_the_arguments_of_a_tool_are_described_by_a_schema_of_an_object(
    schema: dict[str, Any],
) -> None:
    definition = sound(tools=[SOUND["tools"][0] | {"parameters": schema}])
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("tool-schema-invalid", "error")
    assert (issue.where.kind, issue.where.keys) == ("tool", (SOUND["tools"][0]["name"],))
    assert value_at(definition, issue.where.path) == schema


def test_the_schema_of_a_tool_may_be_more_than_is_checked_by_here() -> None:
    properties: dict[str, Any] = {f"a{number}": {"type": "string"} for number in range(1_001)}
    properties["mail"] = {"type": "string", "pattern": "^(?!\\.)"}
    schema = {"type": "object", "properties": properties}
    assert validate(sound(tools=[SOUND["tools"][0] | {"parameters": schema}])) == ()


def test_a_subtask_replaced_by_examples_needs_no_pipeline():
    tool = {"name": "lookup", "kind": "subtask"}
    assert [one.code for one in validate(sound(tools=[tool]))] == ["subtask-unnamed"]
    played = tool | {"stand_in": True, "examples": [{"result": "Shipped."}]}
    assert validate(sound(tools=[played])) == ()
