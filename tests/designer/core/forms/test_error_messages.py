"""Error messages of forms."""

import importlib
import pkgutil
from typing import Any

import pytest
from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.utils.datastructures import MultiValueDict

import designer
from designer.core.forms.error_messages import BatonForm
from designer.editor.forms.agent import CUES


class EveryField(BatonForm):
    """One field of each kind."""

    temperature = forms.FloatField(required=False, min_value=0, max_value=2)
    max_output_tokens = forms.IntegerField(required=False, min_value=1, max_value=1_000_000)
    time_limit = forms.FloatField(required=False, max_value=3_600, label="Time limit of a turn")
    turns = forms.IntegerField(required=False, min_value=1)
    name = forms.CharField(max_length=5)
    kind = forms.ChoiceField(required=False, choices=[("next", "Next")])
    file = forms.FileField(required=False)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("temperature", "2.5", "Temperature must be from 0 to 2."),
        ("temperature", "hot", "Temperature must be a number."),
        ("max_output_tokens", "0", "Max output tokens must be from 1 to 1,000,000."),
        ("max_output_tokens", "1.5", "Max output tokens must be a whole number."),
        ("time_limit", "3601", "Time limit of a turn must be at most 3,600."),
        ("turns", "0", "Turns must be at least 1."),
        ("name", "", "Name must not be empty."),
        ("name", "Writer", "Name must have at most 5 characters, not 6."),
        ("name", "a\x00b", "Name must not contain the character NUL."),
        ("kind", "telex", "Kind has no choice “telex”."),
    ],
)
def test_an_error_names_the_field_and_the_requirement(field, value, message):
    assert EveryField({"name": "Ada", field: value}).errors[field] == [message]


def test_an_empty_file_is_rejected():
    empty: UploadedFile[Any] = SimpleUploadedFile("a.json", b"")
    files = MultiValueDict({"file": [empty]})
    form = EveryField({"name": "Ada"}, files)
    assert form.errors["file"] == ["File must not be empty."]


def test_no_field_has_a_maxlength_attribute():
    assert EveryField.base_fields["name"].widget.attrs["maxlength"] == "5"
    assert "maxlength" not in str(EveryField()) + str(CUES.showing([{}], "i1"))


def test_no_form_uses_the_error_messages_of_django():
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(designer.__path__, "designer.")
        if "form" in module.name
    ]
    classes = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, forms.BaseForm)
        and value.__module__ == module.__name__
    }
    assert len(classes) > 40
    assert [form for form in classes if not issubclass(form, BatonForm)] == []
