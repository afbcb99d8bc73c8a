"""Template context of an event, and its effect on the canvas."""

from __future__ import annotations

from typing import Any

from designer.canvas import edge_id, stage_id
from designer.rehearsal.trace.event_table import TABLE
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e


def event_context(event: e.Event, traced: TracedConversation) -> dict[str, Any]:
    """Return the context of an event's templates."""
    names, entry = traced.names, TABLE[type(event)]
    return {
        "event": event,
        "kind": entry.category,
        "traced": traced,
        "within": _subtask_label(event, traced),
        "agent": names.speaker(event.agent_id) if event.agent_id else None,
        "elapsed": names.elapsed(event.at),
        "highlight": highlight_of(event, traced),
        "trace_url": names.trace_url,
        **entry.details(event, names),
    }


def highlight_of(event: e.Event, traced: TracedConversation) -> dict[str, str]:
    """Return the effect of an event on the canvas, by element ids."""
    if not traced.kind or isinstance(event, e.RunPaused | e.RunResumed):
        return TABLE[type(event)].highlight(event, traced.names)
    return _subtask_highlight(event, traced)


def _subtask_label(event: e.Event, traced: TracedConversation) -> str:
    """Return the name of the event's subtask, unless its row names the same agent anyway."""
    match event:
        case e.MessageRouted() | e.TurnStarted() | e.MessageCompleted() if traced.kind:
            agent = traced.names.speaker(event.agent_id).name
            return traced.label if traced.label != agent else ""
        case _:
            return traced.label


def _subtask_highlight(event: e.Event, traced: TracedConversation) -> dict[str, str]:
    """Return the effect of a subtask's start or end on the canvas."""
    begins = isinstance(event, e.RunStarted)
    highlight = {"begins" if begins else "ends": stage_id(event.phase)}
    if traced.kind == "member":
        return highlight | {"member": traced.title}
    if begins and traced.kind == "delegate":
        edge = edge_id(traced.caller_phase, event.phase)
        return highlight | {"traversed": edge, "by": "delegation"}
    return highlight
