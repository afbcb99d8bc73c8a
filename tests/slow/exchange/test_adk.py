"""Exports for Google ADK, loaded by ADK itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.graph import stage_graph
from orchestration.interchange import export
from orchestration.interchange.adk.tree import agent_tree
from orchestration.loading import load
from tests.slow.exchange.environments import environment, run_json, write_files
from tests.slow.exchange.pipelines import pipelines

SAMPLES = Path("designer/pipelines/samples")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All exported pipelines by name, as ADK loads them."""
    folder = tmp_path_factory.mktemp("adk")
    for name, definition in pipelines().items():
        write_files(export(definition, "adk").files, folder / name)
    python = environment("adk", "google-adk[mcp]==2.13.0", "httpx", python="3.10")
    result: dict[str, Any] = run_json(python, "load_adk.py", folder)
    return result


def agents(value: dict[str, Any]) -> list[dict[str, Any]]:
    return [value, *[each for child in value["children"] for each in agents(child)]]


@pytest.mark.parametrize("name", pipelines())
def test_the_native_transitions_are_transfers_of_adk(name: str, loaded: dict[str, Any]) -> None:
    definition = pipelines()[name]
    if definition.topology in ("workflow", "team"):
        return
    found = {each["name"]: each["targets"] for each in agents(loaded[name]["root"])}
    names = agent_tree(definition).names
    for pair in native(definition):
        source, target = pair.split(" → ")
        if definition.stages_by_phase[source].kind != "group":
            assert names[target] in found[names[source]]


@pytest.mark.parametrize("name", pipelines())
def test_the_graph_has_all_transitions(name: str, loaded: dict[str, Any]) -> None:
    definition = pipelines()[name]
    if definition.topology == "team":
        return
    edges = {(source, target) for source, target, _ in loaded[name]["edges"]}
    names = agent_tree(definition).names
    wanted = {(names[source], names[target]) for source, target in stage_graph(definition).edges}
    assert wanted <= edges


def test_a_team_has_its_workers_as_tools(loaded: dict[str, Any]) -> None:
    names = [name for name, _ in loaded["weekend-trip"]["root"]["tools"]]
    assert names == ["ask_traveller", "write_guide", "booking", "weather"]


def test_instructions_and_schemas_are_unchanged(loaded: dict[str, Any]) -> None:
    definition = load((SAMPLES / "support.json").read_bytes())
    found = {each["name"]: each for each in agents(loaded["support"]["root"])}
    for stage in definition.stages:
        agent = definition.agents_by_id[stage.agent_id or ""]
        assert found[stage.phase]["text"] == agent.instructions
        schemas = [[name, definition.tools_by_name[name].parameters] for name in agent.tools]
        assert found[stage.phase]["tools"] == schemas


def test_all_tools_are_loaded(loaded: dict[str, Any]) -> None:
    names = [name for name, _ in loaded["everything"]["root"]["tools"]]
    assert {"function", "McpToolset", "request", "question", "subtask"} <= set(names)


def native(definition: PipelineDefinition) -> list[str]:
    rows = export(definition, "adk").rows
    return [
        place
        for each in rows
        if each.part == "Transitions" and each.kept == "native"
        for place in each.places
    ]
