"""File `tools.py`: the functions of the tools, as RoomKit takes them."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.interchange.project import tool_names
from orchestration.interchange.project.runtime import http_calls
from orchestration.interchange.roomkit.tools_module import TAKEN, tools_module
from tests.orchestration.sound_pipeline import sound

HTTP = {"name": "call", "kind": "http", "http": {"url": "https://a.example/{id}"}}


def namespace(definition: PipelineDefinition) -> dict[str, Any]:
    """The names of the module, which is run."""
    names: dict[str, Any] = {}
    exec(tools_module(definition, tool_names(definition, TAKEN)), names)  # noqa: S102
    return names


async def test_a_tool_has_its_schema_and_raises_until_it_is_written() -> None:
    schema = {"type": "object", "properties": {"order": {"type": "integer"}}}
    lookup = {"name": "lookup", "description": 'Find """it""".', "parameters": schema}
    tool = namespace(sound(tools=[lookup]))["lookup_tool"]
    assert tool.definition == lookup
    with pytest.raises(NotImplementedError, match="lookup"):
        await tool.handler("lookup", {"order": 3})


def test_only_an_http_tool_needs_the_module_of_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "http_calls", http_calls)
    assert namespace(sound(tools=[HTTP]))["call"] is http_calls.call
    assert "call" not in namespace(sound())
