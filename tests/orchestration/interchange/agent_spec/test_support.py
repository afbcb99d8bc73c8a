"""The declared support: each claim about a feature is checked with a definition that uses it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.interchange import FEATURES, Feature, export, format_named, read
from tests.orchestration.interchange.agent_spec.rich import document, rich, without_metadata

AGENT_SPEC = format_named("agent-spec")
TOPOLOGIES = {"workflow": "workflow", "team": "team", "swarm": "swarm"}


def example(feature: Feature) -> PipelineDefinition:
    """Return a definition with this feature."""
    return rich(topology=TOPOLOGIES.get(feature.key, "pipeline"))


@pytest.mark.parametrize("feature", FEATURES, ids=lambda each: each.key)
def test_a_feature_comes_back_as_it_was(feature: Feature) -> None:
    definition = example(feature)
    assert feature.values(definition)
    found = read(json.dumps(document(definition))).definition
    assert feature.values(found) == feature.values(definition)


@pytest.mark.parametrize("feature", FEATURES, ids=lambda each: each.key)
def test_only_native_features_survive_without_the_metadata(feature: Feature) -> None:
    definition = example(feature)
    special = AGENT_SPEC.exceptions(definition)
    found = feature.values(read(json.dumps(without_metadata(document(definition)))).definition)
    for place, value in feature.values(definition).items():
        if "later" in place:
            continue  # the stage of a copy, with a name of its own
        support = special.get((feature.key, place), AGENT_SPEC.support[feature.key])
        if support.kept == "native":
            assert found[place] == value, place
        elif feature.key not in ("kind", "description", "shared_agent"):
            assert found.get(place) != value, place


def test_no_agent_of_the_document_stands_for_the_human() -> None:
    agents = {key for key in document(rich())["$referenced_components"] if key.startswith("agent.")}
    assert agents == {
        "agent.billing.billing",
        "agent.expert.expert",
        "agent.expert.later",
        "agent.triage.triage",
    }


def rows(definition: PipelineDefinition) -> dict[str, tuple[str, bool]]:
    return {
        f"{row.part}: {place}": (row.kept, row.differs)
        for row in export(definition, "agent-spec").rows
        for place in row.places
    }


def test_parts_that_are_no_component_are_reported() -> None:
    found = rows(rich())
    assert found["Agents: watcher"] == ("metadata", True)
    assert found["Agents: triage"] == ("native", False)
    assert found["Transitions: triage → billing"] == ("native", False)
    assert found["Transitions: later → person"] == ("metadata", True)
    assert found["Variables: plan"] == ("native", False)
    assert found["Variables: customer.name"] == ("metadata", True)
    assert found["Variables: unused"] == ("metadata", False)
    assert found["Model settings: billing"] == ("native", False)
    assert found["Model settings: expert"] == ("metadata", True)


def test_a_workflow_takes_only_next_so_its_other_transitions_make_no_difference() -> None:
    found = rows(rich(topology="workflow"))
    assert found["Transitions: triage → billing"] == ("native", False)
    assert found["Transitions: triage → expert"] == ("metadata", False)


def test_an_entry_without_an_agent_is_reported() -> None:
    assert rows(rich(entry="person"))["Entry: person"] == ("metadata", True)


@pytest.mark.parametrize(
    ("tool", "label"),
    [
        ({"http": {"url": "/orders", "connection": "shop"}, "kind": "http"}, "HTTP tools: find"),
        ({"http": {"url": "https://a.example", "take": "/a"}, "kind": "http"}, "HTTP tools: find"),
        (
            {
                "kind": "http",
                "parameters": {"properties": {"a": {"type": "integer"}}},
                "http": {"method": "POST", "url": "https://a.example", "body": '{"a": {a}}'},
            },
            "HTTP tools: find",
        ),
        ({"parameters": {"type": "object", "properties": {"a b": {}}}}, "Function tools: find"),
        ({"parameters": {"properties": {"a": {"pattern": "x"}}}}, "Function tools: find"),
    ],
)
def test_a_tool_that_a_component_only_approximates_is_reported(
    tool: dict[str, Any], label: str
) -> None:
    found = rows(rich(tools=[{"name": "find", **tool}]))
    assert found[label] == ("metadata", True)


def test_a_schema_of_answers_that_outputs_only_approximate_is_reported() -> None:
    agents = [{"id": "triage", "name": "triage", "response_schema": {"type": "array"}}]
    found = rows(rich(agents=agents, stages=[], transitions=[]))
    assert found["Answer in a schema: triage"] == ("metadata", True)
