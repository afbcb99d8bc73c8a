"""Break points of a conversation: stages and transitions at which its runs pause."""

from __future__ import annotations

from typing import Any

from designer.core import atomic_action
from designer.models import Conversation

Point = str | tuple[str, str]
"""Phase of a stage, or the phases of a transition."""

MAX_POINTS = 200
"""Maximum number of break points of a conversation."""


def mark_point(*, conversation_id: int, point: Point, on: bool) -> str:
    """Set or remove a break point; return an error message, or an empty text."""
    conversation = Conversation.objects.get(pk=conversation_id)
    if conversation.is_read_only:
        return "This trace was opened from a file, so its runs cannot be paused."
    # The definition of a conversation never changes, so this needs no lock.
    if on and (error := _location_error(conversation, point)):
        return error
    return _mark(conversation_id, point, on=on)


@atomic_action
def _mark(conversation_id: int, point: Point, *, on: bool) -> str:
    rows = Conversation.objects.without_definition().select_for_update()
    conversation = rows.get(pk=conversation_id)
    points = conversation.break_points
    kind = "stages" if isinstance(point, str) else "ways"
    value: Any = point if isinstance(point, str) else list(point)
    others = [other for other in points.get(kind, []) if other != value]
    if on:
        if sum(len(points.get(kind, ())) for kind in ("stages", "ways")) >= MAX_POINTS:
            return f"There are {MAX_POINTS} break points already. Remove one first."
        others.append(value)
    conversation.break_points = points | {kind: others}
    conversation.save(update_fields=["break_points"])
    return ""


def _location_error(conversation: Conversation, point: Point) -> str:
    """Return an error message if a stage of the break point does not exist.

    Any two stages are accepted: swarms, teams and forced handoffs use transitions that are not
    drawn.
    """
    stages = conversation.snapshot().stages_by_phase
    phases = (point,) if isinstance(point, str) else point
    missing = [phase for phase in phases if phase not in stages]
    return f"There is no stage {missing[0]!r} here." if missing else ""
