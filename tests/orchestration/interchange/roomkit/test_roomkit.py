"""Projects for RoomKit: stages, router, agents and tools."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from hypothesis import given

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export
from tests.orchestration.sound_pipeline import sound, with_way
from tests.orchestration.strategies import definitions

STRICT = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "description": "In euros"},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "lines": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["amount", "kind", "lines"],
    "additionalProperties": False,
}


def source(definition: PipelineDefinition, name: str = "agents.py") -> str:
    return export(definition, "roomkit").files[name]


def calls(definition: PipelineDefinition, function: str) -> list[dict[str, Any]]:
    """The arguments of the calls of a function in `agents.py`; code is shown as text."""
    found: list[dict[str, Any]] = []
    for node in ast.walk(ast.parse(source(definition))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == function:
            given = {each.arg or "": value(each.value) for each in node.keywords}
            found.append(given | {str(n): value(each) for n, each in enumerate(node.args)})
    return found


def value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def kept(definition: PipelineDefinition) -> dict[tuple[str, str], str]:
    rows = export(definition, "roomkit").rows
    return {(each.part, place): each.kept for each in rows for place in each.places}


def test_stages_become_pipeline_stages() -> None:
    stages = {each["phase"]: each for each in calls(sound(), "PipelineStage")}
    assert stages["review"] == {
        "phase": "review",
        "agent_id": "reviewer",
        "next": "desk",
        "can_return_to": {"handling"},
    }
    assert stages["desk"] == {"phase": "desk", "agent_id": "human"}
    (pipeline,) = calls(sound(), "ConversationPipeline")
    assert pipeline["default_phase"] == "intake"


def test_a_supervisor_that_is_never_called_is_left_out() -> None:
    definition = sound(supervision={"ask_at": ["handoff"]})
    (pipeline,) = calls(definition, "ConversationPipeline")
    assert pipeline["supervisor_id"] == "watcher"
    assert kept(definition)["Supervisor", "watcher"] == "native"
    (pipeline,) = calls(sound(), "ConversationPipeline")
    assert "supervisor_id" not in pipeline
    assert kept(sound())["Supervisor", "watcher"] == "lost"


def test_rules_become_rules_of_the_router() -> None:
    rules = [
        {"id": "a", "agent_id": "handler", "priority": 3, "conditions": {"phases": ["intake"]}},
        {"id": "b", "agent_id": "handler", "conditions": {"channel_types": ["fax"]}},
        {"id": "c", "agent_id": "handler", "conditions": {"custom": "true"}},
    ]
    definition = sound(rules=rules, default_agent_id="reviewer")
    found = {
        each.get("priority", 0): each["conditions"] for each in calls(definition, "RoutingRule")
    }
    assert found[3] == "RoutingConditions(phases={'intake'})"
    assert found[0].startswith("RoutingConditions(custom=holds(")
    (router,) = calls(definition, "StageRouter")
    assert router["default_agent_id"] == "reviewer"
    report = kept(definition)
    assert report["Routing rules", "b"] == "native"
    assert report["Routing rule in CEL", "c"] == "comment"
    assert "route.py" in export(definition, "roomkit").files
    assert "route.py" not in export(sound(rules=[]), "roomkit").files


def test_agents_have_their_settings_and_tools() -> None:
    agent = {
        "id": "triage",
        "name": "Triage",
        "instructions": 'Say """hello""".',
        "provider": "openai",
        "model": "gpt-5",
        "temperature": 0.5,
        "language": "French",
        "response_schema": STRICT,
        "tools": ["lookup"],
    }
    (found,) = calls(sound(agents=[agent]), "Agent")
    assert found["system_prompt"] == agent["instructions"]
    assert found["provider"] == "provider('openai', 'gpt-5')"
    assert found["tools"] == "[lookup_tool]"
    assert (found["temperature"], found["language"]) == (0.5, "French")
    assert found["response_schema"] == STRICT
    assert 'raise NotImplementedError("lookup")' in source(sound(agents=[agent]), "tools.py")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "object", "properties": {}},
        STRICT | {"required": ["kind"]},
        STRICT | {"minProperties": 1},
        STRICT | {"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
        STRICT | {"properties": {"a": {"type": "string", "enum": []}}, "required": ["a"]},
        STRICT | {"properties": {"a": {"type": "array"}}, "required": ["a"]},
    ],
)
def test_a_schema_that_room_kit_refuses_is_lost(schema: dict[str, Any]) -> None:
    definition = sound(agents=[{"id": "triage", "name": "T", "response_schema": schema}])
    assert kept(definition)["Answer in a schema", "triage"] == "lost"
    assert "response_schema" not in source(definition)


@pytest.mark.parametrize(
    ("keep", "memory"),
    [({"keep": "last", "count": 3}, "history(3)"), ({"keep": "summary"}, "history(1)")],
)
def test_a_filter_becomes_a_window(keep: dict[str, Any], memory: str) -> None:
    definition = with_way("review", "handling", input_filter=keep)
    agents = {each["0"]: each["memory"] for each in calls(definition, "Agent")}
    assert agents["handler"] == "history()"  # another transition keeps all messages
    transitions = [
        each for each in definition.model_dump()["transitions"] if each["target"] != "handling"
    ]
    transitions += [{"source": "intake", "target": "handling", "input_filter": keep}]
    one = sound(transitions=transitions)
    assert {each["0"]: each["memory"] for each in calls(one, "Agent")}["handler"] == memory
    part = "Filter to a summary" if keep["keep"] == "summary" else "Filter of the last messages"
    assert kept(one)[part, "intake → handling"] == "code"
    assert kept(definition)[part, "review → handling"] == "lost"


def test_a_group_is_a_stage_of_its_first_member() -> None:
    stages = [{"phase": "intake", "kind": "group", "group": {"agents": ["gone", "triage"]}}]
    definition = sound(stages=stages, transitions=[], entry="intake")
    assert calls(definition, "PipelineStage") == [{"phase": "intake", "agent_id": "triage"}]
    assert kept(definition)["Groups", "intake"] == "comment"


def test_the_project_needs_python_3_12_and_expects_its_transitions() -> None:
    files = export(sound(), "roomkit").files
    assert 'requires-python = ">=3.12"' in files["pyproject.toml"]
    expected = json.loads(files["expected.json"])
    assert expected["transitions"]["review"] == ["desk", "handling"]
    assert expected["first"] == "intake"
    assert "| Part | Kept | Result |" in files["README.md"]


@given(definitions())
def test_no_text_breaks_the_code(definition: PipelineDefinition) -> None:
    files = export(definition, "roomkit").files
    for name, text in files.items():
        if name.endswith(".py"):
            ast.parse(text)
    prompts = {each["0"]: each["system_prompt"] for each in calls(definition, "Agent")}
    agents = definition.agents_by_id
    assert prompts == {each.id: each.instructions for each in agents.values()}
    phases = {each["phase"] for each in calls(definition, "PipelineStage")}
    for each in calls(definition, "PipelineStage"):
        assert {*each.get("can_return_to", ()), *filter(None, [each.get("next")])} <= phases
