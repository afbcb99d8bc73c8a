"""Reading of documents: our own exports, files of the library, and changes made elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from pyagentspec.serialization import AgentSpecDeserializer

from orchestration.definition import PipelineDefinition
from orchestration.difference import difference
from orchestration.interchange import export, read
from orchestration.loading import load, load_storable
from tests.orchestration.sound_pipeline import sound
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


@settings(max_examples=200, suppress_health_check=SLOW)
@given(storable_definitions() | definitions())
def test_the_library_loads_any_definition_and_it_comes_back(definition: PipelineDefinition) -> None:
    files = check_round_trip(definition)
    AgentSpecDeserializer().from_json(files["agent-spec.json"])


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


def test_a_name_that_another_program_changed_wins_over_the_metadata() -> None:
    document = json.loads(export(sound(), "agent-spec").files["agent-spec.json"])
    document["$referenced_components"]["agent.triage.intake"]["name"] = "Front desk"
    changed = read(json.dumps(document)).definition
    assert changed == sound(
        agents=[
            each | ({"name": "Front desk"} if each["id"] == "triage" else {})
            for each in sound().model_dump(mode="json")["agents"]
        ]
    )
