"""The supervisor pane: pages of a trace, filtered or not, and the highlighted canvas."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from designer.models import Conversation, read_events
from designer.rehearsal.fragments.break_points import marks
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.fragments.spending import budget_in_words
from designer.rehearsal.trace.canvas_highlight import HIGHLIGHT_TYPES, Canvas, highlights, track
from designer.rehearsal.trace.event_fragments import APPROVALS, FEEDBACK, HIGHLIGHTS, PANES
from designer.rehearsal.trace.event_table import CATEGORIES, type_names
from designer.rehearsal.trace.event_usage import Meter
from designer.rehearsal.trace.events import (
    TraceRow,
    render_panes,
    render_row,
    skip_event,
    trace_row,
)
from designer.rehearsal.trace.trace_search import Query
from designer.rehearsal.trace.trace_state import TraceState
from designer.rehearsal.trace.trace_window import (
    Window,
    base_of,
    new_trace_state,
    trace_state_at,
    window,
)
from orchestration import events as e
from orchestration.definition import PipelineDefinition


def pane_context(conversation: Conversation, definition: PipelineDefinition) -> dict[str, Any]:
    """Return the context of chat, canvas and pane when the page is loaded."""
    last = window(conversation)
    panes: dict[str, Any] = dict(render_panes(last.events, last.trace_state.copy()))
    for pane, row in last.earlier_rows.items():
        panes[pane.replace("-", "_")] = panes[pane.replace("-", "_")] or mark_safe(  # noqa: S308
            render_row(row, pane)  # escaped by its template
        )
    base = base_of(conversation)
    panes["feedback_log"] = _earlier_feedback(conversation, last) + panes["feedback_log"]
    panes["chat_log"] = _earlier(base, "chat", last.first) + panes["chat_log"]
    panes["trace"] = _earlier(base, "trace", last.first) + panes["trace"]
    return {
        **panes,
        "lights": render_highlights(highlighted_canvas(conversation, definition)),
        "kinds": CATEGORIES,
        "names": sorted({speaker.name for speaker in Names.of(definition).speakers.values()}),
        "base": base,
        "last_seq": conversation.last_seq,
        "break_points": list(marks(conversation.break_points)),
    }


def render_all_panes(conversation: Conversation) -> str:
    """Render all panes for the socket of a page that is far behind."""
    context = pane_context(conversation, conversation.snapshot())
    canvas = format_html('<li data-anew="yes"></li>{}', context["lights"])
    contents = {pane: context[pane.replace("-", "_")] for pane in PANES} | {HIGHLIGHTS: canvas}
    # Approval forms disappear, feedback may be missing; another pane is empty only at first.
    panes = [
        (pane, html) for pane, html in contents.items() if html or pane in (APPROVALS, FEEDBACK)
    ]
    return format_html_join("", '<div hx-swap-oob="innerHTML:#{}">{}</div>', panes)


def earlier_chat(conversation: Conversation, before: int) -> str:
    """Render a page of the chat before an event, with the link to the page before it."""
    page = window(conversation, before)
    base = base_of(conversation)
    panes = render_panes(page.events, page.trace_state.copy())
    return _earlier(base, "chat", page.first) + panes["chat_log"]


def rows(
    conversation: Conversation,
    query: Query,
    *,
    before: int | None = None,
    around: int | None = None,
) -> str:
    """Render a page of matching rows: the last ones, the last before a number, or those around one.

    The page includes the event `around`, even if it does not match.
    """
    is_whole = before is None
    if around is not None:
        before = min(conversation.last_seq, around + settings.TRACE_PAGE // 2) + 1
    if not query:
        page = window(conversation, before)
        matches, first, total = list(_rows(page.events, page.trace_state.copy())), page.first, None
    else:
        matches, total = _search(conversation, query, before, around)
        first = matches[0].event.seq if len(matches) == settings.TRACE_PAGE else 1
    html = _earlier(base_of(conversation), "trace", first) + "".join(map(query.render, matches))
    return html + _count(total) if is_whole else html


def _rows(events: Iterable[e.Event], trace_state: TraceState) -> Iterable[TraceRow]:
    for event in events:
        yield trace_row(event, trace_state)
        skip_event(event, trace_state)


def matching(conversation: Conversation, query: Query, after: int) -> str:
    """Return the matching events of the next page as JSON, with the last searched number.

    Each event has the fields with matches that its row does not show.
    """
    trace_state = trace_state_at(conversation, after)
    events = conversation.events(after=after, at_most=settings.TRACE_PAGE)
    rows = list(_rows(events, trace_state))
    upto = rows[-1].event.seq if rows else after
    matches = {row.event.seq: query.hits(row) for row in rows if query.matches(row)}
    return json.dumps({"upto": upto, "found": matches})


def _search(
    conversation: Conversation, query: Query, before: int | None, around: int | None
) -> tuple[list[TraceRow], int]:
    """Return a page of matching rows, and the number of all matching rows."""
    trace_state = new_trace_state(conversation, conversation.snapshot())
    page: deque[TraceRow] = deque(maxlen=settings.TRACE_PAGE)
    total = 0
    is_earlier = before is not None and around is None
    for event in conversation.events(at_most=before - 1 if before and is_earlier else None):
        row = trace_row(event, trace_state)
        is_match = query.matches(row)
        total += is_match
        if (is_match or event.seq == around) and (before is None or event.seq < before):
            page.append(row)
        trace_state.apply(event, row.traced)
    return list(page), total


def _earlier_feedback(conversation: Conversation, last: Window) -> SafeString:
    """Render the feedback before a window: the last on each answer."""
    rows = conversation.recorded_events.filter(seq__lt=last.first, type__in=FEEDBACK_TYPES)
    given = [event for event in read_events(rows) if isinstance(event, e.FeedbackGiven)]
    by_answer = {event.about: event for event in given}  # the last is kept
    return SafeString(
        "".join(
            render_row(trace_row(event, last.trace_state), FEEDBACK) for event in by_answer.values()
        )
    )


FEEDBACK_TYPES = type_names(e.FeedbackGiven)


def _count(total: int | None) -> SafeString:
    """Render the number of matching events; empty without a search."""
    context = {"total": total, "oob": True}
    return SafeString(render_to_string("rehearsal/trace/_search_result.html", context))


def _earlier(base: str, pane: str, first: int) -> SafeString:
    """Render the link to the page before an event; empty at the first event."""
    if first <= 1:
        return SafeString("")
    context = {"base": base, "what": pane, "before": first}
    return SafeString(render_to_string("rehearsal/trace/_earlier.html", context))


def render_sums(conversation: Conversation, seq: int) -> SafeString:
    """Render the usage until an event, and the budget and context of its run at it."""
    trace_state = trace_state_at(conversation, seq)
    context = {
        "dom_id": "sums-then",
        "at": seq,
        "spent": trace_state.spent,
        "budget": budget_in_words(trace_state.budget),
        "meter": Meter(trace_state.context_tokens, trace_state.own.names.context),
    }
    return SafeString(render_to_string("rehearsal/trace/_earlier_sums.html", context))


# The canvas


def highlighted_canvas(conversation: Conversation, definition: PipelineDefinition) -> Canvas:
    """Return the canvas after all events."""
    canvas = Canvas()
    trace_state = new_trace_state(conversation, definition)
    for _, highlight in highlights(_highlighting(conversation), trace_state):
        canvas.apply(highlight)
    return canvas


def render_highlights(canvas: Canvas) -> SafeString:
    """Render the highlights of a canvas for the page."""
    attributes = (
        format_html_join("", ' data-{}="{}"', highlight.items())
        for highlight in canvas.highlights()
    )
    return format_html_join("", "<li{}></li>", ((text,) for text in attributes))


def render_track(conversation: Conversation) -> SafeString:
    """Render the effects of all events on the canvas for the slider."""
    trace_state = new_trace_state(conversation, conversation.snapshot())
    text = track(_highlighting(conversation), trace_state)
    # The JSON is the content of an element: escape markup in it.
    return mark_safe(text.replace("&", "&amp;").replace("<", "&lt;"))  # noqa: S308


def _highlighting(conversation: Conversation) -> Iterable[e.Event]:
    # Only the events on the page: its socket sends the others, and each event counts once.
    shown = conversation.recorded_events.filter(seq__lte=conversation.last_seq)
    return read_events(shown.filter(type__in=HIGHLIGHT_TYPES))
