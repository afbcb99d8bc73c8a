"""The rules about cues."""

import pytest

from orchestration.definition import Group, Stage
from orchestration.validation import validate
from tests.orchestration.sound_pipeline import codes, only_issue, team, value_at, with_cue, workflow


@pytest.mark.parametrize("target", ["handler", "refunds", "human", "desk", "handling"])
def test_a_cue_hands_over_to_an_agent_an_alias_a_stage_or_the_human(target: str) -> None:
    assert validate(with_cue("triage", hand_over={"target": target})) == ()


def test_a_cue_that_hands_over_to_nobody_is_a_warning() -> None:
    definition = with_cue("triage", hand_over={"target": "nobody"})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("cue-target-unknown", "warning")
    assert issue.where.keys == ("triage",)
    assert value_at(definition, issue.where.path) == "nobody"


def test_a_cue_hands_over_only_where_a_transition_leads() -> None:
    issue = only_issue(with_cue("triage", hand_over={"target": "reviewer"}))
    assert (issue.code, issue.severity) == ("cue-way-missing", "warning")
    assert "'Reviewer'" in issue.message
    assert "'intake'" in issue.message


@pytest.mark.parametrize("target", ["desk", "human"])
def test_in_a_stage_with_no_way_on_a_cue_hands_over_to_nobody(target: str) -> None:
    """Contract O-8."""
    definition = with_cue("reviewer", hand_over={"target": target})
    assert validate(definition) == ()
    definition = definition.model_copy(update={"transitions": definition.transitions[:2]})
    assert "cue-way-missing" in codes(definition)


def test_a_cue_that_names_a_stage_needs_a_transition_to_that_stage() -> None:
    assert validate(with_cue("triage", hand_over={"target": "handler", "phase": "handling"})) == ()
    definition = with_cue("triage", hand_over={"target": "handler", "phase": "review"})
    assert codes(definition) == ["cue-way-missing"]


def test_where_the_human_is_barred_a_cue_needs_a_transition_to_a_human_stage() -> None:
    """Contract O-9."""
    to_human = {"hand_over": {"target": "human"}}
    barred = {"allow_human": False}
    assert codes(with_cue("triage", **to_human).model_copy(update=barred)) == ["cue-way-missing"]
    assert codes(with_cue("reviewer", **to_human).model_copy(update=barred)) == []


def test_of_an_agent_that_routing_may_put_anywhere_no_transition_is_asked() -> None:
    assert validate(with_cue("handler", hand_over={"target": "triage"})) == ()


def test_a_cue_calls_a_tool_that_its_agent_has() -> None:
    assert validate(with_cue("handler", call={"tool": "lookup"})) == ()
    issue = only_issue(with_cue("triage", call={"tool": "lookup"}))
    assert (issue.code, issue.severity) == ("cue-tool-unknown", "warning")


@pytest.mark.parametrize(
    "waits", [{"after_handoff_from": "ghost"}, {"in_phase": "attic"}, {"in_phase": "review"}]
)
def test_a_cue_that_waits_for_what_cannot_happen_is_a_warning(waits: dict[str, str]) -> None:
    issue = only_issue(with_cue("triage", say="Boo.", **waits))
    assert (issue.code, issue.severity) == ("cue-never", "warning")


def test_a_cue_may_wait_for_a_handoff_from_a_group() -> None:
    """Contract H-9: a group goes by the phase of its stage."""
    definition = with_cue("triage", say="Hello.", after_handoff_from="review")
    assert codes(definition) == ["cue-never"]
    group = Stage(phase="review", kind="group", group=Group(agents=("reviewer",)))
    stages = (*(stage for stage in definition.stages if stage.phase != "review"), group)
    ways = tuple(way for way in definition.transitions if way.kind == "next")
    assert validate(definition.model_copy(update={"stages": stages, "transitions": ways})) == ()


@pytest.mark.parametrize("topology", ["workflow", "team"])
def test_in_a_workflow_and_in_a_team_no_cue_hands_over(topology: str) -> None:
    """Contract H-3, H-5."""
    cued = with_cue("handler", hand_over={"target": "reviewer"}).model_dump()["agents"]
    definition = {"workflow": workflow, "team": team}[topology](agents=cued)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("cue-way-missing", "warning")
    assert f"a {topology} has no handoffs" in issue.message
