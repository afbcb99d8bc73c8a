"""Forms of the pages of versions."""

import pytest

from designer.versions.forms import (
    NAME_LENGTH,
    NOTE_LENGTH,
    MoveForm,
    PageForm,
    PublishAgainForm,
    PublishForm,
)


def test_a_version_needs_a_name_and_no_note():
    form = PublishForm({"name": " ", "note": ""})
    assert form.errors == {"name": ["Give the version a name: it says what is new."]}
    assert PublishForm({"name": "First"}).is_valid()


def test_long_names_and_notes_are_refused():
    form = PublishForm({"name": "x" * (NAME_LENGTH + 1), "note": "y" * (NOTE_LENGTH + 1)})
    assert set(form.errors) == {"name", "note"}
    assert PublishForm({"name": "x" * NAME_LENGTH, "note": "y" * NOTE_LENGTH}).is_valid()


def test_a_refused_form_takes_the_present_state_and_keeps_its_texts():
    form = PublishForm({"name": "Second", "note": "Why", "live": "1", "draft": "4"})
    form.see(live=None, draft=7)
    assert form.is_valid()
    assert form.cleaned_data == {"name": "Second", "note": "Why", "live": None, "draft": 7}
    assert (form["live"].value(), form["draft"].value()) == ("", 7)


def test_a_new_form_shows_the_present_state():
    form = PublishAgainForm(initial={"live": 1})
    form.see(draft=7)
    assert (form["live"].value(), form["draft"].value()) == (1, 7)
    assert not form.is_bound


@pytest.mark.parametrize(("until", "is_valid"), [("", True), ("0", True), ("-1", False)])
def test_a_part_of_the_history_ends_at_an_edit(until, is_valid):
    assert PageForm({"until": until}).is_valid() is is_valid


def test_a_state_that_is_no_number_is_refused():
    form = MoveForm({"live": "v1", "draft": ""})
    assert set(form.errors) == {"live"}
