"""Members of frames: the parts of a patch that puts stages into a frame or out of it."""

from __future__ import annotations

from collections.abc import Collection

from designer import definitions
from designer.core import GoneError
from designer.models import Pipeline
from orchestration.definition import Frame

Frames = dict[str, Frame | None]
"""Frames by key, as they are to be. None: the frame goes."""


def assign_frame(pipeline: Pipeline, phases: Collection[str], key: str | None) -> Frames:
    """The frames that change when stages are put in the one with this key; None: in no frame.

    A frame that is left without stages goes.
    """
    frames = read_member_frames(pipeline, phases, key)
    if key is not None and key not in frames:
        raise GoneError("That frame is not there any more.")
    return move_members(frames, phases, frames[key] if key is not None else None)


def move_members(frames: dict[str, Frame], phases: Collection[str], into: Frame | None) -> Frames:
    """The frames of these that change when stages leave them and stand in `into`."""
    changed: Frames = {}
    for key, frame in frames.items():
        left = tuple(phase for phase in frame.stages if phase not in phases)
        if left != frame.stages:
            changed[key] = frame.model_copy(update={"stages": left}) if left else None
    if into is not None:
        stages = tuple(sorted({*into.stages, *phases}))
        changed[into.id] = into.model_copy(update={"stages": stages})
    return changed


def read_member_frames(
    pipeline: Pipeline, phases: Collection[str], also: str | None = None
) -> dict[str, Frame]:
    """The frames that the stages stand in, and one more."""
    framed = pipeline.stages.filter(phase__in=phases, frame__isnull=False)
    keys = {*framed.values_list("frame__key", flat=True), *([also] if also else [])}
    return definitions.read_frames(pipeline, keys)


def notes_and_frames_label(notes: int, frames: int) -> str:
    """So many notes and frames in words; empty for none of either."""
    counted = [(notes, "note"), (frames, "frame")]
    return " and ".join(
        f"a {what}" if count == 1 else f"{count} {what}s" for count, what in counted if count
    )
