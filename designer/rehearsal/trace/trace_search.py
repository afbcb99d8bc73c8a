"""Search in a trace: matching rows, and matches outside of the visible row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import unescape
from typing import Any, NamedTuple

from django.utils.html import strip_tags

from designer.rehearsal.trace.events import TraceRow, render_row
from orchestration import events as e

BEFORE, AFTER = 24, 56
"""Number of characters shown before and after a match."""


class TraceHit(NamedTuple):
    """Match in an event that its row does not show."""

    name: str
    """Name of the field with the match, for people."""
    text: str
    """Text around the match."""


@dataclass(frozen=True, slots=True)
class Query:
    """Filter of rows; an empty one matches all rows."""

    kind: str = ""
    agent: str = ""
    """An agent's name."""
    text: str = ""
    """Words that the event must contain."""

    def __bool__(self) -> bool:
        return bool(self.kind or self.agent or self.text)

    def matches(self, row: TraceRow) -> bool:
        """Report whether a row matches."""
        if self.kind not in ("", row.context["kind"]):
            return False
        agent = row.context["agent"]
        if self.agent and (agent is None or agent.name != self.agent):
            return False
        if not self.text.strip():
            return True
        text = _searchable_text(row)
        return all(word in text for word in self._words)

    def hits(self, row: TraceRow) -> list[TraceHit]:
        """Return the matches of a row that the row itself does not show."""
        if not self._words:
            return []
        shown = unescape(strip_tags(render_row(row))).casefold()
        hidden = [word for word in self._words if word not in shown]
        body = e.dump(row.event) if hidden else {}
        hits: list[TraceHit] = []
        for word in hidden:
            is_shown = any(word in hit.text.casefold() for hit in hits)
            if not is_shown and (hit := _hit(word, body)):
                hits.append(hit)
        return hits

    def render(self, row: TraceRow) -> str:
        """Render a matching row with the matches that it does not show by itself."""
        hits = self.hits(row)
        return render_row(replace(row, context=row.context | {"hits": hits}) if hits else row)

    @property
    def _words(self) -> list[str]:
        return self.text.casefold().split()


def _searchable_text(row: TraceRow) -> str:
    """Return an event in lower case: `feedback:`, its recorded text and the names in its row."""
    shown = (str(value.name) for value in row.context.values() if hasattr(value, "name"))
    body = e.encode(row.event).decode()
    return " ".join([f"{row.context['kind']}:", body, *shown]).casefold()


def _hit(word: str, body: Mapping[str, Any]) -> TraceHit | None:
    """Return the first field with a word in its text, else in its name."""
    fields = list(_fields(body))
    for name, text in fields:
        if (at := text.casefold().find(word)) >= 0:
            return TraceHit(_readable(name), _around(text, at, at + len(word)))
    field = next(((name, text) for name, text in fields if word in name.casefold()), None)
    return field and TraceHit(_readable(field[0]), _around(field[1], 0, 0))


def _fields(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each recorded field."""
    match value:
        case Mapping():
            for key, inner in value.items():
                yield from _fields(inner, key)
        case list() | tuple():
            for inner in value:
                yield from _fields(inner, name)
        case _:
            yield name, str(value)


def _readable(name: str) -> str:
    return name.replace("_", " ")


def _around(text: str, begin: int, end: int) -> str:
    first, last = max(0, begin - BEFORE), end + AFTER
    cut = " ".join(text[first:last].split())
    return f"{'…' if first else ''}{cut}{'…' if last < len(text) else ''}"
