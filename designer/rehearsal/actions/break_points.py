"""Break points of a conversation: where its runs stand still."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from designer.models import Conversation

Point = str | tuple[str, str]
"""A stage by its phase, or a way by the phases it leads from and to."""

MAX_POINTS = 200
"""Maximum number of break points of a conversation."""


@transaction.atomic
def mark_point(*, conversation_id: int, point: Point, on: bool) -> str:
    """Set a break point or take it away; says why not, where there is no such place."""
    conversation = Conversation.objects.select_for_update().get(pk=conversation_id)
    if conversation.is_read_only:
        return "This trace was opened from a file: no run of it can stand still."
    points = conversation.break_points
    kind = "stages" if isinstance(point, str) else "ways"
    value: Any = point if isinstance(point, str) else list(point)
    marked = [one for one in points.get(kind, []) if one != value]
    if on:
        if why := _not_there(conversation, point):
            return why
        if sum(len(points.get(one, ())) for one in ("stages", "ways")) >= MAX_POINTS:
            return f"There are {MAX_POINTS} break points already: take one away first."
        marked.append(value)
    conversation.break_points = points | {kind: marked}
    conversation.save(update_fields=["break_points"])
    return ""


def _not_there(conversation: Conversation, point: Point) -> str:
    """Why a run never comes by there; nothing where it may.

    Any two stages make a way: in a swarm, a team and past the check there are more than are drawn.
    """
    stages = conversation.snapshot().stages_by_phase
    named = (point,) if isinstance(point, str) else point
    missing = [phase for phase in named if phase not in stages]
    return f"There is no stage {missing[0]!r} here." if missing else ""
