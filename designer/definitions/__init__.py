"""Conversion of rows to definitions and back. No other package converts them.

The unit of reading and writing is a part (`Patch`), so the cost of a gesture depends on the parts
that it touches: `read_parts` reads the rows of the parts in a patch, and `write` saves only these.
The whole definition is read once and cached with its issues (`Edition`); the next edition is
derived from it.
"""

from __future__ import annotations

from designer.definitions.patch_application import apply_patch
from designer.definitions.patches import Patch, Settings, TransitionKey, transition_key
from designer.definitions.reading import (
    read_around,
    read_frames,
    read_notes,
    read_parts,
    read_rows,
)
from designer.definitions.version_cache import Edition, cache_on_commit, cached_edition, edition
from designer.definitions.writing import write
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition
from orchestration.validation import Issue, validate

__all__ = [
    "Edition",
    "Patch",
    "Settings",
    "TransitionKey",
    "apply_patch",
    "cache_on_commit",
    "cached_edition",
    "edition",
    "find_own_issues",
    "read",
    "read_around",
    "read_frames",
    "read_notes",
    "read_parts",
    "read_rows",
    "transition_key",
    "write",
]


def read(pipeline: Pipeline) -> PipelineDefinition:
    """Return the definition of the whole pipeline, in the version of the row."""
    return edition(pipeline).definition


def find_own_issues(pipeline: Pipeline, definition: PipelineDefinition) -> tuple[Issue, ...]:
    """Return the issues of a definition, from the cache if it is the current version.

    Any other definition, such as the result of an edit that is not saved, is validated as a whole.
    """
    cached = cached_edition(pipeline)
    return cached.issues if cached and cached.definition is definition else validate(definition)
