"""Reading of documents: our own exports, files of the library, and changes made elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from pyagentspec.serialization import AgentSpecDeserializer, AgentSpecSerializer

from orchestration.definition import PipelineDefinition
from orchestration.difference import difference
from orchestration.interchange import export, read
from orchestration.loading import load, load_storable
from tests.orchestration.interchange.agent_spec.hostile import hostile_definitions
from tests.orchestration.interchange.agent_spec.random_pipelines import random_pipeline
from tests.orchestration.interchange.agent_spec.rich import rich
from tests.orchestration.strategies import definitions, storable_definitions

SAMPLES = sorted(Path("designer/pipelines/samples").glob("*.json"))
DOCUMENTS = Path(__file__).parent / "documents"
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def check_round_trip(definition: PipelineDefinition) -> Mapping[str, str]:
    files = export(definition, "agent-spec").files
    for text in files.values():
        result = read(text)
        assert result.format == "agent-spec"
        assert not difference(definition, result.definition)
        assert (result.definition, result.losses) == (definition, ())
        assert result.definition.dump() == definition.dump()
    return files


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each.stem)
def test_a_sample_comes_back_without_a_difference(sample: Path) -> None:
    check_round_trip(load(sample.read_bytes()))


def test_the_library_loads_200_pipelines_and_its_saved_files_are_equal() -> None:
    kinds = set()
    for seed in range(200):
        definition = random_pipeline(seed)
        text = export(definition, "agent-spec").files["agent-spec.json"]
        component = AgentSpecDeserializer().from_json(text)
        kinds.add(type(component).__name__)
        assert read(text).definition == definition, seed
        assert read(AgentSpecSerializer().to_json(component)).definition == definition, seed
    assert kinds == {"Swarm", "ManagerWorkers", "Flow", "Agent"}


@settings(max_examples=40, suppress_health_check=SLOW)
@given(storable_definitions() | definitions())
def test_the_library_loads_any_definition_and_it_comes_back(definition: PipelineDefinition) -> None:
    files = check_round_trip(definition)
    component = AgentSpecDeserializer().from_json(files["agent-spec.json"])
    assert read(AgentSpecSerializer().to_json(component)).definition == definition


@settings(max_examples=20, suppress_health_check=SLOW)
@given(hostile_definitions())
def test_texts_and_schemas_that_look_like_parts_of_a_document_change_nothing(
    definition: PipelineDefinition,
) -> None:
    files = check_round_trip(definition)
    AgentSpecDeserializer().from_json(files["agent-spec.json"])


def test_long_names_that_a_component_needs_are_no_losses() -> None:
    agents = [
        {"id": key, "name": "x" * 120, "tools": ["pages"] if key == "triage" else []}
        for key in ("triage", "billing", "expert")
    ]
    call = {"connection": "manual", "tool": "y" * 500}
    tools = [{"name": "pages", "kind": "mcp", "mcp": call}]
    check_round_trip(rich(agents=agents, tools=tools))


@pytest.mark.parametrize("name", ["swarm.json", "swarm.yaml"])
def test_a_swarm_of_the_library_becomes_a_pipeline_with_its_losses(name: str) -> None:
    result = read((DOCUMENTS / name).read_bytes())
    definition = load_storable(result.definition.dump())
    assert (definition.topology, definition.entry) == ("swarm", "triage")
    assert [each.id for each in definition.agents] == ["billing-desk", "technical-help", "triage"]
    assert [(each.source, each.target, each.kind) for each in definition.transitions] == [
        ("billing-desk", "technical-help", "return"),
        ("billing-desk", "triage", "return"),
        ("technical-help", "triage", "return"),
        ("triage", "billing-desk", "next"),
        ("triage", "technical-help", "return"),
    ]
    assert definition.variables == {"customer": "the customer"}
    assert "sk-secret" not in result.definition.dump()
    lost = {place for row in result.losses for place in row.places if row.kept == "lost"}
    assert lost == {
        "$.$referenced_components.billing.llm_config.default_generation_parameters.top_p",
        "$.$referenced_components.billing.tools[1].sensitive_headers",
        "$.$referenced_components.model.url",
        "$.$referenced_components.billing.llm_config.api_key",
    }


def test_a_team_of_the_library_becomes_a_team() -> None:
    definition = read((DOCUMENTS / "team.json").read_bytes()).definition
    assert (definition.topology, definition.entry) == ("team", "triage")
    assert [(each.source, each.target, each.kind) for each in definition.transitions] == [
        ("triage", "billing-desk", "next"),
        ("triage", "technical-help", "return"),
    ]


def test_a_flow_of_the_library_becomes_a_workflow_of_its_agents() -> None:
    result = read((DOCUMENTS / "flow.json").read_bytes())
    assert (result.definition.topology, result.definition.entry) == ("workflow", "triage")
    assert [(each.source, each.target) for each in result.definition.transitions] == [
        ("triage", "billing-desk")
    ]
    assert [row.places for row in result.losses if row.part == "Node"] == [
        ("$.$referenced_components.say",)
    ]


def test_an_agent_of_the_library_becomes_a_pipeline_of_one_stage() -> None:
    definition = read((DOCUMENTS / "agent.json").read_bytes()).definition
    assert (definition.topology, definition.entry) == ("pipeline", "billing-desk")
    agent = definition.agents_by_id["billing-desk"]
    assert (agent.model, agent.temperature, agent.max_output_tokens) == ("gpt-5", 0.2, 500)


def test_a_list_of_components_is_read_from_its_largest_one() -> None:
    swarm = json.loads((DOCUMENTS / "swarm.json").read_bytes())
    listed = {"$referenced_components": {**swarm.pop("$referenced_components"), "desk": swarm}}
    assert read(json.dumps(listed)).definition.name == "Support desk"


@pytest.mark.parametrize(
    ("mode", "reported"), [("always", False), ("optional", True), ("never", True), (True, True)]
)
def test_messages_between_agents_are_reported(mode: object, *, reported: bool) -> None:
    swarm = json.loads((DOCUMENTS / "swarm.json").read_bytes()) | {"handoff": mode}
    rows = [row for row in read(json.dumps(swarm)).losses if row.part == "Handoff mode"]
    assert bool(rows) == reported
