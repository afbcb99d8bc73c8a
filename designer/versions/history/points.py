"""History of the edits of a pipeline, and the definition at each point of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from django.utils import timezone

from designer import definitions
from designer.core import current_row, edit_action
from designer.definitions import Patch, apply_patch
from designer.models import HistoryEntry, Pipeline
from designer.versions.errors import UnknownPointError
from orchestration.definition import PipelineDefinition

SESSION_PAUSE = timedelta(minutes=30)
"""Pause between two edits of one author from which a new session begins."""


@dataclass(frozen=True, slots=True)
class EditSession:
    """Edits of one author without a long pause, newest first."""

    author: str
    entries: list[HistoryEntry] = field(default_factory=list)

    @property
    def began(self) -> Any:
        """Return the time of the first edit."""
        return self.entries[-1].made

    @property
    def ended(self) -> Any:
        """Return the time of the last edit."""
        return self.entries[0].made


@dataclass(frozen=True, slots=True)
class HistoryDay:
    """Sessions of one day, newest first."""

    day: date
    sessions: list[EditSession]


@dataclass(frozen=True, slots=True)
class Point:
    """State of the draft after an edit, and the one before it."""

    entry: HistoryEntry
    before: PipelineDefinition
    definition: PipelineDefinition


def by_day(entries: Iterable[HistoryEntry]) -> list[HistoryDay]:
    """Return entries, newest first, grouped by day and session."""
    days = groupby(entries, key=lambda entry: timezone.localtime(entry.made).date())
    return [HistoryDay(day, list(_sessions(of_day))) for day, of_day in days]


@edit_action
def point_at(pipeline: Pipeline, version: int) -> Point:
    """Return the state of the draft after the edit with this edit count.

    Raises UnknownPointError.
    """
    pipeline = current_row(pipeline)
    entry = pipeline.history.filter(version=version).first()
    if entry is None:
        raise UnknownPointError
    definition = draft_at(pipeline, version)
    before = apply_patch(definition, Patch.model_validate(entry.before))
    return Point(entry, before, definition)


def draft_at(pipeline: Pipeline, version: int) -> PipelineDefinition:
    """Return the draft with this edit count.

    It is the current draft with the earlier parts of all later edits. Raises UnknownPointError.
    """
    pipeline = current_row(pipeline)
    earlier: dict[str, dict[str, Any]] = {}
    reached = pipeline.version
    for later in pipeline.history.filter(version__gt=version):
        if later.version != reached:
            raise UnknownPointError
        for kind, parts in later.before.items():
            earlier[kind] = earlier.get(kind, {}) | parts
        reached = later.since
    if reached != version:
        raise UnknownPointError
    return apply_patch(definitions.read(pipeline), Patch.model_validate(earlier))


def _sessions(entries: Iterable[HistoryEntry]) -> Iterator[EditSession]:
    session: EditSession | None = None
    for entry in entries:
        is_same = session is not None and session.author == entry.user_name
        if session is None or not is_same or session.began - entry.made > SESSION_PAUSE:
            if session is not None:
                yield session
            session = EditSession(entry.user_name)
        session.entries.append(entry)
    if session is not None:
        yield session
