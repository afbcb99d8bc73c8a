"""Read-only forms."""

from __future__ import annotations

import pytest
from django import forms

from designer.core.forms.read_only import is_view_only, make_read_only
from designer.editor.forms.agent import CUES
from designer.models import Membership, Pipeline


class Everything(forms.Form):
    """A form with each sort of field."""

    name = forms.CharField()
    note = forms.CharField(widget=forms.Textarea)
    count = forms.IntegerField()
    choice = forms.ChoiceField(choices=[("a", "A")])
    switch = forms.BooleanField()


def attributes(form: forms.BaseForm) -> dict[str, set[str]]:
    """Return the attributes of each field that prevent changes."""
    return {
        name: {"readonly", "disabled"} & field.widget.attrs.keys()
        for name, field in form.fields.items()
    }


def test_texts_and_numbers_are_read_only_and_other_fields_are_disabled():
    form = Everything()
    make_read_only(form, None)
    assert attributes(form) == {
        "name": {"readonly"},
        "note": {"readonly"},
        "count": {"readonly"},
        "choice": {"disabled"},
        "switch": {"disabled"},
    }
    assert not any(attributes(Everything()).values()), "other forms are not affected"


def test_each_row_is_read_only():
    rows = CUES.showing([{}, {}], "token")
    make_read_only(rows)
    assert len(rows.forms) == 2
    assert all(all(attributes(form).values()) for form in rows.forms)


@pytest.mark.django_db
@pytest.mark.parametrize(("role", "expected"), [("viewer", True), ("editor", False)])
def test_only_viewers_may_only_view(pipeline, user, other_user, role, expected):
    Membership.objects.update(role=role)
    assert is_view_only(Pipeline.objects.seen_by(other_user).get()) is expected
    assert not is_view_only(Pipeline.objects.seen_by(user).get())
