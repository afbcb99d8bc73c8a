"""Small pictures of pipelines: boxes in their agents' hues, lines between, a mark at the entry.

A picture is SVG that the server draws, a few kilobytes at most whatever the pipeline holds, and it
is drawn anew only when what it shows has changed.
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

MOST_BOXES, MOST_LINES = 60, 120
WIDTH, HEIGHT, MARGIN = 600, 220, 24
CARD_WIDTH = 216
LARGEST, SMALLEST = 0.55, 12
"""The scale of a picture of few stages; the least width of a box in a picture of many."""
LOOK = 2
"""Version of the drawing style: a new number invalidates cached pictures."""
Row = TypeVar("Row", Pipeline, Template)

WEEK = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class PictureBox:
    """One stage in a picture."""

    key: object
    phase: str
    x: float
    y: float
    hue: int | None
    """None: nobody serves the stage yet, or the human does."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """Content of a pipeline's picture."""

    boxes: Sequence[PictureBox]
    ways: Sequence[tuple[object, object, str]]
    """From the key of a box to that of another, and of which kind."""
    entry: object
    count: int
    """Number of stages, drawn or not."""


def picture_of(definition: PipelineDefinition) -> SafeString:
    """The picture of a definition."""
    return _drawn(_from_definition(definition))


def pictures_of(pipelines: Iterable[Pipeline]) -> dict[int, SafeString]:
    """The picture of each pipeline by its primary key. Each has its `stage_count`."""
    rows = {
        _key("pipeline", row.pk, row.version, row.updated.timestamp()): row for row in pipelines
    }
    return _kept(rows, lambda row: _drawn(_from_rows(row)))


def pictures_of_templates(templates: Iterable[Template]) -> dict[int, SafeString]:
    """The picture of each template by its primary key."""
    rows = {_key("template", row.pk, row.updated.timestamp()): row for row in templates}
    return _kept(rows, lambda row: picture_of(PipelineDefinition.model_validate(row.definition)))


def _key(*parts: object) -> str:
    return ":".join(map(str, (LOOK, *parts)))


def _kept(rows: Mapping[str, Row], draw: Callable[[Row], SafeString]) -> dict[int, SafeString]:
    cache = caches["pictures"]
    known: dict[str, SafeString] = cache.get_many(rows)
    drawn = {key: draw(row) for key, row in rows.items() if key not in known}
    cache.set_many(drawn, timeout=WEEK)
    pictures = known | drawn
    return {row.pk: pictures[key] for key, row in rows.items()}


def _from_definition(definition: PipelineDefinition) -> Sketch:
    layout = definition.layout
    stages = sorted(definition.stages, key=lambda stage: stage.phase != definition.entry)
    boxes = []
    for stage in [*stages[:1], *stages[1 :: _step(len(stages))]][:MOST_BOXES]:
        phase, at = stage.phase, layout.stages.get(stage.phase)
        hue = hue_of(stage.agent_ids[0], layout.hues) if stage.agent_ids else None
        boxes.append(PictureBox(phase, phase, at.x if at else 0, at.y if at else 0, hue))
    shown = {box.key for box in boxes}
    ways = (
        (way.source, way.target, way.kind)
        for way in definition.transitions
        if way.source in shown and way.target in shown
    )
    count = len(definition.stages)
    return Sketch(boxes, tuple(islice(ways, MOST_LINES)), definition.entry, count)


def _from_rows(pipeline: Pipeline) -> Sketch:
    """As much of the pipeline's rows as a picture shows: a few queries, however large it is."""
    columns = ("pk", "phase", "x", "y", "group", "agent__key", "agent__hue")
    every = Stage.objects.filter(pipeline=pipeline).values(*columns)
    count = pipeline.stages.count()
    others = every.exclude(pk=pipeline.entry_id).order_by("phase")
    if (step := _step(count)) > 1:
        others = others.alias(place=F("pk") % step).filter(place=0)
    rows = [*every.filter(pk=pipeline.entry_id), *others[:MOST_BOXES]]
    boxes = []
    for row in rows[:MOST_BOXES]:
        served = row["agent__key"] or (row["group"]["agents"][0] if row["group"] else "")
        hues = {served: row["agent__hue"]} if row["agent__hue"] is not None else {}
        hue = hue_of(served, hues) if served else None
        boxes.append(PictureBox(row["pk"], row["phase"], row["x"] or 0, row["y"] or 0, hue))
    shown = {row["pk"] for row in rows[:MOST_BOXES]}
    ends = Transition.objects.filter(source__in=shown).order_by("pk")
    ways = ends.values_list("source_id", "target_id", "kind")[:MOST_LINES]
    lines = tuple(way for way in ways if way[1] in shown)
    return Sketch(boxes, lines, pipeline.entry_id, count)


def _step(count: int) -> int:
    """Return the number of stages per drawn stage: a sample from everywhere."""
    return max(1, -(-count // MOST_BOXES))


def _drawn(sketch: Sketch) -> SafeString:
    places, width, height = _placed(sketch.boxes)
    order = {box.key: place for place, box in enumerate(sketch.boxes)}
    lines: dict[str, list[str]] = {"next": [], "return": []}
    ways: dict[str, list[str]] = {"next": [], "return": []}
    for source, target, kind in sketch.ways:
        lines[kind].append(_line(places[source], places[target], width, height))
        ways[kind].append(f"{order[source]}-{order[target]}")
    cards: list[str] = []
    spines: dict[int, list[str]] = {}
    for box in sketch.boxes:
        x, y = places[box.key]
        cards.append(f"M{x} {y}h{width}v{height}h-{width}z")
        if box.hue is not None:
            spine = max(3, round(width * 0.05))
            spines.setdefault(box.hue, []).append(f"M{x} {y}h{spine}v{height}h-{spine}z")
    paths = [
        _path("picture__return", lines["return"], ways=ways["return"]),
        _path("picture__next", lines["next"], ways=ways["next"]),
        _path("picture__cards", cards),
        *(_path("picture__agent", some, hue) for hue, some in spines.items()),
    ]
    if sketch.entry in places:
        x, y = places[sketch.entry]
        paths.append(_path("picture__entry", [f"M{x - 15} {y + height // 2 - 7}l11 7l-11 7z"]))
    return format_html(
        '<svg class="picture" role="img" viewBox="0 0 {} {}" aria-label="{}">{}</svg>',
        WIDTH,
        HEIGHT,
        _said(sketch),
        format_html_join("", "{}", ((path,) for path in paths if path)),
    )


def _placed(boxes: Sequence[PictureBox]) -> tuple[dict[object, tuple[int, int]], int, int]:
    """Return the positions of the boxes in the picture, and their size."""
    if not boxes:
        return {}, 0, 0
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    across = max(box.x for box in boxes) - left + CARD_WIDTH
    down = max(box.y for box in boxes) - top + CARD_HEIGHT
    scale = min(LARGEST, (WIDTH - 2 * MARGIN) / across, (HEIGHT - 2 * MARGIN) / down)
    width = max(SMALLEST, round(CARD_WIDTH * scale))
    height = max(SMALLEST // 2, round(CARD_HEIGHT * scale))
    x0, y0 = (WIDTH - across * scale) / 2, (HEIGHT - down * scale) / 2
    places: dict[object, tuple[int, int]] = {
        box.key: (round(x0 + (box.x - left) * scale), round(y0 + (box.y - top) * scale))
        for box in boxes
    }
    return places, width, height


def _line(a: tuple[int, int], b: tuple[int, int], width: int, height: int) -> str:
    """From the right of one box to the left of another or, where that lies behind, around above."""
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
    name: str, parts: Sequence[str], hue: int | None = None, *, ways: Sequence[str] = ()
) -> SafeString | None:
    """One path of all parts. An agent's hue stands in it: the policy forbids inline styles.

    `ways` say of lines between the places of which cards they run, for
    `static/js/pipelines/pictures.js`.
    """
    if not parts:
        return None
    said = "" if hue is None else format_html(' fill="oklch(62% 0.13 {})"', hue)
    if ways:
        said = format_html(' data-edges="{}"', " ".join(ways))
    return format_html('<path class="{}"{} d="{}"/>', name, said, "".join(parts))


def _said(sketch: Sketch) -> str:
    """The picture in words: `Picture of 12 stages: intake (entry), review and 10 more`."""
    if not sketch.boxes:
        return "Picture of an empty pipeline"
    first = sorted(sketch.boxes, key=lambda box: box.key != sketch.entry)[:5]
    named = [f"{box.phase} (entry)" if box.key == sketch.entry else box.phase for box in first]
    rest = sketch.count - len(named)
    stages = f"{sketch.count} stage{'' if sketch.count == 1 else 's'}"
    return f"Picture of {stages}: {', '.join(named)}{f' and {rest} more' if rest else ''}"
