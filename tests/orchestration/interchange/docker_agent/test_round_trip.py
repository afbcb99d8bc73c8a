"""Definitions that are exported to docker-agent and read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given

from orchestration.definition import PipelineDefinition
from orchestration.interchange import Import, export, format_named, read, round_trip
from orchestration.loading import DEFINITION, load, read_document, storage_faults
from tests.orchestration.sound_pipeline import sound, team, workflow
from tests.orchestration.strategies import definitions, storable_definitions

DOCKER_AGENT = format_named("docker-agent")
SAMPLES = sorted(Path("designer/pipelines/samples").glob("*.json"))


def back(definition: PipelineDefinition) -> Import:
    """The export of a definition, read again."""
    return read(export(definition, "docker-agent").files["agents.yaml"])


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each.stem)
def test_a_sample_comes_back_with_exactly_the_declared_losses(sample: Path) -> None:
    definition = load(sample.read_bytes())
    assert round_trip(definition, DOCKER_AGENT).unexplained == ()
    result = back(definition)
    assert result.losses == ()
    assert storage_faults(result.definition) == ()
    assert result.definition.name == definition.name


@given(storable_definitions())
def test_a_definition_comes_back_with_the_declared_losses(definition: PipelineDefinition) -> None:
    assert round_trip(definition, DOCKER_AGENT).unexplained == ()


@given(definitions())
def test_every_yaml_parser_reads_the_same_values(definition: PipelineDefinition) -> None:
    text = export(definition, "docker-agent").files["agents.yaml"]
    assert yaml.safe_load(text) == read_document(text, DEFINITION)


@pytest.mark.parametrize("definition", [sound(), team(), workflow()], ids=lambda d: d.topology)
def test_a_pipeline_without_losses_is_the_same_again(definition: PipelineDefinition) -> None:
    unused: dict[str, Any] = {
        "rules": (),
        "aliases": {},
        "supervisor_id": None,
        "allow_human": False,
    }
    plain = definition.model_copy(update=unused)
    assert back(plain).definition.without_layout() == plain
