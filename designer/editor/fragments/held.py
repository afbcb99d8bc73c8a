"""Notices next to a form in use while other people change its part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from designer.core import PageState, Selection, last_change, last_edit
from designer.editor.fragments.inspector import base_of, present
from designer.models import Edit, Pipeline
from orchestration.definition import PipelineDefinition


@dataclass(frozen=True)
class Gone:
    """Deletion of a form's part: the author, and whether the reader can undo it."""

    what: str
    """`The stage review`."""
    who: str
    """Empty for the reader; `someone else` if unknown."""
    undo: str
    """Label of the reader's own edit that deleted it, if their next undo reverts it."""


def held(
    pipeline: Pipeline, user: User, definition: PipelineDefinition, shown: PageState
) -> dict[str, Any] | None:
    """Return the notice next to a form that is kept; None if the form is rendered anew.

    Unsaved text stays. So does a form of a deleted part while it is in use: there is nothing to
    render in its place.
    """
    is_there = present(definition, shown.selection) == shown.selection
    if not shown.typing or (is_there and shown.typing == "field"):
        return None
    if not is_there:
        return {"held": {"gone": gone(pipeline, user, shown.selection)}}
    if shown.typing == "gone":
        return {"held": {"is_back": True}}
    base = base_of(definition, shown.selection, shown.tab)
    if not shown.base or shown.base == base:
        return {}
    return {"held": {"who": changed_by(pipeline, shown.selection, user)}}


def gone(pipeline: Pipeline, user: User, selection: Selection) -> Gone:
    """Return the author of the selection's deletion, and whether the reader can undo it."""
    kind = f"{selection.kind}s"

    def deleted(edit: Edit) -> bool:
        parts = (edit.before if edit.undone else edit.after).get(kind, {})
        return selection.key in parts and parts[selection.key] is None

    edit = last_change(
        pipeline=pipeline, touches=lambda patch: selection.key in patch.get(kind, {})
    )
    what = f"The {selection.kind} {selection.key.replace('>', ' → ')}"
    if selection.kind in ("note", "frame"):
        what = f"This {selection.kind}"
    if edit is None or not deleted(edit):
        return Gone(what, "someone else", "")
    if edit.user_id != user.pk:
        return Gone(what, edit.user.get_username(), "")
    undoable = last_edit(pipeline=pipeline, user=user)
    return Gone(what, "", edit.label if undoable and undoable.pk == edit.pk else "")


def changed_by(pipeline: Pipeline, selection: Selection, user: User) -> str:
    """Return the author of the last change of a form's part."""

    def touches(patch: dict[str, Any]) -> bool:
        if selection.kind == "pipeline":
            return "settings" in patch
        ways = patch.get("transitions", {})
        if selection.kind == "stage" and any(key.startswith(f"{selection.key}>") for key in ways):
            return True
        return selection.key in patch.get(f"{selection.kind}s", {})

    return last_by(pipeline, user, touches)


def last_by(pipeline: Pipeline, user: User, touches: Callable[[dict[str, Any]], bool]) -> str:
    """Return the author of the newest edit that touched a part, as shown to the reader."""
    edit = last_change(pipeline=pipeline, touches=touches)
    if edit is None:
        return "someone else"
    return "you in another tab" if edit.user_id == user.pk else edit.user.get_username()
