"""A user's history of edits: undo and redo, of one step or of several."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from designer import definitions
from designer.core.edit_attempts import current_row, edit_action, writing
from designer.core.edit_coalescing import overlap
from designer.core.edit_errors import GoneError, RefusedError, StaleEditError
from designer.core.edits import (
    HISTORY_DEPTH,
    Change,
    EditDraft,
    change_made,
    check_edit,
    log_edit,
    stored_patch,
    write_edit,
)
from designer.core.references import find_obstacle
from designer.core.subtask_pipelines import find_issues
from designer.models import Edit, Pipeline

MAX_MISSED = 20
"""Maximum number of missed edits that are rendered as one change; beyond it the page reloads."""

MAX_STEPS = MAX_MISSED - 5
"""Number of listed undo steps; undoing all of them needs no page reload."""


def undo_edit(*, pipeline: Pipeline, user: User, edit_id: int | None = None) -> Change | None:
    """Undo the user's last edit; return None if there is none, or if it is not `edit_id`.

    Raise `StaleEditError` if another user has changed one of the parts, or a reference to them, in
    the meantime. The edit is then removed, so the next undo applies to the edit before it.
    """
    return _reverse(pipeline, last_edit, user, to="before", edit_id=edit_id)


def redo_edit(*, pipeline: Pipeline, user: User) -> Change | None:
    """Redo the edit that was undone last; return None if there is none.

    Raise `StaleEditError` like `undo_edit`.
    """
    return _reverse(pipeline, next_edit, user, to="after")


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


def last_steps(*, pipeline: Pipeline, user: User) -> list[Edit]:
    """Return the user's edits that can be undone, newest first."""
    return list(Edit.objects.filter(pipeline=pipeline, user=user, undone=False)[:MAX_STEPS])


def last_edit(*, pipeline: Pipeline, user: User) -> Edit | None:
    """Return the next edit to undo."""
    return Edit.objects.filter(pipeline=pipeline, user=user, undone=False).first()


def next_edit(*, pipeline: Pipeline, user: User) -> Edit | None:
    """Return the next edit to redo."""
    return Edit.objects.filter(pipeline=pipeline, user=user, undone=True).last()


def last_change(*, pipeline: Pipeline, touches: Callable[[dict[str, Any]], bool]) -> Edit | None:
    """Return the newest edit by any user that `touches` matches; None if it is too old."""
    newest = Edit.objects.filter(pipeline=pipeline).order_by("-version").select_related("user")
    return next((edit for edit in newest[:HISTORY_DEPTH] if touches(edit.after)), None)


def change_since(*, pipeline: Pipeline, user: User, version: int) -> Change | None:
    """Return all changes after a version as one change; None if they are no longer recorded.

    It holds the touched parts at that version and now, and the issues that the user may see.
    """
    later = Edit.objects.filter(pipeline=pipeline, version__gt=version).order_by("version")
    edits = list(later[: MAX_MISSED + 1])
    if [edit.version for edit in edits] != list(range(version + 1, pipeline.version + 1)):
        return None
    was: dict[str, dict[str, Any]] = {}
    for edit in edits:
        for name, parts in (edit.after if edit.undone else edit.before).items():
            was[name] = parts | was.get(name, {})
    before = stored_patch(was)
    after, label = definitions.read_parts(pipeline, before), edits[-1].label if edits else ""
    if after.only_positions:
        return Change(pipeline=pipeline, label=label, before=before, after=after)
    now = definitions.edition(pipeline)
    issues = find_issues(pipeline, user, now.definition, now.issues)
    known = now.before if version == pipeline.version - 1 else None
    return Change(pipeline, label, before, after, now, issues, known)


class _FindEdit(Protocol):
    def __call__(self, *, pipeline: Pipeline, user: User) -> Edit | None: ...


@edit_action
def _reverse(
    pipeline: Pipeline, find: _FindEdit, user: User, *, to: str, edit_id: int | None = None
) -> Change | None:
    """Undo or redo an edit. An edit that cannot be reversed is removed from the user's history.

    The error is raised after the commit. Inside the transaction it would restore the edit, and
    earlier edits could never be reached.
    """
    pipeline = current_row(pipeline)
    edit = find(pipeline=pipeline, user=user)
    if edit is None or edit_id not in (None, edit.pk):
        return None
    try:
        draft = _checked_reversal(pipeline, edit, to=to)
    except (RefusedError, StaleEditError) as error:
        refusal = str(error)
        with writing(pipeline):
            edit.delete()
    else:
        with writing(pipeline):
            write_edit(draft)
            edit.undone, edit.version = to == "before", pipeline.version
            edit.save(update_fields=["undone", "version"])
            action = "Undo" if to == "before" else "Redo"
            log_edit(
                pipeline=pipeline,
                user=user,
                label=f"{action}: {edit.label}",
                before=draft.before,
                made=timezone.now(),
            )
        return change_made(draft)
    action = "undone" if to == "before" else "redone"
    raise StaleEditError(f"“{edit.label}” cannot be {action}: {refusal}")


def _checked_reversal(pipeline: Pipeline, edit: Edit, *, to: str) -> EditDraft:
    states = (edit.after, edit.before) if to == "before" else (edit.before, edit.after)
    before, after = map(stored_patch, states)
    if definitions.read_parts(pipeline, before) != before:
        raise StaleEditError(f"{_other_author(edit)} has changed the same thing since.")
    if obstacle := find_obstacle(pipeline, after, changed_since=partial(_others_changed, edit)):
        raise StaleEditError(f"{obstacle}.")
    return check_edit(pipeline, edit.user, edit.label, before, after)


def _others_changed(edit: Edit, phase: str) -> bool:
    """Report whether another user changed a stage after the edit."""
    return any(phase in other.after.get("stages", ()) for other in _later_edits_of_others(edit))


def _later_edits_of_others(edit: Edit) -> QuerySet[Edit]:
    """Return the newest edits of other users after an edit."""
    later = Edit.objects.filter(pipeline=edit.pipeline_id, version__gt=edit.version)
    others = later.exclude(user=edit.user_id).select_related("user").order_by("-version")
    return others[:HISTORY_DEPTH]


def _other_author(edit: Edit) -> str:
    """Return the name of another user who changed the same parts after the edit."""
    for other in _later_edits_of_others(edit):
        if overlap(edit.after, other.after):
            return other.user.get_username()
    return "someone else"


def _progress(undone: int) -> str:
    if undone == 1:
        return " The step after it is undone."
    return f" The {undone} steps after it are undone." if undone else ""
