"""Tools and their example answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from orchestration.definition.values import (
    Frozen,
    Key,
    Line,
    Name,
    Text,
    ToolName,
    Words,
    by_key,
)


class ToolExample(Frozen):
    """An example answer, for calls with at least these arguments."""

    arguments: dict[str, Any] = Field(default_factory=dict)
    result: Text


class HttpCall(Frozen):
    """The HTTP request of a tool; `{name}` is an argument in the URL, the headers or the body.

    It contains no API keys: a connection of the server adds its own headers, for its own host only.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    url: Annotated[str, StringConstraints(max_length=2_000)] = ""
    """Address of the request; arguments in it are percent-encoded. With a connection: relative to
    its address.
    """
    headers: Annotated[
        dict[Annotated[str, StringConstraints(min_length=1, max_length=120)], Line],
        Field(max_length=50),
        AfterValidator(by_key),
    ] = Field(default_factory=dict)
    body: Text = ""
    """A template; an argument in it is written as JSON. Empty: the unused arguments as one JSON
    object, if the method has a body."""
    take: Line = ""
    """Part of a JSON answer to return, as a JSON Pointer (RFC 6901); empty: the whole answer."""
    connection: Key | None = None
    """Name of a connection of the server; its address and headers are used."""


class McpCall(Frozen):
    """A tool of an MCP server."""

    connection: Key
    """Name of the connection to the MCP server."""
    tool: Line = ""
    """Name of the tool on the server; empty: the tool's own name."""


class Tool(Frozen):
    """A tool that agents may call. A model does not see its kind (contract T-8).

    The tool's form shows titles as labels and docstrings as help texts.
    """

    name: ToolName
    kind: Literal["function", "subtask", "user_input", "http", "mcp"] = "function"
    """Implementation of the tool: a function, with examples until it exists; another pipeline in a
    conversation of its own (contract T-9); the user (contract T-10); an HTTP request; or a tool
    of an MCP server.
    """
    description: Line = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    """A JSON Schema of the arguments."""
    pipeline: Name | None = None
    """Name of the pipeline for a subtask; None uses the best match of the hints."""
    template_hints: Words = ()
    """Words to find a pipeline for the subtask if none is named."""
    http: HttpCall | None = None
    """The request of a tool of the kind `http`."""
    mcp: McpCall | None = None
    """The tool of the MCP server, for the kind `mcp`."""
    examples: Annotated[tuple[ToolExample, ...], Field(max_length=100)] = ()
    stand_in: bool = Field(default=False, title="Use the examples as answers")
    """Answer calls with the examples, for example before the tool is available."""
    approval: bool = Field(default=False, title="Require approval")
    """Each call waits until a person approves, changes or refuses it."""
    idempotent: bool = Field(default=False, title="Repeat failed calls")
    """A failed call is repeated, with at most three attempts."""
    time_limit: Annotated[float, Field(gt=0, le=3_600, allow_inf_nan=False)] | None = Field(
        default=None, title="Time limit of a call"
    )
    """Maximum duration in seconds, including all attempts. Leave empty to use 60."""
    max_answer: Annotated[int, Field(ge=1, le=100_000)] | None = Field(
        default=None, title="Size limit of an answer"
    )
    """Maximum number of characters; the rest is cut off. Leave empty to use 100,000."""
