"""Changing what is laid on the canvas for people: notes, and frames around stages."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.core import (
    Change,
    GoneError,
    RefusedError,
    StaleEditError,
    lock,
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


@transaction.atomic
def add_note(
    *, pipeline: Pipeline, user: User, at: Position | None = None, text: str = ""
) -> Change:
    """Lay a note on the canvas."""
    pipeline = lock(pipeline)
    key = free_key("note", pipeline.notes.values_list("key", flat=True))
    place = at or FIRST_PLACE
    note = Note(id=key, text=text, x=place.x, y=place.y)
    patch = Patch(notes={key: note})
    return make_edit(pipeline=pipeline, user=user, label="Add a note", patch=patch)


def write_note(
    *, pipeline: Pipeline, user: User, key: str, text: str, was: str | None = None
) -> Change:
    """Say something else on a note.

    Raises `StaleEditError` where it says neither `was` nor that already; None: whatever it says.
    """
    return _change_note(pipeline, user, key, "Write a note", was, text=text)


def size_note(*, pipeline: Pipeline, user: User, key: str, width: float | None) -> Change:
    """Make a note wider or narrower; None: as wide as notes are."""
    return _change_note(pipeline, user, key, "Size a note", width=width)


def update_note(
    *, pipeline: Pipeline, user: User, key: str, text: str, width: float | None, hue: int | None
) -> Change:
    """Change a note, but for its place."""
    changes = {"text": text, "width": width, "hue": hue}
    return _change_note(pipeline, user, key, "Change a note", None, **changes)


@transaction.atomic
def add_frame(*, pipeline: Pipeline, user: User, phases: Collection[str]) -> Change:
    """Put a frame around stages. They leave the frames that they stood in."""
    pipeline = lock(pipeline)
    there = _there(pipeline, phases)
    key = free_key("frame", pipeline.frames.values_list("key", flat=True))
    frame = Frame(id=key, title=key.replace("-", " ").capitalize(), stages=there)
    frames = move_members(read_member_frames(pipeline, there), there, frame)
    label = f"Frame {_stages(there)}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch(frames=frames))


@transaction.atomic
def put_in_frame(
    *, pipeline: Pipeline, user: User, phases: Collection[str], key: str | None
) -> Change:
    """Put stages in a frame, or with None take them out of theirs."""
    pipeline = lock(pipeline)
    there = _there(pipeline, phases)
    frames = assign_frame(pipeline, there, key)
    if not frames:
        what = "is in no frame" if len(there) == 1 else "are in no frame"
        raise RefusedError(f"{_stages(there).capitalize()} {what}.")
    into = frames[key] if key is not None else None
    said = f"Add {_stages(there)} to {into.title}" if into else f"Take {_stages(there)} out"
    return make_edit(pipeline=pipeline, user=user, label=said, patch=Patch(frames=frames))


def rename_frame(
    *, pipeline: Pipeline, user: User, key: str, title: str, was: str | None = None
) -> Change:
    """Give a frame another title.

    Raises `StaleEditError` where its title is neither `was` nor that already; None: whatever it is.
    """
    return _change_frame(pipeline, user, key, "Rename a frame", was, title=title)


def update_frame(
    *, pipeline: Pipeline, user: User, key: str, title: str, hue: int | None
) -> Change:
    """Change a frame, but for its stages."""
    return _change_frame(pipeline, user, key, "Change a frame", title=title, hue=hue)


@transaction.atomic
def delete_notes_and_frames(
    *,
    pipeline: Pipeline,
    user: User,
    notes: Collection[str] = (),
    frames: Collection[str] = (),
) -> Change:
    """Take notes and frames away. The stages of the frames stay."""
    pipeline = lock(pipeline)
    slips = pipeline.notes.filter(key__in=notes).values_list("key", flat=True)
    around = pipeline.frames.filter(key__in=frames).values_list("key", flat=True)
    if not slips and not around:
        raise GoneError("What was to be deleted is not there any more.")
    label = f"Delete {notes_and_frames_label(len(slips), len(around))}"
    patch = Patch(notes=dict.fromkeys(slips), frames=dict.fromkeys(around))
    return make_edit(pipeline=pipeline, user=user, label=label, patch=patch)


@transaction.atomic
def _change_note(
    pipeline: Pipeline, user: User, key: str, label: str, was: str | None = None, **changes: Any
) -> Change:
    pipeline = lock(pipeline)
    found = definitions.read_notes(pipeline, [key])
    if key not in found:
        raise GoneError("That note is not there any more.")
    if was is not None and _as_typed(found[key].text) not in (was, changes["text"]):
        raise StaleEditError(f"This note {_STALE}")
    patch = Patch(notes={key: found[key].model_copy(update=changes)})
    return make_edit(pipeline=pipeline, user=user, label=label, patch=patch)


@transaction.atomic
def _change_frame(
    pipeline: Pipeline, user: User, key: str, label: str, was: str | None = None, **changes: Any
) -> Change:
    pipeline = lock(pipeline)
    found = definitions.read_frames(pipeline, [key])
    if key not in found:
        raise GoneError("That frame is not there any more.")
    if was is not None and found[key].title.strip() not in (was, changes["title"]):
        raise StaleEditError(f"This frame {_STALE}")
    patch = Patch(frames={key: found[key].model_copy(update=changes)})
    return make_edit(pipeline=pipeline, user=user, label=label, patch=patch)


_STALE = "was changed elsewhere since you began, so it is not saved. What you typed is still here."


def _as_typed(text: str) -> str:
    """A text with the line breaks that a browser has, whatever a file brought."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _there(pipeline: Pipeline, phases: Collection[str]) -> tuple[str, ...]:
    """Return the existing stages among these phases."""
    found = pipeline.stages.filter(phase__in=phases).values_list("phase", flat=True)
    if there := tuple(sorted(found)):
        return there
    raise GoneError("Those stages are not there any more.")


def _stages(phases: Collection[str]) -> str:
    return next(iter(phases)) if len(phases) == 1 else f"{len(phases)} stages"
