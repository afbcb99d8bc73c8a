"""Forms of copy, cut, paste and duplicate."""

import json

import pytest

from designer.editor.forms.canvas import TOO_MANY
from designer.editor.forms.clipboard import NOT_JSON, PasteForm, SelectionForm
from orchestration.definition import MAX_FRAMES, MAX_NOTES, MAX_STAGES, PipelineDefinition, Position
from orchestration.loading import MAX_BYTES


def error(form):
    (messages,) = form.errors.values()
    return str(messages[0])


@pytest.mark.parametrize("name", ["stages", "notes", "frames"])
def test_one_part_is_a_selection(name):
    assert SelectionForm({name: '["a"]'}).is_valid()


def test_a_selection_without_parts_is_refused():
    assert error(SelectionForm({})).startswith("Nothing is selected.")


@pytest.mark.parametrize(
    ("name", "limit"), [("stages", MAX_STAGES), ("notes", MAX_NOTES), ("frames", MAX_FRAMES)]
)
def test_an_impossible_selection_is_refused(name, limit):
    assert error(SelectionForm({name: json.dumps(["a"] * (limit + 1))})) == TOO_MANY


def test_the_text_of_a_pipeline_becomes_its_definition():
    definition = PipelineDefinition(name="Desk")
    text = "\ufeff" + definition.dump().replace("\n", "\r\n")
    form = PasteForm({"text": text, "x": "1", "y": "2"})
    assert form.is_valid(), form.errors
    assert form.cleaned_data["text"] == definition
    assert form.cleaned_data["at"] == Position(x=1, y=2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no text on the clipboard."),
        ("Hello", NOT_JSON),
        ("[1]", NOT_JSON),
        ("{", "The pasted text is not a pipeline: "),
        ('{"name": "P", "stages": 1}', "The pasted text is not a pipeline: at $.stages: "),
        ('{"name": 1, "stages": 1}', "(and 1 more fault)"),
        ("{" + " " * MAX_BYTES, "The pasted text is larger than "),
    ],
)
def test_a_text_without_a_pipeline_is_refused_with_the_location(text, sentence):
    assert sentence in error(PasteForm({"text": text}))
