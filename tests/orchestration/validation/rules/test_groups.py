"""The rules about groups."""

from typing import Any

import pytest

from orchestration.definition import Limits, PipelineDefinition, Transition
from orchestration.validation import errors, validate
from tests.orchestration.sound_pipeline import SOUND, codes, only_issue, sound, value_at, with_more


def with_group(*members: str, **group: Any) -> PipelineDefinition:
    """A definition without issues, apart from a group in place of the reviewer."""
    stages = [stage for stage in SOUND["stages"] if stage["phase"] != "review"]
    review = {"phase": "review", "kind": "group", "group": {"agents": members, **group}}
    follows = [way for way in SOUND["transitions"] if way.get("kind") != "return"]
    return sound(stages=[*stages, review], transitions=follows)


def test_the_members_of_a_group_are_not_idle_and_may_serve_other_stages_too() -> None:
    """Contract H-9."""
    definition = with_group("reviewer", "triage", dependencies={"triage": ["reviewer"]})
    assert validate(definition) == ()


def test_a_group_moves_on_along_its_next_alone() -> None:
    """Contract H-9."""
    definition = with_group("reviewer")
    back = Transition(source="review", target="handling", kind="return")
    ways = tuple(sorted([*definition.transitions, back], key=lambda way: way.source))
    definition = definition.model_copy(update={"transitions": ways})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("transition-unused", "warning")
    assert issue.where.keys == ("review", "handling")
    assert "a group follows only its next transition" in issue.message


def test_groups_that_follow_one_another_in_a_circle_never_end() -> None:
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


def test_no_handoff_leads_away_from_a_group() -> None:
    """Contract H-9."""
    definition = with_group("reviewer", "triage")
    assert validate(definition.model_copy(update={"limits": Limits(max_handoffs=2)})) == ()
    low = definition.model_copy(update={"limits": Limits(max_handoffs=1)})
    assert codes(low) == ["max-handoffs-low"]


def test_a_group_stage_without_a_group_is_served_by_nobody() -> None:
    definition = with_more("stages", {"phase": "closing", "kind": "group"})
    issue = errors(validate(definition))[0]
    assert (issue.code, issue.where.keys) == ("stage-agentless", ("closing",))
    assert issue.where.path.endswith(".group")


def test_a_group_stage_has_no_agent_beside_its_group() -> None:
    group = {"phase": "review", "kind": "group", "group": {"agents": ["reviewer"]}}
    definition = sound(stages=[*SOUND["stages"][:2], group | {"agent_id": "triage"}])
    issue = errors(validate(definition))[0]
    assert (issue.code, issue.severity) == ("group-stage-agent", "error")
    assert value_at(definition, issue.where.path) == "triage"


@pytest.mark.parametrize("kind", ["agent", "human"])
def test_only_a_group_stage_has_a_group(kind: str) -> None:
    group = {"kind": kind, "group": {"agents": ["triage"]}}
    stages = [stage | (group if stage["phase"] == "desk" else {}) for stage in SOUND["stages"]]
    issue = next(i for i in validate(sound(stages=stages)) if i.code == "group-misplaced")
    assert (issue.severity, issue.where.keys) == ("error", ("desk",))
    assert f"its kind is {kind!r}" in issue.message


def test_the_members_of_a_group_are_agents_and_all_strangers_are_named() -> None:
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
def test_dependencies_name_members_of_the_group(
    dependencies: dict[str, list[str]], named: str
) -> None:
    """Contract H-9."""
    definition = with_group("reviewer", "triage", dependencies=dependencies)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("group-dependency-unknown", "error")
    assert f" name {named}," in issue.message
    value_at(definition, issue.where.path)


def test_no_member_of_a_group_depends_on_itself() -> None:
    """Contract H-9."""
    dependencies = {"reviewer": ["reviewer"], "triage": ["reviewer", "triage"]}
    definition = with_group("triage", "reviewer", dependencies=dependencies)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("group-dependency-self", "error")
    assert "'Reviewer' and 'Triage' depend on themselves" in issue.message
    assert value_at(definition, issue.where.path) == "reviewer"


def test_members_of_a_group_that_wait_for_each_other_are_all_named() -> None:
    """Contract H-9."""
    dependencies = {"handler": ["triage"], "triage": ["reviewer"], "reviewer": ["handler"]}
    definition = with_group("triage", "handler", "reviewer", dependencies=dependencies)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("group-cycle", "error")
    assert "'Handler', 'Reviewer' and 'Triage' wait for each other" in issue.message
    assert value_at(definition, issue.where.path) == "triage"


def test_a_group_takes_over_as_one_so_no_cue_of_its_members_lacks_a_transition() -> None:
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
