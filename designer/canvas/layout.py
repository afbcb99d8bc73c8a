"""Finding places for stages: layers from left to right, the entry first, no card on another.

The layers, and the order within them, are graphlay's. It is told no way that leads back: what leads
back is found from the entry on, so that the entry and what follows it stand where one begins to
read. The stages of a frame are laid out by themselves, and their frame then among the others as if
it were one large stage: so they stay together, and nobody else comes to stand among them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

import graphlay
import networkx as nx

from designer.canvas.geometry import (
    ASIDE,
    BELOW,
    FRAME_AIR,
    FRAME_HEAD,
    GRID,
    HEIGHT,
    NOTE_WIDTH,
    SUPERVISOR_HEIGHT,
    WIDTH,
    Box,
    cards,
    framed,
    near,
    slip,
    whole,
)
from orchestration.definition import Frame, Note, PipelineDefinition, Position

FIRST_PLACE = Position(x=64, y=248)

_FAR = 1_000_000
_THOROUGH, _MOST = 12_000, 25_000
"""Limits of the crossing reduction (see `_tangle`), thorough and total: half a second.

What is more than that stands in simple layers.
"""

Places = dict[str, Position]
Sizes = Mapping[str, tuple[float, float]]
Spots = dict[str, tuple[float, float]]
"""Upper left corners, wherever the drawing is to begin."""


def arranged(
    definition: PipelineDefinition, phases: Collection[str], corner: Position = FIRST_PLACE
) -> Places:
    """Places for some stages as if there were no others, from their upper left corner on.

    The same stages and ways always get the same places. What is connected stands together; the
    parts that are not stand below each other, that of the entry on top.
    """
    effort = _Effort()
    known = [phase for phase in definition.stages_by_phase if phase in phases]
    home = {phase: phase for phase in known}
    sizes = dict.fromkeys(known, (float(WIDTH), float(HEIGHT)))
    inside: dict[str, Spots] = {}
    for frame in definition.layout.frames:
        members = [phase for phase in known if phase in frame.stages]
        if members:
            block = f"frame {frame.id}"  # no phase has a blank in it
            ways = _forward(definition, {phase: phase for phase in members})
            inside[block] = _laid_out(ways, sizes, effort)
            home |= dict.fromkeys(members, block)
    for block, spots in inside.items():
        sizes[block] = _size(spots)
    outside = _laid_out(_forward(definition, home), sizes, effort)
    found: Spots = {}
    for name, (x, y) in outside.items():
        for phase, (dx, dy) in inside.get(name, {name: (0.0, 0.0)}).items():
            found[phase] = (x + dx, y + dy)
    return _from(corner, found)


def tidied(definition: PipelineDefinition, phases: AbstractSet[str]) -> Places:
    """Places for some stages, where they are now on the whole, clear of the others.

    What is tidy already stays as it is.
    """
    known = [phase for phase in definition.stages_by_phase if phase in phases]
    if not known:
        return {}
    now = definition.layout.stages
    old = [now[phase] for phase in known if phase in now]
    corner = _corner(old) if old else FIRST_PLACE
    others = cards([at for phase, at in now.items() if phase not in phases])
    frames = definition.layout.frames
    for frame in frames:
        if phases.isdisjoint(frame.stages):
            others += framed(frame, now)
    whole = [frame for frame in frames if phases >= set(frame.stages)]
    places = arranged(definition, known, corner)
    while hits := _hits(places, whole, others):
        lowest = max(bottom for _, _, _, bottom in hits)
        by = _snapped(lowest + BELOW + GRID - corner.y)
        if corner.y + by > _FAR - _height(places.values()):
            return {}
        corner = _at(corner.x, corner.y + by)
        places = _from(corner, {phase: (at.x, at.y) for phase, at in places.items()})
    return places


def placed(definition: PipelineDefinition) -> PipelineDefinition:
    """The definition with a place for every stage and the supervisor; who has one keeps it."""
    layout = definition.layout
    places, supervisor = layout.stages, layout.supervisor
    unplaced = [phase for phase in definition.stages_by_phase if phase not in places]
    if unplaced:
        corner = FIRST_PLACE
        if places:
            corner = _corner(places.values())
            corner = _at(corner.x, corner.y + _height(places.values()) + BELOW)
        places = {**places, **arranged(definition, unplaced, corner)}
    if definition.supervisor_id and supervisor is None:
        supervisor = lookout(places.values())
    if places is layout.stages and supervisor is layout.supervisor:
        return definition
    drawn = layout.model_copy(update={"stages": places, "supervisor": supervisor})
    return definition.model_copy(update={"layout": drawn})


def lookout(stages: Collection[Position]) -> Position:
    """Return the default position of the supervisor's card: above the rightmost stage."""
    if not stages:
        return Position(x=0, y=0)
    top = min(at.y for at in stages) - HEIGHT - BELOW
    return Position(x=max(at.x for at in stages), y=max(top, -_FAR))


def notes_aside(definition: PipelineDefinition, places: Mapping[str, Position]) -> dict[str, Note]:
    """The notes that would lie on a card at its place or under it, in a row below everything."""
    if not places:
        return {}
    put = cards(places.values())
    left, _, right, _ = whole(put)
    beside = [
        note
        for note in definition.layout.notes
        if left < note.x + (note.width or NOTE_WIDTH) and note.x < right
    ]
    hidden = [note for note in beside if near(slip(note), put)]
    if not hidden:
        return {}
    every = cards({**definition.layout.stages, **places}.values())
    lying = [slip(note) for note in definition.layout.notes if note not in hidden]
    left = min(box[0] for box in every)
    top = max(box[3] for box in chain(every, lying)) + BELOW
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
    if not near(box, cards(standing)):
        return None
    return lookout(standing)


class _Effort:
    """Remaining effort for reducing crossings in one layout."""

    def __init__(self) -> None:
        self.spent = 0

    def on(self, graph: nx.DiGraph, part: Sequence[str]) -> str:
        """Return the thoroughness for a part of the graph; empty: none."""
        tangle = _tangle(graph, part, _MOST - self.spent)
        if self.spent + tangle > _MOST:
            return ""
        self.spent += tangle
        return "balanced" if self.spent <= _THOROUGH else "fast"


def _laid_out(graph: nx.DiGraph, sizes: Sizes, effort: _Effort) -> Spots:
    """Spots for stages or whole frames: part below part, each in layers."""
    found: Spots = {}
    top = 0.0
    for part in _parts(graph):
        how = effort.on(graph, part)
        if how:
            spots = _layered(graph.subgraph(part), part, sizes, how)
        else:
            spots = _in_steps(graph, part, sizes)
        left, rise = min(x for x, _ in spots.values()), min(y for _, y in spots.values())
        found |= {name: (x - left, y - rise + top) for name, (x, y) in spots.items()}
        top = max(y + sizes[name][1] for name, (_, y) in found.items()) + BELOW
    return found


def _size(spots: Spots) -> tuple[float, float]:
    """Return the size of a frame around its stages, and move them into it."""
    for phase, (x, y) in spots.items():
        spots[phase] = (_snapped(x) + FRAME_AIR, _snapped(y) + FRAME_AIR + FRAME_HEAD)
    right, bottom = max(x for x, _ in spots.values()), max(y for _, y in spots.values())
    return right + WIDTH + FRAME_AIR, bottom + HEIGHT + FRAME_AIR


def _forward(definition: PipelineDefinition, home: Mapping[str, str]) -> nx.DiGraph:
    """The ways between the homes of stages, those that lead back the other way round; no loops."""
    known = list(dict.fromkeys(home.values()))
    entry = home.get(definition.entry or "")
    known.sort(key=lambda name: name != entry)
    graph = nx.DiGraph()
    graph.add_nodes_from(known)
    ways: dict[str, list[str]] = {name: [] for name in known}
    for kind in ("next", "return"):
        for way in definition.transitions:
            if way.kind == kind and way.source in home and way.target in home:
                ways[home[way.source]].append(home[way.target])
    rank = _order_of_leaving(ways)
    if entry in rank:
        rank[entry] = -1
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
    """Return the cost of the crossings: pairs of adjacent transitions, layer by layer.

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


def _in_steps(graph: nx.DiGraph, names: Sequence[str], sizes: Sizes) -> Spots:
    """Simple layers: each stage by how few ways lead to it, one below the other."""
    starts = [name for name in names if not graph.in_degree(name)]
    found: Spots = {}
    x = 0.0
    for layer in nx.bfs_layers(graph, starts):
        y = 0.0
        for name in layer:
            found[name] = (x, y)
            y += sizes[name][1] + BELOW
        x += max(sizes[name][0] for name in layer) + ASIDE
    return found


def _layered(graph: nx.DiGraph, names: Sequence[str], sizes: Sizes, effort: str) -> Spots:
    drawing = graphlay.Graph()
    for name in names:
        width, height = sizes[name]
        drawing.node(name, width=width, height=height)
    for source in names:
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
    return {
        name: (x - sizes[name][0] / 2, y - sizes[name][1] / 2)
        for name, (x, y) in found.positions().items()
    }


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


def _around(at: Position) -> Box:
    """A card with some air around it."""
    return at.x - GRID, at.y - GRID, at.x + WIDTH + GRID, at.y + HEIGHT + GRID


def _hits(places: Places, frames: Iterable[Frame], others: Sequence[Box]) -> list[Box]:
    """Return the boxes that overlap the new positions of cards and frames."""
    moved = [_around(at) for at in places.values()]
    moved += chain.from_iterable(framed(frame, places) for frame in frames)
    return [box for box in near(whole(moved), others) if near(box, moved)]


def _at(x: float, y: float) -> Position:
    """A place no farther out than a definition can say."""
    return Position(x=min(max(x, -_FAR), _FAR), y=min(max(y, -_FAR), _FAR))
