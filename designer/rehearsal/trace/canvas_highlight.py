"""Highlighted parts of the canvas, at the end of a trace or at any moment before.

`static/js/rehearsal/canvas-marks.js` applies the same highlights in the same way to the live page.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from designer.rehearsal.trace.event_context import highlight_of
from designer.rehearsal.trace.event_fragments import HIGHLIGHTS
from designer.rehearsal.trace.event_table import TABLE, type_names
from designer.rehearsal.trace.trace_state import TraceState
from orchestration import events as e

Highlight = dict[str, str]
"""Effect of an event on the canvas, as attributes: `{"active": "stage-review"}`."""

HIGHLIGHT_TYPES = type_names(
    *(
        event_type
        for event_type, entry in TABLE.items()
        if any(fragment.pane == HIGHLIGHTS for fragment in entry.fragments)
    )
)
"""Names of the event types with an effect on the canvas.

The types that identify the conversation of an event are among them: starts and ends of subtasks.
"""


@dataclass(slots=True)
class Canvas:
    """Highlighted parts of the canvas."""

    active: str = ""
    """Stage that has the conversation."""
    seen: dict[str, str] = field(default_factory=dict)
    """Stages that had it, or that worked."""
    traversed: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Number of handoffs and steps along each transition, and the cause of the last one."""
    beside: dict[str, str] = field(default_factory=dict)
    """Ends of transitions that are not drawn."""
    taken: dict[str, int] = field(default_factory=dict)
    """Number of takeovers by a human in each stage."""
    refused: dict[tuple[str, str], int] = field(default_factory=dict)
    """Number of rejections at each transition, or at the stage for an unknown one."""
    working: dict[tuple[str, str], bool] = field(default_factory=dict)
    """Stages and members of groups with a subtask; true while it is in progress."""
    paused: str = ""
    """Position of the pause."""
    human: bool = False
    """True while a human has the conversation."""
    approval: bool = False
    """True if the pause waits for a human's approval."""

    def apply(self, highlight: Highlight) -> None:
        """Apply the effect of one event."""
        if active := highlight.get("active"):
            self._activate(active)
        if stage := highlight.get("seen"):
            self.seen[stage] = ""
        for key, is_working in (("begins", True), ("ends", False)):
            if stage := highlight.get(key):
                self.working[stage, highlight.get("member", "")] = is_working
        self._apply_handoff(highlight)
        if edge := highlight.get("refused"):
            rejection = (edge, highlight.get("refused-stage", ""))
            self.refused[rejection] = self.refused.get(rejection, 0) + 1
        if "over" in highlight:
            self.working = dict.fromkeys(self.working, False)
        if {"resumed", "over", "paused"} & highlight.keys():
            self.paused = highlight.get("paused", "")
            self.approval = "approval" in highlight
        if "human" in highlight:
            self.human = highlight["human"] == "yes"

    def _activate(self, stage: str) -> None:
        """Give a stage the conversation."""
        if self.active not in ("", stage):
            self.seen[self.active] = ""
            if self.paused and not self.approval:  # handed over during the pause
                self.paused = stage
        self.active = stage

    def _apply_handoff(self, highlight: Highlight) -> None:
        """Apply a traversed transition or a takeover."""
        if edge := highlight.get("traversed"):
            count, _ = self.traversed.get(edge, (0, ""))
            self.traversed[edge] = (count + 1, highlight.get("by", "handoff"))
            if ends := highlight.get("beside"):
                self.beside[edge] = ends
        if stage := highlight.get("taken"):
            self.taken[stage] = self.taken.get(stage, 0) + 1

    def highlights(self) -> Iterator[Highlight]:
        """Yield the smallest set of highlights with the same result."""
        for stage in self.seen:
            yield {"seen": stage}
        for edge, (count, by) in self.traversed.items():
            beside = {"beside": self.beside[edge]} if edge in self.beside else {}
            yield {"traversed": edge, "count": str(count), "by": by} | beside
        for stage, count in self.taken.items():
            yield {"taken": stage, "count": str(count)}
        for (edge, stage), count in self.refused.items():
            yield {"refused": edge, "refused-stage": stage, "count": str(count)}
        for (stage, member), is_working in self.working.items():
            key = "begins" if is_working else "ends"
            yield {key: stage} | ({"member": member} if member else {})
        if self.active:
            yield {"active": self.active}
        if self.human:
            yield {"human": "yes"}
        if self.paused:
            yield {"paused": self.paused} | ({"approval": "yes"} if self.approval else {})


def highlights(
    events: Iterable[e.Event], trace_state: TraceState
) -> Iterator[tuple[e.Event, Highlight]]:
    """Yield the effect of each event on the canvas, if it has one."""
    for event in events:
        traced = trace_state.conversation_of(event)
        fragments = TABLE[type(event)].fragments
        if any(
            fragment.pane == HIGHLIGHTS and fragment.condition(event, traced)
            for fragment in fragments
        ):
            yield event, highlight_of(event, traced)
        trace_state.apply(event, traced)


def track(events: Iterable[e.Event], trace_state: TraceState) -> str:
    """Return the effects of all events on the canvas as JSON: number, time, effect.

    Times are in milliseconds from the first event.
    """
    started_at = None
    rows: list[list[object]] = []
    for event, highlight in highlights(events, trace_state):
        started_at = started_at or event.at
        offset = (event.at - started_at) // timedelta(milliseconds=1)
        rows.append([event.seq, offset, highlight])
    return json.dumps(rows, separators=(",", ":"))
