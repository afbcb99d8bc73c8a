"""Drawings wrapped to the shape of the window."""

from itertools import pairwise

import pytest

from designer.canvas.geometry import HEIGHT, WIDTH
from designer.canvas.layout import tidy_positions
from designer.canvas.wrapping import USUAL_AREA, FreeArea
from orchestration.definition import PipelineDefinition, Position, Stage, Transition

CHAIN = "chain"
STAR = "star"
APART = "apart"
TREE = "tree"


def pipeline(shape: str, stages: int) -> PipelineDefinition:
    """Return stages in a row, around the first one, without transitions, or as a binary tree."""
    pairs = {
        CHAIN: list(pairwise(range(stages))),
        STAR: [(0, at) for at in range(1, stages)],
        APART: [],
        TREE: [((at - 1) // 2, at) for at in range(1, stages)],
    }[shape]
    return PipelineDefinition(
        name="Drawn",
        entry="s0",
        stages=tuple(Stage(phase=f"s{at}", kind="human") for at in range(stages)),
        transitions=tuple(
            Transition(source=f"s{a}", target=f"s{b}", kind="return" if b > a + 1 else "next")
            for a, b in pairs
        ),
    )


def tidied(definition: PipelineDefinition, window: FreeArea = USUAL_AREA) -> dict[str, Position]:
    return tidy_positions(definition, set(definition.stages_by_phase), window)


def size(places: dict[str, Position]) -> tuple[float, float]:
    xs, ys = [at.x for at in places.values()], [at.y for at in places.values()]
    return max(xs) - min(xs) + WIDTH, max(ys) - min(ys) + HEIGHT


def overlaps(places: dict[str, Position]) -> bool:
    cards = list(places.values())
    return any(
        abs(a.x - b.x) < WIDTH and abs(a.y - b.y) < HEIGHT
        for at, a in enumerate(cards)
        for b in cards[:at]
    )


@pytest.mark.parametrize("shape", [CHAIN, STAR, APART, TREE])
@pytest.mark.parametrize("window", [USUAL_AREA, FreeArea(1352, 956)])
def test_twelve_stages_fit_at_sixty_percent(shape: str, window: FreeArea) -> None:
    places = tidied(pipeline(shape, 12), window)
    assert window.scale(size(places)) >= 0.6
    assert not overlaps(places)


@pytest.mark.parametrize("shape", [CHAIN, STAR, APART, TREE])
@pytest.mark.parametrize("window", [USUAL_AREA, FreeArea(380, 700)])
def test_three_hundred_stages_form_a_block(shape: str, window: FreeArea) -> None:
    places = tidied(pipeline(shape, 300), window)
    width, height = size(places)
    assert not overlaps(places)
    assert 0.5 < (width / height) / (window.width / window.height) < 2


def test_a_readable_pipeline_stays_in_one_row() -> None:
    places = tidied(pipeline(CHAIN, 4))
    assert len({at.y for at in places.values()}) == 1


def test_a_wrapped_row_reads_from_left_to_right_and_then_down() -> None:
    places = tidied(pipeline(CHAIN, 12))
    order = sorted(places, key=lambda phase: (places[phase].y, places[phase].x))
    assert order == [f"s{at}" for at in range(12)]


def test_the_shape_of_the_window_decides_about_rows() -> None:
    wide = tidied(pipeline(CHAIN, 6), FreeArea(2200, 500))
    assert len({at.y for at in wide.values()}) == 1
    narrow = tidied(pipeline(CHAIN, 6), FreeArea(360, 700))
    assert len({at.y for at in narrow.values()}) > 2
