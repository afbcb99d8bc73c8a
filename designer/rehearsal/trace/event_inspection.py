"""Inspection of an event: its fields, the request of its turn, the context of its handoff."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from designer.models import Conversation, RecordedEvent
from designer.rehearsal.fragments.names import Names, Speaker
from designer.rehearsal.fragments.payloads import fields
from designer.rehearsal.trace.event_usage import Meter
from designer.rehearsal.trace.trace_window import trace_state_at
from orchestration import events as e
from orchestration.definition import Agent
from orchestration.exceptions import BatonError
from orchestration.prompts import PromptPart
from orchestration.providers import PromptMessage
from orchestration.runtime import ContextEntry, HandoffContexts, Recording, TurnRequest
from orchestration.tokens import estimate_tokens

MAX_CHARACTERS = 20_000
"""Maximum length of a text; longer ones are cut, with a remark."""

INSPECTABLE = (e.TurnEvent, e.HandoffAccepted)
"""Event types with more to show than their fields."""


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """Message in a model's request."""

    role: str
    speaker: Speaker | None
    """The quoted agent, if it is another one."""
    text: str
    tokens: int
    calls: tuple[tuple[str, str], ...] = ()
    """Called tools with their arguments."""


def inspection_context(conversation: Conversation, row: RecordedEvent) -> dict[str, Any]:
    """Return the template context of an inspected event."""
    context: dict[str, Any] = {
        "body": json.dumps(row.body, indent=2, ensure_ascii=False),
        "fields": fields(row.body.get("payload")),
        "row": row,
        "can_fork": not (conversation.is_read_only or conversation.is_watched),
    }
    try:
        event = e.load(row.body)
    except msgspec.ValidationError:  # recorded by another version of Baton
        return context
    if not isinstance(event, INSPECTABLE) or conversation.is_watched:
        return context  # share links show nothing of the pipeline, such as instructions
    names = trace_state_at(conversation, row.seq).conversation_of(event).names
    recording = Recording(
        conversation.snapshot(),
        conversation.events(),
        conversation.session_id,
        conversation.pipeline_for,
    )
    try:
        if isinstance(event, e.HandoffAccepted):
            handoff = recording.handoff_contexts(event.seq)
            return context | {"handed": handoff and _handoff_context(handoff, names)}
        request = recording.turn_request(event.seq)
    except BatonError:  # a trace from a file may name agents that its pipeline does not have
        return context
    return context | {"sent": request and _request_context(request, names)}


def _request_context(sent: TurnRequest, names: Names) -> Mapping[str, Any]:
    request = sent.request
    return {
        "agent": names.speaker(request.agent.id),
        "phase": request.phase,
        "provider": sent.turn.provider,
        "model": sent.turn.model,
        "meter": Meter(sent.tokens, sent.limit),
        "limit": sent.limit,
        "tokens": sent.tokens,
        "came_from": names.speaker(request.came_from) if request.came_from else None,
        "settings": list(_settings(request.agent)),
        "parts": [_part(part) for part in request.system_parts],
        "messages": [_message(message, names) for message in request.messages],
        "tools": [
            (tool.name, tool.description, _indented(dict(tool.parameters)))
            for tool in request.tools
        ],
        "usage": sent.completed.usage if sent.completed else None,
        "request_id": sent.completed.request_id if sent.completed else None,
    }


def _settings(agent: Agent) -> Iterator[tuple[str, str]]:
    """Yield an agent's non-default model settings in words."""
    if agent.temperature is not None:
        yield "Temperature", f"{agent.temperature:g}"
    if agent.max_output_tokens is not None:
        yield "Answer", f"at most {agent.max_output_tokens} tokens"
    if agent.reasoning_effort is not None:
        yield "Reasoning", agent.reasoning_effort
    if agent.tool_choice != "auto":
        yield "Tools", "one must be called" if agent.tool_choice == "required" else "none"
    if agent.response_schema is not None:
        yield "Form", "JSON by a schema"
    if agent.fallback is not None:
        yield "Fallback", f"{agent.fallback} {agent.with_fallback().model}".strip()


def _handoff_context(handed: HandoffContexts, names: Names) -> Mapping[str, Any]:
    handoff = handed.handoff
    return {
        "sender": names.speaker(handoff.from_agent),
        "receiver": names.speaker(handed.receiver),
        "rows": [_share(share, names) for share in handed.entries],
        "left_out": handed.omitted,
        "had": sum(share.sender.tokens for share in handed.entries if share.sender),
        "got": sum(share.receiver.tokens for share in handed.entries if share.receiver),
        "turn": handed.turn_request.turn.seq if handed.turn_request else None,
    }


def _share(share: ContextEntry, names: Names) -> dict[str, Any]:
    return {
        "is_left_out": share.is_omitted,
        "had": _message(share.sender, names) if share.sender else None,
        "got": _message(share.receiver, names) if share.receiver else None,
    }


def _part(part: PromptPart) -> tuple[str, str, int]:
    return part.title, _bounded(part.text), estimate_tokens(part.text)


def _message(message: PromptMessage, names: Names) -> ShownMessage:
    return ShownMessage(
        message.role,
        names.speaker(message.speaker) if message.speaker else None,
        _bounded(message.text),
        message.tokens,
        tuple((call.name, _bounded(call.arguments)) for call in message.tool_calls),
    )


def _bounded(text: str) -> str:
    if len(text) <= MAX_CHARACTERS:
        return text
    return f"{text[:MAX_CHARACTERS]}… ({len(text) - MAX_CHARACTERS:,} characters more)"


def _indented(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False)
