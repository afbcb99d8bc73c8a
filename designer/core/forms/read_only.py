"""Forms of people who may only view a pipeline."""

from __future__ import annotations

from django import forms

from designer.core.forms.rows import RowForms
from designer.models import Pipeline


def make_read_only(*parts: forms.BaseForm | RowForms | None) -> None:
    """Make the fields of forms and rows read-only: their text can be selected and copied."""
    for part in parts:
        each = part.forms if isinstance(part, RowForms) else [part] if part else []
        for form in each:
            for field in form.fields.values():
                field.widget.attrs[_attribute(field.widget)] = True


def is_view_only(pipeline: Pipeline) -> bool:
    """Report whether the current user may only view a pipeline from `get_pipeline`."""
    return getattr(pipeline, "role", "") == "viewer"


def _attribute(widget: forms.Widget) -> str:
    """Return the attribute that prevents changes: choices and check boxes have no `readonly`."""
    is_text = isinstance(widget, forms.Textarea | forms.TextInput | forms.NumberInput)
    return "readonly" if is_text else "disabled"
