"""Agents declared in code (contract E-1 to E-3, S-3 and S-4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from orchestration.definition import Agent, Cue, Tool
from orchestration.exceptions import CastError
from orchestration.handoff import Handoff
from orchestration.names import names_of
from orchestration.tools import RunnableTool

AnyTool = Callable[..., Any] | RunnableTool | Tool
"""A callable, with its own name as tool name; a tool object; or a tool of a definition."""


@dataclass(frozen=True, kw_only=True)
class AgentSpec:
    """An agent in code, with callables as tools and names as handoff targets.

    A field with the name of a field of `Agent` has the same meaning and default value.

    >>> def look_up(order: int) -> str:
    ...     '''Look up an order.'''
    ...     return f"Order {order} is on its way."
    >>> desk = AgentSpec(instructions="You answer questions about orders.", tools=[look_up])

    An `Agent` of a definition can be used instead. The agent's name is its key in the mapping.
    """

    instructions: str = ""
    name: str = ""
    """Name of an agent that is used without a mapping, as in a `Handoff`."""
    language: str = ""
    """The language of the agent's answers, such as French."""
    provider: str = "default"
    """Name of the provider, if there are several."""
    model: str = ""
    """The vendor's name of the model; an empty text uses the provider's default."""
    temperature: float | None = None
    max_output_tokens: int | None = None
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None
    tool_choice: Literal["auto", "required", "none"] = "auto"
    response_schema: Mapping[str, Any] | None = None
    tools: Sequence[AnyTool | str] = ()
    """Tools of the agent; a text is the name of a tool that is passed next to the agents."""
    handoffs: Sequence[str | AgentSpec | Agent | Handoff] | None = None
    """Allowed handoff targets; None: all other agents. Used in modes with handoffs only."""
    cues: Sequence[Cue] = ()
    """Script of the agent for the scripted provider."""

    def __post_init__(self) -> None:
        for name, value in (("tools", self.tools), ("handoffs", self.handoffs)):
            if isinstance(value, str):
                cast_names(value, name)


AnyAgent = Agent | AgentSpec


def cast_names(names: Iterable[str], field: str) -> tuple[str, ...]:
    """Return the names in a field; raise `CastError` for a text in place of a collection."""
    try:
        return names_of(names, field)
    except ValueError as error:
        raise CastError(str(error)) from None


SETTINGS = tuple(
    field.name
    for field in fields(AgentSpec)
    if field.name in Agent.model_fields and field.name not in ("name", "tools")
)
"""The fields of `AgentSpec` that become fields of `Agent` unchanged."""
