"""Members of frames: the frames that change when stages enter or leave them."""

from __future__ import annotations

from collections.abc import Collection

from designer import definitions
from designer.core import GoneError
from designer.models import Pipeline
from orchestration.definition import Frame

Frames = dict[str, Frame | None]
"""New state of frames by key; None deletes the frame."""


def assign_frame(pipeline: Pipeline, phases: Collection[str], key: str | None) -> Frames:
    """Return the frames that change when stages enter the frame with this key.

    Without a key, the stages leave their frames. A frame without stages is deleted.
    """
    frames = read_member_frames(pipeline, phases, key)
    if key is not None and key not in frames:
        raise GoneError("That frame no longer exists.")
    return move_members(frames, phases, frames[key] if key is not None else None)


def move_members(frames: dict[str, Frame], phases: Collection[str], target: Frame | None) -> Frames:
    """Return the frames that change when stages leave `frames` and enter `target`."""
    changed: Frames = {}
    for key, frame in frames.items():
        stages = tuple(phase for phase in frame.stages if phase not in phases)
        if stages != frame.stages:
            changed[key] = frame.model_copy(update={"stages": stages}) if stages else None
    if target is not None:
        stages = tuple(sorted({*target.stages, *phases}))
        changed[target.id] = target.model_copy(update={"stages": stages})
    return changed


def read_member_frames(
    pipeline: Pipeline, phases: Collection[str], key: str | None = None
) -> dict[str, Frame]:
    """Return the frames that contain any of these stages, and the frame with this key."""
    members = pipeline.stages.filter(phase__in=phases, frame__isnull=False)
    keys = {*members.values_list("frame__key", flat=True), *([key] if key else [])}
    return definitions.read_frames(pipeline, keys)


def notes_and_frames_label(notes: int, frames: int) -> str:
    """Return the numbers of notes and frames in words; empty if both are zero."""
    counts = [(notes, "note"), (frames, "frame")]
    return " and ".join(
        f"a {noun}" if count == 1 else f"{count} {noun}s" for count, noun in counts if count
    )
