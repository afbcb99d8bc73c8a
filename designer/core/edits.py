"""Edits of a pipeline, undo and redo: the only write path of the editor.

Every change is a patch. `make_edit` writes it and stores the previous values, so undo and redo are
patches too. The rules run on every edit, except edits that only move elements on the canvas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from pydantic import ValidationError

from designer import definitions
from designer.core.edit_coalescing import continues, overlap
from designer.core.notifications import notify_changed
from designer.core.references import find_obstacle
from designer.core.subtask_pipelines import find_issues
from designer.definitions import Patch
from designer.models import Edit, Pipeline
from orchestration.definition import MAX_FRAMES, MAX_NOTES, PipelineDefinition
from orchestration.loading.error_messages import fault_from
from orchestration.validation import Issue, errors

HISTORY_DEPTH = 100
"""Number of edits that one person can undo in one pipeline."""

MAX_MISSED = 20
"""Maximum number of missed edits that are rendered as one change; beyond it the page reloads."""


class EditError(Exception):
    """An edit that cannot be made. Its text is shown to the user.

    EditError
    ├── RefusedError    the change contradicts the pipeline; `field` is the form field at fault
    ├── GoneError       the part to change no longer exists
    └── StaleEditError  the part to change has changed in the meantime
    """


class RefusedError(EditError):
    """The change contradicts the current pipeline."""

    def __init__(self, sentence: str, *, field: str | None = None) -> None:
        super().__init__(sentence)
        self.field = field


class GoneError(EditError):
    """The part to change no longer exists."""


class StaleEditError(EditError):
    """The part to change has changed since the page was rendered."""


@dataclass(frozen=True)
class Change:
    """Result of an edit: the touched parts before and after."""

    pipeline: Pipeline
    label: str
    before: Patch
    after: Patch
    edition: definitions.Edition | None = None
    """The pipeline after the edit; None if the edit only moved elements on the canvas."""
    issues: tuple[Issue, ...] = ()
    was: definitions.Edition | None = None
    """Definition before the edit, if available."""

    @property
    def definition(self) -> PipelineDefinition | None:
        """The definition after the edit, if available."""
        return self.edition.definition if self.edition else None

    @property
    def made(self) -> bool:
        """True if the edit changed anything."""
        return self.before != self.after


def lock(pipeline: Pipeline) -> Pipeline:
    """Lock the pipeline until the end of the transaction and return its current row."""
    rows = Pipeline.objects.select_related("entry", "default_agent", "supervisor")
    row = rows.select_for_update(of=("self",)).filter(pk=pipeline.pk).first()
    if row is None:
        raise GoneError("This pipeline has been deleted.")
    return row


@transaction.atomic
def make_edit(
    *, pipeline: Pipeline, user: User, label: str, patch: Patch, now: datetime | None = None
) -> Change:
    """Write a patch and record it as an edit with a label (`Connect review → handling`).

    A patch without changes is not recorded. Undone edits can no longer be redone. Continuous typing
    in one field extends the previous edit.
    """
    pipeline = lock(pipeline)
    before = definitions.read_parts(pipeline, patch)
    if before == patch:
        return Change(pipeline=pipeline, label=label, before=before, after=patch)
    change = _write(pipeline, user, label, before, patch)
    own_edits = Edit.objects.filter(pipeline=pipeline, user=user)
    own_edits.filter(undone=True).delete()
    edit = Edit(pipeline=pipeline, user=user, before=before.dump())
    edit = _continued_edit(own_edits.first(), change, now or timezone.now()) or edit
    edit.label, edit.after, edit.version = label[:200], patch.dump(), pipeline.version
    edit.made = now or timezone.now()
    if edit.before == edit.after:
        edit.delete()  # the typing restored the old text
    else:
        edit.save()
    kept = own_edits.values_list("pk", flat=True)[:HISTORY_DEPTH]
    own_edits.exclude(pk__in=list(kept)).delete()
    return change


def _continued_edit(last: Edit | None, change: Change, now: datetime) -> Edit | None:
    """Return the last edit if the change continues it and nothing else changed in between."""
    if last is None or last.version != change.pipeline.version - 1:
        return None
    after = change.after.dump()
    pause = now - last.made
    labels = (last.label, change.label)
    is_continued = continues(
        before=last.before, between=last.after, after=after, labels=labels, pause=pause
    )
    return last if is_continued else None


def undo_edit(*, pipeline: Pipeline, user: User) -> Change | None:
    """Undo the user's last edit; return None if there is none.

    Raise `StaleEditError` if another user has changed one of the parts, or a reference to them, in
    the meantime. The edit is then removed, so the next undo applies to the edit before it.
    """
    return _reverse(pipeline, last_edit, user, to="before")


def redo_edit(*, pipeline: Pipeline, user: User) -> Change | None:
    """Redo the edit that was undone last; return None if there is none.

    Raise `StaleEditError` like `undo_edit`.
    """
    return _reverse(pipeline, next_edit, user, to="after")


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
    before = _patch(was)
    after, label = definitions.read_parts(pipeline, before), edits[-1].label if edits else ""
    if after.only_positions:
        return Change(pipeline=pipeline, label=label, before=before, after=after)
    now = definitions.edition(pipeline)
    issues = find_issues(pipeline, user, now.definition, now.issues)
    known = now.before if version == pipeline.version - 1 else None
    return Change(pipeline, label, before, after, now, issues, known)


def last_change(*, pipeline: Pipeline, touches: Callable[[dict[str, Any]], bool]) -> Edit | None:
    """Return the newest edit by any user that `touches` matches; None if it is too old."""
    newest = Edit.objects.filter(pipeline=pipeline).order_by("-version").select_related("user")
    return next((edit for edit in newest[:HISTORY_DEPTH] if touches(edit.after)), None)


def last_edit(*, pipeline: Pipeline, user: User) -> Edit | None:
    """Return the next edit to undo."""
    return Edit.objects.filter(pipeline=pipeline, user=user, undone=False).first()


def next_edit(*, pipeline: Pipeline, user: User) -> Edit | None:
    """Return the next edit to redo."""
    return Edit.objects.filter(pipeline=pipeline, user=user, undone=True).last()


class _FindEdit(Protocol):
    def __call__(self, *, pipeline: Pipeline, user: User) -> Edit | None: ...


def _reverse(pipeline: Pipeline, find: _FindEdit, user: User, *, to: str) -> Change | None:
    """Undo or redo an edit. An edit that cannot be reversed is removed from the user's history.

    The error is raised after the commit. Inside the transaction it would restore the edit, and
    earlier edits could never be reached.
    """
    with transaction.atomic():
        pipeline = lock(pipeline)
        edit = find(pipeline=pipeline, user=user)
        if edit is None:
            return None
        try:
            with transaction.atomic():
                return _write_state(pipeline, edit, to=to)
        except (RefusedError, StaleEditError) as error:
            refusal = str(error)
            edit.delete()
    action = "undone" if to == "before" else "redone"
    raise StaleEditError(f"“{edit.label}” cannot be {action}: {refusal}")


def _write_state(pipeline: Pipeline, edit: Edit, *, to: str) -> Change:
    states = (edit.after, edit.before) if to == "before" else (edit.before, edit.after)
    before, after = map(_patch, states)
    if definitions.read_parts(pipeline, before) != before:
        raise StaleEditError(f"{_other_author(edit)} has changed the same thing since.")
    if obstacle := find_obstacle(pipeline, after, changed_since=partial(_others_changed, edit)):
        raise StaleEditError(f"{obstacle}.")
    change = _write(pipeline, edit.user, edit.label, before, after)
    edit.undone, edit.version = to == "before", pipeline.version
    edit.save(update_fields=["undone", "version"])
    return change


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


def _write(pipeline: Pipeline, user: User, label: str, before: Patch, after: Patch) -> Change:
    only_moves = after.only_positions
    was = definitions.cached_edition(pipeline) if only_moves else definitions.edition(pipeline)
    now = _edition_after(was, after) if was else None
    definitions.write(pipeline, after)
    pipeline.version += 1
    notify = partial(
        notify_changed, pipeline.pk, pipeline.version, label, user.pk, user.get_username()
    )
    transaction.on_commit(notify)
    if now is None or only_moves:
        _refuse_too_many(pipeline, after)
        pipeline.save(update_fields=["version", "updated"])
    else:
        pipeline.errors = len(errors(now.issues))
        pipeline.warnings = len(now.issues) - pipeline.errors
        pipeline.save(update_fields=["version", "updated", "errors", "warnings"])
    if now is not None:
        definitions.cache_on_commit(pipeline, now)
    if now is None or only_moves:
        return Change(pipeline=pipeline, label=label, before=before, after=after)
    issues = find_issues(pipeline, user, now.definition, now.issues)
    return Change(pipeline, label, before, after, now, issues, was)


def _refuse_too_many(pipeline: Pipeline, patch: Patch) -> None:
    """Refuse a patch that exceeds the limits on parts, counted in the rows."""
    if patch.notes and pipeline.notes.count() > MAX_NOTES:
        raise RefusedError(f"A pipeline holds at most {MAX_NOTES} notes.")
    if patch.frames and pipeline.frames.count() > MAX_FRAMES:
        raise RefusedError(f"A pipeline holds at most {MAX_FRAMES} frames.")


def _edition_after(was: definitions.Edition, patch: Patch) -> definitions.Edition:
    try:
        return was.after(patch)
    except ValidationError as error:
        details = error.errors(include_url=False)[:3]
        raise RefusedError(" ".join(fault_from(detail).message for detail in details)) from None


def _patch(stored: dict[str, Any]) -> Patch:
    return Patch.model_validate(stored)
