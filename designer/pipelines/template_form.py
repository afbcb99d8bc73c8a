"""Forms of templates."""

from __future__ import annotations

from django import forms

from designer.core import ProseField, WordedForm


class TemplateForm(WordedForm):
    """A template's name, and what it is for."""

    name = forms.CharField(
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Give the template a name."},
    )
    description = ProseField(max_length=2_000, rows=3)


class TemplateNameForm(WordedForm):
    """A template's name."""

    name = forms.CharField(max_length=120, error_messages={"required": "Give the template a name."})


class SampleForm(WordedForm):
    """One of the built-in samples, by its key. The view knows whether there is such a one."""

    sample = forms.SlugField(max_length=64)
