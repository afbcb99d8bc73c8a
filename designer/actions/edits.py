"""Making an edit, and taking it back: the one write path of the editor.

Whoever changes a pipeline says so as a patch; `make_edit` writes it and remembers what was there
before, so that undo and redo need nothing of their own. The rules run on every edit but those that
only place what is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from pydantic import ValidationError

from designer import definitions
from designer.actions.subtasks import find_issues
from designer.models import Edit, Pipeline
from designer.patches import Patch
from orchestration.definition import PipelineDefinition
from orchestration.loading.wording import fault_from
from orchestration.validation import Issue, errors, validate

HISTORY_DEPTH = 100
"""How many edits of one person on one pipeline can be undone."""


class EditError(Exception):
    """An edit that cannot be made. Its text is a sentence for whoever asked for it.

    EditError
    ├── RefusedError    what is asked for contradicts what is there; `field` names the culprit
    ├── GoneError       what is to be changed is not there any more
    └── StaleEditError  what is to be changed has been changed since
    """


class RefusedError(EditError):
    """What is asked for contradicts what is there."""

    def __init__(self, sentence: str, *, field: str | None = None) -> None:
        super().__init__(sentence)
        self.field = field


class GoneError(EditError):
    """What is to be changed is not there any more."""


class StaleEditError(EditError):
    """What is to be changed has been changed since."""


@dataclass(frozen=True)
class Change:
    """What an edit did: the parts it touched, as they were and as they are."""

    pipeline: Pipeline
    label: str
    before: Patch
    after: Patch
    definition: PipelineDefinition | None = None
    """The pipeline after the edit; None where the edit only placed what is drawn."""
    issues: tuple[Issue, ...] = ()

    @property
    def made(self) -> bool:
        """Whether anything is different."""
        return self.before != self.after


def lock(pipeline: Pipeline) -> Pipeline:
    """The pipeline as it is now, held until the transaction ends."""
    rows = Pipeline.objects.select_related("entry", "default_agent", "supervisor")
    found = rows.select_for_update(of=("self",)).filter(pk=pipeline.pk).first()
    if found is None:
        raise GoneError("This pipeline has been deleted.")
    return found


@transaction.atomic
def make_edit(*, pipeline: Pipeline, user: User, label: str, patch: Patch) -> Change:
    """Write a patch and remember it, labelled (`Connect review → handling`).

    A patch that changes nothing leaves no edit behind. What was undone before can no longer be
    redone.
    """
    pipeline = lock(pipeline)
    before = definitions.read_parts(pipeline, patch)
    if before == patch:
        return Change(pipeline=pipeline, label=label, before=before, after=patch)
    change = _write(pipeline, label, before, patch)
    mine = Edit.objects.filter(pipeline=pipeline, user=user)
    mine.filter(undone=True).delete()
    Edit.objects.create(
        pipeline=pipeline, user=user, label=label[:200], before=before.dump(), after=patch.dump()
    )
    kept = mine.values_list("pk", flat=True)[:HISTORY_DEPTH]
    mine.exclude(pk__in=list(kept)).delete()
    return change


@transaction.atomic
def undo_edit(*, pipeline: Pipeline, user: User) -> Change | None:
    """Take the person's last edit back; None when there is none.

    Raises `StaleEditError` when someone else has changed one of the parts since.
    """
    pipeline = lock(pipeline)
    edit = last_edit(pipeline=pipeline, user=user)
    return _turn(pipeline, edit, to="before") if edit else None


@transaction.atomic
def redo_edit(*, pipeline: Pipeline, user: User) -> Change | None:
    """Make the edit again that was undone last; None when there is none."""
    pipeline = lock(pipeline)
    edit = next_edit(pipeline=pipeline, user=user)
    return _turn(pipeline, edit, to="after") if edit else None


def last_edit(*, pipeline: Pipeline, user: User) -> Edit | None:
    """The edit that undo would take back."""
    return Edit.objects.filter(pipeline=pipeline, user=user, undone=False).first()


def next_edit(*, pipeline: Pipeline, user: User) -> Edit | None:
    """The edit that redo would make again."""
    return Edit.objects.filter(pipeline=pipeline, user=user, undone=True).last()


def _turn(pipeline: Pipeline, edit: Edit, *, to: str) -> Change:
    was, will = (edit.after, edit.before) if to == "before" else (edit.before, edit.after)
    before, after = _patch(was), _patch(will)
    if definitions.read_parts(pipeline, before) != before:
        raise StaleEditError(f"“{edit.label}” was changed by someone else since.")
    change = _write(pipeline, edit.label, before, after)
    edit.undone = to == "before"
    edit.save(update_fields=["undone"])
    return change


def _write(pipeline: Pipeline, label: str, before: Patch, after: Patch) -> Change:
    definitions.write(pipeline, after)
    pipeline.version += 1
    if after.only_places:
        pipeline.save(update_fields=["version", "updated"])
        return Change(pipeline=pipeline, label=label, before=before, after=after)
    definition = _read(pipeline)
    own = validate(definition)
    pipeline.errors = len(errors(own))
    pipeline.warnings = len(own) - pipeline.errors
    pipeline.save(update_fields=["version", "updated", "errors", "warnings"])
    issues = find_issues(pipeline, definition, own)
    return Change(pipeline, label, before, after, definition, issues)


def _read(pipeline: Pipeline) -> PipelineDefinition:
    try:
        return definitions.read(pipeline)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise RefusedError(" ".join(fault_from(one).message for one in found[:3])) from None


def _patch(stored: dict[str, Any]) -> Patch:
    return Patch.model_validate(stored)
