"""Conversion of rows to definitions and back: no other package converts them.

Reading and writing go by parts (`Patch`), so that the cost of a gesture
depends on the parts it touches: `read_parts` reads the rows that a patch names, and `write` saves
only these. The whole definition is read once and cached with its issues (`Edition`); the next
edition is derived from it.
"""

from __future__ import annotations

from designer.definitions.patched import patched
from designer.definitions.patches import Patch, Settings, TransitionKey, transition_key
from designer.definitions.reading import (
    read_around,
    read_frames,
    read_notes,
    read_parts,
    read_rows,
)
from designer.definitions.version_cache import Edition, edition, follow, kept
from designer.definitions.writing import write
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition
from orchestration.validation import Issue, validate

__all__ = [
    "Edition",
    "Patch",
    "Settings",
    "TransitionKey",
    "edition",
    "find_own_issues",
    "follow",
    "kept",
    "patched",
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
    """The whole pipeline as its definition, of the version that the row says."""
    return edition(pipeline).definition


def find_own_issues(pipeline: Pipeline, definition: PipelineDefinition) -> tuple[Issue, ...]:
    """Return the issues of a definition, from the cache if it is the current version.

    What somebody is about to make of it is another definition, and is inspected as a whole.
    """
    known = kept(pipeline)
    return known.issues if known and known.definition is definition else validate(definition)
