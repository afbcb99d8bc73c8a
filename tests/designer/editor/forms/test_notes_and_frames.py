"""Forms of notes and frames."""

import json

import pytest

from designer.editor.forms.canvas import NO_FRAME
from designer.editor.forms.notes_and_frames import (
    COLOURS,
    FrameForm,
    FrameStagesForm,
    NoteForm,
    RenameFrameForm,
    SizeNoteForm,
    WriteNoteForm,
)
from orchestration.definition import MAX_STAGES, MAX_TEXT, Frame, Note


def note_form(**values):
    return NoteForm.showing(Note(**({"id": "n", "text": "Here", "x": 0, "y": 0} | values)))


def error(form):
    (messages,) = form.errors.values()
    return str(messages[0])


def test_the_form_of_a_note_shows_its_fields():
    form = note_form(hue=25, width=240.0)
    assert form.initial == {"text": "Here", "hue": "25", "width": 240}
    assert list(form.fields["hue"].choices) == list(COLOURS)
    assert note_form(width=240.5).initial["width"] == 240.5


def test_a_hue_without_a_name_can_be_kept():
    form = note_form(hue=26)
    assert 'title="Custom"' in str(form["hue"])
    assert FrameForm({"title": "Desk", "hue": "26"}).is_valid()


@pytest.mark.parametrize("hue", ["360", "-1", "red"])
def test_a_hue_that_is_no_angle_is_refused(hue):
    assert not FrameForm({"title": "Desk", "hue": hue}).is_valid()


def test_a_colour_has_its_hue_as_an_attribute():
    html = str(FrameForm.showing(Frame(id="f", title="Desk", hue=25, stages=("a",)))["hue"])
    assert html.count("data-hue=") == len(COLOURS) - 1
    assert 'data-hue="25"' in html


@pytest.mark.parametrize(("fields", "old"), [({}, None), ({"was": ""}, ""), ({"was": "A"}, "A")])
def test_the_old_text_is_none_if_the_page_does_not_send_it(fields, old):
    form = WriteNoteForm({"note": "n", "text": "B", **fields})
    assert form.is_valid(), form.errors
    assert form.old_text == old


def test_a_text_that_is_too_long_is_refused_with_its_length():
    form = WriteNoteForm({"note": "n", "text": "x" * (MAX_TEXT + 1)})
    assert error(form).endswith(f"this has {MAX_TEXT + 1}.")
    assert error(RenameFrameForm({"frame": "f", "title": ""})) == "A frame needs a title."


@pytest.mark.parametrize("width", ["39", "2001", "wide"])
def test_a_width_outside_of_the_limits_is_refused(width):
    assert not SizeNoteForm({"note": "n", "width": width}).is_valid()


@pytest.mark.parametrize(("value", "key"), [("", ""), ("desk", "desk"), (NO_FRAME, None)])
def test_stages_enter_a_new_frame_an_existing_one_or_none(value, key):
    form = FrameStagesForm({"stages": '["a"]', "frame": value})
    assert form.is_valid(), form.errors
    assert form.key == key


@pytest.mark.parametrize("count", [0, MAX_STAGES + 1])
def test_a_frame_needs_stages(count):
    form = FrameStagesForm({"stages": json.dumps(["a"] * count)})
    assert error(form) == "Select at least one stage to frame."
