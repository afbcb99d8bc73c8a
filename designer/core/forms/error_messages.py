"""Forms that say in Baton's own words what is wrong: a sentence that names the field.

Django has stock sentences of its own for what every field may find ("Ensure this value is less than
or equal to 2."), and they are lazily translated texts; what a form of ours says itself is plain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise


class WordedForm(forms.Form):
    """A form, none of whose sentences about a field is Django's.

    What is too long is said, too: a browser that knew how long a field may be would cut off what is
    pasted there without a word, and half of it would be saved.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.widget.attrs.pop("maxlength", None)

    def add_error(self, field: str | None, error: Any) -> None:
        """Take an error in, in our words."""
        if field in self.fields and isinstance(error, ValidationError):
            error = ValidationError([self._worded(field, one) for one in error.error_list])
        super().add_error(field, error)

    def _worded(self, name: str, error: ValidationError) -> ValidationError:
        if not isinstance(error.message, Promise):
            return error
        sentence = f"{self[name].label} {_must(self.fields[name], error)}"
        return ValidationError(sentence, code=error.code)


def faults_of(form: forms.BaseForm) -> Iterator[str]:
    """Yield the errors of a form as sentences that name their fields."""
    for name, errors in form.errors.items():
        label = str(form[name].label) if name in form.fields else ""
        for sentence in map(str, errors):
            yield sentence if sentence.startswith(label) else f"{label}: {sentence}"


def _must(field: forms.Field, error: ValidationError) -> str:
    """Return the requirement that a field's value violates."""
    bounds: Mapping[str, Any] = error.params or {}
    match error.code:
        case "required" | "missing" | "empty":
            return "must not be empty."
        case "min_value" | "max_value":
            return f"must be {_range(field)}."
        case "max_length" if "limit_value" in bounds:
            most, length = bounds["limit_value"], bounds["show_value"]
            return f"must have at most {most:,} characters, not {length:,}."
        case "invalid_choice":
            return f"has no choice “{bounds.get('value', '')}”."
        case "null_characters_not_allowed":
            return "must not hold the character NUL."
        case "invalid" if isinstance(field, forms.IntegerField):
            whole = not isinstance(field, forms.FloatField)
            return f"must be a {'whole ' if whole else ''}number."
        case "invalid" if isinstance(field, forms.FileField):
            return "must be a file."
        case _:
            return "cannot be this."


def _range(field: forms.Field) -> str:
    """Between which bounds a number is to be: `:,g` would round a million and one."""
    least, most = getattr(field, "min_value", None), getattr(field, "max_value", None)
    if least is not None and most is not None:
        return f"from {least:,} to {most:,}"
    return f"at least {least:,}" if most is None else f"at most {most:,}"
