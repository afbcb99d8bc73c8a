"""The rules about the entry, the stages and the transitions."""

from typing import Any

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.validation import errors, validate
from tests.orchestration.sound_pipeline import SOUND, codes, only_issue, sound, value_at, with_more


def test_a_pipeline_without_stages_is_told_what_to_do() -> None:
    issue = only_issue(PipelineDefinition(name="Empty"))
    assert (issue.code, issue.severity) == ("stages-missing", "error")
    assert issue.message == ("The pipeline has no stages yet: add one and choose its agent.")
    assert issue.where.kind == "pipeline"


def test_a_pipeline_with_stages_needs_an_entry() -> None:
    issue = only_issue(sound(entry=None))
    assert (issue.code, issue.severity, issue.where.path) == ("entry-missing", "error", "$.entry")


def test_the_entry_names_a_stage() -> None:
    issue = only_issue(sound(entry="lobby"))
    assert (issue.code, issue.severity, issue.where.path) == ("entry-unknown", "error", "$.entry")
    assert "'lobby'" in issue.message


@pytest.mark.parametrize(
    ("name", "part", "code", "kind", "key"),
    [
        ("stages", {"phase": "desk", "kind": "human"}, "stage-duplicate", "stage", "desk"),
        ("agents", {"id": "triage", "name": "Again"}, "agent-duplicate", "agent", "triage"),
        ("tools", {"name": "lookup"}, "tool-duplicate", "tool", "lookup"),
        ("rules", {"id": "billing", "agent_id": "triage"}, "rule-duplicate", "rule", "billing"),
    ],
)
def test_a_name_belongs_to_one_thing(
    name: str, part: dict[str, Any], code: str, kind: str, key: str
) -> None:
    issue = only_issue(with_more(name, part))
    assert (issue.code, issue.severity) == (code, "error")
    assert (issue.where.kind, issue.where.keys) == (kind, (key,))
    assert repr(key) in issue.message


@pytest.mark.parametrize(
    ("way", "unknown", "side"),
    [
        ({"source": "desk", "target": "attic"}, "attic", "target"),
        ({"source": "attic", "target": "desk"}, "attic", "source"),
        ({"source": "desk", "target": "attic", "kind": "return"}, "attic", "target"),
    ],
)
def test_next_and_can_return_to_name_stages(way: dict[str, str], unknown: str, side: str) -> None:
    """Contract O-11."""
    definition = with_more("transitions", way)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("transition-unknown", "error")
    assert issue.where.keys == (way["source"], way["target"])
    assert value_at(definition, issue.where.path) == unknown
    assert issue.where.path.endswith(side)


def test_a_stage_may_name_itself() -> None:
    """Contract O-11."""
    again = {"source": "handling", "target": "handling", "kind": "return"}
    assert validate(with_more("transitions", again)) == ()


def test_a_stage_has_one_next_and_all_of_several_are_named() -> None:
    definition = with_more("transitions", {"source": "intake", "target": "desk"})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("next-duplicate", "error")
    assert issue.where.keys == ("intake",)
    assert "'desk' and 'handling'" in issue.message


def test_one_transition_leads_from_a_stage_to_another_whatever_its_kind() -> None:
    definition = with_more(
        "transitions", {"source": "intake", "target": "handling", "kind": "return"}
    )
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("transition-duplicate", "error")
    assert issue.where.keys == ("intake", "handling")


def test_the_same_next_twice_is_one_fault() -> None:
    definition = with_more("transitions", {"source": "intake", "target": "handling"})
    assert codes(definition) == ["transition-duplicate"]


def test_somebody_serves_every_stage() -> None:
    definition = with_more("stages", {"phase": "closing"})
    issue = errors(validate(definition))[0]
    assert issue.code == "stage-agentless"
    assert issue.where.keys == ("closing",)


def test_a_stage_is_served_by_an_agent_of_the_pipeline() -> None:
    definition = with_more("stages", {"phase": "closing", "agent_id": "stranger"})
    issue = errors(validate(definition))[0]
    assert issue.code == "stage-agent-unknown"
    assert "'closing'" in issue.message
    assert "'stranger'" in issue.message


def test_no_agent_serves_a_human_stage() -> None:
    stages = [*SOUND["stages"][:-1], {"phase": "desk", "kind": "human", "agent_id": "triage"}]
    issue = only_issue(sound(stages=stages))
    assert (issue.code, issue.severity) == ("human-stage-agent", "error")
