"""Events as plain lines, for a terminal: what the rows of the supervisor pane say, and the texts.

They are made by the table that makes the panes, so that a terminal tells no other story.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from designer.rehearsal.trace.event_fragments import TRACE
from designer.rehearsal.trace.events import render_row, row_of, tell
from designer.rehearsal.trace.trace_state import TraceState
from orchestration import events as e

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters that move a terminal's cursor, colour it, or reverse its text."""


def plain_lines(event: e.Event, telling: TraceState) -> list[str]:
    """An event as lines: its row of the pane, then what was said; the telling is that much further.

    `  1.204  handoff  Triage → Handler accepted · about an invoice`
    """
    scene = telling.scene_of(event)
    pieces = tell(event, telling)
    lines = [_row(one.html, scene.depth) for one in pieces if one.place.container == TRACE]
    said = event.text if isinstance(event, e.MessageCompleted | e.HumanReplied) else ""
    if isinstance(event, e.MessageReceived) and event.message.text not in "".join(lines):
        said = event.message.text  # the row has only its beginning
    lines += [f"{_MARGIN}{'  ' * scene.depth}│ {line}" for line in plain(said).splitlines()]
    return lines


def plain_row(event: e.Event, telling: TraceState) -> list[str]:
    """The texts of an event's row: when it was, its kind, what it tells of, and more of that.

    The telling has not taken the event in yet.
    """
    return _texts(render_row(row_of(event, telling)))


def plain(text: str) -> str:
    """A text with nothing in it that a terminal would obey."""
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
    """The texts of a row: one for each element that stands directly in its `summary`."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._depth: int | None = None
        """Nesting depth within the summary; None outside of it."""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Begin a part, where the element is one."""
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
        """Add to the part that is open."""
        if self._depth:
            self.parts[-1] += data
