"""Handoffs of agents that the caller runs, without the engine (contract O-8)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, MutableSequence, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, overload

from orchestration.definition import HUMAN
from orchestration.exceptions import CastError
from orchestration.handoff.check import HandoffHandler, HandoffRequest
from orchestration.handoff.tool_names import HANDOFF_TOOL_NAME
from orchestration.handoff.tools import HANDOFF_TOOL, handoff_tools
from orchestration.state import ConversationState
from orchestration.tools import ToolSpec

ToolCallHandler = Callable[[str, str], Awaitable[str]]
"""Called with a tool's name and its arguments as JSON; returns the result for the model."""


class ToolCallingAgent(Protocol):
    """An agent of the caller that calls tools, for `setup_handoff`."""

    id: str
    state: ConversationState
    tool_handler: ToolCallHandler

    @property
    def tools(self) -> Sequence[ToolSpec]:
        """Tools that the model gets in its next turn; the attribute can be set."""


def setup_handoff(agent: ToolCallingAgent, handler: HandoffHandler) -> None:
    """Add the handoff tool to an agent, with `handler` to check its calls (contract O-8).

    `agent.tools` becomes a sequence in which the handoff tool always offers exactly the targets
    that are allowed in `agent.state`; in a terminal stage it has no handoff tool. An accepted
    handoff sets the new state on the agent, with its summary for `HandoffMemoryProvider`. Calls of
    other tools are unchanged. A second call for the same agent raises `CastError`.
    """
    is_set_up = isinstance(agent.tools, AgentTools) or isinstance(agent.tool_handler, HandoffCalls)
    if is_set_up or any(tool.name == HANDOFF_TOOL_NAME for tool in agent.tools):
        raise CastError(
            f"Agent {agent.id!r} has the tool {HANDOFF_TOOL_NAME} already: call setup_handoff once."
        )
    configured: Any = agent
    configured.tools = AgentTools(agent.tools, lambda: allowed_handoff_tool(handler, agent.state))
    configured.tool_handler = HandoffCalls(agent, handler, agent.tool_handler)


def allowed_handoff_tool(handler: HandoffHandler, state: ConversationState) -> ToolSpec | None:
    """Return the handoff tool with the targets that are allowed in a state, or None without any.

    If the handler does not know the agents, the tool accepts any target.
    """
    if not handler.knows_targets(state):
        return HANDOFF_TOOL
    tool = next(iter(handoff_tools(handler.options(state))), None)
    if tool is None or handler.allowed_transitions is not None:
        return tool
    properties = tool.parameters["properties"] | {
        "next_phase": HANDOFF_TOOL.parameters["properties"]["next_phase"]
    }
    return replace(tool, parameters={**tool.parameters, "properties": properties})


class AgentTools(MutableSequence[ToolSpec]):
    """Tools of an agent, followed by the handoff tool of its current state.

    Changes apply to the agent's other tools.
    """

    def __init__(
        self, tools: Iterable[ToolSpec], handoff_tool: Callable[[], ToolSpec | None]
    ) -> None:
        self._tools = list(tools)
        self._handoff_tool = handoff_tool

    def _current(self) -> list[ToolSpec]:
        tool = self._handoff_tool()
        return self._tools if tool is None else [*self._tools, tool]

    def __len__(self) -> int:
        return len(self._current())

    @overload
    def __getitem__(self, index: int) -> ToolSpec: ...
    @overload
    def __getitem__(self, index: slice) -> MutableSequence[ToolSpec]: ...
    def __getitem__(self, index: int | slice) -> ToolSpec | MutableSequence[ToolSpec]:
        return self._current()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._tools[index] = value

    def __delitem__(self, index: int | slice) -> None:
        del self._tools[index]

    def insert(self, index: int, value: ToolSpec) -> None:
        """Insert a tool before the handoff tool."""
        self._tools.insert(index, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._current() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._current())


@dataclass(frozen=True, slots=True)
class HandoffCalls:
    """Handler of an agent's tool calls that decides the calls of the handoff tool."""

    agent: ToolCallingAgent
    handler: HandoffHandler
    other_calls: ToolCallHandler

    async def __call__(self, name: str, arguments: str) -> str:
        """Decide a handoff and return its outcome as JSON, or pass the call on."""
        if name != HANDOFF_TOOL_NAME:
            return await self.other_calls(name, arguments)
        request = HandoffRequest.parse(arguments)
        if isinstance(request, str):
            return json.dumps({"accepted": False, "reason": request})
        result = self.handler.decide(request, self.agent.state)
        if result.accepted:
            self.agent.state = result.state
        await self.handler.report(request, result)
        if not result.accepted:
            return json.dumps({"accepted": False, "reason": result.why})
        return json.dumps(
            {"accepted": True, "target": result.to_agent or HUMAN, "phase": result.to_phase}
        )
