"""The definition of each version of a pipeline, and what the rules find in it: read once.

An edition is kept in the process under the very row that it was read with: the pipeline's id,
version and time of change. Whoever asks has just read that row, so that the database alone says
which version is the one that counts, whatever other processes write; what is kept under another
is never asked for again, and makes room. Nothing is kept before the transaction that made it is
committed.
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

from designer.definitions.patched import patched
from designer.definitions.patches import Patch
from designer.definitions.reading import read_rows
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition
from orchestration.validation import Draft, Inspection, Issue, Touched

MAX_WEIGHT = 60_000
"""Maximum number of cached parts of definitions, of one or two kibibytes each."""

Key: TypeAlias = tuple[int, int, datetime]


@dataclass(frozen=True, eq=False)
class Edition:
    """Content of one version of a pipeline."""

    definition: PipelineDefinition
    inspection: Inspection
    before: Edition | None = None
    """The one that it was made from, itself without the one before."""

    @classmethod
    def of(cls, definition: PipelineDefinition) -> Edition:
        """The edition that a definition makes, inspected as a whole when first asked about."""
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
        """The edition that follows once a patch is written.

        Raises pydantic's `ValidationError` where there would be more than there may be.
        """
        definition = patched(self.definition, patch)
        touched = _touched(patch, self.definition, definition)
        inspection = self.inspection.after(definition, touched)
        return Edition(definition, inspection, Edition(self.definition, self.inspection))

    @cached_property
    def weight(self) -> int:
        """Number of parts."""
        whole = self.definition
        parts = (whole.stages, whole.transitions, whole.agents, whole.rules, whole.tools)
        return 1 + sum(map(len, parts)) + len(whole.layout.notes) + len(whole.layout.frames)


def edition(pipeline: Pipeline) -> Edition:
    """The edition of the version that the row says: the one that is kept, or read now.

    What is read while somebody else commits is not kept: its rows may be of two versions.
    """
    key = _key(pipeline)
    found = _kept(key)
    if found is None:
        found = Edition.of(read_rows(pipeline))
        transaction.on_commit(partial(_keep_if_current, key, found))
    return found


def follow(pipeline: Pipeline, edition: Edition) -> None:
    """Keep the edition of a version that has just been written, once that is committed.

    The caller holds the row, so that nobody else writes in between.
    """
    transaction.on_commit(partial(_keep, _key(pipeline), edition))


def kept(pipeline: Pipeline) -> Edition | None:
    """The edition of the version that the row says, if it is at hand."""
    return _kept(_key(pipeline))


def forget_all() -> None:
    """Keep nothing any more."""
    with _LOCK:
        _EDITIONS.clear()


def _key(pipeline: Pipeline) -> Key:
    return pipeline.pk, pipeline.version, pipeline.updated


_EDITIONS: LRUCache[int, tuple[Key, Edition]] = LRUCache(
    MAX_WEIGHT, getsizeof=lambda kept: kept[1].weight
)
"""The last edition of each pipeline, by the id of the pipeline."""

_LOCK = Lock()


def _kept(key: Key) -> Edition | None:
    with _LOCK:
        version, edition = _EDITIONS.get(key[0], (None, None))
        return edition if version == key else None


def _keep_if_current(key: Key, edition: Edition) -> None:
    pk, version, updated = key
    if Pipeline.objects.filter(pk=pk, version=version, updated=updated).exists():
        _keep(key, edition)


def _keep(key: Key, edition: Edition) -> None:
    """Cache an edition in place of the previous one of that pipeline, unless it is too large."""
    with _LOCK:
        _EDITIONS.pop(key[0], None)
        with suppress(ValueError):  # heavier than the whole cache
            _EDITIONS[key[0]] = key, edition


def _touched(patch: Patch, was: PipelineDefinition, now: PipelineDefinition) -> Touched:
    """Return the parts that a patch changes. A form submits all settings and changes few."""
    settings = patch.settings.model_fields_set - {"supervisor_position"}
    return Touched(
        agents=patch.agents.keys(),
        stages=patch.stages.keys(),
        transitions=[(source, target) for source, _, target in _ends(patch)],
        rules=patch.rules.keys(),
        tools=patch.tools.keys(),
        settings=[name for name in settings if getattr(was, name) != getattr(now, name)],
    )


def _ends(patch: Patch) -> list[tuple[str, str, str]]:
    return [key.partition(">") for key in patch.transitions]
