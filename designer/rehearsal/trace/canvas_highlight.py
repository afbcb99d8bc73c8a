"""The canvas as it is lit: the fold of what events do there, at the end or at any moment before.

`static/js/rehearsal/canvas-marks.js` folds the same lights in the same way, as they come.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from designer.rehearsal.trace.event_context import light_of
from designer.rehearsal.trace.event_fragments import LIGHTS
from designer.rehearsal.trace.event_table import TABLE
from designer.rehearsal.trace.trace_state import TraceState
from orchestration import events as e

Light = dict[str, str]
"""Effect of an event on the canvas, as attributes: `{"active": "stage-review"}`."""

LIT = [
    str(one.__struct_config__.tag)
    for one, entry in TABLE.items()
    if any(fragment.pane == LIGHTS for fragment in entry.fragments)
]
"""The events that do something on the canvas."""

NEEDED = [*LIT, "subtask.started", "subtask.completed"]
"""Highlighting events, and the events that identify their conversation."""


@dataclass(slots=True)
class Canvas:
    """Highlighted parts of the canvas."""

    active: str = ""
    """The stage that has the conversation."""
    seen: dict[str, str] = field(default_factory=dict)
    """The stages that had it, or that worked."""
    traversed: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Number of passages of each transition, and its last event."""
    beside: dict[str, str] = field(default_factory=dict)
    """Ends of transitions that are not drawn."""
    taken: dict[str, int] = field(default_factory=dict)
    """Number of takeovers by a human in each stage."""
    refused: dict[tuple[str, str], int] = field(default_factory=dict)
    """Number of rejections at each transition, or at the stage for an unknown one."""
    working: dict[tuple[str, str], bool] = field(default_factory=dict)
    """The stages and the members of groups that are or were at work."""
    paused: str = ""
    """Position of the pause."""

    def take(self, light: Light) -> None:
        """Take in what one event does."""
        active = light.get("active", "")
        if active:
            if self.active not in ("", active):
                self.seen[self.active] = ""
            self.active = active
        if found := light.get("seen"):
            self.seen[found] = ""
        for key, on in (("begins", True), ("ends", False)):
            if found := light.get(key):
                self.working[found, light.get("member", "")] = on
        self._pass(light)
        if found := light.get("refused"):
            place = (found, light.get("refused-stage", ""))
            self.refused[place] = self.refused.get(place, 0) + 1
        if "over" in light:
            self.working = dict.fromkeys(self.working, False)
        self.paused = "" if "resumed" in light or "over" in light else self.paused
        self.paused = light.get("paused", self.paused)

    def _pass(self, light: Light) -> None:
        """Take in that the conversation went along an edge, or beside all, or to a human."""
        if found := light.get("traversed"):
            count, _ = self.traversed.get(found, (0, ""))
            self.traversed[found] = (count + 1, light.get("by", "handoff"))
            if ends := light.get("beside"):
                self.beside[found] = ends
        if found := light.get("taken"):
            self.taken[found] = self.taken.get(found, 0) + 1

    def lights(self) -> Iterator[Light]:
        """The few lights that light a canvas in the same way."""
        for stage in self.seen:
            yield {"seen": stage}
        for edge, (count, by) in self.traversed.items():
            beside = {"beside": self.beside[edge]} if edge in self.beside else {}
            yield {"traversed": edge, "count": str(count), "by": by} | beside
        for stage, count in self.taken.items():
            yield {"taken": stage, "count": str(count)}
        for (edge, stage), count in self.refused.items():
            yield {"refused": edge, "refused-stage": stage, "count": str(count)}
        for (stage, member), on in self.working.items():
            yield {"begins" if on else "ends": stage} | ({"member": member} if member else {})
        if self.active:
            yield {"active": self.active}
        if self.paused:
            yield {"paused": self.paused}


def lights(events: Iterable[e.Event], telling: TraceState) -> Iterator[tuple[e.Event, Light]]:
    """Yield the effect of each event on the canvas, if it has one."""
    for event in events:
        scene = telling.scene_of(event)
        fragments = TABLE[type(event)].fragments
        if any(one.pane == LIGHTS and one.fits(event, scene) for one in fragments):
            yield event, light_of(event, scene)
        telling.take(event, scene)


def track(events: Iterable[e.Event], telling: TraceState) -> str:
    """Return the effects of all events on the canvas as JSON: number, time, effect.

    When is in milliseconds from the first event on.
    """
    began = None
    rows: list[list[object]] = []
    for event, light in lights(events, telling):
        began = began or event.at
        rows.append([event.seq, (event.at - began) // timedelta(milliseconds=1), light])
    return json.dumps(rows, separators=(",", ":"))
