"""Projects for the OpenAI Agents SDK: their source, without the SDK."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings

from orchestration.definition import PipelineDefinition
from orchestration.loading import load
from tests.orchestration.interchange.openai_agents.exported import (
    HOSTILE,
    calls,
    files,
    hostile,
)
from tests.orchestration.sound_pipeline import sound, team, workflow
from tests.orchestration.strategies import definitions

SAMPLES = sorted(Path("designer/pipelines/samples").glob("*.json"))


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


def test_the_readme_has_the_environment_variables_of_the_connections() -> None:
    tools = [
        {"name": "find", "kind": "http", "http": {"url": "/x", "connection": "shop"}},
        {"name": "search", "kind": "mcp", "mcp": {"connection": "docs"}},
    ]
    readme = files(sound(tools=tools))["README.md"]
    assert "`OPENAI_API_KEY`, `SHOP_URL`, `SHOP_AUTHORIZATION`, `DOCS_URL`" in readme
