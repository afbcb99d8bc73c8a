"""Selection of the messages that the target of a handoff sees (contract S-4 and S-6).

A filter selects messages from the target's view. The selection always contains the user's last
question, and each call together with its results; it neither begins nor ends with a message of the
target. So every chat-completions server accepts it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from orchestration.definition import InputFilter, nested_variables
from orchestration.exceptions import ConditionError, FilterError
from orchestration.providers import PromptMessage
from orchestration.routing import Predicate, compile_filter
from orchestration.state import ConversationState

MAX_CHARACTERS = 200_000
"""Maximum length of the messages that an expression checks; older messages are removed."""

Messages = Sequence[PromptMessage]
Payload = Mapping[str, Any] | None
Selector = Callable[[Messages, Payload, ConversationState], Iterator[bool]]
"""Returns for each message, in order, True to keep it."""


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """The filter of a transition, compiled."""

    selector: Selector

    @classmethod
    def of(cls, declared: InputFilter) -> MessageFilter:
        """Compile the filter of a transition; an invalid expression fails on use."""
        match declared.keep:
            case "full":
                return cls(lambda messages, payload, state: iter([True] * len(messages)))
            case "last":
                return cls(_last(declared.count))
            case "summary":
                return cls(lambda messages, payload, state: iter([False] * len(messages)))
            case "no_tools":
                return cls(lambda messages, payload, state: (not _is_result(m) for m in messages))
            case "matching":
                return cls(_matching(declared.expression or ""))

    def select(
        self, messages: Messages, payload: Payload, state: ConversationState
    ) -> list[PromptMessage]:
        """Return the messages to keep for the given payload and state. Pure.

        Raises `FilterError`, with the reason for the refusal of the handoff, if the filter fails.
        """
        question = _last_question(messages)
        choices = self.selector(messages, payload, state)
        kept = [
            message
            for index, (message, keep) in enumerate(zip(messages, choices, strict=True))
            if keep or index == question
        ]
        return _well_formed(kept)


def _last(count: int) -> Selector:
    def choose(messages: Messages, payload: Payload, state: ConversationState) -> Iterator[bool]:
        begin = len(messages) - count
        return (index >= begin for index in range(len(messages)))

    return choose


def _matching(text: str) -> Selector:
    def choose(messages: Messages, payload: Payload, state: ConversationState) -> Iterator[bool]:
        if isinstance(expression, ConditionError):
            raise FilterError(str(expression))
        context = _context_fields(payload, state)
        begin = _first_checked(messages)
        try:
            return iter(
                [
                    index >= begin and expression(context | _message_fields(message))
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


def _first_checked(messages: Messages) -> int:
    """Return the index of the oldest message within `MAX_CHARACTERS`."""
    remaining = MAX_CHARACTERS
    for index in range(len(messages) - 1, -1, -1):
        remaining -= len(messages[index].text)
        if remaining < 0:
            return index + 1
    return 0


def _context_fields(payload: Payload, state: ConversationState) -> dict[str, object]:
    return {
        "payload": dict(payload or {}),
        "state.phase": state.phase,
        "state.active_agent_id": state.active_agent_id,
        "state.handoff_count": state.handoff_count,
        "state.channel": state.channel,
        "variables": nested_variables(state.variables),
    }


def _message_fields(message: PromptMessage) -> dict[str, object]:
    """Return the fields of a message for an expression, without the label of its author."""
    role: str = message.role
    text = message.text
    if message.speaker is not None:
        role = "tool" if _is_result(message) else "assistant"
        text = text.removeprefix(f"[{message.speaker}]: ")
    return {"message.role": role, "message.text": text, "message.agent_id": message.speaker}


def _is_result(message: PromptMessage) -> bool:
    """Report whether the message is a tool result, for the target or for another agent."""
    speaker = message.speaker
    return message.role == "tool" or (
        speaker is not None and message.text.startswith(f"[{speaker} called ")
    )


def _last_question(messages: Messages) -> int | None:
    """Return the position of the user's last question."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user" and messages[index].speaker is None:
            return index
    return None


def _well_formed(messages: Messages) -> list[PromptMessage]:
    """Remove messages that a chat-completions server does not accept in their place."""
    begin = next((i for i, message in enumerate(messages) if message.role == "user"), 0)
    paired = list(_paired(messages[begin:]))
    while paired and paired[-1].role == "assistant":
        paired.pop()
    return paired


def _paired(messages: Messages) -> Iterator[PromptMessage]:
    """Yield the messages without unanswered calls and without results of missing calls."""
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
