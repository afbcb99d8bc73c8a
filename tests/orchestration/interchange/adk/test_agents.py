"""Files of agents: the tree, the workflow and the settings of each agent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from orchestration.definition import PipelineDefinition
from tests.orchestration.interchange.adk.exported import TOOLS, files_of, kept
from tests.orchestration.sound_pipeline import sound, team, with_more, with_transition, workflow
from tests.orchestration.strategies import definitions


def test_the_transitions_from_the_entry_become_a_tree() -> None:
    files = files_of(sound())
    assert set(files) == {
        "root_agent.yaml",
        "handling.yaml",
        "review.yaml",
        "desk.yaml",
        "workflow.yaml",
    }
    assert files["root_agent.yaml"]["sub_agents"] == [{"config_path": "handling.yaml"}]
    assert files["review.yaml"]["sub_agents"] == [{"config_path": "desk.yaml"}]
    assert "A person answers" in files["desk.yaml"]["instruction"]
    assert files["handling.yaml"]["tools"] == [{"name": "tools.lookup_tool"}]


def test_an_agent_without_a_transition_to_a_sibling_does_not_transfer_to_siblings() -> None:
    more = [{"source": "intake", "target": "desk", "kind": "return"}]
    files = files_of(with_more("transitions", *more))
    assert files["handling.yaml"]["disallow_transfer_to_peers"] is True
    assert "disallow_transfer_to_peers" not in files["root_agent.yaml"]


def test_a_workflow_is_a_workflow_without_forward_references() -> None:
    files = files_of(workflow())
    assert files["root_agent.yaml"] == {
        "agent_class": "Workflow",
        "name": "workflow",
        "edges": [
            ["START", "intake.yaml"],
            ["intake", "handling.yaml"],
            ["handling", "review.yaml"],
            ["review", "desk.yaml"],
        ],
    }
    assert "sub_agents" not in files["intake.yaml"]


def test_the_lead_of_a_team_has_its_workers_as_tools() -> None:
    root = files_of(team())["root_agent.yaml"]
    workers = [each["args"]["agent"]["config_path"] for each in root["tools"]]
    assert workers == ["handling.yaml", "review.yaml"]
    assert "sub_agents" not in root


def test_the_members_of_a_group_answer_in_parallel_and_next_follows() -> None:
    definition = sound(
        stages=[
            {"phase": "intake", "kind": "group", "group": {"agents": ["triage", "handler"]}},
            {"phase": "review", "agent_id": "reviewer"},
        ],
        transitions=[{"source": "intake", "target": "review"}],
    )
    files = files_of(definition)
    assert files["root_agent.yaml"]["agent_class"] == "SequentialAgent"
    assert files["root_agent.yaml"]["sub_agents"] == [
        {"config_path": "intake_members.yaml"},
        {"config_path": "review.yaml"},
    ]
    assert files["intake_members.yaml"]["agent_class"] == "ParallelAgent"
    assert kept(definition)["Transitions", "intake → review"] == "native"
    group = {"agents": ["triage", "handler"], "dependencies": {"triage": ["handler"]}}
    stages = [{"phase": "intake", "kind": "group", "group": group}]
    one = files_of(sound(stages=stages, transitions=[]))["root_agent.yaml"]
    assert one["agent_class"] == "SequentialAgent"
    assert [each["config_path"] for each in one["sub_agents"]] == [
        "intake_handler.yaml",
        "intake_triage.yaml",
    ]


@pytest.mark.parametrize(
    ("group", "agent_class"),
    [
        ({}, "ParallelAgent"),
        ({"parallel": False}, "SequentialAgent"),
        ({"dependencies": {"triage": ["handler"]}}, "SequentialAgent"),
    ],
)
def test_the_graph_has_the_same_group_as_its_file(group: dict[str, Any], agent_class: str) -> None:
    members = {"agents": ["triage", "handler"], **group}
    definition = sound(
        stages=[
            {"phase": "intake", "agent_id": "reviewer"},
            {"phase": "checks", "kind": "group", "group": members, "description": "Two checks."},
        ],
        transitions=[{"source": "intake", "target": "checks"}],
    )
    files = files_of(definition)
    [node] = [
        edge["to_node"]
        for edge in files["workflow.yaml"]["edges"]
        if isinstance(edge, dict) and isinstance(edge["to_node"], dict)
    ]
    assert node == files["checks.yaml"]
    assert node["agent_class"] == agent_class


def test_brackets_in_instructions_are_not_filled_in_by_adk() -> None:
    agents = [{"id": "triage", "name": "T", "instructions": "Say {name}.", "language": "French"}]
    root = files_of(sound(agents=agents))["root_agent.yaml"]
    assert root["instruction"] == ""
    assert root["static_instruction"] == "Say {name}.\n\n---\n\nAnswer in French."


def test_the_description_of_a_target_has_the_conditions() -> None:
    files = files_of(with_transition("intake", "handling", description="When it is about money."))
    assert files["handling.yaml"]["description"] == "When it is about money."


def test_an_agent_has_its_settings_and_its_tools_by_their_names() -> None:
    agent = {
        "id": "triage",
        "name": "T",
        "tools": ["find", "call", "search"],
        "temperature": 0.5,
        "model": "gemini-2.5-pro",
        "response_schema": {"type": "object"},
    }
    root = files_of(sound(agents=[agent], tools=TOOLS))["root_agent.yaml"]
    assert root["model"] == "gemini-2.5-pro"
    assert root["generate_content_config"] == {"temperature": 0.5}
    assert root["output_schema"] == {"name": "tools.TRIAGE_ANSWER"}
    assert [each["name"] for each in root["tools"]] == [
        "tools.call_2_tool",
        "tools.find_tool",
        "tools.search_tool",
    ]


@given(definitions())
def test_an_edge_names_only_nodes_of_earlier_edges(definition: PipelineDefinition) -> None:
    known = {"START"}
    for edge in files_of(definition).get("workflow.yaml", {"edges": []})["edges"]:
        source, target = edge if isinstance(edge, list) else (edge["from_node"], edge["to_node"])
        assert source in known
        if isinstance(target, dict):
            assert target["name"] not in known
            known.add(target["name"])
        assert isinstance(target, dict) or target in known


@pytest.mark.parametrize("fields", [{"stages": [], "transitions": []}, {"entry": None}])
def test_a_draft_without_an_entry_is_exported(fields: dict[str, Any]) -> None:
    assert files_of(sound(**fields))["root_agent.yaml"]["name"]
