"""Settings of single agents that are applied at each call of a model."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NotRequired

from langchain.agents import AgentState
from langchain.agents.middleware import AgentMiddleware, ModelRequest
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

REFERENCE = re.compile(r"\{\{[ \t]*([A-Za-z_][\w.-]{0,99})[ \t]*\}\}")


class VariableState(AgentState[Any]):
    """State with the variables of the conversation."""

    variables: NotRequired[dict[str, str]]


class RequestMiddleware(AgentMiddleware):
    """A change of each request to a model."""

    def changed(self, request: ModelRequest) -> ModelRequest:
        """Return the request that is sent."""
        raise NotImplementedError

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        """Call the model with the changed request."""
        return handler(self.changed(request))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[Any]]
    ) -> Any:
        """Call the model with the changed request."""
        return await handler(self.changed(request))


class ToolChoiceMiddleware(RequestMiddleware):
    """Tool choice of an agent: `any` demands a call, `none` forbids it."""

    def __init__(self, choice: str) -> None:
        """Send this choice."""
        super().__init__()
        self.choice = choice

    def changed(self, request: ModelRequest) -> ModelRequest:
        """Return the request with the choice; a call is demanded once after each message."""
        if self.choice == "none":
            return request.override(tools=[])
        is_first = not isinstance(request.messages[-1], ToolMessage)
        return request.override(tool_choice=self.choice) if is_first and request.tools else request


class VariableMiddleware(RequestMiddleware):
    """Variables in the instructions: `{{name}}` is replaced by the value as a quoted text."""

    state_schema = VariableState

    def __init__(self, defaults: Mapping[str, str]) -> None:
        """Use these values for variables that the state does not set."""
        super().__init__()
        self.defaults = defaults

    def changed(self, request: ModelRequest) -> ModelRequest:
        """Return the request with the filled instructions."""
        if request.system_message is None:
            return request
        values = {**self.defaults, **(request.state.get("variables") or {})}
        text = REFERENCE.sub(
            lambda match: (
                json.dumps(values[match[1]][:500], ensure_ascii=False)
                if match[1] in values
                else match[0]
            ),
            request.system_message.text,
        )
        return request.override(system_message=SystemMessage(text))


class InputMiddleware(RequestMiddleware):
    """Input of a stage in a workflow: the answers of the stage before it, or of the user."""

    def __init__(self, stage: str, sources: Sequence[str]) -> None:
        """Show the answers of the sources and the stage's own messages; no source is the user."""
        super().__init__()
        self.stage = stage
        self.sources = sources

    def changed(self, request: ModelRequest) -> ModelRequest:
        """Return the request with the messages that the stage sees."""
        shown: list[AnyMessage] = []
        calls: set[str | None] = set()
        for message in request.messages:
            name = message.name
            if isinstance(message, AIMessage) and name == self.stage:
                calls.update(each["id"] for each in message.tool_calls)
                shown.append(message)
            elif isinstance(message, AIMessage):
                if name in self.sources and not message.tool_calls:
                    shown.append(HumanMessage(message.text))
            elif isinstance(message, HumanMessage):
                if not self.sources:
                    shown.append(message)
            elif message.tool_call_id in calls:
                shown.append(message)
        return request.override(messages=shown)
