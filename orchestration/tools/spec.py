"""Specifications of tools for models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from orchestration.definition import HUMAN


@dataclass(frozen=True, slots=True)
class HandoffOption:
    """One stage a handoff may lead to from here."""

    phase: str
    agent_id: str | None
    """Server of the stage: an agent, or a group under the stage's own key; None: the human."""
    agent_name: str = ""
    kind: Literal["next", "return", "human"] = "next"
    description: str = ""
    """Condition of the transition in words."""
    tool: str = ""
    """The name of the tool that leads this way alone; empty: the one of all handoffs."""
    schema: Mapping[str, Any] | None = field(default=None, compare=False)
    """A JSON Schema of what that tool takes."""

    @property
    def target(self) -> str:
        """Name of the target in a model's call."""
        return self.agent_id or HUMAN


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is offered to a model. To the model all kinds look alike (contract T-8)."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """A JSON Schema of the arguments."""
    kind: Literal[
        "function", "http", "mcp", "subtask", "user_input", "handoff", "transfer", "delegate"
    ] = "function"
    """Effect of a call in the loop: run it (a function, an HTTP request, a tool of an MCP server),
    begin a subtask, ask the user, hand over to the target in the arguments, hand over along the
    only transition, or delegate a task along it.
    """
    ways: tuple[HandoffOption, ...] = ()
    """Possible targets of a handoff or a delegation."""
