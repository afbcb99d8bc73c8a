"""Picture of a comparison as SVG."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from django.conf import settings

from designer.canvas import Box
from designer.versions import DrawnDifference, picture, picture_file
from designer.versions.drawing.difference_picture import FIRST_SCALE, MAX_LABELS, STYLES, TEXT
from orchestration.definition import Note, PipelineDefinition
from orchestration.loading import load_storable
from tests.designer.versions.drawing.test_comparison import A, B, C, pipeline
from tests.difference_pages import DESK, changed_desk

SVG = "{http://www.w3.org/2000/svg}"

CHANGED = DrawnDifference(
    pipeline("a>b", a=A, b=B), pipeline("a>c", agents="Be brief.", a=A, c=C, d=(900, 0))
)


def test_each_mark_has_a_word_and_a_sign():
    drawn = picture(CHANGED)
    for text in (">+<", ">\N{MINUS SIGN}<", ">● 2<", "is-ghost", "is-retargeted"):
        assert text in drawn, text
    for word in ("added", "removed", "2 changed"):
        assert f"<title>{word}</title>" in drawn


def test_the_accessible_name_counts_the_changes():
    assert 'aria-label="Both sides: 4 stages, 2 added, 1 removed, 1 changed, 1 leads' in picture(
        CHANGED
    )


def test_names_are_escaped():
    after = pipeline(a=A)
    agent = after.agents[0].model_copy(update={"name": "<script>"})
    drawn = picture(DrawnDifference(after, after.model_copy(update={"agents": (agent,)})))
    assert "&lt;script&gt;" in drawn
    assert "<script>" not in drawn


def test_the_file_is_xml_with_its_styles():
    file = picture_file(CHANGED)
    root = ET.fromstring(file)  # noqa: S314 - our own output
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "--paper" in file.split("</style>")[0]


def test_both_texts_of_a_changed_card_are_drawn():
    before = pipeline(a=A)
    agent = before.agents[0].model_copy(update={"name": "Two"})
    drawn = picture(DrawnDifference(before, before.model_copy(update={"agents": (agent,)})))
    assert '<g class="was">' in drawn
    assert '<g class="now">' in drawn


def desk() -> tuple[PipelineDefinition, PipelineDefinition]:
    return load_storable(DESK.read_bytes()), load_storable(changed_desk())


def boxes(root: ET.Element, parent: str, name: str = "") -> list[Box]:
    """Return the boxes of the rectangles in the groups of a class."""
    rects = [
        rect
        for group in root.iter(f"{SVG}g")
        if parent in group.get("class", "").split()
        for rect in group.iter(f"{SVG}rect")
        if rect.get("class", "") == name
    ]
    sizes = [[float(rect.get(key, "0")) for key in ("x", "y", "width", "height")] for rect in rects]
    return [(x, y, x + width, y + height) for x, y, width, height in sizes]


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and one[2] > other[0] and one[1] < other[3] and one[3] > other[1]


@pytest.mark.parametrize("sides", [desk(), desk()[::-1]], ids=["forwards", "backwards"])
def test_no_label_covers_a_card_a_note_or_another_label(sides):
    root = ET.fromstring(picture_file(DrawnDifference(*sides)))  # noqa: S314 - our own output
    labels = boxes(root, "difference-label")
    cards = boxes(root, "difference-card", "difference-card__face")
    solid = cards + boxes(root, "difference-badge") + boxes(root, "difference-note")
    assert len(labels) > 10
    assert not [pair for pair in combinations(labels, 2) if overlap(*pair)]
    assert not [(label, box) for label in labels for box in solid if overlap(label, box)]


def test_the_picture_contains_a_label_that_stands_out_of_the_drawing():
    drawn = pipeline("a>b", "b>c", "a>c", a=(0, 0), b=(0, 300), c=(0, 600))
    lines = [
        line.model_copy(update={"description": "The customer wants a refund"})
        for line in drawn.transitions
    ]
    drawn = drawn.model_copy(update={"transitions": tuple(lines)})
    root = ET.fromstring(picture_file(DrawnDifference(drawn, drawn)))  # noqa: S314 - our own output
    x, y, width, height = map(int, root.get("viewBox", "").split())
    labels = boxes(root, "difference-label")
    assert len(labels) == 3
    for left, top, right, bottom in labels:
        assert x < left
        assert right < x + width
        assert y < top
        assert bottom < y + height


def test_texts_have_at_least_11_pixels_at_first():
    assert TEXT * FIRST_SCALE >= 11
    styles = Path(settings.BASE_DIR, "static", "css", STYLES[1]).read_text(encoding="utf-8")
    assert re.findall(r"font(?:-size)?: *([0-9]+)px", styles) == [str(TEXT)]


def test_long_names_end_with_an_ellipsis_and_have_a_tooltip():
    before = pipeline(a=A)
    agent = before.agents[0].model_copy(update={"name": "Technical support of the north"})
    after = before.model_copy(update={"agents": (agent,)})
    drawn = picture(DrawnDifference(after, after))
    assert ">Technical sup…<" in drawn
    assert "<title>a\nTechnical support of the north</title>" in drawn


def test_notes_and_the_supervisor_are_drawn():
    before, after = desk()
    drawn = picture(DrawnDifference(before, after))
    assert "Rehearse it" in drawn
    assert "difference-card--supervisor" in drawn
    gone = after.model_copy(update={"supervisor_id": None})
    assert "difference-card--supervisor is-removed is-ghost only-before" in picture(
        DrawnDifference(before, gone)
    )
    other = after.model_copy(update={"supervisor_id": "agent-billing"})
    assert "difference-card--supervisor is-changed" in picture(DrawnDifference(before, other))


def test_lines_lead_around_notes():
    before = pipeline("a>b", a=A, b=(800, 0))
    note = Note(id="note", text="In between", x=380, y=30, width=200)
    layout = before.layout.model_copy(update={"notes": (note,)})
    drawn = DrawnDifference(before, before.model_copy(update={"layout": layout}))
    [line] = drawn.lines
    assert len(line.route.points) > 2


def test_a_large_drawing_has_short_labels_on_changed_lines_only():
    places = {f"s{number}": (number * 320.0, 0.0) for number in range(MAX_LABELS + 2)}
    places["a"] = (0.0, 300.0)
    chain = [f"s{number}>s{number + 1}" for number in range(MAX_LABELS + 1)]
    drawn = picture(
        DrawnDifference(
            pipeline(*chain, agents="", **places), pipeline("a>s0", *chain, agents="", **places)
        )
    )
    assert 'class="difference-picture is-large"' in drawn
    assert drawn.count('class="difference-label') == 1
