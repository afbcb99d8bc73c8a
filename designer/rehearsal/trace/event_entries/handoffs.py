"""Entries of the events of handoffs and changes of the stage."""

from __future__ import annotations

from typing import Any

from designer.canvas import edge_id, stage_id
from designer.rehearsal.agui import event_mapping
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.fragments.payloads import in_short
from designer.rehearsal.trace.event_entries.entry import Entries, entry, stage_highlight
from designer.rehearsal.trace.event_fragments import (
    canvas_effect,
    chat_entry,
    is_automatic,
    is_between_runs,
    question,
    steering,
    trace_row,
    upcoming,
)
from designer.rehearsal.trace.timeline_drawing import TimelineDrawing
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e

_HUMAN, _AGENT = {"human": "yes"}, {"human": "no"}
"""Marks of a conversation that a human or an agent has."""


def _request_details(event: e.HandoffRequested, names: Names) -> dict[str, Any]:
    """Return the target of a requested handoff and its payload."""
    return {"target": names.speaker(event.target), "payload": in_short(event.payload)}


def _handoff_details(event: e.HandoffAccepted, names: Names) -> dict[str, Any]:
    """Return both ends of a handoff and its payload."""
    return {
        "source": names.speaker(event.from_agent),
        "target": names.speaker(event.to_agent),
        "payload": in_short(event.payload),
    }


def _handoff_highlight(event: e.HandoffAccepted, names: Names) -> dict[str, str]:
    """Return the traversed transition, drawn or not, or the stage that a human has taken over.

    It is a takeover if the human has no stage.
    """
    source, target = event.from_phase, event.to_phase
    holder = _HUMAN if event.to_agent is None else _AGENT
    if target not in names.phases:
        return {"active": stage_id(source), "taken": stage_id(source)} | holder
    effect = {"active": stage_id(target)} | holder
    if source not in names.phases:
        return effect
    is_drawn = any(phase == target for _, phase in names.transitions.get(source, ()))
    if source == target and event.to_agent is None and not is_drawn:
        return effect | {"taken": stage_id(target)}
    effect["traversed"] = edge_id(source, target)
    return effect if is_drawn else effect | {"beside": f"{source} {target}"}


def _handoff_span(
    event: e.HandoffAccepted, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """Draw an accepted handoff."""
    drawing.add_handoff(event, traced, event.from_agent, event.to_agent, refused=False)


def _rejection_details(event: e.HandoffRejected, names: Names) -> dict[str, Any]:
    """Return the target of a rejected handoff and the reason."""
    return {
        "target": names.speaker(event.to_agent or event.target),
        "why": names.replace_ids(event.why),
        "code": event.code.replace("_", " "),
    }


def _rejection_highlight(event: e.HandoffRejected, names: Names) -> dict[str, str]:
    """Return the rejected transition and its target."""
    if not event.to_phase:
        return stage_highlight(event, names)
    edge = edge_id(event.phase, event.to_phase)
    return {"refused": edge, "refused-stage": stage_id(event.to_phase)}


def _rejection_span(
    event: e.HandoffRejected, drawing: TimelineDrawing, traced: TracedConversation
) -> None:
    """Draw a rejected handoff, if its target exists."""
    if event.to_agent:
        drawing.add_handoff(event, traced, event.agent_id, event.to_agent, refused=True)


def _loop_details(event: e.CycleDetected, names: Names) -> dict[str, Any]:
    """Return the agents of a loop; the first is also the last."""
    agents = [*event.loop, event.loop[0]]
    return {"loop": " → ".join(names.speaker(agent).name for agent in agents)}


def _phase_change_details(event: e.PhaseChanged, names: Names) -> dict[str, Any]:
    """Return the agents of both stages."""
    return {
        "source": names.stage_speaker(event.from_phase),
        "target": names.stage_speaker(event.to_phase),
    }


def _phase_change_highlight(event: e.PhaseChanged, names: Names) -> dict[str, str]:
    """Return the new stage and the previous one, with the transition if it was automatic."""
    source, target = event.from_phase, event.to_phase
    if target not in names.phases:  # a human without a stage: the old stage stays active
        return {"active": stage_id(source)}
    effect = {"active": stage_id(target), "seen": stage_id(source)}
    if (source, target) not in names.automatic:
        return effect
    return effect | {"traversed": edge_id(source, target), "by": "step"}


ENTRIES: Entries = {
    e.HandoffRequested: entry(
        "handoff", trace_row("handoff_requested"), upcoming(), details=_request_details
    ),
    e.HandoffAccepted: entry(
        "handoff",
        chat_entry("handoff_accepted"),
        trace_row("handoff_accepted"),
        upcoming(),
        canvas_effect(),
        steering("_over", is_between_runs),
        question("_composer_not_asked", is_between_runs),  # it is dropped
        details=_handoff_details,
        highlight=_handoff_highlight,
        span=_handoff_span,
        agui=event_mapping.handoff_accepted,
    ),
    e.HandoffRejected: entry(
        "handoff",
        chat_entry("handoff_rejected"),
        trace_row("handoff_rejected"),
        upcoming(),
        canvas_effect(),
        details=_rejection_details,
        highlight=_rejection_highlight,
        span=_rejection_span,
        agui=event_mapping.handoff_rejected,
    ),
    e.CycleDetected: entry("cycle", trace_row("cycle_detected"), details=_loop_details),
    e.PhaseChanged: entry(
        "phase",
        chat_entry("phase_changed", is_automatic),
        trace_row("phase_changed"),
        upcoming(),
        canvas_effect(),
        details=_phase_change_details,
        highlight=_phase_change_highlight,
        agui=event_mapping.phase_changed,
    ),
}
