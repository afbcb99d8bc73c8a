"""The steps that a person can take back, and going back over several of them at once."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from designer.core.edits import (
    MAX_MISSED,
    Change,
    GoneError,
    StaleEditError,
    change_since,
    lock,
    undo_edit,
)
from designer.models import Edit, Pipeline

MAX_STEPS = MAX_MISSED - 5
"""Number of undo steps offered: so many changes are rendered without a full page."""


def last_steps(*, pipeline: Pipeline, user: User) -> list[Edit]:
    """The person's last edits that undo would take back, the last one first."""
    return list(Edit.objects.filter(pipeline=pipeline, user=user, undone=False)[:MAX_STEPS])


def undo_down_to(*, pipeline: Pipeline, user: User, edit_id: int) -> tuple[int, Change | None]:
    """Take the person's edits back, one after the other, down to this one; all as one change.

    With it goes the version that the pipeline had before. No change: what they did is not known as
    one, and the pipeline is to be read anew. Nobody changes it meanwhile. Raises `GoneError` where
    the edit is none of theirs to take back, and `StaleEditError` like `undo_edit`: those that came
    after it are then taken back already, and the sentence says so.
    """
    refusal = None
    undone = 0
    with transaction.atomic():
        pipeline = lock(pipeline)
        version = pipeline.version
        steps = [edit.pk for edit in last_steps(pipeline=pipeline, user=user)]
        if edit_id not in steps:
            raise GoneError("That step is not among your last ones any more.")
        for _ in range(steps.index(edit_id) + 1):
            try:
                undo_edit(pipeline=pipeline, user=user)
            except StaleEditError as error:
                refusal = str(error)
                break
            undone += 1
        pipeline = lock(pipeline)
        change = change_since(pipeline=pipeline, user=user, version=version) if undone else None
    # Raised before, it would bring back what is taken back.
    if refusal is not None:
        raise StaleEditError(f"{refusal}{_as_far(undone)}")
    return version, change


def _as_far(undone: int) -> str:
    if undone == 1:
        return " The step after it is undone."
    return f" The {undone} steps after it are undone." if undone else ""
