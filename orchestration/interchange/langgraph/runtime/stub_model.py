"""Model for tests: it answers with prepared turns, and records the tools that it is offered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

Turn = tuple[str, Sequence[tuple[str, dict[str, Any]]]]
"""Text of a turn, and its calls with their arguments."""


@dataclass
class Script:
    """Turns of the agents, and records of their calls."""

    turns: dict[str, list[Turn]] = field(default_factory=lambda: defaultdict(list))
    offered: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Schemas of the offered tools by name, at the last call of each agent."""
    seen: list[tuple[str, list[BaseMessage]]] = field(default_factory=list)
    """Agents with the messages that they received."""
    answers: dict[str, str] = field(default_factory=dict)
    """Answers of agents without further turns; `Done.` by default."""

    def model(self, agent: str, **settings: Any) -> BaseChatModel:
        """Return the model of an agent."""
        return StubModel(agent=agent, script=self)


class StubModel(BaseChatModel):
    """A model that plays a script."""

    agent: str
    script: Any

    @property
    def _llm_type(self) -> str:
        return "stub"

    def bind_tools(self, tools: Sequence[Any], **settings: Any) -> BaseChatModel:
        """Record the tools."""
        self.script.offered[self.agent] = {each.name: each.args_schema for each in tools}
        return self

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        self.script.seen.append((self.agent, messages))
        turns = self.script.turns.get(self.agent)
        text, calls = turns.pop(0) if turns else (self.script.answers.get(self.agent, "Done."), [])
        number = len(self.script.seen)
        made = [
            {"name": name, "args": arguments, "id": f"call-{number}-{index}"}
            for index, (name, arguments) in enumerate(calls)
        ]
        message = AIMessage(text, tool_calls=made)
        return ChatResult(generations=[ChatGeneration(message=message)])
