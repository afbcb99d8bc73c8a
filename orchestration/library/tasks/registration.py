"""Conversion of tools in code to tools of a definition (contract T-8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import PydanticUserError, ValidationError

from orchestration.definition import Tool
from orchestration.exceptions import HandlerError
from orchestration.tools import ToolSpec, describe_faults, spec_of, validate_call

AnySpec = ToolSpec | Mapping[str, Any]
"""A tool specification of Baton, OpenAI, Anthropic or an MCP server."""

MAX_DESCRIPTION = 500
"""Maximum length of a description in characters; the rest is cut off."""


def tool_from_spec(spec: AnySpec) -> Tool:
    """Convert a tool specification of any format; raise `HandlerError` if it is invalid.

    >>> shapes = [
    ...     {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}},
    ...     {"type": "function", "name": "look", "parameters": {"type": "object"}},
    ...     {"name": "look", "input_schema": {"type": "object"}},
    ... ]
    >>> {tool_from_spec(shape).name for shape in shapes}
    {'look'}
    """
    if isinstance(spec, ToolSpec):
        return create_tool(spec.name, spec.description, dict(spec.parameters))
    if not isinstance(spec, Mapping):
        raise HandlerError(f"{spec!r} is no tool specification: pass a ToolSpec or a mapping.")
    inner = spec.get("function", spec)
    if not isinstance(inner, Mapping):
        raise HandlerError(f"The function {inner!r} of a tool is no mapping: pass its JSON object.")
    schemas = (inner.get(key) for key in ("parameters", "input_schema", "inputSchema"))
    parameters = next((schema for schema in schemas if schema is not None), None)
    return create_tool(inner.get("name"), inner.get("description") or "", parameters)


def tool_from_function(tool: Tool, function: Callable[..., Any]) -> tuple[Tool, Callable[..., Any]]:
    """Return the tool with the function's parameters, and the function with checked arguments.

    A parameter without a JSON Schema raises `HandlerError`.
    """
    try:
        spec = spec_of(tool.name, function)
    except (TypeError, ValueError, PydanticUserError) as error:
        reason = str(error).partition("\n")[0]
        raise HandlerError(
            f"The parameters of tool {tool.name!r} have no JSON Schema: {reason} Pass parameters=…"
        ) from None
    text = tool.description or spec.description
    return create_tool(tool.name, text, spec.parameters), validate_call(tool.name, function)


def create_tool(
    name: object, description: object = "", parameters: object = None, **others: object
) -> Tool:
    """Create a tool from its fields; raise `HandlerError` if they are invalid."""
    text = description[:MAX_DESCRIPTION] if isinstance(description, str) else description
    fields = {"name": name, "description": text, **others}
    if parameters is not None:
        fields["parameters"] = parameters
    try:
        return Tool.model_validate(fields)
    except ValidationError as error:
        raise HandlerError(f"Tool {name!r} is invalid: {describe_faults(error)}") from None
