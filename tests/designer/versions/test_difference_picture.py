"""Picture of a comparison as SVG."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from designer.versions import DrawnDifference, picture, picture_file
from tests.designer.versions.test_comparison import A, B, C, pipeline

CHANGED = DrawnDifference(
    pipeline("a>b", a=A, b=B), pipeline("a>c", agents="Be brief.", a=A, c=C, d=(900, 0))
)


def test_each_mark_has_a_word_and_a_sign():
    drawn = picture(CHANGED)
    for text in ("+ added", "\N{MINUS SIGN} removed", "● 2 changed", "is-ghost", "is-retargeted"):
        assert text in drawn, text


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
