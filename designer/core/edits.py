"""Edits of a pipeline, undo and redo: the only write path of the editor.

Every change is a patch. `make_edit` writes it and stores the previous values, so undo and redo are
patches too. The rules run on every edit, except edits that only move elements on the canvas. They
run before the pipeline is locked: see `designer.core.edit_attempts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from designer.core.edit_attempts import current_row, edit_action, writing
from designer.core.edit_coalescing import continues, overlap
from designer.core.edit_errors import RefusedError, StaleEditError
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


@edit_action
def make_edit(
    *, pipeline: Pipeline, user: User, label: str, patch: Patch, now: datetime | None = None
) -> Change:
    """Write a patch and record it as an edit with a label (`Connect review → handling`).

    A patch without changes is not recorded. Undone edits can no longer be redone. Continuous typing
    in one field extends the previous edit.
    """
    pipeline = current_row(pipeline)
    before = definitions.read_parts(pipeline, patch)
    if before == patch:
        return Change(pipeline=pipeline, label=label, before=before, after=patch)
    draft = _checked(pipeline, user, label, before, patch)
    with writing(pipeline):
        _write(draft)
        _record(draft, now or timezone.now())
    return _change(draft)


def _record(draft: _Draft, now: datetime) -> None:
    """Record the edit in the user's history."""
    pipeline = draft.pipeline
    own_edits = Edit.objects.filter(pipeline=pipeline, user=draft.user)
    own_edits.filter(undone=True).delete()
    edit = Edit(pipeline=pipeline, user=draft.user, before=draft.before.dump())
    edit = _continued_edit(own_edits.first(), draft, now) or edit
    edit.label, edit.after, edit.version = draft.label[:200], draft.after.dump(), pipeline.version
    edit.made = now
    if edit.before == edit.after:
        edit.delete()  # the typing restored the old text
    else:
        edit.save()
    kept = own_edits.values_list("pk", flat=True)[:HISTORY_DEPTH]
    own_edits.exclude(pk__in=list(kept)).delete()


def _continued_edit(last: Edit | None, draft: _Draft, now: datetime) -> Edit | None:
    """Return the last edit if the draft continues it and nothing else changed in between."""
    if last is None or last.version != draft.pipeline.version - 1:
        return None
    after = draft.after.dump()
    pause = now - last.made
    labels = (last.label, draft.label)
    is_continued = continues(
        before=last.before, between=last.after, after=after, labels=labels, pause=pause
    )
    return last if is_continued else None


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
            _write(draft)
            edit.undone, edit.version = to == "before", pipeline.version
            edit.save(update_fields=["undone", "version"])
        return _change(draft)
    action = "undone" if to == "before" else "redone"
    raise StaleEditError(f"“{edit.label}” cannot be {action}: {refusal}")


def _checked_reversal(pipeline: Pipeline, edit: Edit, *, to: str) -> _Draft:
    states = (edit.after, edit.before) if to == "before" else (edit.before, edit.after)
    before, after = map(_patch, states)
    if definitions.read_parts(pipeline, before) != before:
        raise StaleEditError(f"{_other_author(edit)} has changed the same thing since.")
    if obstacle := find_obstacle(pipeline, after, changed_since=partial(_others_changed, edit)):
        raise StaleEditError(f"{obstacle}.")
    return _checked(pipeline, edit.user, edit.label, before, after)


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


@dataclass(frozen=True)
class _Draft:
    """A checked edit, before it is written."""

    pipeline: Pipeline
    user: User
    label: str
    before: Patch
    after: Patch
    was: definitions.Edition | None
    """Definition before the edit; None if it only moves elements and is not cached."""
    now: definitions.Edition | None
    """Definition after the edit."""
    issues: tuple[Issue, ...] | None
    """Issues after the edit; None if it only moves elements."""
    error_count: int
    """Number of errors among the issues."""


def _checked(pipeline: Pipeline, user: User, label: str, before: Patch, after: Patch) -> _Draft:
    """Return an edit with the definition and the issues after it; refuse an invalid one."""
    only_moves = after.only_positions
    was = definitions.cached_edition(pipeline) if only_moves else definitions.edition(pipeline)
    now = _edition_after(was, after) if was else None
    if now is None or only_moves:
        _refuse_too_many(pipeline, after)
    issues = now.issues if now and not only_moves else None
    return _Draft(pipeline, user, label, before, after, was, now, issues, len(errors(issues or ())))


def _write(draft: _Draft) -> None:
    """Write an edit. The caller has locked the pipeline."""
    pipeline, user, issues = draft.pipeline, draft.user, draft.issues
    definitions.write(pipeline, draft.after)
    pipeline.version += 1
    notify = partial(
        notify_changed, pipeline.pk, pipeline.version, draft.label, user.pk, user.get_username()
    )
    transaction.on_commit(notify)
    if issues is None:
        pipeline.save(update_fields=["version", "updated"])
    else:
        pipeline.errors = draft.error_count
        pipeline.warnings = len(issues) - pipeline.errors
        pipeline.save(update_fields=["version", "updated", "errors", "warnings"])
    if draft.now is not None:
        definitions.cache_on_commit(pipeline, draft.now)


def _change(draft: _Draft) -> Change:
    """Return a written edit as a change, with the issues that its user may see."""
    pipeline, label, before, after = draft.pipeline, draft.label, draft.before, draft.after
    now = draft.now
    if now is None or draft.issues is None:
        return Change(pipeline=pipeline, label=label, before=before, after=after)
    issues = find_issues(pipeline, draft.user, now.definition, draft.issues)
    return Change(pipeline, label, before, after, now, issues, draft.was)


def _refuse_too_many(pipeline: Pipeline, patch: Patch) -> None:
    """Refuse a patch that exceeds the limits on parts, counted in the rows."""
    if _count_after(pipeline.notes, patch.notes) > MAX_NOTES:
        raise RefusedError(f"A pipeline holds at most {MAX_NOTES} notes.")
    if _count_after(pipeline.frames, patch.frames) > MAX_FRAMES:
        raise RefusedError(f"A pipeline holds at most {MAX_FRAMES} frames.")


def _count_after(rows: Any, parts: Mapping[str, object | None]) -> int:
    """Return the number of rows after a patch of these parts; 0 if it has none of the kind."""
    if not parts:
        return 0
    unchanged: int = rows.exclude(key__in=parts).count()
    return unchanged + sum(part is not None for part in parts.values())


def _edition_after(was: definitions.Edition, patch: Patch) -> definitions.Edition:
    try:
        return was.after(patch)
    except ValidationError as error:
        details = error.errors(include_url=False)[:3]
        raise RefusedError(" ".join(fault_from(detail).message for detail in details)) from None


def _patch(stored: dict[str, Any]) -> Patch:
    return Patch.model_validate(stored)
