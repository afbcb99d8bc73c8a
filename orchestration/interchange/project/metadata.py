"""File `pyproject.toml` of a project."""

from __future__ import annotations

import json
from collections.abc import Sequence

from orchestration.definition import PipelineDefinition
from orchestration.handoff import key_of


def pyproject(
    definition: PipelineDefinition,
    dependencies: Sequence[str],
    modules: Sequence[str],
    python: str = ">=3.11",
) -> str:
    """Return the project file; `modules` are the names of the modules to install."""
    name = key_of(definition.name, "pipeline").replace("_", "-")
    description = " ".join(definition.description.split())[:200]
    lines = [
        "[build-system]",
        'requires = ["setuptools>=77"]',
        'build-backend = "setuptools.build_meta"',
        "",
        "[project]",
        f"name = {toml_text(name)}",
        'version = "0.1.0"',
        f"description = {toml_text(description)}",
        'readme = "README.md"',
        f"requires-python = {toml_text(python)}",
        _list("dependencies", dependencies),
        "",
        "[dependency-groups]",
        'test = ["pytest>=8"]',
        "",
        "[tool.setuptools]",
        _list("py-modules", modules),
        "",
        "[tool.pytest.ini_options]",
        'pythonpath = ["."]',
        "",
        "[tool.ruff]",
        "line-length = 100",
    ]
    return "\n".join(lines) + "\n"


def toml_text(text: str) -> str:
    """Return a text as a TOML string on one line."""
    visible = "".join(each if each.isprintable() else " " for each in text)
    return json.dumps(visible, ensure_ascii=False)


def _list(name: str, values: Sequence[str]) -> str:
    return f"{name} = [{', '.join(map(toml_text, values))}]"
