"""Tools, and the answers that stand in for them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from orchestration.definition.values import Frozen, Line, Name, Text, ToolName, Words


class ToolExample(Frozen):
    """One answer of a stand-in tool: given when a call has at least these arguments."""

    arguments: dict[str, Any] = Field(default_factory=dict)
    result: Text


class Tool(Frozen):
    """A tool that agents may call. To a model all kinds look alike (row T-8)."""

    name: ToolName
    kind: Literal["function", "subtask", "user_input"] = "function"
    """What answers a call: a function, whose examples stand in until it exists; another pipeline,
    in a conversation of its own (row T-9); or the user, who is asked (row T-10)."""
    description: Line = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    """A JSON Schema of the arguments."""
    pipeline: Name | None = None
    """The name of the pipeline that answers a subtask; None: the one its hints match best."""
    template_hints: Words = ()
    """Words by which a pipeline for the subtask is found, where it is not named."""
    examples: Annotated[tuple[ToolExample, ...], Field(max_length=100)] = ()
