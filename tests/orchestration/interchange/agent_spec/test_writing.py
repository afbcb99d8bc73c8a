"""The documents that Baton writes, read by the library of Agent Spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyagentspec.agent import Agent
from pyagentspec.flows.flow import Flow
from pyagentspec.flows.nodes import AgentNode
from pyagentspec.managerworkers import ManagerWorkers
from pyagentspec.swarm import HandoffMode, Swarm

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export
from orchestration.loading import load
from tests.orchestration.interchange.agent_spec.loading import loaded
from tests.orchestration.sound_pipeline import sound, team, workflow

SAMPLES = sorted(Path("designer/pipelines/samples").glob("*.json"))


def document(definition: PipelineDefinition) -> dict[str, Any]:
    written: dict[str, Any] = json.loads(export(definition, "agent-spec").files["agent-spec.json"])
    return written


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each.stem)
def test_the_library_loads_every_sample(sample: Path) -> None:
    loaded(export(load(sample.read_bytes()), "agent-spec").files)


def test_a_pipeline_is_a_swarm_with_a_relationship_for_each_transition_of_agents() -> None:
    swarm = loaded(export(sound(), "agent-spec").files)
    assert isinstance(swarm, Swarm)
    assert (swarm.name, swarm.handoff) == ("Support", HandoffMode.ALWAYS)
    assert swarm.first_agent.name == "Triage"
    pairs = [(source.name, target.name) for source, target in swarm.relationships]
    assert pairs == [("Handler", "Reviewer"), ("Triage", "Handler"), ("Reviewer", "Handler")]
    data = (swarm.metadata or {})["baton"]["pipeline"]
    assert [each["phase"] for each in data["stages"]] == ["desk"]
    assert [each["id"] for each in data["agents"]] == ["watcher"]
    assert data["rules"] == [
        {"id": "billing", "agent_id": "handler", "conditions": {"intents": ["billing"]}}
    ]


def test_a_team_is_a_manager_with_workers() -> None:
    group = loaded(export(team(), "agent-spec").files)
    assert isinstance(group, ManagerWorkers)
    assert group.group_manager.name == "Triage"
    assert [each.name for each in group.workers] == ["Handler", "Reviewer"]


def test_a_workflow_is_a_flow_of_agents_in_the_order_of_next() -> None:
    flow = loaded(export(workflow(), "agent-spec").files)
    assert isinstance(flow, Flow)
    names = [edge.to_node.name for edge in flow.control_flow_connections]
    assert names == ["intake", "handling", "review", "end"]
    agents = [node.agent.name for node in flow.nodes if isinstance(node, AgentNode)]
    assert agents == ["Triage", "Handler", "Reviewer"]


def test_a_workflow_that_never_ends_becomes_a_flow_that_ends() -> None:
    ways = [{"source": "intake", "target": "handling"}, {"source": "handling", "target": "intake"}]
    flow = loaded(export(workflow(transitions=ways), "agent-spec").files)
    assert isinstance(flow, Flow)
    names = [edge.to_node.name for edge in flow.control_flow_connections]
    assert names == ["intake", "handling", "end"]


@pytest.mark.parametrize("make", [sound, team])
def test_a_definition_without_transitions_is_its_first_agent(make: Any) -> None:
    agent = loaded(export(make(transitions=[]), "agent-spec").files)
    assert isinstance(agent, Agent)
    assert agent.name == "Triage"


def test_a_draft_without_stages_is_its_first_agent_and_one_without_agents_an_empty_flow() -> None:
    without = sound(stages=[], transitions=[])
    assert loaded(export(without, "agent-spec").files).name == "Handler"
    empty = PipelineDefinition(name="New")
    assert isinstance(loaded(export(empty, "agent-spec").files), Flow)


def test_an_agent_in_several_stages_has_a_component_with_its_own_name_for_each() -> None:
    stages = [*sound().model_dump()["stages"], {"phase": "late", "agent_id": "handler"}]
    ways = [
        *sound().model_dump()["transitions"],
        {"source": "review", "target": "late", "kind": "return"},
    ]
    swarm = loaded(export(sound(stages=stages, transitions=ways), "agent-spec").files)
    assert isinstance(swarm, Swarm)
    names = {agent.name for pair in swarm.relationships for agent in pair}
    assert names == {"Triage", "Handler", "Handler (late)", "Reviewer"}


def test_the_version_is_the_lowest_with_all_components() -> None:
    assert document(sound())["agentspec_version"] == "25.4.2"
