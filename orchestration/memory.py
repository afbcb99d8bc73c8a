"""What an agent is shown of the conversation (row O-10).

The history is kept once. Each agent has its own view of it, which grows with what is new and is
never made again: its own turns as they were, with its tool calls and their results; what other
agents said and did as text with the role of a user, labelled `[agent-id]`. So every view is what
chat-completions servers take: each call answered, no call of a stranger, and never an assistant's
words last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from orchestration.events import HandoffAccepted
from orchestration.handoff import HANDOFF_TOOL_NAME
from orchestration.messages import Message, ToolCall
from orchestration.providers.base import PromptMessage


@dataclass(slots=True)
class View:
    """One agent's view of the history."""

    agent_id: str
    messages: list[PromptMessage] = field(default_factory=list)
    tokens: int = 0
    _seen: int = 0
    _strangers_calls: dict[str, ToolCall] = field(default_factory=dict)

    def catch_up(self, history: Sequence[Message]) -> None:
        """Take in what was said since the last time."""
        for index in range(self._seen, len(history)):
            self._take(history[index])
        self._seen = len(history)

    def _take(self, message: Message) -> None:
        if message.role == "user":
            self._add(PromptMessage("user", message.text))
        elif message.agent_id != self.agent_id:
            self._quote(message)
        elif message.role == "assistant":
            self._add(PromptMessage("assistant", message.text, message.tool_calls))
        else:
            self._add(PromptMessage("tool", message.text, tool_call_id=message.tool_call_id))

    def _quote(self, message: Message) -> None:
        speaker = message.agent_id or "agent"
        if message.role == "assistant":
            for call in message.tool_calls:
                self._strangers_calls[call.id] = call
            if message.text:
                self._add(PromptMessage("user", f"[{speaker}]: {message.text}", speaker=speaker))
            return
        did = self._deed(message.tool_call_id or "")
        self._add(PromptMessage("user", f"[{speaker}{did}]: {message.text}", speaker=speaker))

    def _deed(self, call_id: str) -> str:
        """What another agent did; not its handoff's note, which is for the receiver alone."""
        if call_id not in self._strangers_calls:
            return ""
        call = self._strangers_calls.pop(call_id)
        return "" if call.name == HANDOFF_TOOL_NAME else f" called {call.name} {call.arguments}"

    def _add(self, message: PromptMessage) -> None:
        self.messages.append(message)
        self.tokens += message.tokens


@dataclass(slots=True)
class Recollection:
    """What a model is to be shown, and its estimated tokens."""

    messages: Sequence[PromptMessage]
    tokens: int


class MemoryProvider(Protocol):
    """Chooses what an agent is shown of its view."""

    def recall(self, view: View, handoff: HandoffAccepted | None) -> Recollection:
        """The messages for the view's agent. `handoff`: the one it last received, if any."""


class WholeMemory:
    """Everything that was said."""

    def recall(self, view: View, handoff: HandoffAccepted | None) -> Recollection:
        """The view as it is."""
        return Recollection(view.messages, view.tokens)


@dataclass(frozen=True, slots=True)
class SlidingWindowMemory:
    """The last messages, from a user's words on, so that no result stands without its call."""

    max_events: int = 50

    def recall(self, view: View, handoff: HandoffAccepted | None) -> Recollection:
        """At most `max_events` messages; more only where the last question is further back."""
        messages = view.messages
        start = max(0, len(messages) - self.max_events)
        if start == 0:
            return Recollection(messages, view.tokens)
        begin = next(
            (at for at in range(start, len(messages)) if messages[at].role == "user"), None
        )
        if begin is None:
            begin = next(
                at for at in range(start, -1, -1) if messages[at].role == "user" or at == 0
            )
        kept = messages[begin:]
        return Recollection(kept, sum(message.tokens for message in kept))


@dataclass(frozen=True, slots=True)
class HandoffMemoryProvider:
    """Puts the summary of the last handoff before what the inner memory recalls (row O-10).

    Only the receiving agent gets it, as quoted data, until another handoff to it supersedes it.
    """

    inner: MemoryProvider = field(default_factory=WholeMemory)

    def recall(self, view: View, handoff: HandoffAccepted | None) -> Recollection:
        """The inner recollection, led by the context of the handoff."""
        recalled = self.inner.recall(view, handoff)
        context = handoff_context(handoff)
        if context is None:
            return recalled
        return Recollection([context, *recalled.messages], recalled.tokens + context.tokens)


def handoff_context(handoff: HandoffAccepted | None) -> PromptMessage | None:
    """The previous agent's note, as its receiver sees it; None where there is nothing to tell."""
    if handoff is None or handoff.to_agent is None:
        return None
    said = handoff.summary or handoff.reason
    if not said:
        return None
    speaker = handoff.from_agent or "human"
    quoted = said.strip().replace("\n", "\n> ")
    return PromptMessage(
        "user", f"[Context from previous agent ({speaker})]: {quoted}", speaker=speaker
    )
