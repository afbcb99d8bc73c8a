"""Selection of the messages that the target of a handoff sees (contract S-4 and S-6).

A filter chooses messages of the target's own view. Whatever it chooses, the user's last question
is among them, each call stands with its results, and the first and the last words are not the
target's own: what is left is what chat-completions servers take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from orchestration.definition import InputFilter
from orchestration.exceptions import ConditionError, FilterError
from orchestration.providers import PromptMessage
from orchestration.routing import Predicate, compile_filter
from orchestration.state import ConversationState

MAX_CHARACTERS = 200_000
"""Characters of the last messages that an expression is asked about; older ones are not kept."""

Messages = Sequence[PromptMessage]
Payload = Mapping[str, Any] | None
Choice = Callable[[Messages, Payload, ConversationState], Iterator[bool]]
"""Says of each message in its turn whether it is kept."""


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """The filter of a transition, compiled."""

    choose: Choice

    @classmethod
    def of(cls, wanted: InputFilter) -> MessageFilter:
        """The filter that a definition asks for. One that is wrong fails when it is used."""
        match wanted.keep:
            case "full":
                return cls(lambda messages, payload, state: iter([True] * len(messages)))
            case "last":
                return cls(_last(wanted.count))
            case "summary":
                return cls(lambda messages, payload, state: iter([False] * len(messages)))
            case "no_tools":
                return cls(lambda messages, payload, state: (not _of_tool(m) for m in messages))
            case "matching":
                return cls(_matching(wanted.expression or ""))

    def kept(
        self, messages: Messages, payload: Payload, state: ConversationState
    ) -> list[PromptMessage]:
        """Return the messages to keep for the given payload and state. Pure.

        Raises `FilterError` where the filter fails, in words that tell why the handoff is refused.
        """
        question = _question(messages)
        chosen = self.choose(messages, payload, state)
        kept = [
            message
            for index, (message, wanted) in enumerate(zip(messages, chosen, strict=True))
            if wanted or index == question
        ]
        return _sound(kept)


def _last(count: int) -> Choice:
    def choose(messages: Messages, payload: Payload, state: ConversationState) -> Iterator[bool]:
        begin = len(messages) - count
        return (index >= begin for index in range(len(messages)))

    return choose


def _matching(text: str) -> Choice:
    def choose(messages: Messages, payload: Payload, state: ConversationState) -> Iterator[bool]:
        if isinstance(expression, ConditionError):
            raise FilterError(str(expression))
        known = _known(payload, state)
        begin = _asked_from(messages)
        try:
            return iter(
                [
                    index >= begin and expression(known | _about(message))
                    for index, message in enumerate(messages)
                ]
            )
        except ConditionError as error:
            raise FilterError(str(error)) from None

    expression = _compiled(text)
    return choose


def _compiled(text: str) -> Predicate | ConditionError:
    try:
        return compile_filter(text)
    except ConditionError as error:
        return error


def _asked_from(messages: Messages) -> int:
    """From which message on an expression is asked: the last ones, up to so many characters."""
    left = MAX_CHARACTERS
    for index in range(len(messages) - 1, -1, -1):
        left -= len(messages[index].text)
        if left < 0:
            return index + 1
    return 0


def _known(payload: Payload, state: ConversationState) -> dict[str, object]:
    return {
        "payload": dict(payload or {}),
        "state.phase": state.phase,
        "state.active_agent_id": state.active_agent_id,
        "state.handoff_count": state.handoff_count,
        "state.channel": state.channel,
    }


def _about(message: PromptMessage) -> dict[str, object]:
    """A message as an expression sees it: another agent's without its label."""
    role: str = message.role
    text = message.text
    if message.speaker is not None:
        role = "tool" if _of_tool(message) else "assistant"
        text = text.removeprefix(f"[{message.speaker}]: ")
    return {"message.role": role, "message.text": text, "message.agent_id": message.speaker}


def _of_tool(message: PromptMessage) -> bool:
    """Report whether the message is a tool result, for the target or for another agent."""
    speaker = message.speaker
    return message.role == "tool" or (
        speaker is not None and message.text.startswith(f"[{speaker} called ")
    )


def _question(messages: Messages) -> int | None:
    """Return the position of the user's last question."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user" and messages[index].speaker is None:
            return index
    return None


def _sound(messages: Messages) -> list[PromptMessage]:
    """Nothing before the first words to the target, each call with its results, no words last."""
    begin = next((at for at, message in enumerate(messages) if message.role == "user"), 0)
    whole = list(_whole(messages[begin:]))
    while whole and whole[-1].role == "assistant":
        whole.pop()
    return whole


def _whole(messages: Messages) -> Iterator[PromptMessage]:
    """The messages without calls that have no result, and without results that have no call."""
    answered = {message.tool_call_id for message in messages if message.role == "tool"}
    called: set[str | None] = set()
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id in called:
                yield message
            continue
        calls = tuple(call for call in message.tool_calls if call.id in answered)
        called.update(call.id for call in calls)
        if len(calls) == len(message.tool_calls):
            yield message
        elif calls or message.text:
            yield msgspec.structs.replace(message, tool_calls=calls, tokens=-1, wire=None)
