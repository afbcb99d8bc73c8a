"""Files that are compared with a pipeline, and the draft that is replaced by one side."""

from __future__ import annotations

from django.contrib.auth.models import User

from designer.canvas import with_positions
from designer.core import Change, atomic_action, current_row, edit_action, make_edit, writing
from designer.definitions import Patch, read
from designer.models import ComparedFile, Pipeline
from designer.versions.errors import DraftChangedError
from orchestration.definition import PipelineDefinition
from orchestration.loading import unknown_names

MAX_FILES = 20
"""Maximum number of stored files of a user for each pipeline; older ones are deleted."""


@atomic_action
def store_file(
    *, pipeline: Pipeline, user: User, name: str, definition: PipelineDefinition
) -> ComparedFile:
    """Store a definition from a file, so that its comparison has an address."""
    files = ComparedFile.objects.filter(owner=user, pipeline=pipeline)
    kept = list(files.values_list("pk", flat=True)[: MAX_FILES - 1])
    files.exclude(pk__in=kept).delete()
    return ComparedFile.objects.create(
        owner=user,
        pipeline=pipeline,
        name=name[:120] or "File",
        definition=definition.model_dump(mode="json"),
    )


@edit_action
def replace_draft(
    *,
    pipeline: Pipeline,
    user: User,
    definition: PipelineDefinition,
    label: str,
    expected: int | None = None,
) -> Change:
    """Replace the draft by a definition, as one edit that one undo reverts.

    `expected` is the edit count of the draft that the user has seen. Raises DraftChangedError if
    the draft was edited since.
    """
    pipeline = current_row(pipeline)
    if expected is not None and pipeline.version != expected:
        raise DraftChangedError
    patch = Patch.between(read(pipeline), with_positions(definition))
    unknown = unknown_names(definition)
    if unknown <= set(pipeline.unresolved.get("names", ())):
        return make_edit(pipeline=pipeline, user=user, label=label, patch=patch)
    with writing(pipeline):
        # References of an imported file to missing parts are stored by name: see `definitions`.
        pipeline.unresolved = {**pipeline.unresolved, "names": sorted(unknown)}
        pipeline.save(update_fields=["unresolved"])
        return make_edit(pipeline=pipeline, user=user, label=label, patch=patch)
