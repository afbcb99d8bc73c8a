"""Notices next to a form in use while other people change its part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from designer.core import PageState, Selection, last_change, last_edit
from designer.editor.fragments.inspector import base_of, existing
from designer.models import Edit, Pipeline
from orchestration.definition import PipelineDefinition


@dataclass(frozen=True)
class Deletion:
    """Deletion of a form's part: the author, and whether the reader can undo it."""

    part: str
    """`The stage review`."""
    author: str
    """Empty for the reader; `someone else` if unknown."""
    undo: str
    """Label of the reader's own edit that deleted it, if their next undo reverts it."""


def form_notice(
    pipeline: Pipeline, user: User, definition: PipelineDefinition, shown: PageState
) -> dict[str, Any] | None:
    """Return the context of the notice next to a form that stays; None if it is rendered again.

    A form with unsaved text stays. So does the form of a deleted part while it is in use.
    """
    exists = existing(definition, shown.selection) == shown.selection
    if not shown.typing or (exists and shown.typing == "field"):
        return None
    if not exists:
        return {"form_notice": {"deletion": deletion_of(pipeline, user, shown.selection)}}
    if shown.typing == "gone":
        return {"form_notice": {"is_restored": True}}
    base = base_of(definition, shown.selection, shown.tab)
    if not shown.base or shown.base == base:
        return {}
    return {"form_notice": {"author": changed_by(pipeline, shown.selection, user)}}


def deletion_of(pipeline: Pipeline, user: User, selection: Selection) -> Deletion:
    """Return the author of the selection's deletion, and whether the reader can undo it."""
    kind = f"{selection.kind}s"

    def deleted(edit: Edit) -> bool:
        parts = (edit.before if edit.undone else edit.after).get(kind, {})
        return selection.key in parts and parts[selection.key] is None

    edit = last_change(
        pipeline=pipeline, touches=lambda patch: selection.key in patch.get(kind, {})
    )
    part = f"The {selection.kind} {selection.key.replace('>', ' → ')}"
    if selection.kind in ("note", "frame"):
        part = f"This {selection.kind}"
    if edit is None or not deleted(edit):
        return Deletion(part, "someone else", "")
    if edit.user_id != user.pk:
        return Deletion(part, edit.user.get_username(), "")
    undoable = last_edit(pipeline=pipeline, user=user)
    return Deletion(part, "", edit.label if undoable and undoable.pk == edit.pk else "")


def changed_by(pipeline: Pipeline, selection: Selection, user: User) -> str:
    """Return the author of the last change of a form's part."""

    def touches(patch: dict[str, Any]) -> bool:
        if selection.kind == "pipeline":
            return "settings" in patch
        transitions = patch.get("transitions", {})
        if selection.kind == "stage" and any(
            key.startswith(f"{selection.key}>") for key in transitions
        ):
            return True
        return selection.key in patch.get(f"{selection.kind}s", {})

    return last_by(pipeline, user, touches)


def last_by(pipeline: Pipeline, user: User, touches: Callable[[dict[str, Any]], bool]) -> str:
    """Return the author of the newest edit that touched a part, as shown to the reader."""
    edit = last_change(pipeline=pipeline, touches=touches)
    if edit is None:
        return "someone else"
    return "you in another tab" if edit.user_id == user.pk else edit.user.get_username()
