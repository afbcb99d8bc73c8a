"""Tools, and the answers that stand in for them."""

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
    """One answer of a stand-in tool: given when a call has at least these arguments."""

    arguments: dict[str, Any] = Field(default_factory=dict)
    result: Text


class HttpCall(Frozen):
    """The request that answers a tool: `{name}` stands for an argument in URL, headers and body.

    Keys never stand here: a connection of the server brings its own headers, to its own host only.
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
    """A template; an argument in it is written as JSON. Empty: the arguments that stand nowhere
    else as one JSON object, where the method has a body."""
    take: Line = ""
    """Part of a JSON answer to return, as a JSON Pointer (RFC 6901); empty: the whole answer."""
    connection: Key | None = None
    """The name of a connection of the server, whose address and headers it goes with."""


class McpCall(Frozen):
    """The tool of an MCP server that answers."""

    connection: Key
    """The name of the connection that reaches the MCP server."""
    tool: Line = ""
    """Name of the tool on the server; empty: the tool's own name."""


class Tool(Frozen):
    """A tool that agents may call. To a model all kinds look alike (contract T-8)."""

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
    """The name of the pipeline that answers a subtask; None: the one its hints match best."""
    template_hints: Words = ()
    """Words by which a pipeline for the subtask is found, where it is not named."""
    http: HttpCall | None = None
    """The request of a tool of the kind `http`."""
    mcp: McpCall | None = None
    """The tool behind one of the kind `mcp`."""
    examples: Annotated[tuple[ToolExample, ...], Field(max_length=100)] = ()
    stand_in: bool = False
    """True if the tool's examples answer in its place, for every kind."""
    approval: bool = False
    """True if a person approves, changes or refuses each call first."""
    idempotent: bool = False
    """True if a failed call may be repeated."""
    time_limit: Annotated[float, Field(gt=0, le=3_600, allow_inf_nan=False)] | None = None
    """Seconds that one call may take; None: as is usual."""
    max_answer: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """Characters of an answer; what is over is cut off. None: as is usual."""
