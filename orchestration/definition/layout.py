"""How a pipeline is drawn: places, hues and notes."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from orchestration.definition.values import (
    MAX_AGENTS,
    MAX_NOTES,
    MAX_STAGES,
    Coordinate,
    Frozen,
    Key,
    NoteWidth,
    Text,
    by_key,
    in_order,
)


class Position(Frozen):
    """Where a stage's card stands on the canvas, its top left corner in CSS pixels."""

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


class Layout(Frozen):
    """How the pipeline is drawn. The engine never reads it."""

    stages: Annotated[dict[Key, Position], Field(max_length=MAX_STAGES), AfterValidator(by_key)] = (
        Field(default_factory=dict)
    )
    hues: Annotated[
        dict[Key, Annotated[int, Field(ge=0, lt=360)]],
        Field(max_length=MAX_AGENTS),
        AfterValidator(by_key),
    ] = Field(default_factory=dict)
    """An agent's own hue in degrees, the same on canvas, in chat and in the trace."""
    supervisor: Position | None = None
    notes: Annotated[tuple[Note, ...], Field(max_length=MAX_NOTES), in_order(lambda n: n.id)] = ()
