"""Context use of the agents in a conversation."""

from __future__ import annotations

from dataclasses import dataclass

from designer.models import Conversation, read_events
from designer.rehearsal.fragments.names import Speaker
from designer.rehearsal.trace.event_table import type_names
from designer.rehearsal.trace.event_usage import Meter
from designer.rehearsal.trace.trace_window import new_trace_state
from orchestration import events as e


@dataclass(frozen=True, slots=True)
class ContextMeter:
    """Context use of an agent."""

    speaker: Speaker
    now: Meter
    """Context of its last turn."""
    most: Meter
    """Context of its fullest turn."""
    turns: int
    seq: int
    """Its last turn."""


def contexts_of(conversation: Conversation) -> list[ContextMeter]:
    """Return the context use of each active agent, in order of appearance."""
    trace_state = new_trace_state(conversation, conversation.snapshot())
    types = type_names(e.TurnStarted, e.SubtaskStarted, e.SubtaskCompleted)
    meters: dict[tuple[str, str], ContextMeter] = {}
    for event in read_events(conversation.recorded_events.filter(type__in=types)):
        traced = trace_state.conversation_of(event)
        if isinstance(event, e.TurnStarted):
            key = ("" if traced.is_on_canvas else traced.title, event.agent_id or "")
            now = Meter(event.context_tokens, traced.names.context)
            before = meters.get(key)
            most = before.most if before and before.most.used > now.used else now
            turns = before.turns + 1 if before else 1
            speaker = traced.names.speaker(event.agent_id)
            meters[key] = ContextMeter(speaker, now, most, turns, event.seq)
        trace_state.apply(event, traced)
    return list(meters.values())
