"""State of the draft relative to the versions."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from designer import definitions
from designer.models import LIVE, Pipeline, Version
from orchestration.definition import PipelineDefinition
from orchestration.difference import difference, share_parts

MAX_DEFINITIONS = 64
"""Number of definitions of versions in memory: a version never changes."""


@dataclass(frozen=True, slots=True)
class DraftState:
    """The newest and the live version, and the number of changes since the newest one."""

    newest: Version | None
    live: Version | None
    changes: int

    @property
    def label(self) -> str:
        """Return the text of the header: `Draft · 5 changes since v7 (live)`."""
        if self.newest is None:
            return "Draft · no version"
        mark = " (live)" if self.newest == self.live else ""
        if not self.changes:
            return f"Draft · same as {self.newest}{mark}"
        noun = "change" if self.changes == 1 else "changes"
        return f"Draft · {self.changes} {noun} since {self.newest}{mark}"


def draft_state(pipeline: Pipeline) -> DraftState:
    """Compare the draft with the newest version; its layout does not count."""
    newest = pipeline.versions.without_definition().first()
    if newest is None:
        return DraftState(None, None, 0)
    changes = _count_changes(newest, definitions.read(pipeline))
    return DraftState(newest, live_version(pipeline), changes)


def _count_changes(version: Version, draft: PipelineDefinition) -> int:
    """Return the number of changes since a version.

    The header needs it after each edit. The compared definition shares equal parts with the draft,
    so the next comparison skips all parts that the edit has kept.
    """
    key = version.pk, version.digest
    with _LOCK:
        compared = _COMPARED.get(key)
    compared = share_parts(compared or definition_of(version), draft)
    with _LOCK:
        _COMPARED[key] = compared
    return len(difference(compared, draft).changes)


_COMPARED: LRUCache[tuple[int, str], PipelineDefinition] = LRUCache(MAX_DEFINITIONS)
"""Definitions of versions, with parts of the draft that they were last compared with.

Only for comparison: equal parts may differ as JSON (1 and true), so pages show `definition_of`.
"""

_LOCK = Lock()


def live_version(pipeline: Pipeline) -> Version | None:
    """Return the live version, without its definition."""
    return (
        Version.objects.without_definition()
        .filter(releases__pipeline=pipeline, releases__name=LIVE)
        .first()
    )


@cached(
    LRUCache(MAX_DEFINITIONS),
    key=lambda version: hashkey(version.pk, version.digest),
    lock=Lock(),
)
def definition_of(version: Version) -> PipelineDefinition:
    """Return the definition of a version, from the cache or the database."""
    return version.snapshot()
