"""Project with LangGraph code: its files, their syntax and format."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from orchestration.definition import PipelineDefinition
from orchestration.loading import load
from tests.orchestration.interchange.langgraph.exported import desk, files_of
from tests.orchestration.strategies import definitions

SAMPLES = sorted(Path("designer/pipelines/samples").glob("*.json"))

HOSTILE = [
    "\"'; import os #",
    "\"\"\"\n'''\n",
    "{{x}} {y} %s \\",
    "*/ */ --> ``` |",
    "\u202eRTL\u2066",
    "class",
    "\ud7ff\u2028\u2029\x85\x0c",
    "請求 " * 40,
    "x" * 10_000,
]


def hostile(text: str) -> PipelineDefinition:
    """A desk with a text in every field that takes it."""
    line, name = text[:500], text[:120]
    schema: dict[str, Any] = {
        "type": "object",
        "title": text,
        "properties": {text: {"type": "string", "description": text, "enum": [text]}},
        "required": [text],
    }
    return desk(
        name=name,
        description=text,
        agents=[
            {
                "id": "triage",
                "name": name,
                "instructions": text,
                "language": name,
                "model": name,
                "response_schema": schema,
            },
            {"id": "billing", "name": name, "instructions": text, "tools": ["class", "def-1"]},
        ],
        stages=[
            {"phase": "intake", "agent_id": "triage", "description": text},
            {"phase": "bills", "agent_id": "billing"},
            {"phase": "class", "kind": "human", "description": text},
        ],
        transitions=[
            {
                "source": "intake",
                "target": "bills",
                "description": line,
                "input_schema": schema,
                "input_filter": {"keep": "matching", "expression": line},
            },
            {"source": "bills", "target": "class", "description": line},
        ],
        tools=[
            {"name": "class", "description": line, "parameters": schema, "approval": True},
            {"name": "def-1", "kind": "http", "description": line, "http": {"url": line}},
        ],
        rules=[
            {
                "id": "rule",
                "agent_id": "billing",
                "conditions": {
                    "custom": line,
                    "rows": [{"field": "event.text", "operator": "is", "value": line}],
                },
            }
        ],
        variables={"plan": line},
    )


def write(folder: Path, definition: PipelineDefinition) -> None:
    folder.mkdir()
    for name, text in files_of(definition).items():
        (folder / name).write_text(text, encoding="utf-8")


def test_the_code_is_formatted_and_without_findings(tmp_path: Path) -> None:
    for sample in SAMPLES:
        write(tmp_path / sample.stem, load(sample.read_bytes()))
    for number, text in enumerate(HOSTILE):
        write(tmp_path / f"hostile-{number}", hostile(text))
    write(tmp_path / "empty", PipelineDefinition(name="Empty"))
    for check in (["format", "--check"], ["check"]):
        command = [sys.executable, "-m", "ruff", *check, "--no-cache", str(tmp_path)]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_text_keeps_its_meaning(text: str) -> None:
    definition = hostile(text)
    source = files_of(definition)["agents.py"]
    constants = {n.value for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant)}
    assert text[:120] in constants
    assert text in constants
    assert any(isinstance(each, str) and text.strip() in each for each in constants)
    compile(files_of(definition)["tools.py"], "tools.py", "exec")
    json.loads(files_of(definition)["expected.json"])


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(definitions())
def test_any_definition_gives_code_that_parses(definition: PipelineDefinition) -> None:
    files = files_of(definition)
    for name, text in files.items():
        if name.endswith(".py"):
            ast.parse(text)
    json.loads(files["expected.json"])
    tomllib.loads(files["pyproject.toml"])
    assert _has_no_key(files["agents.py"])


def test_the_project_has_only_the_modules_that_it_uses() -> None:
    plain = files_of(desk())
    assert list(plain)[:4] == ["agents.py", "tools.py", "README.md", "pyproject.toml"]
    assert not {"filters.py", "groups.py", "route.py", "http_calls.py"} & plain.keys()
    rules = [{"id": "money", "agent_id": "billing", "conditions": {"intents": ["bill"]}}]
    tools = [{"name": "find_invoice", "kind": "http", "http": {"url": "https://a.example/{id}"}}]
    full = files_of(desk(rules=rules, tools=tools))
    assert {"route.py", "http_calls.py"} <= full.keys()
    project = tomllib.loads(full["pyproject.toml"])
    assert "httpx>=0.27" in project["project"]["dependencies"]
    modules = project["tool"]["setuptools"]["py-modules"]
    assert {f"{name}.py" for name in modules} == {
        name for name in full if name.endswith(".py") and not name.startswith("test_")
    }


def test_the_readme_has_the_losses_and_the_environment_variables() -> None:
    agents = [
        {"id": "triage", "name": "Triage", "provider": "mistral", "fallback": "openai"},
        {"id": "billing", "name": "Billing", "model": "small"},
    ]
    text = files_of(desk(agents=agents, limits={"max_tokens": 9}))["README.md"]
    assert "`MISTRAL_MODEL`, `OPENAI_MODEL`" in text
    assert "Calls, tokens, cost, seconds and context are not limited" in text


def _has_no_key(source: str) -> bool:
    return "api_key" not in source
