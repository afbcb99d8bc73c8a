"""The whole project for Google ADK."""

from __future__ import annotations

import ast
from itertools import chain

from hypothesis import given

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export
from tests.orchestration.interchange.adk.exported import TOOLS, files_of
from tests.orchestration.sound_pipeline import sound
from tests.orchestration.strategies import definitions


def paths(value: object) -> list[str]:
    """All references to files."""
    match value:
        case {"config_path": str(path)}:
            return [path]
        case dict():
            return list(chain.from_iterable(map(paths, value.values())))
        case list():
            return list(chain.from_iterable(map(paths, value)))
        case str() if value.endswith(".yaml"):
            return [value]
        case _:
            return []


def test_a_project_has_what_its_tools_need() -> None:
    files = export(sound(tools=TOOLS), "adk").files
    assert "http_calls.py" in files
    assert "google-adk[mcp]" in files["pyproject.toml"]


def test_the_readme_has_the_table_of_losses() -> None:
    assert "| Part | Kept | Result |" in export(sound(), "adk").files["README.md"]


@given(definitions())
def test_no_text_breaks_a_file(definition: PipelineDefinition) -> None:
    files = files_of(definition)
    names = [each["name"] for name, each in files.items() if name != "workflow.yaml"]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() and name != "user" for name in names)
    for value in files.values():
        assert set(paths(value)) <= files.keys()
    ast.parse(export(definition, "adk").files.get("tools.py", ""))
