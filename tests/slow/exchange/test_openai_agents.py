"""Exported code with the OpenAI Agents SDK: its own tests, and conversations as in Baton."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.handoff import human_phase, transfer_tool_names
from orchestration.interchange import export
from tests.slow.exchange.environments import environment, run_json, run_tests, write_files
from tests.slow.exchange.openai_pipelines import SCHEMA, features
from tests.slow.exchange.pipelines import pipelines
from tests.slow.exchange.test_langgraph import CONVERSATIONS, record


@pytest.fixture(scope="module")
def python() -> Path:
    return environment("openai-agents", "openai-agents>=0.20", "httpx", "pytest", python="3.11")


@pytest.mark.parametrize("name", pipelines())
def test_the_tests_of_an_exported_project_pass(name: str, python: Path, tmp_path: Path) -> None:
    write_files(export(pipelines()[name], "openai-agents").files, tmp_path)
    run_tests(python, tmp_path)


def test_each_feature_works_as_in_baton(python: Path, tmp_path: Path) -> None:
    project = write_files(export(features(), "openai-agents").files, tmp_path)
    seen = run_json(python, "check_openai.py", project)
    old = ["First", "Answer", "function_call:find", "function_call_output:old", "Second"]
    handoff = ["function_call:transfer_to_{}", "function_call_output:call_1"]
    assert seen["plain"] == [*old, *[each.format("plain") for each in handoff]]
    assert seen["last"] == ["Second", *[each.format("last") for each in handoff]]
    assert seen["summary"] == ["Second", *[each.format("summary") for each in handoff]]
    assert seen["no-tools"] == ["First", "Answer", "Second"]
    assert "message.role == 'user'" in seen["cel"]
    assert seen["limit"].startswith("HandoffLimitError: More than 2 handoffs")
    assert "missing" in seen["raises"]
    assert seen["approval"] == ["approved"]
    assert seen["human"] == ["transfer_to_human"]
    assert seen["person"] == ["ask_person"]
    assert seen["http"].startswith("Error: The argument 'path' contains")
    assert seen["instructions"] == ('Greet "Ada \\"A\\"" of "pro".\n\n---\n\nAnswer in French.')
    assert seen["temperature"] == 0.5
    assert seen["answer"] == {"a": 1}
    assert seen["schema"] == SCHEMA
    assert seen["mcp"] == []
    assert seen["group"]["inputs"] == {"two": "Task", "one": "Task\n\n[two]: output of two"}
    assert seen["group"]["last"] == "plain"
    assert "Max turns (3) exceeded" in seen["turns"]


@pytest.mark.parametrize(
    ("name", "number"),
    [(name, number) for name, found in CONVERSATIONS.items() for number in range(len(found))],
)
async def test_a_conversation_takes_the_same_path_as_in_baton(
    name: str, number: int, python: Path, tmp_path: Path
) -> None:
    definition = pipelines()[name]
    project = write_files(export(definition, "openai-agents").files, tmp_path / "project")
    human = human_stage(definition)
    (project / "expected.json").write_text(json.dumps({"handoffs": handoffs(definition, human)}))
    messages, expected = merged(*await record(name, CONVERSATIONS[name][number], project))
    plan = {
        "messages": messages,
        "topology": definition.topology,
        "human": human,
        "agents": {each.phase: each.agent_id for each in definition.stages},
    }
    recording = tmp_path / "recording.json"
    recording.write_text(json.dumps(plan))
    played = run_json(python, "play_openai.py", project, recording)
    for each, wanted in zip(played, expected, strict=True):
        members = wanted["members"]
        assert [agent for agent in each["agents"] if agent not in members] == wanted["agents"]
        assert sorted(a for a in each["agents"] if a in members) == sorted(members)
        assert each["handoffs"] == wanted["handoffs"]
        assert each["left"] == {}
        if "stage" in wanted:
            assert each["stage"] == wanted["stage"]


def human_stage(definition: PipelineDefinition) -> str:
    """Return the stage of a conversation with a person."""
    owner = definition.stages_by_phase.get("escalation")
    agent = owner.agent_id if owner is not None and owner.kind == "agent" else None
    return human_phase(definition.entry or "", agent)


def handoffs(definition: PipelineDefinition, human: str) -> list[list[str]]:
    """Return the tools of handoffs with their source and target, as `record` reads them."""
    found = [
        [phase, "", tool, "", target, ""]
        for phase in definition.stages_by_phase
        for target, tool in transfer_tool_names(phase, definition).items()
    ]
    known = {(each[0], each[4]) for each in found}
    return found + [
        [phase, "", "transfer_to_human", "", human, ""]
        for phase in definition.stages_by_phase
        if (phase, human) not in known
    ]


def merged(
    messages: Sequence[dict[str, Any]], expected: Sequence[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Join each answer to a question of a tool with the message before: the tool returns it."""
    joined: list[dict[str, Any]] = []
    paths: list[dict[str, Any]] = []
    question = ""
    for message, path in zip(messages, expected, strict=True):
        if question:
            joined[-1]["turns"] += message["turns"]
            for name, results in {question: [message["text"]], **message["results"]}.items():
                joined[-1]["results"].setdefault(name, []).extend(results)
            for key in ("agents", "members", "handoffs"):
                paths[-1][key] += path[key]
        else:
            joined.append(message)
            paths.append(path)
        calls = [name for turn in message["turns"] for name, _ in turn["calls"]]
        asked = path["waits"] and calls and not calls[-1].startswith("transfer_to")
        question = calls[-1] if asked else ""
    return joined, paths
