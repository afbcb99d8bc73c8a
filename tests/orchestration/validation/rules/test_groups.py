"""Rules about groups."""

from typing import Any

import pytest

from orchestration.definition import Limits, PipelineDefinition, Transition
from orchestration.validation import errors, validate
from tests.orchestration.sound_pipeline import SOUND, codes, only_issue, sound, value_at, with_more


def with_group(*members: str, **group: Any) -> PipelineDefinition:
    """Return a valid definition with a group instead of the reviewer."""
    stages = [stage for stage in SOUND["stages"] if stage["phase"] != "review"]
    review = {"phase": "review", "kind": "group", "group": {"agents": members, **group}}
    follows = [edge for edge in SOUND["transitions"] if edge.get("kind") != "return"]
    return sound(stages=[*stages, review], transitions=follows)


def test_members_of_a_group_are_not_idle_and_may_serve_other_stages() -> None:
    """Contract H-9."""
    definition = with_group("reviewer", "triage", dependencies={"triage": ["reviewer"]})
    assert validate(definition) == ()


def test_a_return_from_a_group_is_never_taken() -> None:
    """Contract H-9."""
    definition = with_group("reviewer")
    back = Transition(source="review", target="handling", kind="return")
    transitions = tuple(sorted([*definition.transitions, back], key=lambda edge: edge.source))
    definition = definition.model_copy(update={"transitions": transitions})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("transition-unused", "warning")
    assert issue.where.keys == ("review", "handling")
    assert "a group follows only its next transition" in issue.message


def test_a_cycle_of_groups_never_ends() -> None:
    """Contract H-9."""
    group = {"kind": "group", "group": {"agents": ["reviewer"]}}
    both = [
        stage | (group | {"agent_id": None} if stage["phase"] in ("handling", "review") else {})
        for stage in SOUND["stages"]
    ]
    circle = [
        {"source": "intake", "target": "handling"},
        {"source": "handling", "target": "review"},
        {"source": "review", "target": "handling"},
    ]
    first, *others = validate(sound(stages=both, transitions=circle, rules=[]))
    assert (first.code, first.severity) == ("loop-endless", "error")
    assert first.where.keys == ("handling", "review")
    assert "loop-closed" not in {issue.code for issue in others}


def test_a_transition_from_a_group_has_no_handoff_settings() -> None:
    """Contract H-9."""
    definition = with_group("reviewer", "triage")
    assert validate(definition.model_copy(update={"limits": Limits(max_handoffs=2)})) == ()
    low = definition.model_copy(update={"limits": Limits(max_handoffs=1)})
    assert codes(low) == ["max-handoffs-low"]


def test_a_group_stage_needs_a_group() -> None:
    definition = with_more("stages", {"phase": "closing", "kind": "group"})
    issue = errors(validate(definition))[0]
    assert (issue.code, issue.where.keys) == ("stage-agentless", ("closing",))
    assert issue.where.path.endswith(".group")
    assert issue.message == "The stage 'closing' has no members: add one."


def test_a_group_stage_cannot_have_a_single_agent() -> None:
    group = {"phase": "review", "kind": "group", "group": {"agents": ["reviewer"]}}
    definition = sound(stages=[*SOUND["stages"][:2], group | {"agent_id": "triage"}])
    issue = errors(validate(definition))[0]
    assert (issue.code, issue.severity) == ("group-stage-agent", "error")
    assert value_at(definition, issue.where.path) == "triage"


@pytest.mark.parametrize("kind", ["agent", "human"])
def test_another_kind_of_stage_cannot_have_a_group(kind: str) -> None:
    group = {"kind": kind, "group": {"agents": ["triage"]}}
    stages = [stage | (group if stage["phase"] == "desk" else {}) for stage in SOUND["stages"]]
    issue = next(i for i in validate(sound(stages=stages)) if i.code == "group-misplaced")
    assert (issue.severity, issue.where.keys) == ("error", ("desk",))
    assert f"its kind is {kind!r}" in issue.message


def test_all_unknown_members_of_a_group_are_named() -> None:
    definition = with_group("reviewer", "owl", "cat")
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("group-agent-unknown", "error")
    assert "names 'owl' and 'cat', and there are no such agents" in issue.message
    assert value_at(definition, issue.where.path) == "owl"


@pytest.mark.parametrize(
    ("dependencies", "named"),
    [
        ({"reviewer": ["handler", "owl"], "cat": ["reviewer"]}, "'cat', 'Handler' and 'owl'"),
        ({"reviewer": ["triage", "owl"]}, "'owl'"),
        ({"owl": []}, "'owl'"),
    ],
)
def test_dependencies_must_name_members_of_the_group(
    dependencies: dict[str, list[str]], named: str
) -> None:
    """Contract H-9."""
    definition = with_group("reviewer", "triage", dependencies=dependencies)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("group-dependency-unknown", "error")
    assert f" name {named}," in issue.message
    value_at(definition, issue.where.path)


def test_a_member_cannot_depend_on_itself() -> None:
    """Contract H-9."""
    dependencies = {"reviewer": ["reviewer"], "triage": ["reviewer", "triage"]}
    definition = with_group("triage", "reviewer", dependencies=dependencies)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("group-dependency-self", "error")
    assert "'Reviewer' and 'Triage' depend on themselves" in issue.message
    assert value_at(definition, issue.where.path) == "reviewer"


def test_all_members_in_a_cycle_of_dependencies_are_named() -> None:
    """Contract H-9."""
    dependencies = {"handler": ["triage"], "triage": ["reviewer"], "reviewer": ["handler"]}
    definition = with_group("triage", "handler", "reviewer", dependencies=dependencies)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("group-cycle", "error")
    assert "'Handler', 'Reviewer' and 'Triage' wait for each other" in issue.message
    assert value_at(definition, issue.where.path) == "triage"


def test_cues_of_members_of_a_group_need_no_transition() -> None:
    definition = with_group("reviewer", "triage")
    agents = [
        {"id": "handler", "name": "H", "cues": [{"hand_over": {"target": "review"}}]},
        {
            "id": "reviewer",
            "name": "R",
            "cues": [{"in_phase": "review", "hand_over": {"target": "triage"}}],
        },
    ]
    kept = tuple(agent for agent in definition.agents if agent.id in {"triage", "watcher"})
    more = PipelineDefinition.model_validate({"name": "More", "agents": agents}).agents
    changed = definition.model_copy(update={"agents": (*kept, *more), "tools": ()})
    assert validate(changed) == ()
