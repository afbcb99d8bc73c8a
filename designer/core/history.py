"""A user's undo history, and undo of several steps at once."""

from __future__ import annotations

from django.contrib.auth.models import User

from designer.core.edit_attempts import current_row
from designer.core.edit_errors import GoneError, StaleEditError
from designer.core.edits import MAX_MISSED, Change, change_since, undo_edit
from designer.models import Edit, Pipeline

MAX_STEPS = MAX_MISSED - 5
"""Number of listed undo steps; undoing all of them needs no page reload."""


def last_steps(*, pipeline: Pipeline, user: User) -> list[Edit]:
    """Return the user's edits that can be undone, newest first."""
    return list(Edit.objects.filter(pipeline=pipeline, user=user, undone=False)[:MAX_STEPS])


def undo_down_to(*, pipeline: Pipeline, user: User, edit_id: int) -> tuple[int, Change | None]:
    """Undo the user's edits down to the given one; return the previous version and the change.

    The change is None if the page must reload. Raise `GoneError` if the edit is not in the user's
    history, and `StaleEditError` like `undo_edit`: the later edits are then already undone, and the
    message says so.
    """
    pipeline = current_row(pipeline)
    version = pipeline.version
    steps = [edit.pk for edit in last_steps(pipeline=pipeline, user=user)]
    if edit_id not in steps:
        raise GoneError("That step is no longer in your undo history: reload the page.")
    undone = 0
    for step in steps[: steps.index(edit_id) + 1]:
        try:
            change = undo_edit(pipeline=pipeline, user=user, edit_id=step)
        except StaleEditError as error:
            raise StaleEditError(f"{error}{_progress(undone)}") from None
        undone += change is not None
    pipeline = current_row(pipeline)
    change = change_since(pipeline=pipeline, user=user, version=version) if undone else None
    return version, change


def _progress(undone: int) -> str:
    if undone == 1:
        return " The step after it is undone."
    return f" The {undone} steps after it are undone." if undone else ""
