"""Structure of the graph, checked with a stub model: no key and no network are needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.types import Command

from agents import build
from stub_model import Script

EXPECTED = json.loads(Path(__file__).with_name("expected.json").read_text(encoding="utf-8"))
CONFIG = {"configurable": {"thread_id": "test"}}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    """Return a script in which every agent only answers; expressions in CEL are not evaluated."""
    monkeypatch.setattr("agents.keep_matching", lambda expression: list, raising=False)
    if EXPECTED["routed"]:
        monkeypatch.setattr("route.evaluate", lambda *arguments: False)
    return Script(answers=dict(EXPECTED["answers"]))


def started(stage: str) -> dict[str, Any]:
    """Return the input of a conversation that is in a stage."""
    return {"messages": [HumanMessage("Hello")], "active_agent": stage}


def calls_of(messages: list[Any]) -> list[str]:
    """Return the ids of all calls."""
    turns = [each for each in messages if isinstance(each, AIMessage)]
    return [call["id"] for turn in turns for call in turn.tool_calls]


@pytest.mark.skipif(not EXPECTED["stages"], reason="The pipeline has no stage that can run.")
def test_the_graph_has_a_node_for_each_stage(script: Script) -> None:
    assert set(EXPECTED["stages"]) <= set(build(script.model).get_graph().nodes)


@pytest.mark.skipif(EXPECTED["entry"] is None, reason="No agent answers first.")
def test_a_conversation_begins_at_the_entry(script: Script) -> None:
    result = build(script.model).invoke({"messages": [HumanMessage("Hello")]}, CONFIG)
    assert script.seen
    assert isinstance(result["messages"][-1], AIMessage)


@pytest.mark.parametrize(("stage", "agent", "schemas"), EXPECTED["agents"])
def test_an_agent_is_offered_its_tools_with_their_schemas(
    script: Script, stage: str, agent: str, schemas: dict[str, Any]
) -> None:
    build(script.model).invoke(started(stage), CONFIG)
    offered = script.offered.get(agent, {})
    assert {name: offered.get(name) for name in schemas} == schemas


@pytest.mark.parametrize(
    ("stage", "agent", "tool", "payload", "target", "last"), EXPECTED["handoffs"]
)
def test_a_handoff_beside_other_calls_leads_to_its_target(
    script: Script,
    stage: str,
    agent: str,
    tool: str,
    payload: dict[str, Any],
    target: str,
    last: str,
) -> None:
    script.turns[agent] = [("", [("no_such_tool", {}), (tool, payload), (tool, payload)])]
    result = build(script.model).invoke(started(stage), CONFIG)
    answers = [each for each in result["messages"] if isinstance(each, ToolMessage)]
    assert [each.tool_call_id for each in answers] == calls_of(result["messages"])
    accepted = [each.artifact for each in answers if each.artifact]
    assert accepted == [{"handoff": target, "source": stage, "payload": payload}]
    assert result["active_agent"] == last


@pytest.mark.parametrize(("stage", "agent", "tool", "payload"), EXPECTED["approvals"])
def test_a_call_waits_for_its_approval(
    script: Script, stage: str, agent: str, tool: str, payload: dict[str, Any]
) -> None:
    script.turns[agent] = [("", [(tool, payload)])]
    graph = build(script.model)
    request = graph.invoke(started(stage), CONFIG)["__interrupt__"][0].value
    assert [each["name"] for each in request["action_requests"]] == [tool]
    result = graph.invoke(Command(resume={"decisions": [{"type": "reject"}]}), CONFIG)
    assert "__interrupt__" not in result


@pytest.mark.parametrize(("lead", "tool", "workers"), EXPECTED["delegations"])
def test_a_delegated_task_is_done_by_its_workers(
    script: Script, lead: str, tool: str, workers: list[str]
) -> None:
    script.turns[lead] = [("", [(tool, {"task": "Do it."})])]
    build(script.model).invoke({"messages": [HumanMessage("Hello")]}, CONFIG)
    agents = [agent for agent, _ in script.seen]
    assert sorted(agents) == sorted([lead, *workers, lead])


@pytest.mark.parametrize("stage", EXPECTED["people"])
def test_the_graph_waits_for_a_person(script: Script, stage: str) -> None:
    graph = build(script.model)
    result = graph.invoke(started(stage), CONFIG)
    assert result["__interrupt__"][0].value["stage"] == stage
    result = graph.invoke(Command(resume={"text": "I take over."}), CONFIG)
    assert "I take over." in [each.text for each in result["messages"]]
