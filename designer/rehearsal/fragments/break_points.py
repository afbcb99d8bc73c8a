"""Break points of a conversation, for the canvas and the supervisor pane."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from designer.canvas import edge_id, stage_id
from designer.models import Conversation


@dataclass(frozen=True, slots=True)
class Mark:
    """Break point with its element on the canvas."""

    element: str
    label: str
    stage: str = ""
    source: str = ""
    target: str = ""

    @property
    def value(self) -> str:
        """Its value in the form of a new conversation; see `StartForm.break_points`."""
        return self.stage or f"{self.source} {self.target}"


def marks(points: dict[str, Any]) -> Iterator[Mark]:
    """Yield the break points of a conversation, given as it stores them."""
    for stage in points.get("stages", ()):
        yield Mark(stage_id(stage), f"before turns in {stage}", stage=stage)
    for source, target in points.get("ways", ()):
        label = f"before handoffs {source} → {target}"
        yield Mark(edge_id(source, target), label, source=source, target=target)


def render_break_points(conversation: Conversation, *, may_steer: bool) -> str:
    """Render the break points for the socket; people who may steer get buttons to remove them."""
    points = list(marks(conversation.break_points))
    context = {"break_points": points, "steering": may_steer, "oob": True}
    return render_to_string("rehearsal/trace/_marked.html", context)
