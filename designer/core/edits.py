"""Making an edit, and taking it back: the one write path of the editor.

Whoever changes a pipeline says so as a patch; `make_edit` writes it and remembers what was there
before, so that undo and redo need nothing of their own. The rules run on every edit but those that
only place what is drawn.
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
from designer.core.edit_coalescing import goes_on, overlap
from designer.core.notifications import notify_changed
from designer.core.references import obstacle
from designer.core.subtask_pipelines import find_issues
from designer.definitions import Patch
from designer.models import Edit, Pipeline
from orchestration.definition import MAX_FRAMES, MAX_NOTES, PipelineDefinition
from orchestration.loading.error_messages import fault_from
from orchestration.validation import Issue, errors

HISTORY_DEPTH = 100
"""Number of edits that one person can undo in one pipeline."""

MAX_MISSED = 20
"""After how many edits that it has missed a page is drawn anew as a whole."""


class EditError(Exception):
    """An edit that cannot be made. Its text is a sentence for whoever asked for it.

    EditError
    ├── RefusedError    what is asked for contradicts what is there; `field` names the culprit
    ├── GoneError       what is to be changed is not there any more
    └── StaleEditError  what is to be changed has been changed since
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
    """The pipeline after the edit; None where the edit only placed what is drawn."""
    issues: tuple[Issue, ...] = ()
    was: definitions.Edition | None = None
    """Definition before the edit, if available."""

    @property
    def definition(self) -> PipelineDefinition | None:
        """The definition after the edit, where it is at hand."""
        return self.edition.definition if self.edition else None

    @property
    def made(self) -> bool:
        """True if anything is different."""
        return self.before != self.after


def lock(pipeline: Pipeline) -> Pipeline:
    """The pipeline as it is now, held until the transaction ends."""
    rows = Pipeline.objects.select_related("entry", "default_agent", "supervisor")
    found = rows.select_for_update(of=("self",)).filter(pk=pipeline.pk).first()
    if found is None:
        raise GoneError("This pipeline has been deleted.")
    return found


@transaction.atomic
def make_edit(
    *, pipeline: Pipeline, user: User, label: str, patch: Patch, now: datetime | None = None
) -> Change:
    """Write a patch and remember it, labelled (`Connect review → handling`).

    A patch that changes nothing leaves no edit behind. What was undone before can no longer be
    redone. What someone goes on typing in one field is one step with what they typed before.
    """
    pipeline = lock(pipeline)
    before = definitions.read_parts(pipeline, patch)
    if before == patch:
        return Change(pipeline=pipeline, label=label, before=before, after=patch)
    change = _write(pipeline, user, label, before, patch)
    mine = Edit.objects.filter(pipeline=pipeline, user=user)
    mine.filter(undone=True).delete()
    edit = Edit(pipeline=pipeline, user=user, before=before.dump())
    edit = _burst(mine.first(), change, now or timezone.now()) or edit
    edit.label, edit.after, edit.version = label[:200], patch.dump(), pipeline.version
    edit.made = now or timezone.now()
    if edit.before == edit.after:
        edit.delete()  # what was typed is taken back: there is no step left
    else:
        edit.save()
    kept = mine.values_list("pk", flat=True)[:HISTORY_DEPTH]
    mine.exclude(pk__in=list(kept)).delete()
    return change


def _burst(last: Edit | None, change: Change, now: datetime) -> Edit | None:
    """The edit that this one goes on with, if nobody has changed anything in between."""
    if last is None or last.version != change.pipeline.version - 1:
        return None
    after = change.after.dump()
    pause = now - last.made
    labels = (last.label, change.label)
    is_one = goes_on(
        before=last.before, between=last.after, after=after, labels=labels, pause=pause
    )
    return last if is_one else None


def undo_edit(*, pipeline: Pipeline, user: User) -> Change | None:
    """Take the person's last edit back; None when there is none.

    Raises `StaleEditError` when someone else has changed one of the parts since, or what refers to
    them. The edit is then none of the person's any more: the next undo reaches the one before it.
    """
    return _turned(pipeline, last_edit, user, to="before")


def redo_edit(*, pipeline: Pipeline, user: User) -> Change | None:
    """Make the edit again that was undone last; None when there is none.

    Raises `StaleEditError` like `undo_edit`.
    """
    return _turned(pipeline, next_edit, user, to="after")


def change_since(*, pipeline: Pipeline, user: User, version: int) -> Change | None:
    """All that was changed after a version, as one change; None where that is not known any more.

    What it touched is as it was then, and as it is now; its issues are what the user is told.
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
    """The newest edit that touched something, whoever made it; None where that is long ago."""
    newest = Edit.objects.filter(pipeline=pipeline).order_by("-version").select_related("user")
    return next((edit for edit in newest[:HISTORY_DEPTH] if touches(edit.after)), None)


def last_edit(*, pipeline: Pipeline, user: User) -> Edit | None:
    """The edit that undo would take back."""
    return Edit.objects.filter(pipeline=pipeline, user=user, undone=False).first()


def next_edit(*, pipeline: Pipeline, user: User) -> Edit | None:
    """The edit that redo would make again."""
    return Edit.objects.filter(pipeline=pipeline, user=user, undone=True).last()


class _Find(Protocol):
    def __call__(self, *, pipeline: Pipeline, user: User) -> Edit | None: ...


def _turned(pipeline: Pipeline, find: _Find, user: User, *, to: str) -> Change | None:
    """Turn the edit that is found. One that cannot be turned is taken off its person's stack.

    The refusal is raised when that is committed: raised before, it would bring the edit back, and
    no earlier one could ever be reached.
    """
    with transaction.atomic():
        pipeline = lock(pipeline)
        edit = find(pipeline=pipeline, user=user)
        if edit is None:
            return None
        try:
            with transaction.atomic():
                return _turn(pipeline, edit, to=to)
        except (RefusedError, StaleEditError) as error:
            refusal = str(error)
            edit.delete()
    what = "undone" if to == "before" else "redone"
    raise StaleEditError(f"“{edit.label}” cannot be {what}: {refusal}")


def _turn(pipeline: Pipeline, edit: Edit, *, to: str) -> Change:
    was, will = (edit.after, edit.before) if to == "before" else (edit.before, edit.after)
    before, after = _patch(was), _patch(will)
    if definitions.read_parts(pipeline, before) != before:
        raise StaleEditError(f"{_who_changed(edit)} has changed the same thing since.")
    if found := obstacle(pipeline, after, changed_since=partial(_others_changed, edit)):
        raise StaleEditError(f"{found}.")
    change = _write(pipeline, edit.user, edit.label, before, after)
    edit.undone, edit.version = to == "before", pipeline.version
    edit.save(update_fields=["undone", "version"])
    return change


def _others_changed(edit: Edit, phase: str) -> bool:
    """Report whether somebody other than its author changed a stage after the edit."""
    return any(phase in other.after.get("stages", ()) for other in _by_others_since(edit))


def _by_others_since(edit: Edit) -> QuerySet[Edit]:
    """The newest edits of others that came after one."""
    later = Edit.objects.filter(pipeline=edit.pipeline_id, version__gt=edit.version)
    others = later.exclude(user=edit.user_id).select_related("user").order_by("-version")
    return others[:HISTORY_DEPTH]


def _who_changed(edit: Edit) -> str:
    """Return the name of another person who changed the touched parts after the edit."""
    for other in _by_others_since(edit):
        if overlap(edit.after, other.after):
            return other.user.get_username()
    return "someone else"


def _write(pipeline: Pipeline, user: User, label: str, before: Patch, after: Patch) -> Change:
    is_drawing = after.only_positions
    was = definitions.cached_edition(pipeline) if is_drawing else definitions.edition(pipeline)
    now = _followed(was, after) if was else None
    definitions.write(pipeline, after)
    pipeline.version += 1
    ring = partial(
        notify_changed, pipeline.pk, pipeline.version, label, user.pk, user.get_username()
    )
    transaction.on_commit(ring)
    if now is None or is_drawing:
        _refuse_too_many(pipeline, after)
        pipeline.save(update_fields=["version", "updated"])
    else:
        pipeline.errors = len(errors(now.issues))
        pipeline.warnings = len(now.issues) - pipeline.errors
        pipeline.save(update_fields=["version", "updated", "errors", "warnings"])
    if now is not None:
        definitions.cache_on_commit(pipeline, now)
    if now is None or is_drawing:
        return Change(pipeline=pipeline, label=label, before=before, after=after)
    issues = find_issues(pipeline, user, now.definition, now.issues)
    return Change(pipeline, label, before, after, now, issues, was)


def _refuse_too_many(pipeline: Pipeline, patch: Patch) -> None:
    """Refuse a patch that exceeds the limits on parts, counted in the rows."""
    if patch.notes and pipeline.notes.count() > MAX_NOTES:
        raise RefusedError(f"A pipeline holds at most {MAX_NOTES} notes.")
    if patch.frames and pipeline.frames.count() > MAX_FRAMES:
        raise RefusedError(f"A pipeline holds at most {MAX_FRAMES} frames.")


def _followed(was: definitions.Edition, patch: Patch) -> definitions.Edition:
    try:
        return was.after(patch)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise RefusedError(" ".join(fault_from(one).message for one in found[:3])) from None


def _patch(stored: dict[str, Any]) -> Patch:
    return Patch.model_validate(stored)
