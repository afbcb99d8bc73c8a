"""Cache of the definition of each pipeline and of its issues.

An edition is cached under the pipeline's id, version and time of change. The caller has just read
these from the row, so the database alone decides which version is current, even if other processes
write. An entry with an older version is never returned, and is replaced. An edition is cached only
after the transaction that created it is committed.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from threading import Lock
from typing import TypeAlias

from cachetools import LRUCache
from django.db import transaction

from designer.definitions.patch_application import apply_patch
from designer.definitions.patches import Patch
from designer.definitions.reading import read_rows
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition
from orchestration.validation import ChangedParts, Draft, Inspection, Issue

MAX_WEIGHT = 60_000
"""Maximum number of parts of all cached definitions. A part takes one or two kibibytes."""

Key: TypeAlias = tuple[int, int, datetime]


@dataclass(frozen=True, eq=False)
class Edition:
    """Content of one version of a pipeline."""

    definition: PipelineDefinition
    inspection: Inspection
    before: Edition | None = None
    """Edition that this one was derived from; its own `before` is None."""

    @classmethod
    def of(cls, definition: PipelineDefinition) -> Edition:
        """Return the edition of a definition, which is validated as a whole on first use."""
        return cls(definition, Inspection(definition))

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Issues of the definition, computed on first use."""
        return self.inspection.issues

    @property
    def draft(self) -> Draft:
        """Facts computed by the rules."""
        return self.inspection.draft

    def after(self, patch: Patch) -> Edition:
        """Return the edition after a patch.

        Raises pydantic's `ValidationError` for too many parts.
        """
        definition = apply_patch(self.definition, patch)
        touched = _touched(patch, self.definition, definition)
        inspection = self.inspection.after(definition, touched)
        return Edition(definition, inspection, Edition(self.definition, self.inspection))

    @cached_property
    def weight(self) -> int:
        """Number of parts."""
        definition, layout = self.definition, self.definition.layout
        parts = (definition.stages, definition.transitions, definition.agents, definition.rules)
        return 1 + sum(map(len, (*parts, definition.tools, layout.notes, layout.frames)))


def edition(pipeline: Pipeline) -> Edition:
    """Return the edition of the row's version, from the cache or the database.

    An edition is not cached if another process commits while it is read: its rows may belong to
    two versions.
    """
    key = _key(pipeline)
    edition = _cached(key)
    if edition is None:
        edition = Edition.of(read_rows(pipeline))
        transaction.on_commit(partial(_cache_if_current, key, edition))
    return edition


def cache_on_commit(pipeline: Pipeline, edition: Edition) -> None:
    """Cache the edition of a version that has just been written, after the commit.

    The caller holds the lock on the row, so no other version is written in between.
    """
    transaction.on_commit(partial(_cache, _key(pipeline), edition))


def cached_edition(pipeline: Pipeline) -> Edition | None:
    """Return the edition of the row's version if it is cached."""
    return _cached(_key(pipeline))


def clear_cache() -> None:
    """Remove all editions from the cache."""
    with _LOCK:
        _EDITIONS.clear()


def _key(pipeline: Pipeline) -> Key:
    return pipeline.pk, pipeline.version, pipeline.updated


_EDITIONS: LRUCache[int, tuple[Key, Edition]] = LRUCache(
    MAX_WEIGHT, getsizeof=lambda entry: entry[1].weight
)
"""Latest edition of each pipeline, by the id of the pipeline."""

_LOCK = Lock()


def _cached(key: Key) -> Edition | None:
    with _LOCK:
        version, edition = _EDITIONS.get(key[0], (None, None))
        return edition if version == key else None


def _cache_if_current(key: Key, edition: Edition) -> None:
    pk, version, updated = key
    if Pipeline.objects.filter(pk=pk, version=version, updated=updated).exists():
        _cache(key, edition)


def _cache(key: Key, edition: Edition) -> None:
    """Cache an edition in place of the previous one of that pipeline, unless it is too large."""
    with _LOCK:
        _EDITIONS.pop(key[0], None)
        with suppress(ValueError):  # larger than the whole cache
            _EDITIONS[key[0]] = key, edition


def _touched(patch: Patch, old: PipelineDefinition, new: PipelineDefinition) -> ChangedParts:
    """Return the parts that a patch changes. A form submits all settings and changes few."""
    settings = patch.settings.model_fields_set - {"supervisor_position"}
    return ChangedParts(
        agents=patch.agents.keys(),
        stages=patch.stages.keys(),
        transitions=[(source, target) for source, _, target in _ends(patch)],
        rules=patch.rules.keys(),
        tools=patch.tools.keys(),
        settings=[name for name in settings if getattr(old, name) != getattr(new, name)],
    )


def _ends(patch: Patch) -> list[tuple[str, str, str]]:
    return [key.partition(">") for key in patch.transitions]
