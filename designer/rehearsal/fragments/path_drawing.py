"""Small canvas of a pipeline with the path that a conversation took, as SVG.

Visited stages and traversed transitions stand out; the numbers at a stage are its places in the
path. A traversed pair of stages without a transition is drawn too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from designer.canvas import Box, bounding_box, card_boxes, find_routes, hue_of, with_positions
from orchestration.definition import PipelineDefinition, Stage

MAX_STAGES = 300
"""Maximum number of drawn stages; those of the path come first."""

MAX_NUMBERS = 4
"""Maximum number of places shown at a stage."""

MAX_NAME = 12
"""Maximum length of a shown name in characters; the rest is cut off."""

SCALE = 0.45
"""Scale of the drawing: its texts of 27 units then have 12 pixels."""
MARGIN = 36

SHRINKABLE = 800
"""Largest width in pixels of a drawing that shrinks to its place; wider ones are scrolled."""

Boxes = Mapping[str, Box]
"""Box of each drawn stage, by its phase."""


def draw_path(definition: PipelineDefinition, path: Sequence[str]) -> SafeString:
    """Return the drawing of a definition with a path, a sequence of phases."""
    boxes = _boxes(with_positions(definition), path)
    lines = list(_lines(definition, path, boxes))
    corners = [(x, y, x, y) for _, points in lines for x, y in points]
    edges = bounding_box([*boxes.values(), *corners]) if boxes else (0.0, 0.0, 0.0, 0.0)
    left, top = (round(edge) - MARGIN for edge in edges[:2])
    width, height = (round(edges[2]) + MARGIN - left, round(edges[3]) + MARGIN - top)
    visits: dict[str, list[int]] = {}
    for number, phase in enumerate(path, 1):
        visits.setdefault(phase, []).append(number)
    stages = (stage for stage in definition.stages if stage.phase in boxes)
    return format_html(
        '<svg class="path{}" role="img" width="{}" height="{}" viewBox="{} {} {} {}"'
        ' aria-label="{}">{}{}</svg>',
        " path--whole" if width * SCALE <= SHRINKABLE else "",
        round(width * SCALE),
        round(height * SCALE),
        left,
        top,
        width,
        height,
        _description(path),
        format_html_join("", "{}", ((line,) for line, _ in lines)),
        format_html_join(
            "",
            "{}",
            (
                (_box(stage, definition, boxes[stage.phase], visits.get(stage.phase, ())),)
                for stage in stages
            ),
        ),
    )


def _boxes(definition: PipelineDefinition, path: Sequence[str]) -> Boxes:
    """Return the boxes of the drawn stages."""
    layout = definition.layout.stages
    phases = dict.fromkeys([*path, *definition.stages_by_phase])
    shown = [phase for phase in phases if phase in layout][:MAX_STAGES]
    return dict(zip(shown, card_boxes(layout[phase] for phase in shown), strict=True))


def _lines(
    definition: PipelineDefinition, path: Sequence[str], boxes: Boxes
) -> Iterator[tuple[SafeString, tuple[tuple[float, float], ...]]]:
    """Yield the transitions around the stages, the traversed ones last, with their corners."""
    traversed = dict.fromkeys(pair for pair in pairwise(path) if pair[0] != pair[1])
    drawn = {(transition.source, transition.target): None for transition in definition.transitions}
    pairs = [*(pair for pair in drawn if pair not in traversed), *traversed]
    pairs = [pair for pair in pairs if pair[0] in boxes and pair[1] in boxes]
    for pair, route in zip(pairs, find_routes(boxes, pairs), strict=True):
        name = "path__line"
        name += " path__line--taken" if pair in traversed else ""
        name += " path__line--beside" if pair not in drawn else ""
        yield format_html('<path class="{}" d="{}"/>', name, route.path), route.points


def _box(
    stage: Stage, definition: PipelineDefinition, box: Box, visits: Sequence[int]
) -> SafeString:
    x, y, right, bottom = box
    agent = stage.agent_ids[0] if stage.agent_ids else ""
    spine = SafeString("")
    if agent:
        spine = format_html(
            '<path fill="oklch(62% 0.13 {})" d="M{} {}h10v{}h-10z"/>',
            hue_of(agent, definition.layout.hues),
            x,
            y,
            bottom - y,
        )
    name = stage.phase if len(stage.phase) <= MAX_NAME else f"{stage.phase[: MAX_NAME - 1]}…"
    numbers = ", ".join(map(str, visits[:MAX_NUMBERS]))
    return format_html(
        '<g class="path__stage{}"><title>{}</title><rect x="{}" y="{}" width="{}" height="{}"'
        ' rx="11"/>{}<text class="path__name" x="{}" y="{}">{}</text>'
        '<text class="path__numbers" x="{}" y="{}">{}</text></g>',
        " path__stage--visited" if visits else "",
        stage.phase,
        x,
        y,
        right - x,
        bottom - y,
        spine,
        x + 26,
        y + 42,
        name,
        x + 26,
        y + 80,
        f"{numbers} …" if len(visits) > MAX_NUMBERS else numbers,
    )


def _description(path: Sequence[str]) -> str:
    """Return the accessible name: `Path: intake, handling, review`."""
    return f"Path: {', '.join(path)}" if path else "No path"
