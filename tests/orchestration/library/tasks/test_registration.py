"""Conversion of tools in code to tools of a definition."""

import pytest

from orchestration.exceptions import HandlerError
from orchestration.library.tasks.registration import (
    MAX_DESCRIPTION,
    create_tool,
    tool_from_function,
    tool_from_spec,
)
from orchestration.tools import ToolSpec

OBJECT = {"type": "object", "properties": {"order": {"type": "integer"}}}


@pytest.mark.parametrize(
    "spec",
    [
        ToolSpec("look", "", OBJECT),
        {"type": "function", "function": {"name": "look", "parameters": OBJECT}},
        {"name": "look", "input_schema": OBJECT},
        {"name": "look", "inputSchema": OBJECT, "description": None},
    ],
)
def test_a_specification_of_any_format_is_the_same_tool(spec):
    """Contract T-8."""
    assert tool_from_spec(spec) == create_tool("look", "", OBJECT)


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ("look", "'look' is no tool specification"),
        ({"function": "look"}, "function 'look' of a tool is no mapping"),
        ({"input_schema": OBJECT}, "Tool None is invalid: name"),
        ({"name": "no such"}, "Tool 'no such' is invalid: name"),
        ({"name": "look", "parameters": 7}, "Tool 'look' is invalid: parameters"),
    ],
)
def test_an_invalid_specification_is_refused_with_the_reason(spec, error):
    """Contract T-8."""
    with pytest.raises(HandlerError, match=error):
        tool_from_spec(spec)


def test_a_long_description_is_cut():
    assert len(create_tool("look", "x" * 1_000).description) == MAX_DESCRIPTION


async def test_a_function_defines_the_parameters_of_its_tool():
    """Contract T-8: a description of the caller comes first, arguments are checked."""

    def look(order: int) -> int:
        """Look up an order."""
        return order + 1

    tool, function = tool_from_function(create_tool("look"), look)
    assert (tool.description, tool.parameters["required"]) == ("Look up an order.", ["order"])
    described, _ = tool_from_function(create_tool("look", "Own text."), look)
    assert described.description == "Own text."
    assert function(order="41") == 42
