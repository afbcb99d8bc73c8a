"""Restoration of a version, or of a point in the history: one edit of the draft."""

from __future__ import annotations

from django.contrib.auth.models import User

from designer import definitions
from designer.core import Change, current_row, edit_action, make_edit
from designer.definitions import Patch
from designer.models import Pipeline, Version
from designer.versions.errors import DraftChangedError
from designer.versions.history import point_at
from orchestration.definition import PipelineDefinition


@edit_action
def restore_version(
    *, pipeline: Pipeline, version: Version, user: User, expected: int | None = None
) -> Change:
    """Turn the draft into a version, as one edit that the user can undo.

    `expected` is the edit count of the draft that the user has seen. Raises DraftChangedError if
    the draft was edited since.
    """
    return _restore(pipeline, version.snapshot(), user, f"Restore {version}", expected)


@edit_action
def restore_point(
    *, pipeline: Pipeline, version: int, user: User, expected: int | None = None
) -> Change:
    """Turn the draft into its state after an earlier edit, as `restore_version` does.

    `version` is the edit count after that edit. Raises UnknownPointError too.
    """
    point = point_at(pipeline, version)
    label = f"Restore the state after “{point.entry}”"
    return _restore(pipeline, point.definition, user, label, expected)


def _restore(
    pipeline: Pipeline,
    definition: PipelineDefinition,
    user: User,
    label: str,
    expected: int | None,
) -> Change:
    pipeline = current_row(pipeline)
    if expected is not None and pipeline.version != expected:
        raise DraftChangedError
    patch = Patch.between(definitions.read(pipeline), definition)
    return make_edit(pipeline=pipeline, user=user, label=label, patch=patch)
