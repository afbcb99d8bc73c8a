"""Finding a text in a pipeline, and putting another in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from pydantic import ValidationError

from designer import definitions
from designer.core import Change, RefusedError, StaleEditError, lock, make_edit
from designer.definitions import Patch, Settings
from designer.editor.actions.pipeline_texts import PartText, PartTexts, Path, places
from designer.models import Pipeline
from orchestration.definition import MAX_TEXT, PipelineDefinition
from orchestration.loading.error_messages import fault_from


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """Search text and options."""

    text: str
    match_case: bool = False
    whole_words: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """It as a pattern, which takes time in proportion to the text it is tried on."""
        words = re.escape(self.text)
        if self.whole_words:
            words = rf"(?<!\w){words}(?!\w)"
        return re.compile(words, 0 if self.match_case else re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One occurrence: in which passage of which part, and where in its text."""

    place: PartTexts
    number: int
    """Number of the text within the part."""
    start: int
    end: int

    @property
    def passage(self) -> PartText:
        """The text it stands in."""
        return self.place.passages[self.number]

    @property
    def name(self) -> str:
        """Identifier of the hit on a page: `agent:agent-triage:2@17`."""
        return f"{self.place.kind}:{self.place.key}:{self.number}@{self.start}"


@dataclass(slots=True)
class SearchResult:
    """The first hits, and how many there are."""

    hits: list[SearchHit]
    count: int = 0
    keys: int = 0
    """Number of hits in keys."""


def find(definition: PipelineDefinition, query: SearchQuery) -> Iterator[SearchHit]:
    """Every occurrence of what is sought, part after part, in the order of the text."""
    for place, number, found in _matches(definition, query):
        yield SearchHit(place, number, found.start(), found.end())


def search(definition: PipelineDefinition, query: SearchQuery, most: int) -> SearchResult:
    """The first occurrences, `most` at most; the others are only counted."""
    counted = SearchResult([])
    for place, number, found in _matches(definition, query):
        if counted.count < most:
            counted.hits.append(SearchHit(place, number, found.start(), found.end()))
        counted.count += 1
        counted.keys += place.passages[number].is_key
    return counted


def _matches(
    definition: PipelineDefinition, query: SearchQuery
) -> Iterator[tuple[PartTexts, int, re.Match[str]]]:
    pattern = query.pattern
    for place in places(definition):
        for number, passage in enumerate(place.passages):
            for found in pattern.finditer(passage.text):
                yield place, number, found


@transaction.atomic
def replace_all(*, pipeline: Pipeline, user: User, query: SearchQuery, replacement: str) -> Change:
    """Put a text in the place of every occurrence that is no key, as one edit."""
    pipeline = lock(pipeline)
    hits = [hit for hit in find(definitions.read(pipeline), query) if not hit.passage.is_key]
    if not hits:
        raise RefusedError(f"“{_short(query.text)}” is nowhere where it could be replaced.")
    return _write(pipeline, user, query, replacement, hits)


@transaction.atomic
def replace_one(
    *, pipeline: Pipeline, user: User, query: SearchQuery, replacement: str, name: str
) -> Change:
    """Put a text in the place of one occurrence, by the name that `SearchHit.name` gave it.

    Raises `StaleEditError` when it does not stand there any more.
    """
    pipeline = lock(pipeline)
    hits = [hit for hit in find(definitions.read(pipeline), query) if hit.name == name]
    if not hits:
        raise StaleEditError(f"“{_short(query.text)}” does not stand there any more.")
    if hits[0].passage.is_key:
        raise RefusedError("A key is renamed in its own form: other parts name it.")
    return _write(pipeline, user, query, replacement, hits)


def _write(
    pipeline: Pipeline, user: User, query: SearchQuery, replacement: str, hits: list[SearchHit]
) -> Change:
    count = f"{len(hits)} places" if len(hits) != 1 else "1 place"
    label = f"Replace “{_short(query.text)}” with “{_short(replacement)}” in {count}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=_patch(hits, replacement))


def _patch(hits: list[SearchHit], replacement: str) -> Patch:
    """The parts in which the hits stand, with another text in their places."""
    texts: dict[tuple[str, str], dict[int, list[SearchHit]]] = {}
    for hit in hits:
        of_part = texts.setdefault((hit.place.kind, hit.place.key), {})
        of_part.setdefault(hit.number, []).append(hit)
    parts: dict[str, Any] = {}
    for (kind, key), passages in texts.items():
        found = list(passages.values())
        place = found[0][0].place
        written = {some[0].passage.path: _rewritten(some, replacement) for some in found}
        if kind == "pipeline":
            parts["settings"] = _settings(place, written)
        else:
            parts.setdefault(f"{kind}s", {})[key] = _part(place, written)
    return Patch(**parts)


def _rewritten(hits: list[SearchHit], replacement: str) -> str:
    """The text of a passage with its hits replaced, if it stays as short as a text must be.

    Its length is known before it is written: many short hits and a long text make a huge one.
    """
    place, text = hits[0].place, hits[0].passage.text
    length = len(text) + sum(len(replacement) - (hit.end - hit.start) for hit in hits)
    if length > max(MAX_TEXT, len(text)):
        raise RefusedError(
            f"Nothing was replaced, because of {_named(place)}: "
            f"a text would be longer than {MAX_TEXT:,} characters."
        )
    pieces, end = [], 0
    for hit in hits:
        pieces += [text[end : hit.start], replacement]
        end = hit.end
    return "".join([*pieces, text[end:]])


def _part(place: PartTexts, written: dict[Path, str]) -> Any:
    values = place.part.model_dump(mode="json")
    for path, text in written.items():
        inner: Any = values
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = text
    return _checked(place, lambda: type(place.part).model_validate(values))


def _settings(place: PartTexts, written: dict[Path, str]) -> Any:
    values = {str(path[0]): text for path, text in written.items()}
    return _checked(place, lambda: Settings(**values))


def _checked(place: PartTexts, make: Any) -> Any:
    """The part, if it may be so; otherwise a sentence that names it."""
    try:
        return make()
    except ValidationError as error:
        fault = fault_from(error.errors(include_url=False)[0])
        raise RefusedError(
            f"Nothing was replaced, because of {_named(place)}: {fault.message}"
        ) from None


def _named(place: PartTexts) -> str:
    return f"the {place.kind} {place.name}" if place.key else "the pipeline"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
