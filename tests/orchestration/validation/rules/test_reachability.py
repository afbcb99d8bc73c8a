"""Rules about paths: unreachable stages, unused transitions, and too low limits."""

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.validation import apply_fix, find_fix, validate
from tests.orchestration.sound_pipeline import (
    SOUND,
    codes,
    only_issue,
    sound,
    value_at,
    with_more,
    workflow,
)


def test_all_unreachable_stages_are_named() -> None:
    definition = with_more(
        "stages",
        {"phase": "attic", "agent_id": "triage"},
        {"phase": "cellar", "agent_id": "triage"},
    )
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("stage-unreachable", "warning")
    assert issue.where.keys == ("attic", "cellar")
    assert value_at(definition, issue.where.path)["phase"] == "attic"
    assert "the stages 'attic' and 'cellar'" in issue.message


def test_the_limit_must_allow_the_shortest_path_to_an_end() -> None:
    assert validate(sound(limits={"max_handoffs": 3})) == ()
    issue = only_issue(sound(limits={"max_handoffs": 2}))
    assert (issue.code, issue.severity) == ("max-handoffs-low", "warning")
    assert "needs 3 handoffs" in issue.message
    assert "allows 2" in issue.message


@pytest.mark.parametrize(
    ("turns", "title"), [(4, "Allow 3 handoffs"), (3, "Allow 3 handoffs and 4 turns")]
)
def test_the_fix_of_the_limit_also_allows_a_turn_of_each_agent(turns: int, title: str) -> None:
    definition = sound(limits={"max_handoffs": 2, "max_turns": turns})
    fix = find_fix(definition, only_issue(definition))
    assert fix is not None
    assert fix.title == title
    assert validate(apply_fix(definition, fix)) == ()


def test_a_stage_of_a_routed_agent_is_reachable() -> None:
    definition = with_more("stages", {"phase": "attic", "agent_id": "handler"})
    assert validate(definition) == ()
    assert codes(definition.model_copy(update={"rules": ()})) == ["stage-unreachable"]


def test_a_workflow_without_faults_has_no_issues() -> None:
    """Contract H-3."""
    assert validate(workflow()) == ()


def test_a_return_in_a_workflow_is_never_taken() -> None:
    """Contract H-3."""
    definition = workflow(transitions=SOUND["transitions"])
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("transition-unused", "warning")
    assert (issue.where.kind, issue.where.keys) == ("transition", ("review", "handling"))
    assert value_at(definition, issue.where.path)["kind"] == "return"


def test_returns_and_routing_reach_no_stage_of_a_workflow() -> None:
    """Contract H-3."""
    back = {"source": "review", "target": "attic", "kind": "return"}
    attic = {"phase": "attic", "agent_id": "handler"}
    definition = workflow(
        stages=[*SOUND["stages"], attic],
        transitions=[*SOUND["transitions"][:3], back],
        rules=SOUND["rules"],
    )
    issues = {issue.code: issue for issue in validate(definition)}
    assert issues.keys() == {"stage-unreachable", "transition-unused", "rule-unused"}
    assert issues["stage-unreachable"].message == (
        "The entry 'intake' does not lead to the stage 'attic'."
    )


def test_a_workflow_has_no_limit_of_handoffs() -> None:
    """Contract H-3."""
    assert validate(workflow(limits={"max_handoffs": 0})) == ()


def test_stages_without_a_path_to_the_human_are_a_warning() -> None:
    aside = {"phase": "aside", "agent_id": "triage"}
    last = {"phase": "last", "agent_id": "triage"}
    definition = sound(
        allow_human=False,
        stages=[*SOUND["stages"], aside, last],
        transitions=[
            *SOUND["transitions"],
            {"source": "intake", "target": "aside", "kind": "return"},
            {"source": "aside", "target": "last"},
        ],
    )
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("human-unreachable", "warning")
    assert issue.where.keys == ("aside",)
    assert codes(definition.model_copy(update={"allow_human": True})) == []


def test_a_pipeline_without_a_human_stage_needs_none() -> None:
    stages = [stage for stage in SOUND["stages"] if stage["phase"] != "desk"]
    transitions = SOUND["transitions"][:2]
    assert codes(sound(allow_human=False, stages=stages, transitions=transitions)) == []


def test_two_next_stages_of_the_same_agent_are_a_warning() -> None:
    definition = with_more(
        "stages",
        {"phase": "second-look", "agent_id": "reviewer"},
    )
    transitions = [
        *SOUND["transitions"],
        {"source": "handling", "target": "second-look", "kind": "return"},
    ]
    definition = definition.model_copy(
        update={"transitions": sound(transitions=transitions).transitions}
    )
    issue = only_issue(PipelineDefinition.model_validate(definition.model_dump()))
    assert (issue.code, issue.severity) == ("agent-twice", "warning")
    assert issue.where.keys == ("handling",)
    assert value_at(definition, issue.where.path)["phase"] == "handling"
    assert "leads to 'review' and 'second-look', all served by 'Reviewer'" in issue.message


def test_separate_handoff_tools_distinguish_stages_of_an_agent() -> None:
    schema = {"type": "object", "properties": {"why": {"type": "string"}}}
    definition = sound(
        stages=[*SOUND["stages"], {"phase": "second-look", "agent_id": "reviewer"}],
        transitions=[
            *SOUND["transitions"],
            {
                "source": "handling",
                "target": "second-look",
                "kind": "return",
                "input_schema": schema,
            },
        ],
    )
    assert validate(definition) == ()
