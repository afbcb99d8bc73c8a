"""Pictures of a pipeline as SVG and PNG in both themes."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from designer.exchange.pictures import MAX_PIXELS, THEMES, png_picture, svg_picture
from designer.versions import DrawnDifference, picture_file
from orchestration.definition import PipelineDefinition
from orchestration.loading import load
from tests.designer.editor_requests import chain

SVG = "{http://www.w3.org/2000/svg}"
DESK = load(Path("designer/pipelines/samples/support-desk.json").read_bytes())


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - our own drawing


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


@pytest.mark.parametrize("theme", THEMES)
def test_a_picture_has_plain_colours_and_rules_only(theme):
    svg = svg_picture(DESK, theme)
    parsed(svg)
    assert not re.search(r"var\(|light-dark|oklch|:is\(|:not\(|&", svg.partition("</style>")[0])
    assert not re.search(r'(fill|stroke)="(var|light-dark|oklch)', svg)
    ground = {"light": "#faf9f6", "dark": "#15171b"}[theme]
    assert f'fill="{ground}"/>' in svg


def test_a_picture_shows_the_stages_agents_and_labels_of_the_drawing():
    root = parsed(svg_picture(DESK, "light"))
    shown = " ".join(text.text or "" for text in root.iter(f"{SVG}text"))
    for stage in DESK.stages:
        assert stage.phase in shown
    assert "Front desk" in shown
    drawn = parsed(picture_file(DrawnDifference(DESK, DESK)))
    assert len(list(root.iter(f"{SVG}path"))) == len(list(drawn.iter(f"{SVG}path")))
    assert root.get("aria-label") == "Support desk: 9 stages"


def test_each_transition_of_a_crowded_sample_has_its_label():
    for name in ("support", "weekend-trip", "city-guide"):
        definition = load(Path(f"designer/pipelines/samples/{name}.json").read_bytes())
        described = sum(1 for edge in definition.transitions if edge.description)
        assert svg_picture(definition, "light").count('class="difference-label ') == described


def test_a_note_uses_all_lines_of_its_box():
    definition = load(Path("designer/pipelines/samples/weekend-trip.json").read_bytes())
    root = parsed(svg_picture(definition, "light"))
    [note] = [group for group in root.iter(f"{SVG}g") if group.get("class") == "difference-note"]
    assert len(list(note.iter(f"{SVG}text"))) == 3


def test_names_are_text_and_not_markup():
    name = '<script>alert("light-dark(#fff, #000)")</script>'
    definition = chain("intake", name=name)
    root = parsed(svg_picture(definition, "light"))
    assert root.get("aria-label") == f"{name}: 1 stage"
    assert list(root.iter(f"{SVG}script")) == []


@pytest.mark.parametrize("theme", THEMES)
def test_a_png_has_the_size_of_the_drawing_and_its_texts(theme):
    svg = svg_picture(DESK, theme)
    root = parsed(svg)
    png = png_picture(svg)
    assert size_of(png) == (int(root.attrib["width"]), int(root.attrib["height"]))
    without = re.sub(r"<text.*?</text>", "", svg)
    assert len(png_picture(without)) < 0.6 * len(png)  # the letters are drawn
    assert png_picture(svg) == png


@pytest.mark.skipif(
    not any(Path("/usr/share/fonts").rglob("DejaVuSans.ttf")), reason="needs a font with Hebrew"
)
def test_a_png_draws_other_scripts_with_the_fonts_of_the_server():
    """A glyph that no font has is drawn as a box, the same for every letter."""
    opening = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40">'
    shin, dalet = (
        png_picture(f'{opening}<text y="30" font-family="Inter">{letter}</text></svg>')
        for letter in "שד"
    )
    assert shin != dalet


def test_a_large_png_is_scaled_down():
    wide = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40000 2000" width="40000"'
    width, height = size_of(png_picture(f'{wide} height="2000"/>'))
    assert 0.9 * MAX_PIXELS < width * height <= 1.01 * MAX_PIXELS


def test_a_pipeline_without_stages_has_a_picture():
    assert parsed(svg_picture(PipelineDefinition(name="N"), "dark")) is not None
