"""Paths of transitions around cards, for pictures that the server draws at full size."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from designer.canvas.geometry import COLUMN_GAP, Box, overlapping

STUB, PORT_GAP, LANE_GAP = 18.0, 11.0, 6.0
"""Length of a line before its first turn; gaps between lines at a card and beside each other."""
MARGIN = 20.0
"""Distance between a card and the nearest lane."""
CORNER = 7.0
MAX_LANES = 10
"""Maximum number of lanes that are tried on each side of a line."""
CELL = 120.0

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class EdgePath:
    """Path of a transition: its corners, and the place of its label."""

    points: tuple[Point, ...]

    @property
    def path(self) -> str:
        """Return the path as data of SVG, with rounded corners."""
        (x, y), *_ = self.points
        parts = [f"M{x:.10g} {y:.10g}"]
        triples = zip(self.points, self.points[1:], self.points[2:], strict=False)
        for before, corner, after in triples:
            (ax, ay), (bx, by) = _toward(corner, before), _toward(corner, after)
            parts.append(
                f"L{ax:.10g} {ay:.10g}Q{corner[0]:.10g} {corner[1]:.10g} {bx:.10g} {by:.10g}"
            )
        x, y = self.points[-1]
        return "".join([*parts, f"L{x:.10g} {y:.10g}"])

    @property
    def head(self) -> str:
        """Return the head at the end of the path as data of SVG."""
        (ax, ay), (x, y) = self.points[-2:]
        if ax == x:
            back = 9 if ay > y else -9
            return f"M{x:.10g} {y:.10g}l-4 {back:.10g}h8z"
        return f"M{x:.10g} {y:.10g}l{-9 if ax < x else 9:.10g} -4v8z"

    @property
    def middle(self) -> Point:
        """Return the middle of the longest part of the path."""
        (ax, ay), (bx, by) = self._longest
        return (ax + bx) / 2, (ay + by) / 2

    @property
    def room(self) -> float:
        """Return the width of a label that does not cover the cards at both ends."""
        (ax, ay), (bx, by) = self._longest
        return abs(ax - bx) if ay == by else COLUMN_GAP + STUB

    @property
    def _longest(self) -> tuple[Point, Point]:
        return max(zip(self.points, self.points[1:], strict=False), key=_length)


def find_routes(
    boxes: Mapping[str, Box], edges: Sequence[tuple[str, str]], others: Sequence[Box] = ()
) -> list[EdgePath]:
    """Return the route of each edge from the right of a card to the left of another.

    Both ends of each edge have a box. Lines avoid cards and other boxes, and lines at the same card
    are spread.
    """
    obstacles = [*boxes.values(), *others]
    cells = _Cells(obstacles)
    lanes = _lanes(obstacles)
    ports = _ports(boxes, edges)
    used: Counter[float] = Counter()
    drawn = []
    for (source, target), (leave, enter) in zip(edges, ports, strict=True):
        direct = _vertical(boxes[source], boxes[target], cells) if source != target else None
        points = direct or _around(
            (boxes[source][2], leave[0]), (boxes[target][0], enter[0]), leave, enter, cells, lanes
        )
        drawn.append(EdgePath(_shifted(points, used)))
    return drawn


Port = tuple[float, int]
"""Height of a line at a card, and its number there."""


def _ports(boxes: Mapping[str, Box], edges: Sequence[tuple[str, str]]) -> list[tuple[Port, Port]]:
    """Return both ports of each edge, in the order of the cards at the other ends."""
    leaving: dict[str, list[int]] = defaultdict(list)
    entering: dict[str, list[int]] = defaultdict(list)
    for number, (source, target) in enumerate(edges):
        leaving[source].append(number)
        entering[target].append(number)
    starts: dict[int, Port] = {}
    ends: dict[int, Port] = {}
    for groups, ports, other in ((leaving, starts, 1), (entering, ends, 0)):
        for phase, numbers in groups.items():
            numbers.sort(key=lambda each: (boxes[edges[each][other]][1], each))
            _, top, _, bottom = boxes[phase]
            gap = min(PORT_GAP, (bottom - top - 2 * MARGIN) / max(1, len(numbers) - 1))
            first = (top + bottom) / 2 - gap * (len(numbers) - 1) / 2
            for place, number in enumerate(numbers):
                ports[number] = (round(first + gap * place, 1), place)
    return [(starts[number], ends[number]) for number in range(len(edges))]


def _around(
    start: Point, end: Point, leave: Port, enter: Port, cells: _Cells, lanes: Sequence[float]
) -> tuple[Point, ...]:
    """Return the corners of a line that turns twice, or four times around cards."""
    (sx, sy), (tx, ty) = start, end
    x1 = sx + STUB + LANE_GAP * (leave[1] % 5)
    x2 = tx - STUB - LANE_GAP * (enter[1] % 5)
    if x2 >= x1:
        if sy == ty and not cells.hits_across(sy, x1, x2):
            return start, end
        if not cells.hits_across(sy, x1, x2) and not cells.hits_down(x2, sy, ty):
            return start, (x2, sy), (x2, ty), end
        if not cells.hits_across(ty, x1, x2) and not cells.hits_down(x1, sy, ty):
            return start, (x1, sy), (x1, ty), end
    best, fewest = None, 0
    for lane in _near(lanes, sy, ty):
        hits = 2 * cells.hits_across(lane, x1, x2)
        hits += cells.hits_down(x1, sy, lane) + cells.hits_down(x2, lane, ty)
        if best is None or hits < fewest:
            best, fewest = lane, hits
        if not hits:
            break
    lane = (sy + ty) / 2 if best is None else best
    return start, (x1, sy), (x1, lane), (x2, lane), (x2, ty), end


def _vertical(source: Box, target: Box, cells: _Cells) -> tuple[Point, Point] | None:
    """Return a straight line between cards above each other with nothing in between."""
    if abs(source[0] - target[0]) > (source[2] - source[0]) / 4:
        return None
    is_down = target[1] > source[3]
    if not is_down and target[3] > source[1]:
        return None
    left, right = max(source[0], target[0]), min(source[2], target[2])
    x = (left + right) / 2 + (MARGIN if is_down else -MARGIN)
    start, end = (source[3], target[1]) if is_down else (source[1], target[3])
    step = 2.0 if is_down else -2.0
    return None if cells.hits_down(x, start + step, end - step) else ((x, start), (x, end))


def _shifted(points: tuple[Point, ...], used: Counter[float]) -> tuple[Point, ...]:
    """Return the points with the lane beside other lines in the same lane."""
    if len(points) != 6:
        return points
    start, first, (x1, lane), (x2, _), last, end = points
    number = used[lane]
    used[lane] += 1
    shift = LANE_GAP * ((number + 1) // 2 % 3) * (1 if number % 2 else -1)
    return start, first, (x1, lane + shift), (x2, lane + shift), last, end


def _lanes(boxes: Sequence[Box]) -> list[float]:
    """Return the heights just above and below the boxes, in order."""
    tops = {top - MARGIN for _, top, _, _ in boxes}
    return sorted(tops | {bottom + MARGIN for _, _, _, bottom in boxes})


def _near(lanes: Sequence[float], a: float, b: float) -> Iterator[float]:
    """Yield lanes in the order of the detour that they need."""
    low, high = bisect_left(lanes, min(a, b)), bisect_left(lanes, max(a, b))
    yield from lanes[low : min(high, low + MAX_LANES)]
    above, below = lanes[max(0, low - MAX_LANES) : low], lanes[high : high + MAX_LANES]
    detours = [(2 * (min(a, b) - lane), lane) for lane in above]
    detours += [(2 * (lane - max(a, b)), lane) for lane in below]
    yield from (lane for _, lane in sorted(detours))


class _Cells:
    """Cards by the rows and the columns of a grid, to find those on a line."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self._rows: dict[int, list[Box]] = defaultdict(list)
        self._columns: dict[int, list[Box]] = defaultdict(list)
        for box in boxes:
            for row in range(int(box[1] // CELL), int(box[3] // CELL) + 1):
                self._rows[row].append(box)
            for column in range(int(box[0] // CELL), int(box[2] // CELL) + 1):
                self._columns[column].append(box)

    def hits_across(self, y: float, x1: float, x2: float) -> int:
        """Return the number of cards on a horizontal line."""
        line = (min(x1, x2), y - 1, max(x1, x2), y + 1)
        return len(overlapping(line, self._rows.get(int(y // CELL), ())))

    def hits_down(self, x: float, y1: float, y2: float) -> int:
        """Return the number of cards on a vertical line."""
        line = (x - 1, min(y1, y2), x + 1, max(y1, y2))
        return len(overlapping(line, self._columns.get(int(x // CELL), ())))


def _length(part: tuple[Point, Point]) -> float:
    (ax, ay), (bx, by) = part
    return abs(ax - bx) + abs(ay - by) / 2  # labels fit better on a horizontal line


def _toward(corner: Point, other: Point) -> Point:
    """Return the point at which the rounding of a corner begins."""
    (x, y), (ox, oy) = corner, other
    distance = abs(ox - x) + abs(oy - y)
    share = min(CORNER, distance / 2) / distance if distance else 0.0
    return round(x + (ox - x) * share, 1), round(y + (oy - y) * share, 1)
