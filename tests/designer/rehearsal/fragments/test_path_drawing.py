"""Canvas with the path of a conversation."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

from designer.rehearsal.fragments.path_drawing import MAX_STAGES, SCALE, draw_path
from orchestration.definition import Layout, PipelineDefinition, Position
from tests.orchestration.conversations import four_stages
from tests.orchestration.topologies import chain


def test_visited_stages_have_their_places_in_the_path():
    drawing = draw_path(four_stages(), ["intake", "handling", "intake", "handling"])
    visited = {"intake": "1, 3", "handling": "2, 4"}
    assert numbers(drawing) == visited | {"review": "", "resolution": ""}
    assert drawing.count("path__stage--visited") == 2
    assert 'aria-label="Path: intake, handling, intake, handling"' in drawing


def test_a_step_without_a_transition_is_drawn_beside_the_transitions():
    drawing = draw_path(four_stages(), ["intake", "handling", "resolution"])
    assert drawing.count("path__line--taken") == 2
    assert drawing.count("path__line--beside") == 1


def test_a_name_of_a_foreign_trace_is_never_markup():
    drawing = draw_path(four_stages(), ["intake", "<i>"])
    assert "<i>" not in drawing
    assert "&lt;i&gt;" in drawing


def test_a_large_drawing_is_bounded_and_keeps_the_path():
    large = chain(*(f"s{number}" for number in range(MAX_STAGES + 50)))
    phases = [stage.phase for stage in large.stages]
    drawing = draw_path(large, phases[-2:])
    assert drawing.count("<rect") == MAX_STAGES
    assert numbers(drawing)[phases[-1]] == "2"


def test_lines_lead_around_stages():
    drawing = draw_path(chain("a", "b", "c"), ["at-a", "at-c"])
    [line] = re.findall(r'path__line--beside" d="([^"]*)"', drawing)
    assert line.count("Q") == 4  # turns around b, which is in between


def test_long_names_have_a_tooltip_and_texts_at_least_11_pixels():
    drawing = draw_path(chain("a-very-long-name-of-a-stage"), [])
    assert ">at-a-very-l…<" in drawing
    assert "<title>at-a-very-long-name-of-a-stage</title>" in drawing
    styles = Path(settings.BASE_DIR, "static/css/rehearsal/compare.css").read_text(encoding="utf-8")
    assert 27 * SCALE >= 11
    assert re.search(r"path__stage text \{[^}]*font-size: 27px", styles)


def test_a_pipeline_without_stages_has_an_empty_drawing():
    assert 'aria-label="No path"' in draw_path(PipelineDefinition(name="Empty"), [])


def numbers(drawing: str) -> dict[str, str]:
    pattern = r"<title>([^<]*)</title>.*?path__numbers[^>]*>([^<]*)<"
    return dict(re.findall(pattern, drawing))


def test_a_drawing_of_a_few_stages_shrinks_to_its_place_and_a_wide_one_is_scrolled():
    assert 'class="path path--whole"' in draw_path(four_stages(), ["intake"])
    places = {f"at-s{number}": Position(x=290 * number, y=0) for number in range(12)}
    wide = chain(*(f"s{number}" for number in range(12))).model_copy(
        update={"layout": Layout(stages=places)}
    )
    assert 'class="path"' in draw_path(wide, ["s0"])
