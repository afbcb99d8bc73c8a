"""Specifications of tools for models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from orchestration.definition import HUMAN


@dataclass(frozen=True, slots=True)
class HandoffOption:
    """A stage that is a possible target of a handoff."""

    phase: str
    agent_id: str | None
    """The stage's agent, or the stage's key if it has a group; None: the human."""
    agent_name: str = ""
    kind: Literal["next", "return", "human"] = "next"
    description: str = ""
    """Condition of the transition in words."""
    tool: str = ""
    """Name of the tool for this target only; empty: the common handoff tool."""
    schema: Mapping[str, Any] | None = field(default=None, compare=False)
    """A JSON Schema of that tool's arguments."""
    aliases: tuple[str, ...] = field(default=(), compare=False)
    """Other names of the target."""

    @property
    def target(self) -> str:
        """Name of the target in a model's call."""
        return self.agent_id or HUMAN


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as offered to a model; the model does not see its kind (contract T-8)."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """A JSON Schema of the arguments."""
    kind: Literal[
        "function",
        "http",
        "mcp",
        "subtask",
        "user_input",
        "handoff",
        "transfer",
        "delegate",
        "command",
    ] = "function"
    """Effect of a call in the loop: run a function, an HTTP request or a tool of an MCP server;
    begin a subtask; ask the user; hand over to the target in the arguments; hand over along the
    only transition; delegate a task along it; or issue a command of the supervisor.
    """
    options: tuple[HandoffOption, ...] = ()
    """Possible targets of a handoff or a delegation."""
