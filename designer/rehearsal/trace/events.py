"""Events as HTML, by the fragments of the event table.

The socket sends an event as out-of-band fragments, the page shows the same fragments folded: one
with a known id takes its predecessor's place. So a reload cannot tell another story than the live
view did. Whatever a template shows comes from the event, from the events before it in the same run,
and from the conversation's own definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from designer.rehearsal.trace.event_context import particulars
from designer.rehearsal.trace.event_fragments import (
    PANES,
    TRACE,
    EventFragment,
    FragmentSlot,
    said_id,
    turn_id,
)
from designer.rehearsal.trace.event_table import TABLE
from designer.rehearsal.trace.event_usage import measures
from designer.rehearsal.trace.trace_state import TracedConversation, TraceState
from orchestration import events as e


def render_event(event: e.Event, telling: TraceState) -> str:
    """An event as the socket sends it: every fragment out of band."""
    return "".join(piece.out_of_band() for piece in tell(event, telling))


def render_panes(events: Iterable[e.Event], telling: TraceState) -> dict[str, SafeString]:
    """Events as the page shows them: the content of each pane, under its name in templates."""
    entries: dict[str, dict[str, str]] = {pane: {} for pane in PANES}
    for event in events:
        for piece in tell(event, telling):
            place = piece.place
            if place.fragment.how == "clears":
                entries[place.container].clear()
                continue
            found = entries.setdefault(place.container, {})
            if place.fragment.how == "precedes":
                waiting = found.pop(place.within)
                found |= {place.dom_id: piece.html, place.within: waiting}
            elif place.within:
                found[place.within] = found[place.within].replace(
                    _slot(place.dom_id), piece.html, 1
                )
            else:
                found[place.dom_id] = piece.html
    # Every piece was escaped by its template.
    return {
        pane.replace("-", "_"): mark_safe(_joined(pane, entries))  # noqa: S308
        for pane in PANES
    }


def _joined(container: str, entries: dict[str, dict[str, str]]) -> str:
    """All that is in a container, with what is in the containers among it."""
    return "".join(
        html.replace(_slot(inner, "div"), _slot(inner, "div", _joined(inner, entries)), 1)
        if (inner := said_id(dom_id)) in entries
        else html
        for dom_id, html in entries[container].items()
    )


@lru_cache(maxsize=32)  # once for all who read along; an answer under way is a few KiB
def render_text(run_id: str, turn: int, text: str, *, is_whole: bool) -> str:
    """Some of the answer under way, as the socket sends it: after what is there, or all of it."""
    how = "innerHTML" if is_whole else "beforeend"
    return format_html(
        '<span hx-swap-oob="{}:#{}-text">{}</span>', how, turn_id(run_id, turn), text
    )


def tell(event: e.Event, telling: TraceState) -> list[EventFragment]:
    """An event's fragments, rendered; the telling is that much further."""
    row = row_of(event, telling)
    scene = row.scene
    pieces = [_rendered(place, row.context) for place in _places(event, scene, telling.open)]
    _take(event, scene, [piece.place for piece in pieces], telling)
    return pieces


@dataclass(frozen=True, slots=True)
class TraceRow:
    """An event as its row in the trace shows it, not rendered yet."""

    event: e.Event
    scene: TracedConversation
    context: dict[str, Any]


def row_of(event: e.Event, telling: TraceState) -> TraceRow:
    """The row of an event; `telling` has not taken it in yet."""
    scene = telling.scene_of(event)
    return TraceRow(event, scene, _context(event, scene, telling))


def _context(event: e.Event, scene: TracedConversation, telling: TraceState) -> dict[str, Any]:
    shown = particulars(event, scene) | measures(event, scene, telling)
    return shown | {"human": telling.human, "given": telling.given_after(event, scene)}


def render_row(row: TraceRow, pane: str = TRACE) -> str:
    """The first fragment of an event in a pane, as `render_panes` has it: its row in the trace."""
    found = next(one for one in TABLE[type(row.event)].fragments if one.pane == pane)
    return _rendered(FragmentSlot.of(found, row.event, row.scene), row.context).html


def panes_set_by(event: e.Event, telling: TraceState) -> list[str]:
    """The panes of which an event sets all there is."""
    scene = telling.scene_of(event)
    return [
        one.pane
        for one in TABLE[type(event)].fragments
        if one.how == "sets" and one.fits(event, scene)
    ]


def pass_over(event: e.Event, telling: TraceState) -> None:
    """Take in an event that the page shows already."""
    scene = telling.scene_of(event)
    _take(event, scene, list(_places(event, scene, telling.open)), telling)


def _places(event: e.Event, scene: TracedConversation, waiting: set[str]) -> Iterator[FragmentSlot]:
    """Yield the positions of an event's fragments. Fragments without a place are dropped.

    A call that hands over is not shown as a call, so neither is its result; and where nothing was
    said yet when a run ended, nothing was cut off.
    """
    for fragment in TABLE[type(event)].fragments:
        if not fragment.fits(event, scene):
            continue
        place = FragmentSlot.of(fragment, event, scene)
        match fragment.how:
            case "closes" | "precedes":
                is_wanted = place.waiting in waiting
            case "clears":
                is_wanted = any(one.startswith("decide-") for one in waiting)
            case _:
                is_wanted = True
        if is_wanted:
            yield place


def _take(
    event: e.Event, scene: TracedConversation, places: list[FragmentSlot], telling: TraceState
) -> None:
    for place in places:
        if place.fragment.how == "opens":
            telling.open.add(place.dom_id)
        elif place.fragment.how == "closes":
            telling.open.discard(place.waiting)
    telling.take(event, scene)


def _rendered(place: FragmentSlot, context: dict[str, object]) -> EventFragment:
    html = render_to_string(place.fragment.template, context | {"dom_id": place.dom_id})
    return EventFragment(place, html.strip())


def _slot(dom_id: str, tag: str = "span", content: str = "") -> str:
    """A place for what a later event brings, exactly as the templates write it."""
    return f'<{tag} id="{dom_id}">{content}</{tag}>'
