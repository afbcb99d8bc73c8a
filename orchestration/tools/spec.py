"""What a model is told of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from orchestration.handoff import Way


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is offered to a model. To the model all kinds look alike (row T-8)."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """A JSON Schema of the arguments."""
    kind: Literal[
        "function", "http", "mcp", "subtask", "user_input", "handoff", "transfer", "delegate"
    ] = "function"
    """What the loop does with a call: run it (a function, an HTTP request, a tool of an MCP
    server), begin a subtask, ask the user, hand over to whom the arguments name, hand over along
    the one way, or have the one way's agent do a task."""
    ways: tuple[Way, ...] = ()
    """Where a handoff or a delegation may lead."""
