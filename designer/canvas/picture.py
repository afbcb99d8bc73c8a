"""Small pictures of pipelines: boxes in their agents' hues, lines between, a mark at the entry.

The server renders a picture as SVG of a few kilobytes at most for every size of pipeline,
and caches it until the pipeline changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from django.core.cache import caches
from django.db.models import F
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from designer.canvas.cards import CARD_HEIGHT, hue_of
from designer.models import Pipeline, Stage, Template, Transition
from orchestration.definition import PipelineDefinition

MOST_CARDS, MOST_CARD_LINES = 60, 120
"""Maximum numbers of stages drawn as cards, and of their lines."""
MOST_BLOCKS, MOST_BLOCK_LINES = 400, 400
"""The same for larger pipelines, which are drawn as blocks without names. Beyond that, the blocks
are an even sample."""
WIDTH, HEIGHT, MARGIN = 600, 220, 24
CARD_WIDTH = 216
LARGEST, SMALLEST, SMALLEST_BLOCK = 0.55, 12, 4
"""Maximum scale, used for few stages; minimum widths of a card and of a block, used for many."""
LOOK = 4
"""Version of the drawing style: a new number invalidates cached pictures."""
NAME_SIZE, LETTER_WIDTH, FEWEST_LETTERS = 22, 12.5, 5
"""Size of a stage's name, so that it has 12 px in the narrowest card; average width of a letter;
number of letters below which a shortened name says too little."""
Row = TypeVar("Row", Pipeline, Template)
Places = dict[object, tuple[int, int]]
"""Upper left corner of each box, by its key."""
Drawing = tuple[list[SafeString | None], list[SafeString | None]]
"""Paths and names."""

WEEK = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class PictureBox:
    """One stage in a picture."""

    key: object
    phase: str
    x: float
    y: float
    hue: int | None
    """None for a stage without an agent."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """Content of a pipeline's picture."""

    boxes: Sequence[PictureBox]
    lines: Sequence[tuple[object, object, str]]
    """Keys of the boxes at both ends, and the kind."""
    entry: object
    count: int
    """Number of stages, drawn or not."""

    @property
    def is_large(self) -> bool:
        """True if the stages are drawn as blocks."""
        return self.count > MOST_CARDS


def picture_of(definition: PipelineDefinition) -> SafeString:
    """Return the picture of a definition."""
    return _drawn(_from_definition(definition))


def pictures_of(pipelines: Iterable[Pipeline]) -> dict[int, SafeString]:
    """Return the picture of each pipeline by its primary key."""
    rows = {
        _key("pipeline", row.pk, row.version, row.updated.timestamp()): row for row in pipelines
    }
    return _kept(rows, lambda row: _drawn(_from_rows(row)))


def pictures_of_templates(templates: Iterable[Template]) -> dict[int, SafeString]:
    """Return the picture of each template by its primary key."""
    rows = {_key("template", row.pk, row.updated.timestamp()): row for row in templates}
    return _kept(rows, lambda row: picture_of(PipelineDefinition.model_validate(row.definition)))


def _key(*parts: object) -> str:
    return ":".join(map(str, (LOOK, *parts)))


def _kept(rows: Mapping[str, Row], draw: Callable[[Row], SafeString]) -> dict[int, SafeString]:
    cache = caches["pictures"]
    cached: dict[str, SafeString] = cache.get_many(rows)
    new = {key: draw(row) for key, row in rows.items() if key not in cached}
    cache.set_many(new, timeout=WEEK)
    pictures = cached | new
    return {row.pk: pictures[key] for key, row in rows.items()}


def _from_definition(definition: PipelineDefinition) -> Sketch:
    layout = definition.layout
    stages = sorted(definition.stages, key=lambda stage: stage.phase != definition.entry)
    boxes = []
    for stage in [*stages[:1], *stages[1 :: _step(len(stages))]][:MOST_BLOCKS]:
        phase, at = stage.phase, layout.stages.get(stage.phase)
        hue = hue_of(stage.agent_ids[0], layout.hues) if stage.agent_ids else None
        boxes.append(PictureBox(phase, phase, at.x if at else 0, at.y if at else 0, hue))
    shown = {box.key for box in boxes}
    lines = (
        (transition.source, transition.target, transition.kind)
        for transition in definition.transitions
        if transition.source in shown and transition.target in shown
    )
    count = len(definition.stages)
    return Sketch(boxes, tuple(islice(lines, _most_lines(count))), definition.entry, count)


def _from_rows(pipeline: Pipeline) -> Sketch:
    """Return the content of the picture from rows, with a constant number of queries."""
    columns = ("pk", "phase", "x", "y", "group", "agent__key", "agent__hue")
    stages = Stage.objects.filter(pipeline=pipeline).values(*columns)
    count = pipeline.stages.count()
    others = stages.exclude(pk=pipeline.entry_id).order_by("phase")
    if (step := _step(count)) > 1:
        others = others.alias(place=F("pk") % step).filter(place=0)
    rows = [*stages.filter(pk=pipeline.entry_id), *others[:MOST_BLOCKS]]
    boxes = []
    for row in rows[:MOST_BLOCKS]:
        agent = row["agent__key"] or (row["group"]["agents"][0] if row["group"] else "")
        hues = {agent: row["agent__hue"]} if row["agent__hue"] is not None else {}
        hue = hue_of(agent, hues) if agent else None
        boxes.append(PictureBox(row["pk"], row["phase"], row["x"] or 0, row["y"] or 0, hue))
    shown = {row["pk"] for row in rows[:MOST_BLOCKS]}
    ends = Transition.objects.filter(source__in=shown).order_by("pk")
    pairs = ends.values_list("source_id", "target_id", "kind")[: _most_lines(count)]
    lines = tuple(line for line in pairs if line[1] in shown)
    return Sketch(boxes, lines, pipeline.entry_id, count)


def _step(count: int) -> int:
    """Return the number of stages per box, so that the boxes are an even sample."""
    return max(1, -(-count // MOST_BLOCKS))


def _most_lines(count: int) -> int:
    return MOST_CARD_LINES if count <= MOST_CARDS else MOST_BLOCK_LINES


def _drawn(sketch: Sketch) -> SafeString:
    smallest = SMALLEST_BLOCK if sketch.is_large else SMALLEST
    places, width, height = _placed(sketch.boxes, smallest)
    draw = _blocks if sketch.is_large else _cards
    paths, names = draw(sketch, places, width, height)
    if sketch.entry in places:
        x, y = places[sketch.entry]
        paths.append(_path("picture__entry", [f"M{x - 15} {y + height // 2 - 7}l11 7l-11 7z"]))
    return format_html(
        '<svg class="picture" role="img" viewBox="0 0 {} {}" aria-label="{}">{}{}</svg>',
        WIDTH,
        HEIGHT,
        _description(sketch),
        format_html_join("", "{}", ((path,) for path in paths if path)),
        format_html_join("", "{}", ((name,) for name in names if name)),
    )


def _blocks(sketch: Sketch, places: Places, width: int, height: int) -> Drawing:
    """Return a block in its agent's hue for each stage, and straight lines between them."""
    half, middle = width // 2, height // 2
    lines: dict[str, list[str]] = {"next": [], "return": []}
    for source, target, kind in sketch.lines:
        (ax, ay), (bx, by) = places[source], places[target]
        lines[kind].append(f"M{ax + half} {ay + middle}L{bx + half} {by + middle}")
    blocks: dict[int | None, dict[str, None]] = {}
    for box in sketch.boxes:
        x, y = places[box.key]
        blocks.setdefault(box.hue, {})[f"M{x} {y + middle}h{width}"] = None
    paths = [_path(f"picture__{kind}", parts) for kind, parts in lines.items()]
    for hue, parts in blocks.items():
        stroke = "" if hue is None else format_html(' stroke="oklch(62% 0.13 {})"', hue)
        shape = format_html('stroke-width="{}"{}', height, stroke)
        paths.append(
            format_html('<path class="picture__blocks" {} d="{}"/>', shape, "".join(parts))
        )
    return paths, []


def _cards(sketch: Sketch, places: Places, width: int, height: int) -> Drawing:
    """Return the cards with their hues, lines and names."""
    order = {box.key: place for place, box in enumerate(sketch.boxes)}
    lines: dict[str, list[str]] = {"next": [], "return": []}
    ends: dict[str, list[str]] = {"next": [], "return": []}
    for source, target, kind in sketch.lines:
        lines[kind].append(_line(places[source], places[target], width, height))
        ends[kind].append(f"{order[source]}-{order[target]}")
    cards: list[str] = []
    spines: dict[int, list[str]] = {}
    for box in sketch.boxes:
        x, y = places[box.key]
        cards.append(f"M{x} {y}h{width}v{height}h-{width}z")
        if box.hue is not None:
            spine = max(3, round(width * 0.05))
            spines.setdefault(box.hue, []).append(f"M{x} {y}h{spine}v{height}h-{spine}z")
    paths = [
        _path("picture__return", lines["return"], ends=ends["return"]),
        _path("picture__next", lines["next"], ends=ends["next"]),
        _path("picture__cards", cards),
        *(_path("picture__agent", parts, hue) for hue, parts in spines.items()),
    ]
    names = [_name(box.phase, *places[box.key], width, height) for box in sketch.boxes]
    return paths, names


def _name(phase: str, x: int, y: int, width: int, height: int) -> SafeString | None:
    """Return the name of a stage, shortened to its box; None if it would not be readable."""
    letters = int((width - 14) / LETTER_WIDTH)
    if letters < min(len(phase), FEWEST_LETTERS) or height < NAME_SIZE:
        return None
    text = phase if len(phase) <= letters else f"{phase[: letters - 1]}…"
    place = (x + 10, y + height // 2 + NAME_SIZE // 3)
    return format_html('<text class="picture__name" x="{}" y="{}">{}</text>', *place, text)


def _placed(boxes: Sequence[PictureBox], smallest: int) -> tuple[Places, int, int]:
    """Return the positions of the boxes in the picture, and their size."""
    if not boxes:
        return {}, 0, 0
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    across = max(box.x for box in boxes) - left + CARD_WIDTH
    down = max(box.y for box in boxes) - top + CARD_HEIGHT
    scale = min(LARGEST, (WIDTH - 2 * MARGIN) / across, (HEIGHT - 2 * MARGIN) / down)
    width = max(smallest, round(CARD_WIDTH * scale))
    height = max(smallest // 2, round(CARD_HEIGHT * scale))
    x0, y0 = (WIDTH - across * scale) / 2, (HEIGHT - down * scale) / 2
    places: Places = {
        box.key: (round(x0 + (box.x - left) * scale), round(y0 + (box.y - top) * scale))
        for box in boxes
    }
    return places, width, height


def _line(a: tuple[int, int], b: tuple[int, int], width: int, height: int) -> str:
    """Return a line from the right of a box to the left of another, or above both backwards."""
    (ax, ay), (bx, by), half = a, b, height // 2
    if bx >= ax + width:
        middle = (ax + width + bx) // 2
        return (
            f"M{ax + width} {ay + half}C{middle} {ay + half} {middle} {by + half} {bx} {by + half}"
        )
    if abs(bx - ax) < width and abs(by - ay) > height:
        start, end = (ay + height, by) if by > ay else (ay, by + height)
        return f"M{ax + width // 2} {start}L{bx + width // 2} {end}"
    over = min(ay, by) - height // 2
    return f"M{ax + width // 2} {ay}Q{(ax + bx + width) // 2} {over} {bx + width // 2} {by}"


def _path(
    name: str, parts: Sequence[str], hue: int | None = None, *, ends: Sequence[str] = ()
) -> SafeString | None:
    """Return one path of all parts, with an agent's hue: the security policy forbids inline styles.

    `ends` are the numbers of the boxes at the ends of lines, for `static/js/pipelines/pictures.js`.
    """
    if not parts:
        return None
    attributes = "" if hue is None else format_html(' fill="oklch(62% 0.13 {})"', hue)
    if ends:
        attributes = format_html(' data-edges="{}"', " ".join(ends))
    return format_html('<path class="{}"{} d="{}"/>', name, attributes, "".join(parts))


def _description(sketch: Sketch) -> str:
    """Return the accessible name: `Picture of 12 stages: intake (entry), review and 10 more`."""
    if not sketch.boxes:
        return "Picture of an empty pipeline"
    first = sorted(sketch.boxes, key=lambda box: box.key != sketch.entry)[:5]
    names = [f"{box.phase} (entry)" if box.key == sketch.entry else box.phase for box in first]
    rest = sketch.count - len(names)
    stages = f"{sketch.count} stage{'' if sketch.count == 1 else 's'}"
    return f"Picture of {stages}: {', '.join(names)}{f' and {rest} more' if rest else ''}"
