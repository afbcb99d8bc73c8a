"""Rules about teams."""

from typing import Any

import pytest

from orchestration.validation import validate
from tests.orchestration.sound_pipeline import SOUND, codes, only_issue, team, value_at


def test_a_team_without_faults_has_no_issues() -> None:
    """Contract H-5."""
    assert validate(team()) == ()


@pytest.mark.parametrize(
    "served", [{"kind": "human"}, {"kind": "group", "group": {"agents": ["triage"]}}]
)
def test_a_team_needs_an_agent_as_its_lead(served: dict[str, Any]) -> None:
    """Contract H-5."""
    entry = {"phase": "intake", **served}
    others = [stage for stage in SOUND["stages"] if stage["phase"] in ("handling", "review")]
    agents = [agent for agent in SOUND["agents"] if agent["id"] != "triage"]
    kept = SOUND["agents"] if served["kind"] == "group" else agents
    definition = team(stages=[entry, *others], agents=kept)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("team-leaderless", "error")
    assert issue.where.keys == ("intake",)
    assert value_at(definition, issue.where.path) == served["kind"]


def test_a_missing_lead_is_one_issue() -> None:
    """Contract H-5."""
    stages = [{"phase": "intake"}, *SOUND["stages"][1:3]]
    assert codes(team(stages=stages, agents=SOUND["agents"][1:])) == ["stage-agentless"]


def test_the_human_cannot_be_a_worker() -> None:
    """Contract H-5."""
    transitions = [
        {"source": "intake", "target": "review"},
        {"source": "intake", "target": "desk", "kind": "return"},
    ]
    group = {"phase": "review", "kind": "group", "group": {"agents": ["reviewer", "handler"]}}
    stages = [SOUND["stages"][0], group, {"phase": "desk", "kind": "human"}]
    definition = team(stages=stages, transitions=transitions)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("team-worker-human", "error")
    assert issue.where.keys == ("desk",)
    assert value_at(definition, issue.where.path) == "human"


def test_all_stages_without_a_transition_from_the_lead_are_named() -> None:
    """Contract H-5."""
    others = [
        {"phase": "attic", "agent_id": "handler"},
        {"phase": "desk", "kind": "human"},
    ]
    issue = only_issue(team(stages=[*SOUND["stages"][:3], *others]))
    assert (issue.code, issue.severity) == ("team-stage-unasked", "warning")
    assert issue.where.keys == ("attic", "desk")
    assert "never delegates to them" in issue.message


def test_only_the_lead_of_a_team_delegates() -> None:
    """Contract H-5."""
    further = {"source": "handling", "target": "review"}
    led = [
        {"source": "intake", "target": "handling"},
        {"source": "intake", "target": "review", "kind": "return"},
    ]
    issue = only_issue(team(transitions=[*led, further]))
    assert (issue.code, issue.severity) == ("transition-unused", "warning")
    assert issue.where.keys == ("handling", "review")
    assert "only the entry 'intake' delegates" in issue.message


def test_a_missing_entry_of_a_team_is_the_only_issue() -> None:
    """Contract H-5."""
    assert codes(team(entry=None)) == ["entry-missing"]


def test_a_team_needs_no_handoffs_and_no_end() -> None:
    """Contract H-5."""
    assert validate(team(limits={"max_handoffs": 0})) == ()
