"""Exports for Agent Spec, loaded by its library with its own dependencies, and by LangGraph."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange import export, read
from orchestration.interchange.agent_spec.agents import names_of
from orchestration.interchange.agent_spec.structure import first_agents, structure_of
from tests.orchestration.interchange.agent_spec.random_pipelines import random_pipeline
from tests.slow.exchange.environments import environment, run_json, write_files
from tests.slow.exchange.pipelines import pipelines

PIPELINES = pipelines() | {f"random-{seed}": random_pipeline(seed) for seed in range(40)}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All exported pipelines by name, as the library loads and saves them."""
    folder = tmp_path_factory.mktemp("agent-spec")
    for name, definition in PIPELINES.items():
        write_files(export(definition, "agent-spec").files, folder / name)
    python = environment("agent-spec", "pyagentspec[langgraph]==26.3.1")
    result: dict[str, Any] = run_json(python, "load_agent_spec.py", folder)
    return result


@pytest.mark.parametrize("name", PIPELINES)
def test_a_document_that_the_library_saved_has_no_difference(
    name: str, loaded: dict[str, Any]
) -> None:
    assert read(loaded[name]["saved"]).definition == PIPELINES[name]


@pytest.mark.parametrize("name", PIPELINES)
def test_langgraph_has_a_node_for_each_agent_and_a_handoff_for_each_relationship(
    name: str, loaded: dict[str, Any]
) -> None:
    definition, found = PIPELINES[name], loaded[name]
    if found["nodes"] is None or found["type"] not in ("Swarm", "Flow"):
        return
    structure, agents = structure_of(definition), first_agents(definition)
    stages = [definition.stages_by_phase[phase] for phase in structure.phases]
    names = names_of([(stage, agents[stage.agent_id or ""]) for stage in stages])
    if found["type"] == "Flow":
        names = [f"node.{phase}" for phase in structure.phases]
    assert set(names) <= set(found["nodes"])
    for _, target, active in found["active"] or ():
        assert active == target
