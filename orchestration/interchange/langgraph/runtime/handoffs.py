"""Handoffs between stages: their tools, their check, and the limits of a run.

A handoff tool does not leave its turn early: all calls of the turn are answered first, then the
stage ends and the graph goes on to the target. So the history stays valid for every model.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired

from langchain.agents import AgentState
from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.graph import END
from langgraph_swarm.handoff import METADATA_KEY_HANDOFF_DESTINATION

from function_tools import first_error

REASON = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "description": "Why the handoff is needed."},
        "summary": {"type": "string", "description": "Information that the target needs."},
    },
    "required": ["reason", "summary"],
}


class StageState(AgentState[Any]):
    """State of a stage: the shared messages and the active stage."""

    active_agent: NotRequired[str | None]


@dataclass(frozen=True)
class StageHandoff:
    """A handoff to another stage, and the tool that requests it."""

    tool: str
    target: str
    description: str
    schema: dict[str, Any] | None = None
    """Schema of the payload, which the arguments must match; None: a reason and a summary."""


class TransferTool(BaseTool):
    """A tool that requests a handoff; `HandoffMiddleware` decides the request."""

    def _run(self, /, **arguments: Any) -> str:
        raise NotImplementedError(self.name)


class HandoffMiddleware(AgentMiddleware[StageState]):
    """Handoffs of a stage, and the limits of turns and handoffs of a run."""

    state_schema = StageState

    def __init__(
        self,
        stage: str,
        handoffs: Sequence[StageHandoff],
        *,
        max_turns: int,
        max_handoffs: int,
        detects_cycles: bool = False,
        names: Mapping[str, str] | None = None,
    ) -> None:
        """Offer a tool for each handoff; an answer that is one of the names calls its tool."""
        super().__init__()
        self.stage = stage
        self.handoffs = {each.tool: each for each in handoffs}
        self.max_turns = max_turns
        self.max_handoffs = max_handoffs
        self.detects_cycles = detects_cycles
        self.names = names or {}
        self.tools = [
            TransferTool(
                name=each.tool,
                description=each.description,
                args_schema=REASON if each.schema is None else each.schema,
                metadata={METADATA_KEY_HANDOFF_DESTINATION: each.target},
            )
            for each in handoffs
        ]

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: StageState, runtime: Any) -> dict[str, Any] | None:
        """End the stage after a handoff or at a limit; else it is the active one."""
        messages = state["messages"]
        ended = outcome(messages)
        if ended is not None and ended["source"] == self.stage and ended["handoff"] != self.stage:
            return {"jump_to": "end", "active_agent": ended["handoff"] or self.stage}
        if turns(messages) >= self.max_turns:
            return {"jump_to": "end", "active_agent": self.stage}
        return {"active_agent": self.stage}

    def after_model(self, state: StageState, runtime: Any) -> dict[str, Any] | None:
        """Take an answer that is only the name of a target as a request to hand over to it."""
        answer = state["messages"][-1]
        tool = self.names.get(answer.text.strip())
        if tool is None or answer.tool_calls:
            return None
        call = {"name": tool, "args": {}, "id": f"call_{answer.id}", "type": "tool_call"}
        return {"messages": [answer.model_copy(update={"tool_calls": [call]})]}

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]
    ) -> Any:
        """Decide a handoff; run any other tool."""
        if request.tool_call["name"] in self.handoffs:
            return self.decide(request.tool_call, request.state["messages"])
        return handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """Decide a handoff; run any other tool."""
        if request.tool_call["name"] in self.handoffs:
            return self.decide(request.tool_call, request.state["messages"])
        return await handler(request)

    def decide(self, call: Mapping[str, Any], messages: Sequence[AnyMessage]) -> ToolMessage:
        """Accept a handoff, or refuse it with the reason. The first valid one of a turn counts."""
        if error := self.error(call):
            return self.answer(call, error)
        turn = next(each for each in reversed(messages) if isinstance(each, AIMessage))
        requests = [each for each in turn.tool_calls if each["name"] in self.handoffs]
        if call["id"] != next(each["id"] for each in requests if not self.error(each)):
            return self.answer(call, "The conversation is already handed over.")
        target = self.handoffs[call["name"]].target
        if reason := self.limit(messages, target):
            return self.answer(call, reason, {"handoff": None, "source": self.stage})
        accepted = {"handoff": target, "source": self.stage, "payload": call["args"]}
        return self.answer(call, f"Handed over to {target}.", accepted)

    def error(self, call: Mapping[str, Any]) -> str | None:
        """Return the error in the payload of a typed handoff."""
        schema = self.handoffs[call["name"]].schema
        return None if schema is None else first_error(schema, call["args"])

    def limit(self, messages: Sequence[AnyMessage], target: str) -> str | None:
        """Return the reason for which a handoff ends the run."""
        path = path_of(messages) or [self.stage]
        if len(path) > self.max_handoffs:
            return f"This run has reached its limit of {self.max_handoffs} handoffs."
        if self.detects_cycles and (loop := find_loop([*path, target])):
            return f"The handoffs form a cycle: {' → '.join([*loop, loop[0]])}."
        return None

    def answer(
        self, call: Mapping[str, Any], text: str, artifact: dict[str, Any] | None = None
    ) -> ToolMessage:
        """Return the answer to a call; its artifact is the outcome of the turn."""
        accepted = artifact is not None and artifact["handoff"] is not None
        return ToolMessage(
            text,
            name=call["name"],
            tool_call_id=call["id"],
            artifact=artifact,
            status="success" if accepted else "error",
        )


def next_stage(stage: str) -> Callable[[Mapping[str, Any]], str]:
    """Return the function that selects the node after a stage: the target of its handoff, or END.

    A stage that ends at a limit before its first turn has no handoff of its own.
    """

    def select(state: Mapping[str, Any]) -> str:
        ended = outcome(state["messages"])
        return (ended["handoff"] or END) if ended and ended["source"] == stage else END

    return select


def outcome(messages: Sequence[AnyMessage]) -> dict[str, Any] | None:
    """Return the outcome of a handoff in the last turn, if the turn has one."""
    for message in reversed(messages):
        if not isinstance(message, ToolMessage):
            return None
        if is_outcome(message):
            return message.artifact
    return None


def is_outcome(message: AnyMessage) -> bool:
    """Report whether a message is the outcome of a handoff."""
    artifact = message.artifact if isinstance(message, ToolMessage) else None
    return isinstance(artifact, dict) and "handoff" in artifact


def this_run(messages: Sequence[AnyMessage]) -> Sequence[AnyMessage]:
    """Return the messages after the user's last one."""
    start = max((i for i, m in enumerate(messages) if isinstance(m, HumanMessage)), default=-1)
    return messages[start + 1 :]


def turns(messages: Sequence[AnyMessage]) -> int:
    """Return the number of turns in this run."""
    return sum(isinstance(each, AIMessage) for each in this_run(messages))


def path_of(messages: Sequence[AnyMessage]) -> list[str]:
    """Return the stages of this run from the first handoff on, or nothing without a handoff."""
    outcomes = [each.artifact for each in this_run(messages) if is_outcome(each)]
    accepted = [each for each in outcomes if each["handoff"]]
    return [*[each["source"] for each in accepted[:1]], *[each["handoff"] for each in accepted]]


def find_loop(path: Sequence[str]) -> Sequence[str] | None:
    """Return the stages that a path ends with twice in a row, such as a → b → a → b."""
    for length in range(2, len(path) // 2 + 1):
        if path[-length:] == path[-2 * length : -length]:
            return path[-length:]
    return None
