"""Forms with Baton's own error messages: sentences that name the field.

Django's messages ("Ensure this value is less than or equal to 2.") are lazily translated texts; the
messages of Baton's forms are plain strings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise


class BatonForm(forms.Form):
    """A form that replaces Django's error messages of fields.

    Fields have no `maxlength` attribute: a browser would silently truncate pasted text. The form
    reports a text that is too long.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.widget.attrs.pop("maxlength", None)

    def add_error(self, field: str | None, error: Any) -> None:
        """Add an error with Baton's message."""
        if field in self.fields and isinstance(error, ValidationError):
            error = ValidationError([self._translate(field, detail) for detail in error.error_list])
        super().add_error(field, error)

    def _translate(self, name: str, error: ValidationError) -> ValidationError:
        if not isinstance(error.message, Promise):
            return error
        sentence = f"{self[name].label} {_requirement(self.fields[name], error)}"
        return ValidationError(sentence, code=error.code)


def form_errors(form: forms.BaseForm) -> Iterator[str]:
    """Yield the errors of a form as sentences that name their fields."""
    for name, errors in form.errors.items():
        label = str(form[name].label) if name in form.fields else ""
        for sentence in map(str, errors):
            yield sentence if sentence.startswith(label) else f"{label}: {sentence}"


def focus_first_error(form: forms.BaseForm) -> None:
    """Give the focus to the first field with an error, when the page is loaded."""
    name = next((name for name in form.fields if name in form.errors), None)
    for each, field in form.fields.items():
        if each == name:
            field.widget.attrs["autofocus"] = True
        elif name:
            field.widget.attrs.pop("autofocus", None)


def _requirement(field: forms.Field, error: ValidationError) -> str:
    """Return the requirement that a field's value violates."""
    bounds: Mapping[str, Any] = error.params or {}
    match error.code:
        case "required" | "missing" | "empty":
            return "must not be empty."
        case "min_value" | "max_value":
            return f"must be {_range(field)}."
        case "max_length" if "limit_value" in bounds:
            limit, length = bounds["limit_value"], bounds["show_value"]
            return f"must have at most {limit:,} characters, not {length:,}."
        case "invalid_choice":
            return f"has no choice “{bounds.get('value', '')}”."
        case "null_characters_not_allowed":
            return "must not contain the character NUL."
        case "invalid" if isinstance(field, forms.IntegerField):
            whole = not isinstance(field, forms.FloatField)
            return f"must be a {'whole ' if whole else ''}number."
        case "invalid" if isinstance(field, forms.FileField):
            return "must be a file."
        case _:
            return "is not valid."


def _range(field: forms.Field) -> str:
    """Return the bounds of a number as text. The format `:,g` would round 1,000,001."""
    lower, upper = getattr(field, "min_value", None), getattr(field, "max_value", None)
    if lower is not None and upper is not None:
        return f"from {lower:,} to {upper:,}"
    return f"at least {lower:,}" if upper is None else f"at most {upper:,}"
