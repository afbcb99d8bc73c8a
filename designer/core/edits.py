"""Edits of a pipeline: the only write path of the editor.

Every change is a patch. `make_edit` writes it and stores the previous values, so undo and redo
(`designer.core.undo`) are patches too. The rules run on every edit, except edits that only move
elements on the canvas. They run before the pipeline is locked: see `designer.core.edit_attempts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from pydantic import ValidationError

from designer import definitions
from designer.core.edit_attempts import current_row, edit_action, is_preview, writing
from designer.core.edit_coalescing import continues
from designer.core.edit_errors import RefusedError
from designer.core.notifications import notify_changed
from designer.core.subtask_pipelines import find_issues
from designer.definitions import Patch
from designer.models import Edit, HistoryEntry, Pipeline
from orchestration.definition import MAX_FRAMES, MAX_NOTES, PipelineDefinition
from orchestration.loading import fault_from
from orchestration.validation import Issue, errors

HISTORY_DEPTH = 100
"""Number of edits that one person can undo in one pipeline."""

MAX_HISTORY = 5_000
"""Number of the newest edits of a pipeline that its history holds."""

EDITS_PER_CLEANUP = 100
"""Number of edits after which older entries are deleted."""


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

    def read_definition(self) -> PipelineDefinition:
        """Return the definition after the edit; read it only if it is not available."""
        return self.definition or definitions.read(self.pipeline)

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
    draft = check_edit(pipeline, user, label, before, patch)
    if is_preview():
        return change_made(draft)
    with writing(pipeline):
        write_edit(draft)
        _record(draft, now or timezone.now())
    return change_made(draft)


def _record(draft: EditDraft, now: datetime) -> None:
    """Record the edit in the user's history."""
    pipeline = draft.pipeline
    own_edits = Edit.objects.filter(pipeline=pipeline, user=draft.user)
    own_edits.filter(undone=True).delete()
    continued = _continued_edit(own_edits.first(), draft, now)
    edit = continued or Edit(pipeline=pipeline, user=draft.user, before=draft.before.dump())
    log_edit(
        pipeline=pipeline,
        user=draft.user,
        label=draft.label,
        before=draft.before,
        made=now,
        extends_last=continued is not None,
    )
    edit.label, edit.after, edit.version = draft.label[:200], draft.after.dump(), pipeline.version
    edit.made = now
    if edit.before == edit.after:
        edit.delete()  # the typing restored the old text
    else:
        edit.save()
    kept = own_edits.values_list("pk", flat=True)[:HISTORY_DEPTH]
    own_edits.exclude(pk__in=list(kept)).delete()


def _continued_edit(last: Edit | None, draft: EditDraft, now: datetime) -> Edit | None:
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


@dataclass(frozen=True)
class EditDraft:
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


def check_edit(
    pipeline: Pipeline, user: User, label: str, before: Patch, after: Patch
) -> EditDraft:
    """Return an edit with the definition and the issues after it; refuse an invalid one."""
    only_moves = after.only_positions
    was = definitions.cached_edition(pipeline) if only_moves else definitions.edition(pipeline)
    now = _edition_after(was, after) if was else None
    if now is None or only_moves:
        _refuse_too_many(pipeline, after)
    issues = now.issues if now and not only_moves else None
    return EditDraft(
        pipeline, user, label, before, after, was, now, issues, len(errors(issues or ()))
    )


def write_edit(draft: EditDraft) -> None:
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


def change_made(draft: EditDraft) -> Change:
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


def log_edit(
    *,
    pipeline: Pipeline,
    user: User,
    label: str,
    before: Patch,
    made: datetime,
    extends_last: bool = False,
) -> None:
    """Add a written edit to the history, or extend the last entry. The row is locked."""
    entries = HistoryEntry.objects.filter(pipeline=pipeline)
    version, label = pipeline.version, label[:200]
    if version % EDITS_PER_CLEANUP == 0:
        entries.filter(version__lte=version - MAX_HISTORY).delete()
    last = entries.filter(version=version - 1, user=user)
    if extends_last and last.update(version=version, label=label, made=made):
        return
    HistoryEntry.objects.create(
        pipeline=pipeline,
        since=version - 1,
        version=version,
        label=label,
        before=before.dump(),
        user=user,
        user_name=user.get_username(),
        made=made,
    )


def stored_patch(stored: dict[str, Any]) -> Patch:
    """Return a patch from its stored form."""
    return Patch.model_validate(stored)
