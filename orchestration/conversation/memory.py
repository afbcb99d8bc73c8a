"""Views of the history: the part of the conversation that an agent sees (contract O-10).

The history is kept once. Each agent has its own view of it, which grows with what is new and is
never made again: its own turns as they were, with its tool calls and their results; what other
agents said and did as text with the role of a user, labelled `[agent-id]`. So every view is what
chat-completions servers take: each call answered, no call of a stranger, and never an assistant's
words last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import msgspec

from orchestration.events import HandoffAccepted
from orchestration.messages import Message, ToolCall
from orchestration.providers import PromptMessage
from orchestration.tokens import estimate_tokens

SUPERVISOR = "supervisor"
"""Label of a supervisor's note."""


class View(msgspec.Struct, eq=False):
    """One agent's view of the history."""

    agent_id: str
    hears: frozenset[str | None] | None = None
    """Authors of the messages shown to the agent (the user is None); None: all authors. With a set,
    messages of others are shown unchanged: in a workflow they are its input (contract H-3)."""
    count: Callable[[str], int] = estimate_tokens
    """Counts the tokens of a text."""
    messages: list[PromptMessage] = []
    tokens: int = 0
    _seen: int = 0
    _strangers_calls: tuple[ToolCall, ...] = ()
    """Calls of other agents whose results are not there yet."""

    def catch_up(self, history: Sequence[Message], until: int | None = None) -> None:
        """Take in what was said since the last time, at most up to the index `until`."""
        end = len(history) if until is None else until
        while self._seen < end:
            self._take(history[self._seen])
            self._seen += 1

    def branch(self) -> View:
        """A copy that goes on with a history of its own."""
        return View(self.agent_id, self.hears, self.count, list(self.messages), self.tokens)

    def keep(self, messages: Sequence[PromptMessage]) -> None:
        """Forget all that was said so far but these."""
        self.messages = list(messages)
        self.tokens = sum(message.tokens for message in messages)

    def forget_question(self) -> None:
        """Forget the user's last words, where they come last."""
        if self.messages and self.messages[-1].role == "user" and not self.messages[-1].speaker:
            self.tokens -= self.messages.pop().tokens

    def _take(self, message: Message) -> None:
        if message.note:
            if message.agent_id in (None, self.agent_id):
                self._add("user", f"[{SUPERVISOR}]: {message.text}", speaker=SUPERVISOR)
            return
        heard = self.hears is None or message.agent_id in self.hears
        if not heard and message.agent_id != self.agent_id:
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
        if self.hears is not None:
            self._hear(self.hears, message)
            return
        speaker = message.agent_id or "agent"
        if message.role == "assistant":
            self._strangers_calls += message.tool_calls
            if message.text:
                self._add("user", f"[{speaker}]: {message.text}", speaker=speaker)
            return
        calls = self._strangers_calls
        call_made = next((call for call in calls if call.id == message.tool_call_id), None)
        self._strangers_calls = tuple(call for call in calls if call is not call_made)
        # Of a handoff the note is for the receiver alone.
        did = (
            f" called {call_made.name} {call_made.arguments}"
            if call_made and not message.handoff
            else ""
        )
        self._add("user", f"[{speaker}{did}]: {message.text}", speaker=speaker)

    def _hear(self, hears: frozenset[str | None], message: Message) -> None:
        """Take the output of whoever comes before as the input it is."""
        if message.role != "assistant" or message.tool_calls or not message.text:
            return
        alone = len(hears) == 1
        self._add("user", message.text if alone else f"[{message.agent_id}]: {message.text}")

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


class Recollection(msgspec.Struct):
    """The messages for a model and their estimated tokens."""

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

    def __post_init__(self) -> None:
        if self.max_events < 1:
            raise ValueError(f"max_events is {self.max_events}: keep one message or more.")

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
    """Puts the summary of the last handoff before what the inner memory recalls (contract O-10).

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
    if handoff is None or handoff.to_agent is None or handoff.prompt is not None:
        return None
    said = handoff.summary or handoff.reason
    if not said:
        return None
    speaker = handoff.from_agent or "human"
    quoted = said.strip().replace("\n", "\n> ")
    return PromptMessage(
        "user", f"[Context from previous agent ({speaker})]: {quoted}", speaker=speaker
    )
