"""Views of the history: the part of the conversation that an agent sees (contract O-10).

The history is stored once. Each agent has its own view, which is extended and never rebuilt. It
contains the agent's own turns with their calls and results, and the messages and calls of other
agents as user messages labelled `[agent-id]`. So every chat-completions server accepts a view: each
call has a result, no call belongs to another agent, and the last message is not an assistant's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import msgspec

from orchestration.conversation.handoff_context import handoff_context, state_context
from orchestration.events import HandoffAccepted
from orchestration.messages import Message, ToolCall
from orchestration.providers import SUPERVISOR, PromptMessage
from orchestration.state import ConversationState
from orchestration.tokens import estimate_tokens


class View(msgspec.Struct, eq=False):
    """One agent's view of the history."""

    agent_id: str
    authors: frozenset[str | None] | None = None
    """Authors whose messages the agent sees (the user is None); None: all authors. With a set,
    messages of others are not labelled: in a workflow they are its input (contract H-3)."""
    count: Callable[[str], int] = estimate_tokens
    """Counts the tokens of a text."""
    messages: list[PromptMessage] = []
    tokens: int = 0
    _position: int = 0
    _open_calls: tuple[ToolCall, ...] = ()
    """Calls of other agents without a result."""

    def catch_up(self, history: Sequence[Message], until: int | None = None) -> None:
        """Add the new messages of the history, at most up to index `until`."""
        end = len(history) if until is None else until
        if end > self._position:
            for message in history[self._position : end]:
                self._append(message)
            self._position = end

    def copy(self) -> View:
        """Return a copy for another history."""
        return View(self.agent_id, self.authors, self.count, list(self.messages), self.tokens)

    def replace(self, messages: Sequence[PromptMessage]) -> None:
        """Replace the messages of the view."""
        self.messages = list(messages)
        self.tokens = sum(message.tokens for message in messages)

    def remove_question(self) -> None:
        """Remove the last message if it is the user's."""
        if self.messages and self.messages[-1].role == "user" and not self.messages[-1].speaker:
            self.tokens -= self.messages.pop().tokens

    def _append(self, message: Message) -> None:
        if message.note:
            if message.agent_id in (None, self.agent_id):
                self._add("user", _note(message), speaker=SUPERVISOR)
            return
        is_visible = self.authors is None or message.agent_id in self.authors
        if not is_visible and message.agent_id != self.agent_id:
            return
        if message.role == "user":
            self._add("user", message.text)
        elif message.agent_id != self.agent_id:
            self._quote(message)
        elif message.role == "assistant":
            self._add("assistant", message.text, message.tool_calls)
            self.messages[-1].kept = message.kept
        else:
            self._add("tool", message.text, tool_call_id=message.tool_call_id)
            self.messages[-1].handoff = message.handoff

    def _quote(self, message: Message) -> None:
        if self.authors is not None:
            self._append_input(self.authors, message)
            return
        speaker = message.agent_id or "agent"
        if message.role == "assistant":
            self._open_calls += message.tool_calls
            if message.text:
                self._add("user", f"[{speaker}]: {message.text}", speaker=speaker)
            return
        calls = self._open_calls
        call_made = next((call for call in calls if call.id == message.tool_call_id), None)
        self._open_calls = tuple(call for call in calls if call is not call_made)
        # The arguments of a handoff call are only for its target.
        action = (
            f" called {call_made.name} {call_made.arguments}"
            if call_made and not message.handoff
            else ""
        )
        self._add("user", f"[{speaker}{action}]: {message.text}", speaker=speaker)

    def _append_input(self, authors: frozenset[str | None], message: Message) -> None:
        """Append the output of a previous stage as input."""
        if message.role != "assistant" or message.tool_calls or not message.text:
            return
        is_single = len(authors) == 1
        self._add("user", message.text if is_single else f"[{message.agent_id}]: {message.text}")

    def _add(
        self,
        role: Literal["user", "assistant", "tool"],
        text: str,
        tool_calls: tuple[ToolCall, ...] = (),
        tool_call_id: str | None = None,
        speaker: str | None = None,
    ) -> None:
        tokens = self.count(text)
        for call in tool_calls:
            tokens += self.count(call.arguments) + 8
        self.messages.append(PromptMessage(role, text, tool_calls, tool_call_id, speaker, tokens))
        self.tokens += tokens


def _note(message: Message) -> str:
    return f"[{SUPERVISOR}]: {message.text}"


def notes_to(agent_id: str, history: Iterable[Message]) -> list[str]:
    """Return the notes of a history to an agent or to all agents, as the agent sees them."""
    return [_note(each) for each in history if each.note and each.agent_id in (None, agent_id)]


class Recollection(msgspec.Struct):
    """The messages for a model and their estimated tokens."""

    messages: Sequence[PromptMessage]
    tokens: int


class MemoryProvider(Protocol):
    """Selects the messages of an agent's view for its model."""

    def recall(self, view: View, handoff: HandoffAccepted | None) -> Recollection:
        """Return the messages for the view's agent; `handoff` is the last handoff to it."""


class WholeMemory:
    """Memory of all messages."""

    def recall(self, view: View, handoff: HandoffAccepted | None) -> Recollection:
        """Return the whole view."""
        return Recollection(view.messages, view.tokens)


@dataclass(frozen=True, slots=True)
class SlidingWindowMemory:
    """Memory of the last messages, starting with a user message, so that no call is cut off."""

    max_events: int = 50

    def __post_init__(self) -> None:
        if self.max_events < 1:
            raise ValueError(f"max_events is {self.max_events}: set it to 1 or more.")

    def recall(self, view: View, handoff: HandoffAccepted | None) -> Recollection:
        """Return at most `max_events` messages, or more if the last question is older."""
        messages = view.messages
        start = max(0, len(messages) - self.max_events)
        if start == 0:
            return Recollection(messages, view.tokens)
        begin = next((i for i in range(start, len(messages)) if messages[i].role == "user"), None)
        if begin is None:
            begin = next(i for i in range(start, -1, -1) if messages[i].role == "user" or i == 0)
        kept = messages[begin:]
        return Recollection(kept, sum(message.tokens for message in kept))


@dataclass(frozen=True, slots=True)
class HandoffMemoryProvider:
    """Memory that prepends the summary of the last handoff to an inner memory (contract O-10).

    Only the target of the handoff gets it, as quoted data, until the next handoff to that agent.
    For an agent without the engine, pass the state that `setup_handoff` keeps in place of the
    handoff.

    >>> from orchestration.handoff import HandoffHandler, HandoffRequest
    >>> handler = HandoffHandler(phase_map={"agent-b": "handling"})
    >>> request = HandoffRequest(target="agent-b", summary="Order 7 is late.")
    >>> state = handler.decide(request, ConversationState(active_agent_id="agent-a")).state
    >>> recalled = HandoffMemoryProvider().recall(View("agent-b"), state)
    >>> recalled.messages[0].text
    '[Context from previous agent (agent-a)]: Order 7 is late.'
    """

    inner: MemoryProvider = field(default_factory=WholeMemory)

    def recall(
        self, view: View, handoff: HandoffAccepted | ConversationState | None
    ) -> Recollection:
        """Return the messages of the inner memory after the context of the handoff."""
        if handoff is None:
            return self.inner.recall(view, None)
        if isinstance(handoff, ConversationState):
            recalled, context = self.inner.recall(view, None), state_context(handoff, view.agent_id)
        else:
            recalled, context = self.inner.recall(view, handoff), handoff_context(handoff)
        if context is None:
            return recalled
        return Recollection([context, *recalled.messages], recalled.tokens + context.tokens)
