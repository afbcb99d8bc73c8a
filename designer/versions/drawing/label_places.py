"""Places of labels on the lines of a drawing, clear of cards and of each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import copysign

from designer.canvas import Box, EdgePath

CELL = 160.0
STEP = 45.0
"""Distance between two places that are tried on a line."""
MAX_STEPS = 3
"""Maximum number of places that are tried on each side of the middle."""
BESIDE = (-26.0, 26.0, -70.0, 70.0)
"""Distances of a label above and below its line, if there is no room on it; the larger ones clear
cards that the line connects. Beside a vertical line, half of the label's width is added."""
GAP = 4.0
"""Distance of a label from cards and from other labels."""

Point = tuple[float, float]


class TakenBoxes:
    """Boxes that labels must not cover, by the cells of a grid."""

    def __init__(self, boxes: Iterable[Box]) -> None:
        self._cells: dict[tuple[int, int], list[Box]] = defaultdict(list)
        for box in boxes:
            self.add(box)

    def add(self, box: Box) -> None:
        """Take a box."""
        for cell in _cells(box):
            self._cells[cell].append(box)

    def is_free(self, box: Box) -> bool:
        """Report whether a box covers none of the others."""
        left, top, right, bottom = box
        return not any(
            left < other[2] and right > other[0] and top < other[3] and bottom > other[1]
            for cell in _cells(box)
            for other in self._cells.get(cell, ())
        )


def take_place(
    route: EdgePath,
    widths: Sequence[float],
    height: float,
    taken: TakenBoxes,
    lines: TakenBoxes,
) -> tuple[int, Point] | None:
    """Return the number of the first width with a free place on a line, and the place.

    The place is taken. Without room on the line, a place beside it that covers none of `lines` is
    tried. Returns None if there is no place for the smallest width either.
    """
    for away in ((0.0,), BESIDE):
        for number, width in enumerate(widths):
            for x, y in _places(route, away, width):
                half, tall = width / 2 + GAP, height / 2 + GAP
                box = (x - half, y - tall, x + half, y + tall)
                if taken.is_free(box) and (away is not BESIDE or lines.is_free(box)):
                    taken.add((x - width / 2, y - height / 2, x + width / 2, y + height / 2))
                    return number, (x, y)
    return None


def line_boxes(route: EdgePath) -> Iterator[Box]:
    """Yield the boxes of the parts of a line."""
    for (ax, ay), (bx, by) in pairwise(route.points):
        yield min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)


def _places(route: EdgePath, distances: Sequence[float], width: float) -> Iterator[Point]:
    """Yield places at distances from a line: from the middle outwards, its longest parts first."""
    for (ax, ay), (bx, by) in sorted(pairwise(route.points), key=_length, reverse=True):
        steps = min(MAX_STEPS, int(_length(((ax, ay), (bx, by))) / STEP / 2))
        is_vertical = abs(by - ay) > abs(bx - ax)
        for share in (0.5, *_outwards(steps)):
            for distance in distances:
                x, y = ax + (bx - ax) * share, ay + (by - ay) * share
                yield x, y + distance
                if is_vertical and distance:
                    yield x + distance + copysign(width / 2, distance), y


def _outwards(steps: int) -> Iterator[float]:
    for step in range(1, steps + 1):
        yield 0.5 - step / (2 * steps + 2)
        yield 0.5 + step / (2 * steps + 2)


def _length(part: tuple[Point, Point]) -> float:
    (ax, ay), (bx, by) = part
    return abs(ax - bx) + abs(ay - by)


def _cells(box: Box) -> Iterator[tuple[int, int]]:
    left, top, right, bottom = box
    for column in range(int(left // CELL), int(right // CELL) + 1):
        for row in range(int(top // CELL), int(bottom // CELL) + 1):
            yield column, row
