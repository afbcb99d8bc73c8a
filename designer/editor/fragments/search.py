"""Search results in a pipeline: `editor/panels/_search_results.html`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from designer.core import Change, Selection
from designer.editor.actions.search import SearchHit, SearchQuery, search
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition

MOST_SHOWN = 200
"""Maximum number of listed hits. All are counted, and all are replaced."""
BEFORE, AFTER = 40, 80
"""Characters of the text around a hit."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """One hit with the text around it."""

    name: str
    """Value in the form that replaces it."""
    field: str
    before: str
    match: str
    after: str
    start: int
    is_key: bool


@dataclass(frozen=True, slots=True)
class PartHits:
    """A part with its hits."""

    kind: str
    key: str
    name: str
    excerpts: list[Excerpt]


def search_results(
    pipeline: Pipeline, definition: PipelineDefinition, query: SearchQuery
) -> dict[str, Any]:
    """Return the context of `editor/panels/_search_results.html`."""
    context: dict[str, Any] = {"pipeline": pipeline, "query": query}
    if not query.text:
        return context
    result = search(definition, query, MOST_SHOWN)
    return {
        **context,
        "parts": _grouped(result.hits),
        "count": result.count,
        "shown": len(result.hits),
        "more": result.count - len(result.hits),
        "replaceable": result.count - result.keys,
        "keys": result.keys,
    }


def render_results(
    pipeline: Pipeline,
    definition: PipelineDefinition,
    query: SearchQuery,
    *,
    error: str = "",
    replaced: str = "",
) -> str:
    """Render the search results in their place, with an error or the label of a replacement."""
    outcome = {"error": error, "replaced": replaced, "oob": True}
    context = {**search_results(pipeline, definition, query), **outcome}
    return "".join(render_to_string(name, context) for name in _TEMPLATES)


_TEMPLATES = ("editor/panels/_search_results.html", "editor/panels/_replace_all.html")


def render_mentions(change: Change, was: Selection, now: Selection) -> str:
    """Return a notice about texts with the old name of a renamed stage or tool, or an empty string.

    References follow a rename, but an ordinary word in a text need not be a name.
    """
    if was.kind != now.kind or was.key == now.key or was.kind not in ("stage", "tool"):
        return ""
    query = SearchQuery(was.key, match_case=True, whole_words=True)
    result = search(change.read_definition(), query, 0)
    context = {"name": was.key, "count": result.count - result.keys}
    return render_to_string("editor/panels/_mentions.html", context) if context["count"] else ""


def _grouped(hits: list[SearchHit]) -> list[PartHits]:
    parts: dict[tuple[str, str], PartHits] = {}
    for hit in hits:
        texts = hit.part
        part = parts.setdefault(
            (texts.kind, texts.key), PartHits(texts.kind, texts.key, texts.name, [])
        )
        part.excerpts.append(_excerpt(hit))
    return list(parts.values())


def _excerpt(hit: SearchHit) -> Excerpt:
    text, start, end = hit.text.text, hit.start, hit.end
    first, last = max(0, start - BEFORE), end + AFTER
    before, after = text[first:start], text[end:last]
    if first:  # cut between words
        before = "…" + (before.partition(" ")[2] or before)
    if last < len(text):
        after = (after.rpartition(" ")[0] or after) + "…"
    return Excerpt(
        name=hit.name,
        field=hit.text.name,
        before=before,
        match=text[start:end],
        after=after,
        start=start,
        is_key=hit.text.is_key,
    )
