"""Forms with a folded section."""

import pytest
from django import forms

from designer.editor.forms.folded import FoldedForm


class Form(FoldedForm):
    SHOWN = ("name",)

    name = forms.CharField()
    language = forms.CharField(required=False)
    key = forms.CharField()
    choice = forms.CharField(required=False)
    limit = forms.IntegerField(required=False)


def names(fields):
    return [field.name for field in fields]


def test_each_field_is_in_one_section():
    form = Form()
    assert names(form.shown_fields) == ["name"]
    assert names(form.folded_fields) == ["language", "key", "choice", "limit"]


@pytest.mark.parametrize(
    ("initial", "is_unfolded"),
    [
        ({}, False),
        ({"name": "Clerk"}, False),
        ({"choice": "auto", "language": ""}, False),
        ({"key": "agent-1"}, False),
        ({"language": "English"}, True),
        ({"limit": 0}, False),
        ({"limit": 3}, True),
    ],
)
def test_the_section_is_unfolded_if_one_of_its_fields_is_used(initial, *, is_unfolded):
    assert Form(initial=initial).is_unfolded is is_unfolded


def test_the_section_is_unfolded_if_one_of_its_fields_has_an_error():
    assert Form({"name": "Clerk", "key": "agent-1", "limit": "many"}).is_unfolded
