"""Events as plain lines for a terminal: the rows of the supervisor pane, and the messages.

They are rendered from the same event table as the panes.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from designer.rehearsal.trace.event_fragments import TRACE
from designer.rehearsal.trace.events import render_fragments, render_row, trace_row
from designer.rehearsal.trace.trace_state import TraceState
from orchestration import events as e

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters that move a terminal's cursor, change its colour or reverse its text."""


def plain_lines(event: e.Event, trace_state: TraceState) -> list[str]:
    """Return the row and the message of an event as lines, and include it in the state.

    `  1.204  handoff  Triage → Handler accepted · about an invoice`
    """
    traced = trace_state.conversation_of(event)
    lines = [
        _row(fragment.html, traced.depth)
        for fragment in render_fragments(event, trace_state)
        if fragment.slot.container == TRACE
    ]
    text = event.text if isinstance(event, e.MessageCompleted | e.HumanReplied) else ""
    if isinstance(event, e.MessageReceived) and event.message.text not in "".join(lines):
        text = event.message.text  # the row has only its beginning
    lines += [f"{_MARGIN}{'  ' * traced.depth}│ {line}" for line in plain(text).splitlines()]
    return lines


def plain_row(event: e.Event, trace_state: TraceState) -> list[str]:
    """Return the texts of an event's row: time, category, subject and details.

    The state must not include the event yet.
    """
    return _texts(render_row(trace_row(event, trace_state)))


def plain(text: str) -> str:
    """Return a text with its control characters replaced."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


_MARGIN = " " * 10


def _texts(html: str) -> list[str]:
    summary = _Summary()
    summary.feed(html)
    summary.close()
    return [" ".join(plain(part).split()) for part in summary.parts]


def _row(html: str, depth: int) -> str:
    elapsed, kind, *rest = _texts(html)
    return f"{elapsed:>8}  {'  ' * depth}{kind:<9} {'  '.join(filter(None, rest))}".rstrip()


class _Summary(HTMLParser):
    """Parser for the texts of a row: one for each child element of its `summary`."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._depth: int | None = None
        """Nesting depth within the summary; None outside of it."""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Begin a part if the element is a child of the summary."""
        if self._depth is None:
            self._depth = 0 if tag == "summary" else None
            return
        if self._depth == 0:
            self.parts.append("")
        self._depth += 1

    def handle_endtag(self, tag: str) -> None:
        """End a part, or the summary."""
        if self._depth is not None:
            self._depth = None if tag == "summary" else self._depth - 1

    def handle_data(self, data: str) -> None:
        """Append text to the current part."""
        if self._depth:
            self.parts[-1] += data
