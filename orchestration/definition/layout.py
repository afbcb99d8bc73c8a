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
    """A note on the canvas: a text for people and its top left corner in CSS pixels."""

    id: Key
    text: Text
    x: Coordinate
    y: Coordinate
    width: NoteWidth | None = None
    """Width in CSS pixels; None uses the default."""
    hue: Hue | None = None
    """Colour; None uses the default."""


class Frame(Frozen):
    """A coloured frame around stages that belong together; its size follows from them."""

    id: Key
    title: Name
    hue: Hue | None = None
    """Colour; None uses the default."""
    stages: Annotated[
        tuple[Key, ...], Field(min_length=1, max_length=MAX_STAGES), AfterValidator(distinct)
    ]
    """Phases of its stages. A stage is in at most one frame."""


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
    """Hues of agents in degrees, for the canvas, the chat and the trace."""
    supervisor: Position | None = None
    notes: Annotated[tuple[Note, ...], Field(max_length=MAX_NOTES), in_order(lambda n: n.id)] = ()
    frames: Annotated[
        tuple[Frame, ...], Field(max_length=MAX_FRAMES), in_order(lambda f: f.id)
    ] = ()

    def without_stages(self, phases: Collection[str]) -> Self:
        """Return the layout without some stages and without frames that become empty."""
        remaining = [
            (frame, tuple(phase for phase in frame.stages if phase not in phases))
            for frame in self.frames
        ]
        frames = tuple(
            frame.model_copy(update={"stages": stages}) for frame, stages in remaining if stages
        )
        positions = {phase: at for phase, at in self.stages.items() if phase not in phases}
        return self.model_copy(update={"stages": positions, "frames": frames})
