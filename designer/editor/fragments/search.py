"""Search results in a pipeline: `editor/panels/_search_results.html`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from designer.editor.actions.search import SearchHit, SearchQuery, search
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition

MOST_SHOWN = 200
"""Maximum number of listed hits. All are counted, and all are replaced."""
BEFORE, AFTER = 40, 80
"""Characters of the text around a hit."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One hit, as it is listed."""

    name: str
    """Name in the form."""
    field: str
    before: str
    found: str
    after: str
    start: int
    is_key: bool


@dataclass(frozen=True, slots=True)
class FoundPart:
    """A part with the hits in it."""

    kind: str
    key: str
    name: str
    excerpts: list[Excerpt]


def found(pipeline: Pipeline, definition: PipelineDefinition, query: SearchQuery) -> dict[str, Any]:
    """Everything that `editor/panels/_search_results.html` shows."""
    context: dict[str, Any] = {"pipeline": pipeline, "sought": query}
    if not query.text:
        return context
    result = search(definition, query, MOST_SHOWN)
    return {
        **context,
        "found_parts": _grouped(result.hits),
        "count": result.count,
        "shown": len(result.hits),
        "more": result.count - len(result.hits),
        "replaceable": result.count - result.keys,
        "keys": result.keys,
    }


def render_found(
    pipeline: Pipeline,
    definition: PipelineDefinition,
    query: SearchQuery,
    *,
    error: str = "",
) -> str:
    """Render the search results in their place, with an error if there is one."""
    context = {**found(pipeline, definition, query), "error": error, "oob": True}
    return "".join(render_to_string(name, context) for name in _BOTH)


_BOTH = ("editor/panels/_search_results.html", "editor/panels/_replace_all.html")


def _grouped(hits: list[SearchHit]) -> list[FoundPart]:
    parts: dict[tuple[str, str], FoundPart] = {}
    for hit in hits:
        place = hit.place
        part = parts.setdefault(
            (place.kind, place.key), FoundPart(place.kind, place.key, place.name, [])
        )
        part.excerpts.append(_excerpt(hit))
    return list(parts.values())


def _excerpt(hit: SearchHit) -> Excerpt:
    text, start, end = hit.passage.text, hit.start, hit.end
    first, last = max(0, start - BEFORE), end + AFTER
    before, after = text[first:start], text[end:last]
    if first:  # whole words: what is cut begins and ends between two of them
        before = "…" + (before.partition(" ")[2] or before)
    if last < len(text):
        after = (after.rpartition(" ")[0] or after) + "…"
    return Excerpt(
        name=hit.name,
        field=hit.passage.name,
        before=before,
        found=text[start:end],
        after=after,
        start=start,
        is_key=hit.passage.is_key,
    )
