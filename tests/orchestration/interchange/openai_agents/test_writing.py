"""Projects for the OpenAI Agents SDK: their source, without the SDK."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export
from orchestration.loading import load
from tests.orchestration.interchange.round_trips import undeclared_differences
from tests.orchestration.sound_pipeline import SOUND, sound, team, workflow
from tests.orchestration.strategies import definitions

SAMPLES = sorted(Path("designer/pipelines/samples").glob("*.json"))
HOSTILE = (
    'it\'s "quoted"',
    "three \"\"\" quotes ''' and \\ backslash \\",
    "a\nb\r\n\u2028c */ {{x}} {x} %s",
    "\u202eright to left\u202c",
    "class",
    "x" * 10_000,
    '# comment\n"""\nimport os\nos.system(\'x\')',
)


def files(definition: PipelineDefinition) -> Mapping[str, str]:
    return export(definition, "openai-agents").files


def calls(source: str, name: str) -> list[dict[str, Any]]:
    """Return the constant keyword arguments of all calls of a function."""
    return [
        {each.arg: value(each.value) for each in node.keywords if each.arg}
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == name
    ]


def value(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def hostile(text: str) -> PipelineDefinition:
    """A definition with one text in every field that takes it."""
    line, name = text[:500], text[:120]
    return PipelineDefinition.model_validate(
        {
            "name": name,
            "description": text,
            "agents": [
                {
                    "id": "a",
                    "name": name,
                    "instructions": text,
                    "language": name,
                    "model": name,
                    "tools": ["find"],
                    "response_schema": {"type": "object", "description": text},
                },
                {"id": "class", "name": name, "instructions": f"{text} {{{{plan}}}}"},
            ],
            "stages": [
                {"phase": "print", "agent_id": "a", "description": text},
                {"phase": "agents", "agent_id": "class"},
                {"phase": "2nd", "agent_id": "a", "description": text},
                {"phase": "runtime", "kind": "human", "description": text},
                {"phase": "group", "kind": "group", "group": {"agents": ["a", "class"]}},
            ],
            "transitions": [
                {
                    "source": "print",
                    "target": "agents",
                    "description": line,
                    "input_schema": {"type": "object", "properties": {text: {"const": text}}},
                    "input_filter": {"keep": "matching", "expression": text[:1_000]},
                },
                {"source": "agents", "target": "2nd", "kind": "return", "description": line},
                {"source": "2nd", "target": "runtime"},
                {"source": "2nd", "target": "group", "kind": "return"},
                {"source": "group", "target": "print"},
            ],
            "rules": [{"id": "r", "agent_id": "a", "conditions": {"intents": [name]}}],
            "tools": [
                {
                    "name": "find",
                    "kind": "http",
                    "description": line,
                    "http": {"url": f"https://x.example/{line}", "body": text},
                    "parameters": {"type": "object", "properties": {text: {"title": text}}},
                }
            ],
            "variables": {"plan": line},
            "entry": "print",
        }
    )


def test_generated_code_is_formatted_and_without_a_problem(tmp_path: Path) -> None:
    projects = {sample.stem: load(sample.read_bytes()) for sample in SAMPLES}
    projects |= {f"hostile_{number}": hostile(text) for number, text in enumerate(HOSTILE)}
    plain = sound(description=HOSTILE[-1], tools=[], limits={"max_turns": 3})
    names = [{"id": "triage", "name": "Triage", "instructions": HOSTILE[-1]}]
    plain = plain.model_copy(update={"agents": sound(agents=names).agents})
    projects |= {
        "plain": plain,
        "workflow": workflow(),
        "team": team(),
        "empty": PipelineDefinition(name="Empty"),
    }
    for name, definition in projects.items():
        for file, text in files(definition).items():
            path = tmp_path / name / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    ruff = [sys.executable, "-m", "ruff"]
    options = ["--isolated", "--no-cache", "--line-length", "100", str(tmp_path)]
    for command in (["format", "--check", "--diff"], ["check", "--output-format", "concise"]):
        result = subprocess.run(
            [*ruff, *command, *options], capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, (result.stdout + result.stderr)[:4_000]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_keep_their_meaning(text: str) -> None:
    written = files(hostile(text))
    agents = calls(written["agents.py"], "Agent")
    assert {each["name"] for each in agents} >= {text[:120]}
    assert agents[0]["handoff_description"] == text
    schemas = [each["input_json_schema"] for each in calls(written["agents.py"], "Handoff")]
    assert {"type": "object", "properties": {text: {"const": text}}} in schemas
    tool = calls(written["agents.py"], "FunctionTool")[0]
    assert (tool["description"], tool["name"]) == (text[:500], "find")
    assert calls(written["tools.py"], "call")[0]["body"] == text
    assert calls(written["route.py"], "RouteRule")[0]["intents"] == [text[:120]]
    tomllib.loads(written["pyproject.toml"])


@settings(max_examples=25)
@given(definitions())
def test_every_definition_becomes_valid_source(definition: PipelineDefinition) -> None:
    for name, text in files(definition).items():
        if name.endswith(".py"):
            tree = ast.parse(text)
            assert all(len(line) <= 100 or '"' in line or "'" in line for line in text.split("\n"))
            if name == "agents.py":
                assigned = [
                    target.id
                    for node in tree.body
                    if isinstance(node, ast.Assign)
                    for target in node.targets
                    if isinstance(target, ast.Name)
                ]
                assert len(set(assigned)) == len(assigned)


def test_a_transition_has_its_schema_description_filter_and_tool() -> None:
    schema = {"type": "object", "properties": {"order": {"type": "integer"}}}
    source = files(
        sound(
            transitions=[
                {
                    "source": "intake",
                    "target": "handling",
                    "description": "When it is about money.",
                    "input_schema": schema,
                    "input_filter": {"keep": "no_tools"},
                },
                {"source": "handling", "target": "review", "input_filter": {"keep": "summary"}},
                {
                    "source": "review",
                    "target": "handling",
                    "kind": "return",
                    "input_filter": {"keep": "last", "count": 3},
                },
                {
                    "source": "review",
                    "target": "desk",
                    "input_filter": {"keep": "matching", "expression": "true"},
                },
            ]
        )
    )["agents.py"]
    by_target = {each["agent_name"]: each for each in calls(source, "Handoff")[:2]}
    typed, summary = by_target["handling.name"], by_target["review.name"]
    desk, last = calls(source, "Handoff")[2:]
    assert typed["input_json_schema"] == schema
    assert typed["tool_description"] == "When it is about money."
    assert typed["tool_name"] == "transfer_to_handler"
    assert typed["on_invoke_handoff"] == "runtime.to(handling)"
    assert typed["input_filter"] == "remove_all_tools"
    assert summary["input_filter"] == "handoff_filters.question_and_handoff"
    assert summary["tool_description"] == "Transfer the conversation to Reviewer."
    assert last["input_filter"] == "handoff_filters.last_messages(3)"
    assert desk["input_filter"] == "handoff_filters.matching('true')"


def test_stages_become_agents_clones_a_person_and_a_group() -> None:
    definition = sound(
        stages=[
            *SOUND["stages"],
            {"phase": "again", "agent_id": "triage"},
            {
                "phase": "checks",
                "kind": "group",
                "group": {
                    "agents": ["handler", "reviewer"],
                    "dependencies": {"reviewer": ["handler"]},
                },
            },
        ],
        transitions=[*SOUND["transitions"], {"source": "checks", "target": "again"}],
    )
    source = files(definition)["agents.py"]
    assert calls(source, "again.clone")[0]["name"] == "Triage (intake)"
    person = next(each for each in calls(source, "Agent") if each["name"] == "desk")
    assert person["tools"] == "[runtime.ask_person]"
    group = next(each for each in calls(source, "Agent") if each["name"] == "checks")
    assert "following='transfer_to_triage'" in str(group["model"])
    assert "'reviewer': ['handler']" in str(group["model"])
    assert "NEXT = {" in source


def test_an_agent_without_a_stage_that_a_rule_selects_answers_in_the_entry_stage() -> None:
    rules = [{"id": "watch", "agent_id": "watcher"}]
    source = files(sound(rules=rules))["agents.py"]
    assert "watcher.handoffs = intake.handoffs" in source
    assert "watcher.handoffs" not in files(sound())["agents.py"]
    assert undeclared_differences(sound(rules=rules), "openai-agents") == []


def test_the_kinds_of_tools_and_settings_have_their_construct() -> None:
    definition = sound(
        agents=[
            {
                "id": "triage",
                "name": "Triage",
                "instructions": "Greet {{name}}.",
                "language": "French",
                "model": "gpt-4.1-mini",
                "temperature": 0.5,
                "max_output_tokens": 100,
                "reasoning_effort": "low",
                "tool_choice": "required",
                "response_schema": {"type": "object"},
                "tools": ["ask", "find", "other", "search", "task"],
            },
            *SOUND["agents"][1:],
        ],
        tools=[
            *SOUND["tools"],
            {"name": "ask", "kind": "user_input", "time_limit": 5, "idempotent": True},
            {"name": "find", "kind": "http", "http": {"url": "/x", "connection": "shop"}},
            {"name": "search", "kind": "mcp", "approval": True, "mcp": {"connection": "docs"}},
            {"name": "task", "kind": "subtask", "approval": True, "max_answer": 10},
        ],
        variables={"name": "Ada"},
    )
    source = files(definition)["agents.py"]
    agent = next(each for each in calls(source, "Agent") if each["name"] == "Triage")
    assert agent["instructions"] == (
        "runtime.filled(runtime.in_language('Greet {{name}}.', 'French'), VARIABLES)"
    )
    assert agent["model"] == "gpt-4.1-mini"
    assert agent["model_settings"] == (
        "ModelSettings(temperature=0.5, max_tokens=100, tool_choice='required', "
        "reasoning=Reasoning(effort='low'))"
    )
    assert agent["output_type"] == "runtime.JsonAnswer({'type': 'object'})"
    assert agent["tools"] == "[ask_tool, find_tool, task_tool, runtime.transfer_to_human]"
    assert (
        agent["mcp_servers"]
        == "[runtime.McpServer('DOCS', {'search': 'search'}, approval=['search'])]"
    )
    ask, find, _, task = calls(source, "FunctionTool")
    assert ask["on_invoke_tool"] == (
        "runtime.invoker(tools.ask, kind='user_input', time_limit=5.0, attempts=3)"
    )
    assert find["on_invoke_tool"] == "runtime.invoker(tools.find, kind='http')"
    assert (task["needs_approval"], "needs_approval" in find) == (True, False)
    assert "max_answer=10" in str(task["on_invoke_tool"])
    readme = files(definition)["README.md"]
    assert "`OPENAI_API_KEY`, `SHOP_URL`, `SHOP_AUTHORIZATION`, `DOCS_URL`" in readme


def test_a_team_has_agents_as_tools_and_a_workflow_a_chain() -> None:
    source = files(team())["agents.py"]
    [tool] = calls(source, "handling.as_tool")
    assert tool["tool_name"] == "delegate_to_handler"
    assert str(tool["tool_description"]).startswith("Have Handler do a task, and get the answer.")
    assert not calls(source, "Handoff")
    source = files(workflow())["agents.py"]
    assert "runtime.run_chain(items, STAGES, NEXT, ENTRY, MAX_TURNS, context)" in source
    assert 'NEXT = {"handling": "review", "intake": "handling", "review": "desk"}' in source


def test_limits_the_supervisor_and_the_handoff_to_a_person_are_in_the_code() -> None:
    source = files(sound(limits={"max_turns": 3, "max_handoffs": 2, "detect_cycles": True}))[
        "agents.py"
    ]
    assert "MAX_TURNS = 3\nMAX_HANDOFFS = 2\n" in source
    assert "hooks=Supervisor(MAX_HANDOFFS, stops_at_cycle=True)," in source
    assert "runtime.transfer_to_human" in source
    without = files(sound(allow_human=False, supervisor_id=None))["agents.py"]
    assert "runtime.transfer_to_human" not in without
    assert "hooks=runtime.PipelineHooks(MAX_HANDOFFS)," in without
