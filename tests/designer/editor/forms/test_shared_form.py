"""Forms that several people edit at the same time, without pages and pipelines."""

import json

import pytest
from django import forms
from django.http import QueryDict

from designer.core import GoneError, RefusedError
from designer.editor.forms.sent_forms import SentForms, sent_fields
from designer.editor.forms.shared_form import (
    ConflictingForm,
    DeletedForm,
    InvalidForm,
    OutdatedForm,
    SavedForm,
    SharedForm,
)

pytestmark = pytest.mark.django_db


class Fields(forms.Form):
    name = forms.CharField(max_length=9)
    text = forms.CharField(required=False)


class Form(SharedForm[SentForms[Fields]]):
    """A form of a part that is kept in memory."""

    BASE = "base"
    OLD_VALUES = "was"

    def __init__(self, part, *, saves_partially=True, **sent):
        was = {"name": "Intake", "text": "Greets"}
        data = QueryDict(mutable=True)
        data.update(was | {"base": json.dumps(was), "was": json.dumps(was)} | sent)
        super().__init__(data, sent_fields(Fields), saves_partially=saves_partially)
        self.part = part
        self.changes_again = False

    def current_base(self):
        if self.changes_again:
            self.part["name"] += "!"
        return json.dumps(self.part) if self.part else None

    def current_fields(self):
        return {"base": json.dumps(self.part), "was": json.dumps(self.part)}

    def last_author(self):
        return "grace"

    def act(self, sent):
        if not self.part:
            raise GoneError("The part is deleted.")
        if sent.fields.cleaned_data["name"] == "taken":
            raise RefusedError("This name is taken.", field="name")
        self.part |= sent.fields.cleaned_data
        return self.part

    def _preview(self, pending, act):
        """Return no preview: this part is no row, so an edit cannot be undone."""


def part(**changes):
    return {"name": "Intake", "text": "Greets"} | changes


def save(form):
    return form.save(form.act)


def test_a_change_is_applied():
    form = Form(part(), text="Asks")
    outcome = save(form)
    assert isinstance(outcome, SavedForm)
    assert form.part == part(text="Asks")
    assert (outcome.refused, outcome.merged_with) == ({}, "")


def test_changes_of_different_fields_are_merged():
    form = Form(part(name="Desk"), text="Asks")
    outcome = save(form)
    assert isinstance(outcome, SavedForm)
    assert form.part == {"name": "Desk", "text": "Asks"}
    assert outcome.merged_with == "grace"
    assert outcome.typed.fields["name"].value() == "Intake"


def test_changes_of_the_same_field_return_both_texts():
    form = Form(part(text="Listens"), text="Asks")
    outcome = save(form)
    assert isinstance(outcome, ConflictingForm)
    conflict = outcome.merge.conflicts[0]
    assert (conflict.base, conflict.mine, conflict.theirs) == ("Greets", "Asks", "Listens")
    assert form.part == part(text="Listens")


@pytest.mark.parametrize(("choice", "text"), [("mine", "Asks"), ("theirs", "Listens")])
def test_the_chosen_text_is_saved_with_the_merged_fields(choice, text):
    current = {"name": "Desk", "text": "Listens"}
    outcome = save(Form(current, text="Asks"))
    choice = {"merge": outcome.pending.model_dump_json(), "choose-text": choice}
    form = Form(current, **choice)
    assert isinstance(save(form), SavedForm)
    assert form.part == {"name": "Desk", "text": text}


@pytest.mark.parametrize("name", ["", "far too long", "taken"])
def test_a_refused_field_does_not_prevent_the_others_from_being_saved(name):
    form = Form(part(), name=name, text="Asks")
    outcome = save(form)
    assert isinstance(outcome, SavedForm)
    assert form.part == part(text="Asks")
    assert list(outcome.refused) == ["name"]
    assert outcome.typed.fields["name"].value() == name


@pytest.mark.parametrize("name", ["", "taken"])
def test_a_form_is_refused_as_a_whole_if_the_page_does_not_keep_its_text(name):
    form = Form(part(), name=name, text="Asks", saves_partially=False)
    assert isinstance(save(form), InvalidForm)
    assert form.part == part()


def test_a_form_without_another_change_than_the_refused_one_is_refused():
    assert isinstance(save(Form(part(), name="")), InvalidForm)


def test_a_refused_field_is_corrected_before_a_choice():
    form = Form(part(text="Listens"), name="", text="Asks")
    assert isinstance(save(form), InvalidForm)
    assert form.part == part(text="Listens")


def test_a_refused_form_with_unreadable_old_values_is_refused_as_a_whole():
    assert isinstance(save(Form(part(), name="", text="Asks", was="{")), InvalidForm)


def test_a_part_with_other_fields_is_not_merged():
    assert isinstance(save(Form({"text": "Listens"}, text="Asks")), OutdatedForm)


def test_a_part_that_changes_again_during_the_merge_is_outdated():
    form = Form(part(name="Desk"), text="Asks")
    form.changes_again = True
    assert isinstance(save(form), OutdatedForm)


def test_a_form_of_a_deleted_part_is_not_saved():
    assert save(Form(None, text="Asks")) == DeletedForm("The part is deleted.")


def test_old_values_that_cannot_be_read_are_refused():
    with pytest.raises(RefusedError, match="cannot be read"):
        save(Form(part(name="Desk"), text="Asks", was="{"))
