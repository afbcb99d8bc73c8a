"""Stages of a workflow that are read from the nodes and edges of a flow."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from orchestration.interchange import read
from tests.orchestration.interchange.agent_spec.imported import pairs, reference
from tests.orchestration.interchange.agent_spec.rich import document, rich


def flow(key: str, *nodes: Any) -> dict[str, Any]:
    """Return a flow of nodes, one after the other."""
    start = {"component_type": "StartNode", "id": f"{key}-start"}
    end = {"component_type": "EndNode", "id": f"{key}-end"}
    chain = [start, *nodes, end]
    edges = [
        {"component_type": "ControlFlowEdge", "from_node": source, "to_node": target}
        for source, target in pairwise(chain)
    ]
    return {
        "component_type": "Flow",
        "id": key,
        "name": key,
        "start_node": start,
        "nodes": chain,
        "control_flow_connections": edges,
    }


def agent_node(key: str) -> dict[str, Any]:
    agent = {"component_type": "Agent", "name": key, "system_prompt": ""}
    return {"component_type": "AgentNode", "id": key, "name": key, "agent": agent}


def test_branches_of_a_flow_are_losses_because_a_workflow_has_none() -> None:
    def node(key: str, kind: str = "AgentNode") -> dict[str, object]:
        agent = {"component_type": "Agent", "name": key, "system_prompt": ""}
        return {"component_type": kind, "id": key, "name": key, "agent": agent}

    ends = [("start", "a"), ("a", "ask"), ("ask", "b"), ("ask", "c"), ("b", "end")]
    edges = [
        {
            "component_type": "ControlFlowEdge",
            "name": "edge",
            "from_node": {"$component_ref": source},
            "to_node": {"$component_ref": target},
        }
        for source, target in ends
    ]
    nodes = [node("a"), node("ask", "BranchingNode"), node("b"), node("c"), node("end", "EndNode")]
    result = read(
        json.dumps(
            {
                "component_type": "Flow",
                "name": "Flow",
                "start_node": {"$component_ref": "start"},
                "nodes": nodes,
                "control_flow_connections": [*edges, 3],
                "$referenced_components": {
                    "start": node("start", "StartNode"),
                    **{str(each["id"]): each for each in nodes},
                },
            }
        )
    )
    assert [(each.source, each.target) for each in result.definition.transitions] == [("a", "b")]
    assert [(row.part, row.places) for row in result.losses] == [
        ("Node", ("$.nodes[1]",)),
        ("Edge", ("$.control_flow_connections[5]",)),
        ("Branch", ("$.control_flow_connections",)),
    ]


def test_a_node_that_calls_a_model_becomes_an_agent_with_its_prompt() -> None:
    node = {
        "component_type": "LlmNode",
        "id": "capital",
        "name": "Capital",
        "prompt_template": "Name the capital of {{country}}.",
        "llm_config": {
            "component_type": "OllamaConfig",
            "name": "m",
            "model_id": "llama",
            "url": "x",
        },
        "outputs": [{"title": "capital", "type": "string"}],
    }
    flow = {
        "component_type": "Flow",
        "name": "Flow",
        "start_node": {"component_type": "StartNode", "id": "start"},
        "nodes": [node],
        "control_flow_connections": [
            {"from_node": {"component_type": "StartNode", "id": "start"}, "to_node": node}
        ],
    }
    result = read(json.dumps(flow))
    agent = result.definition.agents[0]
    assert (agent.name, agent.instructions) == ("Capital", "Name the capital of {{country}}.")
    assert (result.definition.entry, result.definition.variables) == ("capital", {"country": ""})
    assert [row.places for row in result.losses if row.part == "Node"] == [("$.nodes[0]",)]


def test_a_flow_within_a_flow_is_read_in_its_place() -> None:
    inner = flow("inner", agent_node("b"), agent_node("c"))
    call = {"component_type": "FlowNode", "id": "call", "subflow": inner}
    result = read(json.dumps(flow("outer", agent_node("a"), call, agent_node("d"))))
    assert [(each.source, each.target) for each in result.definition.transitions] == [
        ("a", "b"),
        ("b", "c"),
        ("c", "d"),
    ]
    assert result.losses == ()


def test_a_flow_that_calls_itself_is_a_loss() -> None:
    call = {"component_type": "FlowNode", "id": "call", "subflow": {"$component_ref": "inner"}}
    inner = flow("inner", agent_node("a"), call)
    document = {"$component_ref": "inner", "$referenced_components": {"inner": inner}}
    result = read(json.dumps(document | {"agentspec_version": "25.4.2"}))
    assert [row.part for row in result.losses] == ["Node"]


def test_a_shorter_flow_is_a_shorter_workflow() -> None:
    written = document(rich(topology="workflow"))
    assert [each["name"] for each in written["control_flow_connections"]] == [
        "start_to_triage",
        "triage_to_billing",
        "billing_to_later",
        "later_to_end",
    ]
    written["control_flow_connections"][1]["to_node"] = reference("node.later")
    del written["control_flow_connections"][2]
    found = read(json.dumps(written)).definition
    assert ("triage", "later") in pairs(found)
    assert ("triage", "billing") not in pairs(found)
    assert ("billing", "later") not in pairs(found)
