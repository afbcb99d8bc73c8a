"""Forms of templates."""

from __future__ import annotations

from django import forms

from designer.core import BatonForm, ProseField


class TemplateForm(BatonForm):
    """Form with the name and description of a template."""

    name = forms.CharField(
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Give the template a name."},
    )
    description = ProseField(max_length=2_000, rows=3)


class TemplateNameForm(BatonForm):
    """Form with the name of a template."""

    name = forms.CharField(max_length=120, error_messages={"required": "Give the template a name."})


class SampleForm(BatonForm):
    """Form with the key of a sample. The view checks that it exists."""

    sample = forms.SlugField(max_length=64)
