"""Rules about cues."""

import pytest

from orchestration.definition import Group, Stage
from orchestration.validation import validate
from tests.orchestration.sound_pipeline import codes, only_issue, team, value_at, with_cue, workflow


@pytest.mark.parametrize("target", ["handler", "refunds", "human", "desk", "handling"])
def test_a_cue_may_hand_over_to_an_agent_alias_stage_or_the_human(target: str) -> None:
    assert validate(with_cue("triage", hand_over={"target": target})) == ()


def test_a_cue_with_an_unknown_target_is_a_warning() -> None:
    definition = with_cue("triage", hand_over={"target": "nobody"})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("cue-target-unknown", "warning")
    assert issue.where.keys == ("triage",)
    assert value_at(definition, issue.where.path) == "nobody"


@pytest.mark.parametrize("target", ["Reviewer", "REVIEWER"])
def test_a_cue_may_name_its_target(target: str) -> None:
    """Contract D-8: the missing transition is found, as for the id."""
    issue = only_issue(with_cue("triage", hand_over={"target": target}))
    assert issue.code == "cue-way-missing"


def test_a_cue_with_a_name_of_several_agents_is_a_warning() -> None:
    """Contract D-8."""
    definition = with_cue("triage", hand_over={"target": "Desk"})
    agents = tuple(each.model_copy(update={"name": "Desk"}) for each in definition.agents)
    issues = validate(definition.model_copy(update={"agents": agents}))
    (issue,) = [each for each in issues if each.code == "cue-target-unknown"]
    assert "which is a name of" in issue.message
    assert "'reviewer'" in issue.message


def test_a_cue_needs_a_transition_to_its_target() -> None:
    issue = only_issue(with_cue("triage", hand_over={"target": "reviewer"}))
    assert (issue.code, issue.severity) == ("cue-way-missing", "warning")
    assert "'Reviewer'" in issue.message
    assert "'intake'" in issue.message


@pytest.mark.parametrize("target", ["desk", "human"])
def test_a_cue_in_a_terminal_stage_has_no_target(target: str) -> None:
    """Contract O-8."""
    definition = with_cue("reviewer", hand_over={"target": target})
    assert validate(definition) == ()
    definition = definition.model_copy(update={"transitions": definition.transitions[:2]})
    assert "cue-way-missing" in codes(definition)


def test_a_cue_that_names_a_stage_needs_a_transition_to_that_stage() -> None:
    assert validate(with_cue("triage", hand_over={"target": "handler", "phase": "handling"})) == ()
    definition = with_cue("triage", hand_over={"target": "handler", "phase": "review"})
    assert codes(definition) == ["cue-way-missing"]


def test_a_stage_without_an_agent_is_the_only_problem_of_a_cue_with_this_target() -> None:
    definition = with_cue("triage", hand_over={"target": "handling"})
    empty = [
        each.model_copy(update={"agent_id": None}) if each.phase == "handling" else each
        for each in definition.stages
    ]
    found = codes(definition.model_copy(update={"stages": tuple(empty)}))
    assert "stage-agentless" in found
    assert "cue-way-missing" not in found


def test_without_direct_calls_a_cue_needs_a_transition_to_the_human() -> None:
    """Contract O-9."""
    to_human = {"hand_over": {"target": "human"}}
    barred = {"allow_human": False}
    assert codes(with_cue("triage", **to_human).model_copy(update=barred)) == ["cue-way-missing"]
    assert codes(with_cue("reviewer", **to_human).model_copy(update=barred)) == []


def test_a_cue_of_a_routed_agent_needs_no_transition() -> None:
    assert validate(with_cue("handler", hand_over={"target": "triage"})) == ()


def test_a_cue_must_call_a_tool_of_its_agent() -> None:
    assert validate(with_cue("handler", call={"tool": "lookup"})) == ()
    issue = only_issue(with_cue("triage", call={"tool": "lookup"}))
    assert (issue.code, issue.severity) == ("cue-tool-unknown", "warning")


@pytest.mark.parametrize(
    "waits", [{"after_handoff_from": "ghost"}, {"in_phase": "attic"}, {"in_phase": "review"}]
)
def test_a_cue_with_an_impossible_condition_is_a_warning(waits: dict[str, str]) -> None:
    issue = only_issue(with_cue("triage", say="Boo.", **waits))
    assert (issue.code, issue.severity) == ("cue-never", "warning")


def test_a_cue_may_wait_for_a_handoff_from_a_group() -> None:
    """Contract H-9: a group goes by the phase of its stage."""
    definition = with_cue("triage", say="Hello.", after_handoff_from="review")
    assert codes(definition) == ["cue-never"]
    group = Stage(phase="review", kind="group", group=Group(agents=("reviewer",)))
    stages = (*(stage for stage in definition.stages if stage.phase != "review"), group)
    transitions = tuple(edge for edge in definition.transitions if edge.kind == "next")
    parts = {"stages": stages, "transitions": transitions}
    assert validate(definition.model_copy(update=parts)) == ()


@pytest.mark.parametrize("topology", ["workflow", "team"])
def test_a_cue_cannot_hand_over_in_a_workflow_or_a_team(topology: str) -> None:
    """Contract H-3, H-5."""
    cued = with_cue("handler", hand_over={"target": "reviewer"}).model_dump()["agents"]
    definition = {"workflow": workflow, "team": team}[topology](agents=cued)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("cue-way-missing", "warning")
    assert f"a {topology} has no handoffs" in issue.message
