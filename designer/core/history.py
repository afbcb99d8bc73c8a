"""A user's undo history, and undo of several steps at once."""

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
"""Number of listed undo steps; undoing all of them needs no page reload."""


def last_steps(*, pipeline: Pipeline, user: User) -> list[Edit]:
    """Return the user's edits that can be undone, newest first."""
    return list(Edit.objects.filter(pipeline=pipeline, user=user, undone=False)[:MAX_STEPS])


def undo_down_to(*, pipeline: Pipeline, user: User, edit_id: int) -> tuple[int, Change | None]:
    """Undo the user's edits down to the given one; return the previous version and the change.

    The change is None if the page must reload. The pipeline stays locked meanwhile. Raise
    `GoneError` if the edit is not in the user's history, and `StaleEditError` like `undo_edit`:
    the later edits are then already undone, and the message says so.
    """
    refusal = None
    undone = 0
    with transaction.atomic():
        pipeline = lock(pipeline)
        version = pipeline.version
        steps = [edit.pk for edit in last_steps(pipeline=pipeline, user=user)]
        if edit_id not in steps:
            raise GoneError("That step is no longer in your undo history: reload the page.")
        for _ in range(steps.index(edit_id) + 1):
            try:
                undo_edit(pipeline=pipeline, user=user)
            except StaleEditError as error:
                refusal = str(error)
                break
            undone += 1
        pipeline = lock(pipeline)
        change = change_since(pipeline=pipeline, user=user, version=version) if undone else None
    # Raised inside the transaction, the error would restore the undone edits.
    if refusal is not None:
        raise StaleEditError(f"{refusal}{_progress(undone)}")
    return version, change


def _progress(undone: int) -> str:
    if undone == 1:
        return " The step after it is undone."
    return f" The {undone} steps after it are undone." if undone else ""
