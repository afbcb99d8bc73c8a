"""Structure of the graph, checked with a stub model: no key and no network are needed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from agents import build
from stub_model import Script

EXPECTED = json.loads(Path(__file__).with_name("expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def played() -> Iterator[tuple[Script, CompiledStateGraph]]:
    """Build the graph once with a script; expressions in CEL are not evaluated."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agents.keep_matching", lambda expression: list, raising=False)
        if EXPECTED["routed"]:
            patch.setattr("route.evaluate", lambda *arguments: False)
        script = Script(answers=dict(EXPECTED["answers"]))
        yield script, build(script.model)


@pytest.fixture
def script(played: tuple[Script, CompiledStateGraph]) -> Script:
    """Return the script in which every agent only answers."""
    played[0].turns.clear()
    played[0].seen.clear()
    played[0].offered.clear()
    return played[0]


@pytest.fixture
def graph(played: tuple[Script, CompiledStateGraph]) -> CompiledStateGraph:
    """Return the graph."""
    return played[1]


@pytest.fixture
def config() -> dict[str, Any]:
    """Return the configuration of a new conversation."""
    return {"configurable": {"thread_id": uuid4().hex}}


def started(stage: str) -> dict[str, Any]:
    """Return the input of a conversation that is in a stage."""
    return {"messages": [HumanMessage("Hello")], "active_agent": stage}


def calls_of(messages: list[Any]) -> list[str]:
    """Return the ids of all calls."""
    turns = [each for each in messages if isinstance(each, AIMessage)]
    return [call["id"] for turn in turns for call in turn.tool_calls]


@pytest.mark.skipif(not EXPECTED["stages"], reason="The pipeline has no stage that can run.")
def test_the_graph_has_a_node_for_each_stage(graph: CompiledStateGraph) -> None:
    assert set(EXPECTED["stages"]) <= set(graph.get_graph().nodes)


@pytest.mark.skipif(EXPECTED["entry"] is None, reason="No agent answers first.")
def test_a_conversation_begins_at_the_entry(
    script: Script, graph: CompiledStateGraph, config: dict[str, Any]
) -> None:
    result = graph.invoke({"messages": [HumanMessage("Hello")]}, config)
    assert script.seen
    assert isinstance(result["messages"][-1], AIMessage)


@pytest.mark.parametrize(("stage", "agent", "schemas"), EXPECTED["agents"])
def test_an_agent_is_offered_its_tools_with_their_schemas(
    script: Script,
    graph: CompiledStateGraph,
    config: dict[str, Any],
    stage: str,
    agent: str,
    schemas: dict[str, Any],
) -> None:
    graph.invoke(started(stage), config)
    offered = script.offered.get(agent, {})
    assert {name: offered.get(name) for name in schemas} == schemas


@pytest.mark.parametrize(
    ("stage", "agent", "tool", "payload", "target", "last"), EXPECTED["handoffs"]
)
def test_a_handoff_beside_other_calls_leads_to_its_target(
    script: Script,
    graph: CompiledStateGraph,
    config: dict[str, Any],
    stage: str,
    agent: str,
    tool: str,
    payload: dict[str, Any],
    target: str,
    last: str,
) -> None:
    script.turns[agent] = [("", [("no_such_tool", {}), (tool, payload), (tool, payload)])]
    result = graph.invoke(started(stage), config)
    answers = [each for each in result["messages"] if isinstance(each, ToolMessage)]
    assert [each.tool_call_id for each in answers] == calls_of(result["messages"])
    accepted = [each.artifact for each in answers if each.artifact]
    assert accepted == [{"handoff": target, "source": stage, "payload": payload}]
    assert result["active_agent"] == last


@pytest.mark.parametrize(("stage", "agent", "tool", "payload"), EXPECTED["approvals"])
def test_a_call_waits_for_its_approval(
    script: Script,
    graph: CompiledStateGraph,
    config: dict[str, Any],
    stage: str,
    agent: str,
    tool: str,
    payload: dict[str, Any],
) -> None:
    script.turns[agent] = [("", [(tool, payload)])]
    request = graph.invoke(started(stage), config)["__interrupt__"][0].value
    assert [each["name"] for each in request["action_requests"]] == [tool]
    result = graph.invoke(Command(resume={"decisions": [{"type": "reject"}]}), config)
    assert "__interrupt__" not in result


@pytest.mark.parametrize(("lead", "tool", "workers"), EXPECTED["delegations"])
def test_a_delegated_task_is_done_by_its_workers(
    script: Script,
    graph: CompiledStateGraph,
    config: dict[str, Any],
    lead: str,
    tool: str,
    workers: list[str],
) -> None:
    script.turns[lead] = [("", [(tool, {"task": "Do it."})])]
    graph.invoke({"messages": [HumanMessage("Hello")]}, config)
    agents = [agent for agent, _ in script.seen]
    assert sorted(agents) == sorted([lead, *workers, lead])


@pytest.mark.parametrize("stage", EXPECTED["people"])
def test_the_graph_waits_for_a_person(
    script: Script, graph: CompiledStateGraph, config: dict[str, Any], stage: str
) -> None:
    result = graph.invoke(started(stage), config)
    assert result["__interrupt__"][0].value["stage"] == stage
    result = graph.invoke(Command(resume={"text": "I take over."}), config)
    assert "I take over." in [each.text for each in result["messages"]]
