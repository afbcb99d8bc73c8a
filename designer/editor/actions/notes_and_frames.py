"""Add, change and delete notes, and frames around stages."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import User

from designer import definitions
from designer.core import (
    Change,
    GoneError,
    RefusedError,
    StaleEditError,
    current_row,
    edit_action,
    make_edit,
)
from designer.definitions import Patch
from designer.editor.actions.frame_members import (
    assign_frame,
    move_members,
    notes_and_frames_label,
    read_member_frames,
)
from designer.editor.actions.topology import FIRST_PLACE, free_key
from designer.models import Pipeline
from orchestration.definition import Frame, Note, Position

NOTE_HUE = 95
"""Hue of a new note: yellow."""


@edit_action
def add_note(
    *, pipeline: Pipeline, user: User, at: Position | None = None, text: str = ""
) -> Change:
    """Add a note to the canvas."""
    pipeline = current_row(pipeline)
    key = free_key("note", pipeline.notes.values_list("key", flat=True))
    position = at or FIRST_PLACE
    note = Note(id=key, text=text, x=position.x, y=position.y, hue=NOTE_HUE)
    patch = Patch(notes={key: note})
    return make_edit(pipeline=pipeline, user=user, label="Add a note", patch=patch)


def write_note(
    *, pipeline: Pipeline, user: User, key: str, text: str, was: str | None = None
) -> Change:
    """Change the text of a note.

    Raises `StaleEditError` if the current text is neither `was` nor the new one. None accepts any.
    """
    return _change_note(pipeline, user, key, "Write a note", was, text=text)


def size_note(*, pipeline: Pipeline, user: User, key: str, width: float | None) -> Change:
    """Change the width of a note; None for the default width."""
    return _change_note(pipeline, user, key, "Size a note", width=width)


def update_note(
    *, pipeline: Pipeline, user: User, key: str, text: str, width: float | None, hue: int | None
) -> Change:
    """Change a note except its position."""
    changes = {"text": text, "width": width, "hue": hue}
    return _change_note(pipeline, user, key, "Change a note", None, **changes)


@edit_action
def add_frame(*, pipeline: Pipeline, user: User, phases: Collection[str]) -> Change:
    """Add a frame around stages. They leave their old frames."""
    pipeline = current_row(pipeline)
    existing = _existing(pipeline, phases)
    key = free_key("frame", pipeline.frames.values_list("key", flat=True))
    frame = Frame(id=key, title=key.replace("-", " ").capitalize(), stages=existing)
    frames = move_members(read_member_frames(pipeline, existing), existing, frame)
    label = f"Frame {_stages(existing)}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch(frames=frames))


@edit_action
def put_in_frame(
    *, pipeline: Pipeline, user: User, phases: Collection[str], key: str | None
) -> Change:
    """Move stages to a frame, or out of their frames if the key is None."""
    pipeline = current_row(pipeline)
    existing = _existing(pipeline, phases)
    frames = assign_frame(pipeline, existing, key)
    stages = _stages(existing)
    if not frames:
        verb = "is" if len(existing) == 1 else "are"
        raise RefusedError(f"{stages.capitalize()} {verb} in no frame.")
    target = frames[key] if key is not None else None
    label = f"Add {stages} to {target.title}" if target else f"Take {stages} out"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch(frames=frames))


def rename_frame(
    *, pipeline: Pipeline, user: User, key: str, title: str, was: str | None = None
) -> Change:
    """Change the title of a frame.

    Raises `StaleEditError` if the current title is neither `was` nor the new one. None accepts any.
    """
    return _change_frame(pipeline, user, key, "Rename a frame", was, title=title)


def update_frame(
    *, pipeline: Pipeline, user: User, key: str, title: str, hue: int | None
) -> Change:
    """Change a frame except its stages."""
    return _change_frame(pipeline, user, key, "Change a frame", title=title, hue=hue)


@edit_action
def delete_notes_and_frames(
    *,
    pipeline: Pipeline,
    user: User,
    notes: Collection[str] = (),
    frames: Collection[str] = (),
) -> Change:
    """Delete notes and frames. The stages of the frames stay."""
    pipeline = current_row(pipeline)
    note_keys = pipeline.notes.filter(key__in=notes).values_list("key", flat=True)
    frame_keys = pipeline.frames.filter(key__in=frames).values_list("key", flat=True)
    if not note_keys and not frame_keys:
        raise GoneError("The selected parts no longer exist.")
    label = f"Delete {notes_and_frames_label(len(note_keys), len(frame_keys))}"
    patch = Patch(notes=dict.fromkeys(note_keys), frames=dict.fromkeys(frame_keys))
    return make_edit(pipeline=pipeline, user=user, label=label, patch=patch)


@edit_action
def _change_note(
    pipeline: Pipeline, user: User, key: str, label: str, was: str | None = None, **changes: Any
) -> Change:
    pipeline = current_row(pipeline)
    note = definitions.read_notes(pipeline, [key]).get(key)
    if note is None:
        raise GoneError("That note no longer exists.")
    if was is not None and _as_typed(note.text) not in (was, changes["text"]):
        raise StaleEditError(f"This note {_STALE}")
    patch = Patch(notes={key: note.model_copy(update=changes)})
    return make_edit(pipeline=pipeline, user=user, label=label, patch=patch)


@edit_action
def _change_frame(
    pipeline: Pipeline, user: User, key: str, label: str, was: str | None = None, **changes: Any
) -> Change:
    pipeline = current_row(pipeline)
    frame = definitions.read_frames(pipeline, [key]).get(key)
    if frame is None:
        raise GoneError("That frame no longer exists.")
    if was is not None and frame.title.strip() not in (was, changes["title"]):
        raise StaleEditError(f"This frame {_STALE}")
    patch = Patch(frames={key: frame.model_copy(update=changes)})
    return make_edit(pipeline=pipeline, user=user, label=label, patch=patch)


_STALE = "was changed elsewhere since you began, so it is not saved. What you typed is still here."


def _as_typed(text: str) -> str:
    """Return a text with the line breaks that a browser submits."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _existing(pipeline: Pipeline, phases: Collection[str]) -> tuple[str, ...]:
    """Return the existing stages among these phases."""
    rows = pipeline.stages.filter(phase__in=phases).values_list("phase", flat=True)
    if existing := tuple(sorted(rows)):
        return existing
    raise GoneError("Those stages no longer exist.")


def _stages(phases: Collection[str]) -> str:
    return next(iter(phases)) if len(phases) == 1 else f"{len(phases)} stages"
