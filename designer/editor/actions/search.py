"""Search and replace text in a pipeline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from pydantic import ValidationError

from designer import definitions
from designer.core import Change, RefusedError, StaleEditError, current_row, edit_action, make_edit
from designer.definitions import Patch, Settings
from designer.editor.actions.pipeline_texts import PartText, PartTexts, Path, part_texts
from designer.models import Pipeline
from orchestration.definition import MAX_TEXT, PipelineDefinition
from orchestration.loading import fault_from


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """Search text and options."""

    text: str
    match_case: bool = False
    whole_words: bool = False

    @property
    def pattern(self) -> re.Pattern[str]:
        """Return a pattern that takes linear time."""
        words = re.escape(self.text)
        if self.whole_words:
            words = rf"(?<!\w){words}(?!\w)"
        return re.compile(words, 0 if self.match_case else re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One occurrence of the search text."""

    part: PartTexts
    number: int
    """Number of the text within the part."""
    start: int
    end: int

    @property
    def text(self) -> PartText:
        """Return the text that contains the hit."""
        return self.part.texts[self.number]

    @property
    def name(self) -> str:
        """Identifier of the hit on a page: `agent:agent-triage:2@17`."""
        return f"{self.part.kind}:{self.part.key}:{self.number}@{self.start}"


@dataclass(slots=True)
class SearchResult:
    """The first hits, and the number of all hits."""

    hits: list[SearchHit]
    count: int = 0
    keys: int = 0
    """Number of hits in keys."""


def find(definition: PipelineDefinition, query: SearchQuery) -> Iterator[SearchHit]:
    """Yield all hits, part by part, in the order of the text."""
    for part, number, match in _matches(definition, query):
        yield SearchHit(part, number, match.start(), match.end())


def search(definition: PipelineDefinition, query: SearchQuery, limit: int) -> SearchResult:
    """Return the first hits, up to a limit, and count all of them."""
    result = SearchResult([])
    for part, number, match in _matches(definition, query):
        if result.count < limit:
            result.hits.append(SearchHit(part, number, match.start(), match.end()))
        result.count += 1
        result.keys += part.texts[number].is_key
    return result


def _matches(
    definition: PipelineDefinition, query: SearchQuery
) -> Iterator[tuple[PartTexts, int, re.Match[str]]]:
    pattern = query.pattern
    for part in part_texts(definition):
        for number, text in enumerate(part.texts):
            for match in pattern.finditer(text.text):
                yield part, number, match


@edit_action
def replace_all(*, pipeline: Pipeline, user: User, query: SearchQuery, replacement: str) -> Change:
    """Replace all occurrences except those in keys, as one edit."""
    pipeline = current_row(pipeline)
    hits = [hit for hit in find(definitions.read(pipeline), query) if not hit.text.is_key]
    if not hits:
        raise RefusedError(f"“{_short(query.text)}” occurs in no text that can be replaced.")
    return _write(pipeline, user, query, replacement, hits)


@edit_action
def replace_one(
    *, pipeline: Pipeline, user: User, query: SearchQuery, replacement: str, name: str
) -> Change:
    """Replace one occurrence. `name` is its `SearchHit.name`.

    Raises `StaleEditError` if the occurrence no longer exists.
    """
    pipeline = current_row(pipeline)
    hits = [hit for hit in find(definitions.read(pipeline), query) if hit.name == name]
    if not hits:
        raise StaleEditError(f"“{_short(query.text)}” no longer occurs there.")
    if hits[0].text.is_key:
        raise RefusedError(
            "This is a key that other parts refer to: rename it in the form of its part."
        )
    return _write(pipeline, user, query, replacement, hits)


def _write(
    pipeline: Pipeline, user: User, query: SearchQuery, replacement: str, hits: list[SearchHit]
) -> Change:
    count = f"{len(hits)} places" if len(hits) != 1 else "1 place"
    label = f"Replace “{_short(query.text)}” with “{_short(replacement)}” in {count}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=_patch(hits, replacement))


def _patch(hits: list[SearchHit], replacement: str) -> Patch:
    """Return the patch of the parts with replaced texts."""
    by_part: dict[tuple[str, str], dict[int, list[SearchHit]]] = {}
    for hit in hits:
        by_text = by_part.setdefault((hit.part.kind, hit.part.key), {})
        by_text.setdefault(hit.number, []).append(hit)
    parts: dict[str, Any] = {}
    for (kind, key), by_text in by_part.items():
        groups = list(by_text.values())
        part = groups[0][0].part
        texts = {group[0].text.path: _replaced(group, replacement) for group in groups}
        if kind == "pipeline":
            parts["settings"] = _settings(part, texts)
        else:
            parts.setdefault(f"{kind}s", {})[key] = _part(part, texts)
    return Patch(**parts)


def _replaced(hits: list[SearchHit], replacement: str) -> str:
    """Return a text with its hits replaced; refuse one that becomes too long."""
    part, text = hits[0].part, hits[0].text.text
    # Compute the length first: many short hits and a long replacement make a huge text.
    length = len(text) + sum(len(replacement) - (hit.end - hit.start) for hit in hits)
    if length > max(MAX_TEXT, len(text)):
        raise RefusedError(
            f"Nothing was replaced, because of {_label(part)}: "
            f"a text would be longer than {MAX_TEXT:,} characters."
        )
    pieces, end = [], 0
    for hit in hits:
        pieces += [text[end : hit.start], replacement]
        end = hit.end
    return "".join([*pieces, text[end:]])


def _part(part: PartTexts, texts: dict[Path, str]) -> Any:
    values = part.part.model_dump(mode="json")
    for path, text in texts.items():
        container: Any = values
        for step in path[:-1]:
            container = container[step]
        container[path[-1]] = text
    return _validated(part, lambda: type(part.part).model_validate(values))


def _settings(part: PartTexts, texts: dict[Path, str]) -> Any:
    values = {str(path[0]): text for path, text in texts.items()}
    return _validated(part, lambda: Settings(**values))


def _validated(part: PartTexts, build: Any) -> Any:
    """Build the part; refuse an invalid one with an error that names it."""
    try:
        return build()
    except ValidationError as error:
        fault = fault_from(error.errors(include_url=False)[0])
        raise RefusedError(
            f"Nothing was replaced, because of {_label(part)}: {fault.message}"
        ) from None


def _label(part: PartTexts) -> str:
    return f"the {part.kind} {part.name}" if part.key else "the pipeline"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
