"""Small canvas of a pipeline with the path that a conversation took, as SVG.

Visited stages and traversed transitions stand out; the numbers at a stage are its places in the
path. A traversed pair of stages without a transition is drawn too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from designer.canvas import hue_of, with_positions
from orchestration.definition import PipelineDefinition, Stage

MAX_STAGES = 300
"""Maximum number of drawn stages; those of the path come first."""

MAX_NUMBERS = 4
"""Maximum number of places shown at a stage."""

MAX_NAME = 12
"""Maximum length of a shown name in characters; the rest is cut off."""

SCALE = 0.45
WIDTH, HEIGHT, MARGIN = 104, 44, 16

Places = Mapping[str, tuple[int, int]]
"""Corner of each drawn stage, by its phase."""


def draw_path(definition: PipelineDefinition, path: Sequence[str]) -> SafeString:
    """Return the drawing of a definition with a path, a sequence of phases."""
    places, width, height = _places(with_positions(definition), path)
    visits: dict[str, list[int]] = {}
    for number, phase in enumerate(path, 1):
        visits.setdefault(phase, []).append(number)
    stages = (stage for stage in definition.stages if stage.phase in places)
    return format_html(
        '<svg class="path" role="img" width="{0}" height="{1}" viewBox="0 0 {0} {1}"'
        ' aria-label="{2}">{3}{4}</svg>',
        width,
        height,
        _description(path),
        format_html_join("", "{}", ((line,) for line in _lines(definition, path, places))),
        format_html_join(
            "",
            "{}",
            (
                (_box(stage, definition, places[stage.phase], visits.get(stage.phase, ())),)
                for stage in stages
            ),
        ),
    )


def _places(definition: PipelineDefinition, path: Sequence[str]) -> tuple[Places, int, int]:
    """Return the corners of the drawn stages, and the size of the drawing."""
    layout = definition.layout.stages
    phases = dict.fromkeys([*path, *definition.stages_by_phase])
    shown = [phase for phase in phases if phase in layout][:MAX_STAGES]
    if not shown:
        return {}, 2 * MARGIN, 2 * MARGIN
    left = min(layout[phase].x for phase in shown)
    top = min(layout[phase].y for phase in shown)
    places = {
        phase: (
            MARGIN + round((layout[phase].x - left) * SCALE),
            MARGIN + round((layout[phase].y - top) * SCALE),
        )
        for phase in shown
    }
    width = max(x for x, _ in places.values()) + WIDTH + MARGIN
    return places, width, max(y for _, y in places.values()) + HEIGHT + MARGIN


def _lines(
    definition: PipelineDefinition, path: Sequence[str], places: Places
) -> Iterable[SafeString]:
    """Yield the transitions, the traversed ones last."""
    traversed = dict.fromkeys(pair for pair in pairwise(path) if pair[0] != pair[1])
    drawn = {(transition.source, transition.target) for transition in definition.transitions}
    for pair in [*(pair for pair in drawn if pair not in traversed), *traversed]:
        if pair[0] not in places or pair[1] not in places:
            continue
        name = "path__line"
        name += " path__line--taken" if pair in traversed else ""
        name += " path__line--beside" if pair not in drawn else ""
        yield format_html(
            '<path class="{}" d="{}"/>', name, _curve(places[pair[0]], places[pair[1]])
        )


def _curve(source: tuple[int, int], target: tuple[int, int]) -> str:
    """Return a curve from the right of a box to the left of another, or above both backwards."""
    (ax, ay), (bx, by), half = source, target, HEIGHT // 2
    if bx >= ax + WIDTH:
        start, end, middle = ax + WIDTH, bx, (ax + WIDTH + bx) // 2
        return f"M{start} {ay + half}C{middle} {ay + half} {middle} {by + half} {end} {by + half}"
    if abs(by - ay) > HEIGHT:
        start, end = (ay + HEIGHT, by) if by > ay else (ay, by + HEIGHT)
        return f"M{ax + WIDTH // 2} {start}L{bx + WIDTH // 2} {end}"
    over = min(ay, by) - half
    return f"M{ax + WIDTH // 2} {ay}Q{(ax + bx + WIDTH) // 2} {over} {bx + WIDTH // 2} {by}"


def _box(
    stage: Stage, definition: PipelineDefinition, place: tuple[int, int], visits: Sequence[int]
) -> SafeString:
    x, y = place
    agent = stage.agent_ids[0] if stage.agent_ids else ""
    spine = SafeString("")
    if agent:
        spine = format_html(
            '<path fill="oklch(62% 0.13 {})" d="M{} {}h5v{}h-5z"/>',
            hue_of(agent, definition.layout.hues),
            x,
            y,
            HEIGHT,
        )
    name = stage.phase if len(stage.phase) <= MAX_NAME else f"{stage.phase[: MAX_NAME - 1]}…"
    numbers = ", ".join(map(str, visits[:MAX_NUMBERS]))
    return format_html(
        '<g class="path__stage{}"><title>{}</title><rect x="{}" y="{}" width="{}" height="{}"'
        ' rx="5"/>{}<text class="path__name" x="{}" y="{}">{}</text>'
        '<text class="path__numbers" x="{}" y="{}">{}</text></g>',
        " path__stage--visited" if visits else "",
        stage.phase,
        x,
        y,
        WIDTH,
        HEIGHT,
        spine,
        x + 13,
        y + 19,
        name,
        x + 13,
        y + 36,
        f"{numbers} …" if len(visits) > MAX_NUMBERS else numbers,
    )


def _description(path: Sequence[str]) -> str:
    """Return the accessible name: `Path: intake, handling, review`."""
    return f"Path: {', '.join(path)}" if path else "No path"
