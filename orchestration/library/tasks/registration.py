"""Tools that are registered in code, as a definition has them (contract T-8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import PydanticUserError, ValidationError

from orchestration.definition import Tool
from orchestration.exceptions import HandlerError
from orchestration.tools import ToolSpec, describe_faults, spec_of, validate_call

AnySpec = ToolSpec | Mapping[str, Any]
"""A tool as it is specified here, for OpenAI's models, for Anthropic's, or by an MCP server."""

MAX_DESCRIPTION = 500
"""Characters of a description that are kept: a definition holds no more."""


def tool_of(spec: AnySpec) -> Tool:
    """The tool that a specification of any of these shapes describes.

    What is none raises `HandlerError`.

    >>> shapes = [
    ...     {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}},
    ...     {"type": "function", "name": "look", "parameters": {"type": "object"}},
    ...     {"name": "look", "input_schema": {"type": "object"}},
    ... ]
    >>> [tool_of(shape) == Tool(name="look", parameters={"type": "object"}) for shape in shapes]
    [True, True, True]
    """
    if isinstance(spec, ToolSpec):
        return made(spec.name, spec.description, dict(spec.parameters))
    if not isinstance(spec, Mapping):
        raise HandlerError(f"This is no specification of a tool: {spec!r}")
    inner = spec.get("function", spec)
    if not isinstance(inner, Mapping):
        raise HandlerError(f"This is no specification of a tool: {inner!r}")
    schemas = (inner.get(key) for key in ("parameters", "input_schema", "inputSchema"))
    parameters = next((schema for schema in schemas if schema is not None), None)
    return made(inner.get("name"), inner.get("description") or "", parameters)


def told_by(tool: Tool, function: Callable[..., Any]) -> tuple[Tool, Callable[..., Any]]:
    """The tool with what the function's signature says of it, and the function that heeds it.

    A function that takes what no JSON Schema describes raises `HandlerError`.
    """
    try:
        spec = spec_of(tool.name, function)
    except (TypeError, ValueError, PydanticUserError) as error:
        why = str(error).partition("\n")[0]
        raise HandlerError(f"Tool {tool.name!r} needs its parameters said: {why}") from None
    text = tool.description or spec.description
    return made(tool.name, text, spec.parameters), validate_call(tool.name, function)


def made(
    name: object, description: object = "", parameters: object = None, **others: object
) -> Tool:
    """A tool of these parts; what is wrong with them raises `HandlerError`."""
    text = description[:MAX_DESCRIPTION] if isinstance(description, str) else description
    fields = {"name": name, "description": text, **others}
    if parameters is not None:
        fields["parameters"] = parameters
    try:
        return Tool.model_validate(fields)
    except ValidationError as error:
        raise HandlerError(
            f"Tool {name!r} cannot be registered: {describe_faults(error)}"
        ) from None
