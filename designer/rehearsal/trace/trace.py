"""The supervisor pane: the rows of a trace, a page of them at a time, filtered or not."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from designer.models import Conversation
from designer.models.conversation import read_events
from designer.rehearsal.fragments.break_points import marks
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.canvas_highlight import NEEDED, Canvas, lights, track
from designer.rehearsal.trace.event_fragments import APPROVALS, LIGHTS, PANES
from designer.rehearsal.trace.event_table import CATEGORIES
from designer.rehearsal.trace.events import TraceRow, pass_over, render_panes, render_row, row_of
from designer.rehearsal.trace.trace_search import Query
from designer.rehearsal.trace.trace_state import TraceState
from designer.rehearsal.trace.trace_window import base_of, new_telling, telling_of, window
from orchestration import events as e
from orchestration.definition import PipelineDefinition


def pane_context(conversation: Conversation, definition: PipelineDefinition) -> dict[str, Any]:
    """Return the context of chat, canvas and pane when the page is loaded."""
    last = window(conversation)
    panes: dict[str, Any] = dict(render_panes(last.events, last.telling.copy()))
    for pane, row in last.standing.items():
        panes[pane.replace("-", "_")] = panes[pane.replace("-", "_")] or mark_safe(  # noqa: S308
            render_row(row, pane)  # its template has escaped it
        )
    base = base_of(conversation)
    panes["chat_log"] = _earlier(base, "chat", last.first) + panes["chat_log"]
    panes["trace"] = _earlier(base, "trace", last.first) + panes["trace"]
    return {
        **panes,
        "lights": render_lights(lit(conversation, definition)),
        "kinds": CATEGORIES,
        "names": sorted({speaker.name for speaker in Names.of(definition).speakers.values()}),
        "base": base,
        "last_seq": conversation.last_seq,
        "break_points": list(marks(conversation.break_points)),
    }


def render_leap(conversation: Conversation) -> str:
    """All panes anew, as the socket sends them to a page that is far behind."""
    shown = pane_context(conversation, conversation.rehearsed())
    anew = format_html('<li data-anew="yes"></li>{}', shown["lights"])
    contents = {pane: shown[pane.replace("-", "_")] for pane in PANES} | {LIGHTS: anew}
    # What else is empty is there before the first event, and not after it.
    sent = [(pane, html) for pane, html in contents.items() if html or pane == APPROVALS]
    return format_html_join("", '<div hx-swap-oob="innerHTML:#{}">{}</div>', sent)


def earlier_chat(conversation: Conversation, before: int) -> str:
    """The part of the chat that comes before an event, and the way to what comes before that."""
    found = window(conversation, before)
    base = base_of(conversation)
    panes = render_panes(found.events, found.telling.copy())
    return _earlier(base, "chat", found.first) + panes["chat_log"]


def rows(
    conversation: Conversation,
    query: Query,
    *,
    before: int | None = None,
    around: int | None = None,
) -> str:
    """A page of rows: the last that are wanted, the last before a number, or those around it.

    The event that they are to be around is among them, whatever else is wanted.
    """
    is_whole = before is None
    if around is not None:
        before = min(conversation.last_seq, around + settings.TRACE_PAGE // 2) + 1
    if not query:
        found = window(conversation, before)
        wanted, first, total = list(_told(found.events, found.telling.copy())), found.first, None
    else:
        wanted, total = _wanted(conversation, query, before, around)
        first = wanted[0].event.seq if len(wanted) == settings.TRACE_PAGE else 1
    html = _earlier(base_of(conversation), "trace", first) + "".join(map(query.render, wanted))
    return html + _count(total) if is_whole else html


def _told(events: Iterable[e.Event], telling: TraceState) -> Iterable[TraceRow]:
    for event in events:
        yield row_of(event, telling)
        pass_over(event, telling)


def matching(conversation: Conversation, query: Query, after: int) -> str:
    """Return the last searched number, at most a page further, and the matching events.

    As JSON: of each event its number, and the fields that have words which its row does not show.
    """
    telling = telling_of(conversation, after)
    events = conversation.events(after=after, at_most=settings.TRACE_PAGE)
    rows = list(_told(events, telling))
    upto = rows[-1].event.seq if rows else after
    found = {row.event.seq: query.hits(row) for row in rows if query.takes(row)}
    return json.dumps({"upto": upto, "found": found})


def _wanted(
    conversation: Conversation, query: Query, before: int | None, around: int | None
) -> tuple[list[TraceRow], int]:
    """The last rows that are wanted, or those around one; and how many there are of them in all."""
    telling = new_telling(conversation, conversation.rehearsed())
    kept: deque[TraceRow] = deque(maxlen=settings.TRACE_PAGE)
    total = 0
    is_earlier = before is not None and around is None
    for event in conversation.events(at_most=before - 1 if before and is_earlier else None):
        row = row_of(event, telling)
        is_taken = query.takes(row)
        total += is_taken
        if (is_taken or event.seq == around) and (before is None or event.seq < before):
            kept.append(row)
        telling.take(event, row.scene)
    return list(kept), total


def _count(total: int | None) -> SafeString:
    """Return the number of matching events; empty without a search."""
    context = {"total": total, "oob": True}
    return SafeString(render_to_string("rehearsal/trace/_search_result.html", context))


def _earlier(base: str, what: str, first: int) -> SafeString:
    """The way to what comes before an event; nothing where nothing does."""
    if first <= 1:
        return SafeString("")
    context = {"base": base, "what": what, "before": first}
    return SafeString(render_to_string("rehearsal/trace/_earlier.html", context))


# The canvas


def lit(conversation: Conversation, definition: PipelineDefinition) -> Canvas:
    """The canvas as all events have lit it."""
    canvas = Canvas()
    for _, light in lights(_lighting(conversation), new_telling(conversation, definition)):
        canvas.take(light)
    return canvas


def render_lights(canvas: Canvas) -> SafeString:
    """The few lights that light the canvas so, as the page has them."""
    items = ((format_html_join("", ' data-{}="{}"', light.items()),) for light in canvas.lights())
    return format_html_join("", "<li{}></li>", items)


def render_track(conversation: Conversation) -> SafeString:
    """Render the effects of all events on the canvas for the slider."""
    telling = new_telling(conversation, conversation.rehearsed())
    text = track(_lighting(conversation), telling)
    # JSON in an element of the page: what could be markup in it is escaped.
    return mark_safe(text.replace("&", "&amp;").replace("<", "&lt;"))  # noqa: S308


def _lighting(conversation: Conversation) -> Iterable[e.Event]:
    # No further than the page is told: its socket brings the rest, and each event counts once.
    shown = conversation.recorded_events.filter(seq__lte=conversation.last_seq)
    return read_events(shown.filter(type__in=NEEDED))
