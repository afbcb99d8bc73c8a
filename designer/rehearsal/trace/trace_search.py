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
    """A word that is in an event, and not in its row."""

    name: str
    """Field with the match, as people read it."""
    text: str
    """Text around the match."""


@dataclass(frozen=True, slots=True)
class Query:
    """Filter of rows; empty: all rows."""

    kind: str = ""
    agent: str = ""
    """An agent's name."""
    text: str = ""
    """Words, each of which is somewhere in the event."""

    def __bool__(self) -> bool:
        return bool(self.kind or self.agent or self.text)

    def takes(self, row: TraceRow) -> bool:
        """Report whether a row matches."""
        if self.kind not in ("", row.context["kind"]):
            return False
        agent = row.context["agent"]
        if self.agent and (agent is None or agent.name != self.agent):
            return False
        if not self.text.strip():
            return True
        found = _words_of(row)
        return all(word in found for word in self._words)

    def hits(self, row: TraceRow) -> list[TraceHit]:
        """Return the matches of a row that the row itself does not show."""
        if not self._words:
            return []
        shown = unescape(strip_tags(render_row(row))).casefold()
        hidden = [word for word in self._words if word not in shown]
        body = e.dump(row.event) if hidden else {}
        hits: list[TraceHit] = []
        for word in hidden:
            is_told = any(word in hit.text.casefold() for hit in hits)
            if not is_told and (hit := _hit(word, body)):
                hits.append(hit)
        return hits

    def render(self, row: TraceRow) -> str:
        """A row that is wanted, with what it does not show by itself."""
        hits = self.hits(row)
        return render_row(replace(row, context=row.context | {"hits": hits}) if hits else row)

    @property
    def _words(self) -> list[str]:
        return self.text.casefold().split()


def _words_of(row: TraceRow) -> str:
    """All that is said of an event, to be searched: what is recorded, and what its row says."""
    shown = (str(value.name) for value in row.context.values() if hasattr(value, "name"))
    body = e.encode(row.event).decode()
    return " ".join([str(row.context["kind"]), body, *shown]).casefold()


def _hit(word: str, body: Mapping[str, Any]) -> TraceHit | None:
    """The first field that has a word in it, or is called so."""
    fields = list(_fields(body))
    for name, text in fields:
        if (at := text.casefold().find(word)) >= 0:
            return TraceHit(_spoken(name), _around(text, at, at + len(word)))
    named = next(((name, text) for name, text in fields if word in name.casefold()), None)
    return named and TraceHit(_spoken(named[0]), _around(named[1], 0, 0))


def _fields(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Everything that is recorded of an event, by the name of its field."""
    match value:
        case Mapping():
            for key, inner in value.items():
                yield from _fields(inner, key)
        case list() | tuple():
            for inner in value:
                yield from _fields(inner, name)
        case _:
            yield name, str(value)


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _around(text: str, begin: int, end: int) -> str:
    first, last = max(0, begin - BEFORE), end + AFTER
    cut = " ".join(text[first:last].split())
    return f"{'…' if first else ''}{cut}{'…' if last < len(text) else ''}"
