"""Layout of a drawn pipeline: positions, hues, notes and frames."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Self

from pydantic import AfterValidator, Field

from orchestration.definition.values import (
    MAX_AGENTS,
    MAX_FRAMES,
    MAX_NOTES,
    MAX_STAGES,
    Coordinate,
    Frozen,
    Hue,
    Key,
    Name,
    NoteWidth,
    Text,
    by_key,
    distinct,
    in_order,
)


class Position(Frozen):
    """Top left corner of a stage's card on the canvas, in CSS pixels."""

    x: Coordinate
    y: Coordinate


class Note(Frozen):
    """A slip of paper on the canvas: text for people, its top left corner in CSS pixels."""

    id: Key
    text: Text
    x: Coordinate
    y: Coordinate
    width: NoteWidth | None = None
    """In CSS pixels; None: as wide as notes are."""
    hue: Hue | None = None
    """None: the colour of paper."""


class Frame(Frozen):
    """A coloured frame around stages that belong together. Its box is that of its stages."""

    id: Key
    title: Name
    hue: Hue | None = None
    """None: the colour of paper."""
    stages: Annotated[
        tuple[Key, ...], Field(min_length=1, max_length=MAX_STAGES), AfterValidator(distinct)
    ]
    """The phases of its stages. A stage is in one frame at most."""


class Layout(Frozen):
    """Drawing of the pipeline. The engine never reads it."""

    stages: Annotated[dict[Key, Position], Field(max_length=MAX_STAGES), AfterValidator(by_key)] = (
        Field(default_factory=dict)
    )
    hues: Annotated[
        dict[Key, Hue],
        Field(max_length=MAX_AGENTS),
        AfterValidator(by_key),
    ] = Field(default_factory=dict)
    """An agent's own hue in degrees, the same on canvas, in chat and in the trace."""
    supervisor: Position | None = None
    notes: Annotated[tuple[Note, ...], Field(max_length=MAX_NOTES), in_order(lambda n: n.id)] = ()
    frames: Annotated[
        tuple[Frame, ...], Field(max_length=MAX_FRAMES), in_order(lambda f: f.id)
    ] = ()

    def without_stages(self, phases: Collection[str]) -> Self:
        """The layout without some stages. A frame that holds no other goes with them."""
        held = [
            (frame, [one for one in frame.stages if one not in phases]) for frame in self.frames
        ]
        frames = (frame.model_copy(update={"stages": tuple(left)}) for frame, left in held if left)
        places = {phase: at for phase, at in self.stages.items() if phase not in phases}
        return self.model_copy(update={"stages": places, "frames": tuple(frames)})
