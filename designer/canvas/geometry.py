"""Bounding boxes of the parts on the canvas, and free space next to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import ceil

from orchestration.definition import Frame, Note, PipelineDefinition, Position

WIDTH, HEIGHT = 216, 96
"""Size of a stage's card in CSS pixels, as in `static/js/canvas/geometry.js`."""
COLUMN_GAP, ROW_GAP = 104, 64
"""Gaps between cards in CSS pixels: sideways for a transition with its label, and vertical."""
FRAME_PADDING, FRAME_HEADER = 22, 26
"""Padding of a frame around its stages, and above them for its title: see `frames.js`."""
GRID = 8
NOTE_WIDTH = 200
LINE_HEIGHT, LETTERS_PER_PIXEL = 22, 0.11
"""Height of a note's line, and the minimum number of letters on a line per pixel of width."""
SUPERVISOR_HEIGHT = 64
LIMIT = 1_000_000.0
"""Maximum coordinate in CSS pixels."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def drawn_boxes(definition: PipelineDefinition) -> list[Box]:
    """Return the boxes of a definition's cards, notes and frames, without its transitions."""
    layout = definition.layout
    boxes = [*cards(layout.stages.values()), *map(note_box, layout.notes)]
    boxes += chain.from_iterable(boxes_of_frame(frame, layout.stages) for frame in layout.frames)
    if definition.supervisor_id and (at := layout.supervisor):
        boxes.append((at.x, at.y, at.x + WIDTH, at.y + SUPERVISOR_HEIGHT))
    return boxes


def clearing_move(box: Box, others: Sequence[Box]) -> tuple[float, float]:
    """Return the shortest move of a box, across and down, that clears the other boxes.

    Return (0, 0) if the box is clear already, or if every such move exceeds `LIMIT`.
    """
    if not overlapping(box, others):
        return 0.0, 0.0
    moves = [(0.0, _slide(box, others, 1, 1)), (_slide(box, others, 0, 1), 0.0)]
    moves += [(0.0, -_slide(box, others, 1, -1)), (-_slide(box, others, 0, -1), 0.0)]
    left, top, right, bottom = box
    possible = [
        (across, down)
        for across, down in moves
        if left + across >= -LIMIT
        and top + down >= -LIMIT
        and right + across <= LIMIT
        and bottom + down <= LIMIT
    ]
    return min(possible, key=lambda move: abs(move[0] + move[1]), default=(0.0, 0.0))


def _slide(box: Box, others: Sequence[Box], axis: int, direction: int) -> float:
    """Return the distance along an axis (0: across, 1: down) that clears a box, on the grid."""
    margin = (COLUMN_GAP, GRID * 3) if axis == 0 else (GRID * 3, ROW_GAP)
    left, top, right, bottom = box
    by = 0.0
    while True:
        x, y = (by * direction, 0.0) if axis == 0 else (0.0, by * direction)
        expanded = (
            left + x - margin[0],
            top + y - margin[1],
            right + x + margin[0],
            bottom + y + margin[1],
        )
        hits = overlapping(expanded, others)
        if not hits:
            return by
        if direction > 0:
            needed = max(hit[axis + 2] for hit in hits) + margin[axis] - box[axis]
        else:
            needed = box[axis + 2] + margin[axis] - min(hit[axis] for hit in hits)
        by = max(float(ceil(needed / GRID) * GRID), by + GRID)  # rounding must not stop the loop


def cards(positions: Iterable[Position]) -> list[Box]:
    """Return the boxes of stage cards at these positions."""
    return [(at.x, at.y, at.x + WIDTH, at.y + HEIGHT) for at in positions]


def note_box(note: Note) -> Box:
    """Return the largest possible box of a note: only the page knows the width of its letters."""
    width = note.width or NOTE_WIDTH
    lines = sum(
        1 + len(line) // max(1, int(width * LETTERS_PER_PIXEL)) for line in note.text.split("\n")
    )
    return note.x, note.y, note.x + width, note.y + (lines + 1) * LINE_HEIGHT


def boxes_of_frame(frame: Frame, positions: Mapping[str, Position]) -> Iterator[Box]:
    """Yield the box of a frame around its placed stages, if there are any."""
    inside = cards([positions[phase] for phase in frame.stages if phase in positions])
    if inside:
        left, top, right, bottom = bounding_box(inside)
        header = top - FRAME_PADDING - FRAME_HEADER
        yield left - FRAME_PADDING, header, right + FRAME_PADDING, bottom + FRAME_PADDING


def bounding_box(boxes: Sequence[Box]) -> Box:
    """Return the smallest box around all boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def overlapping(box: Box, others: Iterable[Box]) -> list[Box]:
    """Return the boxes that overlap a box."""
    left, top, right, bottom = box
    return [
        other
        for other in others
        if left < other[2] and right > other[0] and top < other[3] and bottom > other[1]
    ]
