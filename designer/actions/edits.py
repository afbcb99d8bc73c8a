"""Making an edit, and taking it back: the one write path of the editor.

Whoever changes a pipeline says so as a patch; `make_edit` writes it and remembers what was there
before, so that undo and redo need nothing of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from designer import definitions
from designer.models import Edit, Pipeline
from designer.patches import Patch

HISTORY_DEPTH = 100
"""How many edits of one person on one pipeline can be undone."""


class StaleEdit(Exception):
    """What an undo or redo would change has been changed by someone else since."""


@dataclass(frozen=True)
class Change:
    """What an edit did: the parts it touched, as they were and as they are."""

    pipeline: Pipeline
    label: str
    before: Patch
    after: Patch


@transaction.atomic
def make_edit(*, pipeline: Pipeline, user: AbstractBaseUser, label: str, patch: Patch) -> Change:
    """Write a patch and remember it, labelled (`Connect review → handling`).

    A patch that changes nothing leaves no edit behind. What was undone before can no longer be
    redone.
    """
    pipeline = _locked(pipeline)
    before = definitions.read_parts(pipeline, patch)
    change = Change(pipeline=pipeline, label=label, before=before, after=patch)
    if before == patch:
        return change
    _write(pipeline, patch)
    mine = Edit.objects.filter(pipeline=pipeline, user=user)
    mine.filter(undone=True).delete()
    Edit.objects.create(
        pipeline=pipeline, user=user, label=label[:200], before=before.dump(), after=patch.dump()
    )
    kept = mine.values_list("pk", flat=True)[:HISTORY_DEPTH]
    mine.exclude(pk__in=list(kept)).delete()
    return change


@transaction.atomic
def undo_edit(*, pipeline: Pipeline, user: AbstractBaseUser) -> Change | None:
    """Take the person's last edit back; None when there is none.

    Raises `StaleEdit` when someone else has changed one of the parts since.
    """
    edit = last_edit(pipeline=pipeline, user=user)
    return edit and _turn(pipeline, edit, to="before")


@transaction.atomic
def redo_edit(*, pipeline: Pipeline, user: AbstractBaseUser) -> Change | None:
    """Make the edit again that was undone last; None when there is none."""
    edit = next_edit(pipeline=pipeline, user=user)
    return edit and _turn(pipeline, edit, to="after")


def last_edit(*, pipeline: Pipeline, user: AbstractBaseUser) -> Edit | None:
    """The edit that undo would take back."""
    return Edit.objects.filter(pipeline=pipeline, user=user, undone=False).first()


def next_edit(*, pipeline: Pipeline, user: AbstractBaseUser) -> Edit | None:
    """The edit that redo would make again."""
    return Edit.objects.filter(pipeline=pipeline, user=user, undone=True).last()


def _turn(pipeline: Pipeline, edit: Edit, *, to: str) -> Change:
    pipeline = _locked(pipeline)
    was, will = (edit.after, edit.before) if to == "before" else (edit.before, edit.after)
    before, after = _patch(was), _patch(will)
    if definitions.read_parts(pipeline, before) != before:
        raise StaleEdit(f"{edit.label!r} was changed by someone else since.")
    _write(pipeline, after)
    edit.undone = to == "before"
    edit.save(update_fields=["undone"])
    return Change(pipeline=pipeline, label=edit.label, before=before, after=after)


def _locked(pipeline: Pipeline) -> Pipeline:
    return Pipeline.objects.select_for_update().get(pk=pipeline.pk)


def _write(pipeline: Pipeline, patch: Patch) -> None:
    definitions.write(pipeline, patch)
    pipeline.version += 1
    pipeline.save(update_fields=["version", "updated"])


def _patch(stored: dict[str, Any]) -> Patch:
    return Patch.model_validate(stored)
