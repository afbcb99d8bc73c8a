"""Agents and handoffs as a program declares them (contract E-1 to E-3, S-3 and S-4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from orchestration.definition import (
    Agent,
    Cue,
    Tool,
)
from orchestration.handoff import Handoff
from orchestration.tools import (
    RunnableTool,
)

AnyTool = Callable[..., Any] | RunnableTool | Tool
"""A plain callable, named after itself; a tool that runs; or one that a definition describes."""


@dataclass(frozen=True, kw_only=True)
class AgentSpec:
    """An agent as a program has it: plain callables for its tools, names for whom it hands over to.

    >>> def look_up(order: int) -> str:
    ...     '''Look an order up.'''
    ...     return f"Order {order} is on its way."
    >>> desk = AgentSpec(instructions="You answer questions about orders.", tools=[look_up])

    An `Agent` of a definition is as good wherever an agent is asked for. Whichever it is, it goes
    by the name under which it is given.
    """

    instructions: str = ""
    name: str = ""
    """Name of an agent that is used alone, as in a `Handoff`."""
    provider: str = "default"
    """The name of the provider that plays it, where there are several."""
    model: str = ""
    """The vendor's name of the model; empty: the provider's own default."""
    temperature: float | None = None
    max_output_tokens: int | None = None
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None
    tool_choice: Literal["auto", "required", "none"] = "auto"
    response_schema: Mapping[str, Any] | None = None
    tools: Sequence[AnyTool | str] = ()
    """Its tools; a text is the name of one that is given beside the agents."""
    handoffs: Sequence[str | AgentSpec | Agent | Handoff] | None = None
    """Allowed handoff targets; None: all other agents. Used in modes with handoffs only."""
    cues: Sequence[Cue] = ()
    """Script of the agent for the scripted provider."""


AnyAgent = Agent | AgentSpec
