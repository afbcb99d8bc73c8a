"""Rules about the entry, the stages and the transitions."""

from typing import Any

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.validation import errors, validate
from tests.orchestration.sound_pipeline import SOUND, codes, only_issue, sound, value_at, with_more


def test_a_pipeline_needs_a_stage() -> None:
    issue = only_issue(PipelineDefinition(name="Empty"))
    assert (issue.code, issue.severity) == ("stages-missing", "error")
    assert issue.message == ("The pipeline has no stages yet: add one and choose its agent.")
    assert issue.where.kind == "pipeline"


def test_a_pipeline_with_stages_needs_an_entry() -> None:
    issue = only_issue(sound(entry=None))
    assert (issue.code, issue.severity, issue.where.path) == ("entry-missing", "error", "$.entry")


def test_the_entry_must_be_an_existing_stage() -> None:
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
def test_keys_must_be_unique(
    name: str, part: dict[str, Any], code: str, kind: str, key: str
) -> None:
    issue = only_issue(with_more(name, part))
    assert (issue.code, issue.severity) == (code, "error")
    assert (issue.where.kind, issue.where.keys) == (kind, (key,))
    assert repr(key) in issue.message


@pytest.mark.parametrize(
    ("transition", "unknown", "side"),
    [
        ({"source": "desk", "target": "attic"}, "attic", "target"),
        ({"source": "attic", "target": "desk"}, "attic", "source"),
        ({"source": "desk", "target": "attic", "kind": "return"}, "attic", "target"),
    ],
)
def test_transitions_must_name_existing_stages(
    transition: dict[str, str], unknown: str, side: str
) -> None:
    """Contract O-11."""
    definition = with_more("transitions", transition)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("transition-unknown", "error")
    assert issue.where.keys == (transition["source"], transition["target"])
    assert value_at(definition, issue.where.path) == unknown
    assert issue.where.path.endswith(side)


def test_a_stage_may_return_to_itself() -> None:
    """Contract O-11."""
    again = {"source": "handling", "target": "handling", "kind": "return"}
    assert validate(with_more("transitions", again)) == ()


def test_all_of_several_next_stages_are_named() -> None:
    definition = with_more("transitions", {"source": "intake", "target": "desk"})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("next-duplicate", "error")
    assert issue.where.keys == ("intake",)
    assert "'desk' and 'handling'" in issue.message


def test_two_transitions_between_the_same_stages_are_an_error() -> None:
    definition = with_more(
        "transitions", {"source": "intake", "target": "handling", "kind": "return"}
    )
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("transition-duplicate", "error")
    assert issue.where.keys == ("intake", "handling")


def test_the_same_next_twice_is_one_issue() -> None:
    definition = with_more("transitions", {"source": "intake", "target": "handling"})
    assert codes(definition) == ["transition-duplicate"]


def test_every_stage_needs_an_agent() -> None:
    definition = with_more("stages", {"phase": "closing"})
    issue = errors(validate(definition))[0]
    assert issue.code == "stage-agentless"
    assert issue.where.keys == ("closing",)


def test_the_agent_of_a_stage_must_exist() -> None:
    definition = with_more("stages", {"phase": "closing", "agent_id": "stranger"})
    issue = errors(validate(definition))[0]
    assert issue.code == "stage-agent-unknown"
    assert "'closing'" in issue.message
    assert "'stranger'" in issue.message


def test_a_human_stage_cannot_have_an_agent() -> None:
    stages = [*SOUND["stages"][:-1], {"phase": "desk", "kind": "human", "agent_id": "triage"}]
    issue = only_issue(sound(stages=stages))
    assert (issue.code, issue.severity) == ("human-stage-agent", "error")
