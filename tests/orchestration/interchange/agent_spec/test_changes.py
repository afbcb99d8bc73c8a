"""Documents that another program changed after Baton exported them: the components win."""

from __future__ import annotations

import json

import pytest

from orchestration.interchange import read
from orchestration.loading import load_storable
from tests.orchestration.interchange.agent_spec.imported import pairs, reference
from tests.orchestration.interchange.agent_spec.rich import document, rich

EXPERT, LATER = "agent.expert.expert", "agent.expert.later"


def test_relationships_that_were_removed_or_added_change_the_transitions() -> None:
    written = document(rich())
    written["relationships"] = [
        [reference("agent.triage.triage"), reference("agent.billing.billing")],
        [reference("agent.billing.billing"), reference(EXPERT)],
        [reference(EXPERT), reference(LATER)],
    ]
    found = read(json.dumps(written)).definition
    assert pairs(found) == {
        ("triage", "billing"),
        ("billing", "expert"),
        ("expert", "checks"),
        ("checks", "later"),
        ("later", "person"),
    }
    kept = next(each for each in found.transitions if each.source == "triage")
    assert kept == next(each for each in rich().transitions if each.target == "billing")


def test_another_first_agent_is_the_entry() -> None:
    written = document(rich()) | {"first_agent": reference("agent.billing.billing")}
    assert read(json.dumps(written)).definition.entry == "billing"


def test_an_agent_that_was_removed_takes_its_transitions_along() -> None:
    written = document(rich())
    written["relationships"] = [
        pair for pair in written["relationships"] if reference("agent.billing.billing") not in pair
    ]
    found = read(json.dumps(written)).definition
    assert "billing" not in found.stages_by_phase
    assert not {pair for pair in pairs(found) if "billing" in pair}


def test_an_agent_that_was_added_becomes_a_stage() -> None:
    written = document(rich())
    new = {
        "component_type": "Agent",
        "name": "New one",
        "system_prompt": "Help.",
        "llm_config": None,
    }
    written["relationships"].append([reference("agent.triage.triage"), new])
    found = read(json.dumps(written)).definition
    assert ("triage", "new-one") in pairs(found)
    assert found.agents_by_id["new-one"].instructions == "Help."


def test_a_worker_that_was_removed_or_added_changes_the_team() -> None:
    written = document(rich(topology="team"))
    assert written["workers"] == [reference("agent.billing.billing"), reference(EXPERT)]
    written["workers"] = [reference(EXPERT), reference(LATER)]
    written["$referenced_components"][LATER] = dict(
        document(rich())["$referenced_components"][LATER]
    )
    found = read(json.dumps(written)).definition
    assert {pair for pair in pairs(found) if pair[0] == "triage"} == {
        ("triage", "expert"),
        ("triage", "later"),
    }


def test_another_kind_of_document_is_another_topology() -> None:
    written = document(rich())
    team = {
        **{key: written[key] for key in ("name", "metadata", "$referenced_components")},
        "component_type": "ManagerWorkers",
        "group_manager": written["first_agent"],
        "workers": [reference(EXPERT)],
    }
    assert read(json.dumps(team)).definition.topology == "team"


@pytest.mark.parametrize("value", [3, {"topology": "ring"}, {"topology": "team", "rules": 3}])
def test_invalid_data_of_the_pipeline_is_left_out(value: object) -> None:
    written = document(rich())
    written["metadata"]["baton"]["pipeline"] = value
    result = read(json.dumps(written))
    assert result.definition.topology == "swarm"
    assert [each.id for each in result.definition.agents] == ["billing", "expert", "triage"]
    load_storable(result.definition.dump())
