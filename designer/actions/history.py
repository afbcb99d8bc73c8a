"""The steps that a person can take back, and going back over several of them at once."""

from __future__ import annotations

from django.contrib.auth.models import User

from designer.actions.edits import MAX_MISSED, Change, GoneError, change_since, undo_edit
from designer.models import Edit, Pipeline

MAX_STEPS = MAX_MISSED - 5
"""How many of the last steps are offered: so many are drawn as what they touch."""


def last_steps(*, pipeline: Pipeline, user: User) -> list[Edit]:
    """The person's last edits that undo would take back, the last one first."""
    return list(Edit.objects.filter(pipeline=pipeline, user=user, undone=False)[:MAX_STEPS])


def undo_down_to(*, pipeline: Pipeline, user: User, edit_id: int) -> Change | None:
    """Take the person's edits back, one after the other, down to this one; all as one change.

    None where what they did is not known as one: the pipeline is to be read anew. Raises
    `GoneError` where the edit is none of theirs to take back, and `StaleEditError` like
    `undo_edit`: those that came after it are then taken back already.
    """
    steps = [edit.pk for edit in last_steps(pipeline=pipeline, user=user)]
    if edit_id not in steps:
        raise GoneError("That step is not among your last ones any more.")
    before = Pipeline.objects.values_list("version", flat=True).get(pk=pipeline.pk)
    change = None
    for _ in steps[: steps.index(edit_id) + 1]:
        change = undo_edit(pipeline=pipeline, user=user) or change
    if change is None:
        raise GoneError("That step is not among your last ones any more.")
    return change_since(pipeline=change.pipeline, user=user, version=before)
