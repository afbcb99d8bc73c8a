"""Finding places for stages: layers from left to right, the entry first, no card on another.

The layers, and the order within them, are graphlay's. It is told no way that leads back: what leads
back is found from the entry on, so that the entry and what follows it stand where one begins to
read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

import graphlay
import networkx as nx

from orchestration.definition import Note, PipelineDefinition, Position

WIDTH, HEIGHT = 216, 96
"""Of a stage's card, in CSS pixels: as in `static/js/geometry.js`."""
ASIDE, BELOW = 104, 64
"""What cards leave between them, sideways for an edge with its label, in CSS pixels."""
FIRST_PLACE = Position(x=64, y=248)
GRID = 8
NOTE_WIDTH = 200
LINE, LETTERS = 22, 0.11
"""How high a note's line is, and how many letters at least go on one for each pixel of width."""
SUPERVISOR_HEIGHT = 64

_FAR = 1_000_000
_THOROUGH, _MOST = 12_000, 25_000
"""How much may be untangled at once (see `_tangle`), thoroughly and at all: within half a second.

What is more than that stands in simple layers.
"""

Places = dict[str, Position]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def arranged(
    definition: PipelineDefinition, phases: Collection[str], corner: Position = FIRST_PLACE
) -> Places:
    """Places for some stages as if there were no others, from their upper left corner on.

    The same stages and ways always get the same places. What is connected stands together; the
    parts that are not stand below each other, that of the entry on top.
    """
    graph = _forward(definition, phases)
    found: dict[str, tuple[float, float]] = {}
    top, untangled = 0.0, 0
    for part in _parts(graph):
        tangle = _tangle(graph, part, _MOST - untangled)
        if untangled + tangle <= _MOST:
            untangled += tangle
            effort = "balanced" if untangled <= _THOROUGH else "fast"
            places = _layered(graph.subgraph(part), part, effort)
        else:
            places = _in_steps(graph, part)
        left = min(x for x, _ in places.values())
        rise = min(y for _, y in places.values())
        found |= {phase: (x - left, y - rise + top) for phase, (x, y) in places.items()}
        top = max(y for _, y in found.values()) + HEIGHT + BELOW
    return _from(corner, found)


def tidied(definition: PipelineDefinition, phases: Collection[str]) -> Places:
    """Places for some stages, where they are now on the whole, clear of the others.

    What is tidy already stays as it is.
    """
    known = [phase for phase in definition.stages_by_phase if phase in phases]
    if not known:
        return {}
    now = definition.layout.stages
    old = [now[phase] for phase in known if phase in now]
    corner = _corner(old) if old else FIRST_PLACE
    others = [_card(at) for phase, at in now.items() if phase not in phases]
    places = arranged(definition, known, corner)
    while hits := [box for at in places.values() for box in others if _touch(_around(at), box)]:
        lowest = max(bottom for _, _, _, bottom in hits)
        by = _snapped(lowest + BELOW + GRID - corner.y)
        if corner.y + by > _FAR - _height(places.values()):
            return {}
        corner = _at(corner.x, corner.y + by)
        places = _from(corner, {phase: (at.x, at.y) for phase, at in places.items()})
    return places


def placed(definition: PipelineDefinition) -> PipelineDefinition:
    """The definition with a place for every stage; those that have one keep it."""
    places = definition.layout.stages
    unplaced = [phase for phase in definition.stages_by_phase if phase not in places]
    if not unplaced:
        return definition
    corner = FIRST_PLACE
    if places:
        corner = _corner(places.values())
        corner = _at(corner.x, corner.y + _height(places.values()) + BELOW)
    found = arranged(definition, unplaced, corner)
    layout = definition.layout.model_copy(update={"stages": {**places, **found}})
    return definition.model_copy(update={"layout": layout})


def notes_aside(definition: PipelineDefinition, places: Mapping[str, Position]) -> dict[str, Note]:
    """The notes that would lie on a card or under it, in a row below everything."""
    cards = [_card(at) for at in {**definition.layout.stages, **places}.values()]
    hidden = [
        note for note in definition.layout.notes if any(_touch(_slip(note), card) for card in cards)
    ]
    if not hidden:
        return {}
    lying = [_slip(note) for note in definition.layout.notes if note not in hidden]
    left = min(box[0] for box in cards)
    top = max(box[3] for box in chain(cards, lying)) + BELOW
    moved = {}
    for note in hidden:
        at = {"x": min(left, _FAR), "y": min(top, _FAR)}
        moved[note.id] = note.model_copy(update=at)
        left += (note.width or NOTE_WIDTH) + GRID * 3
    return moved


def supervisor_aside(
    definition: PipelineDefinition, places: Mapping[str, Position]
) -> Position | None:
    """A place for the supervisor over the drawing, if it would stand on a card."""
    at = definition.layout.supervisor
    standing = {**definition.layout.stages, **places}.values()
    if at is None or not definition.supervisor_id:
        return None
    box = (at.x, at.y, at.x + WIDTH, at.y + SUPERVISOR_HEIGHT)
    if not any(_touch(box, _card(place)) for place in standing):
        return None
    top = min(place.y for place in standing) - HEIGHT - BELOW
    return Position(x=max(place.x for place in standing), y=max(-_FAR, top))


def _forward(definition: PipelineDefinition, phases: Collection[str]) -> nx.DiGraph:
    """The ways between the stages, those that lead back the other way round; no loops."""
    known = [phase for phase in definition.stages_by_phase if phase in phases]
    known.sort(key=lambda phase: phase != definition.entry)
    graph = nx.DiGraph()
    graph.add_nodes_from(known)
    ways: dict[str, list[str]] = {phase: [] for phase in known}
    for kind in ("next", "return"):
        for way in definition.transitions:
            if way.kind == kind and way.source in ways and way.target in ways:
                ways[way.source].append(way.target)
    rank = _order_of_leaving(ways)
    if definition.entry in rank:
        rank[definition.entry] = -1
    for source, targets in ways.items():
        for target in targets:
            if source != target:
                graph.add_edge(*sorted((source, target), key=rank.__getitem__))
    return graph


def _order_of_leaving(ways: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """A rank for each stage that grows along every way but those that lead back."""
    seen: set[str] = set()
    left: list[str] = []
    for start in ways:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(ways[start]))]
        while stack:
            phase, targets = stack[-1]
            following = next((target for target in targets if target not in seen), None)
            if following is None:
                left.append(phase)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(ways[following])))
    return {phase: rank for rank, phase in enumerate(reversed(left))}


def _parts(graph: nx.DiGraph) -> list[list[str]]:
    """The stages that are connected with one another, in the order of the first of each."""
    order = {phase: at for at, phase in enumerate(graph)}
    parts = (sorted(part, key=order.__getitem__) for part in nx.weakly_connected_components(graph))
    return sorted(parts, key=lambda part: order[part[0]])


def _tangle(graph: nx.DiGraph, phases: Sequence[str], most: int) -> int:
    """What untangling the ways costs: the pairs of them that go side by side, layer by layer.

    Past `most` it is not counted to the end.
    """
    depths: dict[str, int] = {}
    for phase in nx.topological_sort(graph.subgraph(phases)):
        depths[phase] = max((depths[one] + 1 for one in graph.predecessors(phase)), default=0)
    beside = [0] * (max(depths.values()) + 1)
    pairs = len(phases)
    for source, target in graph.out_edges(phases):
        for layer in range(depths[source], depths[target]):
            pairs += 2 * beside[layer] + 1
            beside[layer] += 1
        if pairs > most:
            break
    return pairs


def _in_steps(graph: nx.DiGraph, phases: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Simple layers: each stage by how few ways lead to it, one below the other."""
    starts = [phase for phase in phases if not graph.in_degree(phase)]
    found: dict[str, tuple[float, float]] = {}
    for depth, layer in enumerate(nx.bfs_layers(graph, starts)):
        for row, phase in enumerate(layer):
            found[phase] = (depth * (WIDTH + ASIDE), row * (HEIGHT + BELOW))
    return found


def _layered(
    graph: nx.DiGraph, phases: Sequence[str], effort: str
) -> dict[str, tuple[float, float]]:
    drawing = graphlay.Graph()
    for phase in phases:
        drawing.node(phase, width=WIDTH, height=HEIGHT)
    for source in phases:
        for target in sorted(graph.successors(source)):
            drawing.edge(source, target)
    found = graphlay.layout(
        drawing,
        options={
            "direction": "leftright",
            "effort": effort,
            "spacing": {"layer_gap": ASIDE, "node_gap": BELOW},
        },
    )
    centres = found.positions()
    return {phase: (centres[phase][0], centres[phase][1]) for phase in phases}


def _from(corner: Position, found: Mapping[str, tuple[float, float]]) -> Places:
    """Places with their upper left corner at `corner`, on the grid from there, within bounds."""
    if not found:
        return {}
    left, top = min(x for x, _ in found.values()), min(y for _, y in found.values())
    right, bottom = max(x for x, _ in found.values()), max(y for _, y in found.values())
    x0 = min(corner.x, _FAR - _snapped(right - left))
    y0 = min(corner.y, _FAR - _snapped(bottom - top))
    return {
        phase: _at(x0 + _snapped(x - left), y0 + _snapped(y - top))
        for phase, (x, y) in found.items()
    }


def _snapped(length: float) -> float:
    return round(length / GRID) * GRID


def _corner(places: Iterable[Position]) -> Position:
    places = list(places)
    return Position(x=min(at.x for at in places), y=min(at.y for at in places))


def _height(places: Iterable[Position]) -> float:
    heights = [at.y for at in places]
    return max(heights) - min(heights) + HEIGHT


def _card(at: Position) -> Box:
    return at.x, at.y, at.x + WIDTH, at.y + HEIGHT


def _around(at: Position) -> Box:
    """A card with some air around it."""
    return at.x - GRID, at.y - GRID, at.x + WIDTH + GRID, at.y + HEIGHT + GRID


def _slip(note: Note) -> Box:
    """A note as high as its text makes it at most, for only the page knows its letters."""
    width = note.width or NOTE_WIDTH
    lines = sum(1 + len(line) // max(1, int(width * LETTERS)) for line in note.text.split("\n"))
    return note.x, note.y, note.x + width, note.y + (lines + 1) * LINE


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and one[2] > other[0] and one[1] < other[3] and one[3] > other[1]


def _at(x: float, y: float) -> Position:
    """A place no farther out than a definition can say."""
    return Position(x=min(max(x, -_FAR), _FAR), y=min(max(y, -_FAR), _FAR))
