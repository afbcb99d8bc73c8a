"""The boxes of what is drawn, and room for what comes beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import ceil

from orchestration.definition import Frame, Note, PipelineDefinition, Position

WIDTH, HEIGHT = 216, 96
"""Size of a stage's card in CSS pixels, as in `static/js/canvas/geometry.js`."""
ASIDE, BELOW = 104, 64
"""Gaps between cards in CSS pixels: sideways for a transition with its label, and vertical."""
FRAME_AIR, FRAME_HEAD = 22, 26
"""Padding of a frame around its stages, and above them for its title: see `frames.js`."""
GRID = 8
NOTE_WIDTH = 200
LINE, LETTERS = 22, 0.11
"""Height of a note's line, and the minimum number of letters on a line per pixel of width."""
SUPERVISOR_HEIGHT = 64
RIM = 1_000_000.0
"""Maximum coordinate in CSS pixels."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def drawn(definition: PipelineDefinition) -> list[Box]:
    """All that a definition draws, without its edges."""
    layout = definition.layout
    boxes = [*cards(layout.stages.values()), *map(slip, layout.notes)]
    boxes += chain.from_iterable(framed(frame, layout.stages) for frame in layout.frames)
    if definition.supervisor_id and (at := layout.supervisor):
        boxes.append((at.x, at.y, at.x + WIDTH, at.y + SUPERVISOR_HEIGHT))
    return boxes


def aside(box: Box, others: Sequence[Box]) -> tuple[float, float]:
    """Return the shortest move of a box, across and down, that clears the other boxes.

    Nowhere where it is clear already, or where it would come to stand beyond the rim.
    """
    if not near(box, others):
        return 0.0, 0.0
    moves = [(0.0, _slide(box, others, 1, 1)), (_slide(box, others, 0, 1), 0.0)]
    moves += [(0.0, -_slide(box, others, 1, -1)), (-_slide(box, others, 0, -1), 0.0)]
    left, top, right, bottom = box
    possible = [
        (across, down)
        for across, down in moves
        if left + across >= -RIM
        and top + down >= -RIM
        and right + across <= RIM
        and bottom + down <= RIM
    ]
    return min(possible, key=lambda move: abs(move[0] + move[1]), default=(0.0, 0.0))


def _slide(box: Box, others: Sequence[Box], axis: int, way: int) -> float:
    """Return the distance along an axis (0: across, 1: down) that clears a box, on the grid."""
    air = (ASIDE, GRID * 3) if axis == 0 else (GRID * 3, BELOW)
    left, top, right, bottom = box
    by = 0.0
    while True:
        x, y = (by * way, 0.0) if axis == 0 else (0.0, by * way)
        around = left + x - air[0], top + y - air[1], right + x + air[0], bottom + y + air[1]
        hits = near(around, others)
        if not hits:
            return by
        if way > 0:
            needed = max(hit[axis + 2] for hit in hits) + air[axis] - box[axis]
        else:
            needed = box[axis + 2] + air[axis] - min(hit[axis] for hit in hits)
        by = max(float(ceil(needed / GRID) * GRID), by + GRID)  # on, whatever floats make of it


def cards(places: Iterable[Position]) -> list[Box]:
    """The cards of stages at their places."""
    return [(at.x, at.y, at.x + WIDTH, at.y + HEIGHT) for at in places]


def slip(note: Note) -> Box:
    """A note as high as its text makes it at most, for only the page knows its letters."""
    width = note.width or NOTE_WIDTH
    lines = sum(1 + len(line) // max(1, int(width * LETTERS)) for line in note.text.split("\n"))
    return note.x, note.y, note.x + width, note.y + (lines + 1) * LINE


def framed(frame: Frame, places: Mapping[str, Position]) -> Iterator[Box]:
    """The box of a frame around those of its stages that have a place, if one has."""
    inside = cards([places[phase] for phase in frame.stages if phase in places])
    if inside:
        left, top, right, bottom = whole(inside)
        head = top - FRAME_AIR - FRAME_HEAD
        yield left - FRAME_AIR, head, right + FRAME_AIR, bottom + FRAME_AIR


def whole(boxes: Sequence[Box]) -> Box:
    """The box around all boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def near(one: Box, others: Iterable[Box]) -> list[Box]:
    """Return the boxes that touch a box."""
    left, top, right, bottom = one
    return [
        box
        for box in others
        if left < box[2] and right > box[0] and top < box[3] and bottom > box[1]
    ]
