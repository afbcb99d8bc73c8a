"""Forms with sections that fold."""

import pytest
from django import forms

from designer.core import SectionedForm


class Form(SectionedForm):
    TOP = ("name",)
    SECTIONS = {"Model": ("language",), "Advanced": ("key",)}
    OPEN = frozenset({"Model"})
    DEFAULTS = {"choice": "auto", "limit": 3}

    name = forms.CharField()
    language = forms.CharField(required=False)
    key = forms.CharField()
    choice = forms.CharField(required=False)
    limit = forms.IntegerField(required=False)


def test_each_field_is_in_one_section_and_the_last_has_the_rest():
    form = Form(auto_id="i1-%s")
    model, advanced = form.sections
    assert [field.name for field in form.top_fields] == ["name"]
    assert [field.name for field in model.fields] == ["language"]
    assert [field.name for field in advanced.fields] == ["key", "choice", "limit"]
    assert (model.is_open, advanced.is_open) == (True, False)
    assert (model.id, advanced.id) == ("i1-section-model", "i1-section-advanced")


@pytest.mark.parametrize(
    ("initial", "summary"),
    [
        ({"choice": "auto", "limit": 3}, "defaults"),
        ({"choice": "auto", "limit": "3", "key": "agent-1"}, "defaults"),
        ({"choice": "none", "limit": 3}, "Choice"),
        ({"choice": "none", "limit": 0}, "Choice, Limit"),
    ],
)
def test_a_section_names_the_fields_without_their_default(initial, summary):
    *_, advanced = Form(initial=initial).sections
    assert advanced.summary == summary


def test_a_section_knows_about_an_error_of_its_fields():
    model, advanced = Form({"name": "Clerk", "key": "agent-1", "limit": "many"}).sections
    assert (model.has_errors, advanced.has_errors) == (False, True)
