"""Exports for the tests of files for Google ADK."""

from __future__ import annotations

from typing import Any

import yaml

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export


def files_of(definition: PipelineDefinition) -> dict[str, Any]:
    """The YAML files by name."""
    files = export(definition, "adk").files
    return {name: yaml.safe_load(text) for name, text in files.items() if name.endswith(".yaml")}


def kept(definition: PipelineDefinition) -> dict[tuple[str, str], str]:
    rows = export(definition, "adk").rows
    return {(each.part, place): each.kept for each in rows for place in each.places}


TOOLS: list[dict[str, Any]] = [
    {"name": "find", "approval": True},
    {"name": "call", "kind": "http", "http": {"url": "https://a.example/{id}"}},
    {"name": "search", "kind": "mcp", "mcp": {"connection": "docs", "tool": "find_page"}},
]
"""A tool of each kind with code of its own."""
