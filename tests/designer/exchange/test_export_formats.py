"""Formats of the Export dialog."""

import json

import pytest

from designer.exchange.export_formats import EXPORT_FORMATS, export_format
from orchestration.exceptions import UnknownNameError
from orchestration.interchange import FORMATS
from tests.designer.editor_requests import chain

SCHEMA = "https://baton.example/schema.json"


def test_an_unknown_format_has_no_files():
    with pytest.raises(UnknownNameError):
        export_format("nowhere")


@pytest.mark.parametrize(("key", "ending"), [("svg", "svg"), ("png", "png")])
def test_both_themes_are_exported(key, ending):
    assert list(export_format(key).files(chain("intake"))) == [
        f"pipeline-light.{ending}",
        f"pipeline-dark.{ending}",
    ]


def test_only_baton_json_names_its_schema():
    definition = chain("intake")
    [text] = export_format("baton").texts(definition, SCHEMA).values()
    assert json.loads(text)["$schema"] == SCHEMA
    [text] = export_format("baton").texts(definition).values()
    assert "$schema" not in json.loads(text)
    mermaid = export_format("mermaid")
    assert mermaid.texts(definition, SCHEMA) == mermaid.texts(definition)


def test_a_png_is_encoded_from_the_text_of_an_svg():
    definition = chain("intake")
    png = export_format("png")
    svg = export_format("svg").files(definition)["pipeline-dark.svg"]
    assert png.texts(definition)["pipeline-dark.png"].encode() == svg
    assert png.files(definition)["pipeline-dark.png"].startswith(b"\x89PNG")


def test_every_format_that_writes_can_be_exported_and_found_by_its_key():
    keys = {each.key for each in FORMATS if each.write is not None}
    assert keys <= {each.key for each in EXPORT_FORMATS}
    assert [export_format(each.key) for each in EXPORT_FORMATS] == list(EXPORT_FORMATS)
