"""Template context of an event, and its effect on the canvas."""

from __future__ import annotations

from typing import Any

from designer.canvas import edge_id, stage_id
from designer.rehearsal.trace.event_table import TABLE
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e


def particulars(event: e.Event, scene: TracedConversation) -> dict[str, Any]:
    """The context of an event's templates."""
    names, entry = scene.names, TABLE[type(event)]
    return {
        "event": event,
        "kind": entry.category,
        "scene": scene,
        "within": _within(event, scene),
        "agent": names.speaker(event.agent_id) if event.agent_id else None,
        "elapsed": names.elapsed(event.at),
        "light": light_of(event, scene),
        "trace_url": names.trace_url,
        **entry.details(event, names),
    }


def light_of(event: e.Event, scene: TracedConversation) -> dict[str, str]:
    """Return the effect of an event on the canvas, by element ids."""
    if not scene.kind or isinstance(event, e.RunPaused | e.RunResumed):
        return TABLE[type(event)].highlight(event, scene.names)
    return _subtask_light(event, scene)


def _within(event: e.Event, scene: TracedConversation) -> str:
    """The subtask that an event is of, where the event's own words do not name it."""
    match event:
        case e.MessageRouted() | e.TurnStarted() | e.MessageCompleted() if scene.kind:
            named = scene.names.speaker(event.agent_id).name
            return scene.called if scene.called != named else ""
        case _:
            return scene.called


def _subtask_light(event: e.Event, scene: TracedConversation) -> dict[str, str]:
    """Return the effect of a subtask's start or end on the canvas."""
    begins = isinstance(event, e.RunStarted)
    lit = {"begins" if begins else "ends": stage_id(event.phase)}
    if scene.kind == "member":
        return lit | {"member": scene.title}
    if begins and scene.kind == "delegate":
        return lit | {"traversed": edge_id(scene.asked_in, event.phase), "by": "delegation"}
    return lit
