"""Automatic layout of stages: layers from left to right, the entry first, without overlaps.

graphlay computes the layers and the order within them. Its input is acyclic: transitions that lead
back are reversed, starting from the entry, so that the entry is in the leftmost layer. The stages
of a frame are laid out separately, and the frame then takes part as one large stage. So its stages
stay together, and no other stage is placed among them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

import graphlay
import networkx as nx

from designer.canvas.geometry import (
    COLUMN_GAP,
    FRAME_HEADER,
    FRAME_PADDING,
    GRID,
    HEIGHT,
    LIMIT,
    NOTE_WIDTH,
    ROW_GAP,
    SUPERVISOR_HEIGHT,
    WIDTH,
    Box,
    bounding_box,
    boxes_of_frame,
    cards,
    note_box,
    overlapping,
)
from designer.canvas.wrapping import USUAL_AREA, FreeArea, Sizes, Spots, pack_parts, wrap_layers
from orchestration.definition import Frame, Note, PipelineDefinition, Position

FIRST_PLACE = Position(x=64, y=248)

_THOROUGH, _MOST = 12_000, 25_000
"""Limits of the crossing reduction (see `_tangle`), thorough and total: half a second.

Parts of the graph beyond the total limit get simple layers.
"""

Places = dict[str, Position]


def arrange(
    definition: PipelineDefinition,
    phases: Collection[str],
    corner: Position = FIRST_PLACE,
    window: FreeArea = USUAL_AREA,
) -> Places:
    """Return positions for some stages, ignoring the others, from their upper left corner on.

    The same stages and transitions always get the same positions. Connected stages stay together;
    unconnected parts are placed below each other, the part with the entry first. Drawings that
    would be too wide or too tall for the window are wrapped.
    """
    effort = _Effort()
    known = [phase for phase in definition.stages_by_phase if phase in phases]
    blocks = {phase: phase for phase in known}
    sizes = dict.fromkeys(known, (float(WIDTH), float(HEIGHT)))
    inside: dict[str, Spots] = {}
    for frame in definition.layout.frames:
        members = [phase for phase in known if phase in frame.stages]
        if members:
            block = f"frame {frame.id}"  # phases contain no spaces
            graph = _forward(definition, {phase: phase for phase in members})
            inside[block] = _laid_out(graph, sizes, effort, window)
            blocks |= dict.fromkeys(members, block)
    for block, members_at in inside.items():
        sizes[block] = _size(members_at)
    outside = _laid_out(_forward(definition, blocks), sizes, effort, window)
    spots: Spots = {}
    for name, (x, y) in outside.items():
        for phase, (dx, dy) in inside.get(name, {name: (0.0, 0.0)}).items():
            spots[phase] = (x + dx, y + dy)
    return _from(corner, spots)


def tidy_positions(
    definition: PipelineDefinition, phases: AbstractSet[str], window: FreeArea = USUAL_AREA
) -> Places:
    """Return tidy positions for some stages near their present ones, clear of other stages.

    Tidy stages keep their positions.
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
            others += boxes_of_frame(frame, now)
    moving_frames = [frame for frame in frames if phases >= set(frame.stages)]
    places = arrange(definition, known, corner, window)
    while hits := _hits(places, moving_frames, others):
        lowest = max(bottom for _, _, _, bottom in hits)
        by = _snapped(lowest + ROW_GAP + GRID - corner.y)
        if corner.y + by > LIMIT - _height(places.values()):
            return {}
        corner = _at(corner.x, corner.y + by)
        places = _from(corner, {phase: (at.x, at.y) for phase, at in places.items()})
    return places


def with_positions(definition: PipelineDefinition) -> PipelineDefinition:
    """Return the definition with a position for every stage and the supervisor.

    Existing positions stay.
    """
    layout = definition.layout
    places, supervisor = layout.stages, layout.supervisor
    unplaced = [phase for phase in definition.stages_by_phase if phase not in places]
    if unplaced:
        corner = FIRST_PLACE
        if places:
            corner = _corner(places.values())
            corner = _at(corner.x, corner.y + _height(places.values()) + ROW_GAP)
        places = {**places, **arrange(definition, unplaced, corner)}
    if definition.supervisor_id and supervisor is None:
        supervisor = supervisor_position(places.values())
    if places is layout.stages and supervisor is layout.supervisor:
        return definition
    complete = layout.model_copy(update={"stages": places, "supervisor": supervisor})
    return definition.model_copy(update={"layout": complete})


def supervisor_position(stages: Collection[Position]) -> Position:
    """Return the default position of the supervisor's card: above the rightmost stage."""
    if not stages:
        return Position(x=0, y=0)
    top = min(at.y for at in stages) - HEIGHT - ROW_GAP
    return Position(x=max(at.x for at in stages), y=max(top, -LIMIT))


def notes_off_cards(
    definition: PipelineDefinition, places: Mapping[str, Position]
) -> dict[str, Note]:
    """Return the notes that would overlap the cards, moved into a row below all parts."""
    if not places:
        return {}
    boxes = cards(places.values())
    left, _, right, _ = bounding_box(boxes)
    same_columns = [
        note
        for note in definition.layout.notes
        if left < note.x + (note.width or NOTE_WIDTH) and note.x < right
    ]
    hidden = [note for note in same_columns if overlapping(note_box(note), boxes)]
    if not hidden:
        return {}
    all_cards = cards({**definition.layout.stages, **places}.values())
    other_notes = [note_box(note) for note in definition.layout.notes if note not in hidden]
    left = min(box[0] for box in all_cards)
    top = max(box[3] for box in chain(all_cards, other_notes)) + ROW_GAP
    moved = {}
    for note in hidden:
        at = {"x": min(left, LIMIT), "y": min(top, LIMIT)}
        moved[note.id] = note.model_copy(update=at)
        left += (note.width or NOTE_WIDTH) + GRID * 3
    return moved


def supervisor_off_cards(
    definition: PipelineDefinition, places: Mapping[str, Position]
) -> Position | None:
    """Return a position for the supervisor above all stages, if its card would overlap one."""
    at = definition.layout.supervisor
    stages = {**definition.layout.stages, **places}.values()
    if at is None or not definition.supervisor_id:
        return None
    box = (at.x, at.y, at.x + WIDTH, at.y + SUPERVISOR_HEIGHT)
    if not overlapping(box, cards(stages)):
        return None
    return supervisor_position(stages)


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


def _laid_out(graph: nx.DiGraph, sizes: Sizes, effort: _Effort, window: FreeArea) -> Spots:
    """Return positions of stages or frames, each connected part in layers."""
    parts = []
    for names in _parts(graph):
        if level := effort.on(graph, names):
            part = _layered(graph.subgraph(names), names, sizes, level)
        else:
            part = _simple_layers(graph, names, sizes)
        parts.append(wrap_layers(part, sizes, window))
    return pack_parts(parts, sizes, window)


def _size(spots: Spots) -> tuple[float, float]:
    """Return the size of a frame around its stages, and shift them by its padding."""
    for phase, (x, y) in spots.items():
        spots[phase] = (_snapped(x) + FRAME_PADDING, _snapped(y) + FRAME_PADDING + FRAME_HEADER)
    right, bottom = max(x for x, _ in spots.values()), max(y for _, y in spots.values())
    return right + WIDTH + FRAME_PADDING, bottom + HEIGHT + FRAME_PADDING


def _forward(definition: PipelineDefinition, blocks: Mapping[str, str]) -> nx.DiGraph:
    """Return the acyclic graph of the transitions between blocks.

    A block is a stage or a frame. Transitions that lead back are reversed, loops are left out.
    """
    known = list(dict.fromkeys(blocks.values()))
    entry = blocks.get(definition.entry or "")
    known.sort(key=lambda name: name != entry)
    graph = nx.DiGraph()
    graph.add_nodes_from(known)
    successors: dict[str, list[str]] = {name: [] for name in known}
    for kind in ("next", "return"):
        for edge in definition.transitions:
            if edge.kind == kind and edge.source in blocks and edge.target in blocks:
                successors[blocks[edge.source]].append(blocks[edge.target])
    rank = _reverse_postorder(successors)
    if entry in rank:
        rank[entry] = -1
    for source, targets in successors.items():
        for target in targets:
            if source != target:
                graph.add_edge(*sorted((source, target), key=rank.__getitem__))
    return graph


def _reverse_postorder(successors: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return ranks that grow along every edge, except along edges that lead back."""
    seen: set[str] = set()
    postorder: list[str] = []
    for start in successors:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(successors[start]))]
        while stack:
            phase, targets = stack[-1]
            following = next((target for target in targets if target not in seen), None)
            if following is None:
                postorder.append(phase)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(successors[following])))
    return {phase: rank for rank, phase in enumerate(reversed(postorder))}


def _parts(graph: nx.DiGraph) -> list[list[str]]:
    """Return the connected parts of the graph, in the order of their first nodes."""
    order = {phase: at for at, phase in enumerate(graph)}
    parts = (sorted(part, key=order.__getitem__) for part in nx.weakly_connected_components(graph))
    return sorted(parts, key=lambda part: order[part[0]])


def _tangle(graph: nx.DiGraph, phases: Sequence[str], most: int) -> int:
    """Return the cost of the crossings: pairs of adjacent transitions, layer by layer.

    Counting stops above `most`.
    """
    depths: dict[str, int] = {}
    for phase in nx.topological_sort(graph.subgraph(phases)):
        depths[phase] = max((depths[source] + 1 for source in graph.predecessors(phase)), default=0)
    edges = [0] * (max(depths.values()) + 1)
    pairs = len(phases)
    for source, target in graph.out_edges(phases):
        for layer in range(depths[source], depths[target]):
            pairs += 2 * edges[layer] + 1
            edges[layer] += 1
        if pairs > most:
            break
    return pairs


def _simple_layers(graph: nx.DiGraph, names: Sequence[str], sizes: Sizes) -> Spots:
    """Return simple layers by the shortest distance from a start, in the given order."""
    starts = [name for name in names if not graph.in_degree(name)]
    spots: Spots = {}
    x = 0.0
    for layer in nx.bfs_layers(graph, starts):
        y = 0.0
        for name in layer:
            spots[name] = (x, y)
            y += sizes[name][1] + ROW_GAP
        x += max(sizes[name][0] for name in layer) + COLUMN_GAP
    return spots


def _layered(graph: nx.DiGraph, names: Sequence[str], sizes: Sizes, effort: str) -> Spots:
    drawing = graphlay.Graph()
    for name in names:
        width, height = sizes[name]
        drawing.node(name, width=width, height=height)
    for source in names:
        for target in sorted(graph.successors(source)):
            drawing.edge(source, target)
    result = graphlay.layout(
        drawing,
        options={
            "direction": "leftright",
            "effort": effort,
            "spacing": {"layer_gap": COLUMN_GAP, "node_gap": ROW_GAP},
        },
    )
    return {
        name: (x - sizes[name][0] / 2, y - sizes[name][1] / 2)
        for name, (x, y) in result.positions().items()
    }


def _from(corner: Position, spots: Mapping[str, tuple[float, float]]) -> Places:
    """Return positions on the grid that begins at `corner`, within the coordinate limits."""
    if not spots:
        return {}
    left, top = min(x for x, _ in spots.values()), min(y for _, y in spots.values())
    right, bottom = max(x for x, _ in spots.values()), max(y for _, y in spots.values())
    x0 = min(corner.x, LIMIT - _snapped(right - left))
    y0 = min(corner.y, LIMIT - _snapped(bottom - top))
    return {
        phase: _at(x0 + _snapped(x - left), y0 + _snapped(y - top))
        for phase, (x, y) in spots.items()
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
    """Return the box of a card with a margin."""
    return at.x - GRID, at.y - GRID, at.x + WIDTH + GRID, at.y + HEIGHT + GRID


def _hits(places: Places, frames: Iterable[Frame], others: Sequence[Box]) -> list[Box]:
    """Return the boxes that overlap the new positions of cards and frames."""
    moved = [_around(at) for at in places.values()]
    moved += chain.from_iterable(boxes_of_frame(frame, places) for frame in frames)
    return [box for box in overlapping(bounding_box(moved), others) if overlapping(box, moved)]


def _at(x: float, y: float) -> Position:
    """Return a position within the coordinate limits of a definition."""
    return Position(
        x=min(max(x, -LIMIT), LIMIT),
        y=min(max(y, -LIMIT), LIMIT),
    )
