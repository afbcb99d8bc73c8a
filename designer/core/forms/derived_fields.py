"""Form fields derived from the fields of a part of a definition.

The definition gives the type, the bounds, the label (`title`) and the help text (the docstring) of
a plain field. A form declares only the fields that need more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from django import forms
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from designer.core.forms.fields import KeyField, ProseField
from orchestration.definition import KEY_PATTERN, MAX_TEXT

AnyForm = TypeVar("AnyForm", bound=forms.Form)


def derive_fields(
    part: type[BaseModel], *, without: Collection[str] = ()
) -> Callable[[type[AnyForm]], type[AnyForm]]:
    """Add a form field for each field of `part` that the form does not declare.

    The fields are in the order of the part. `without` are fields that the form does not edit.
    """

    def add_fields(form: type[AnyForm]) -> type[AnyForm]:
        declared, schemas = form.base_fields, part.model_json_schema()["properties"]
        derived = {
            name: declared.get(name) or derived_field(name, info, schemas[name])
            for name, info in part.model_fields.items()
            if name not in without
        }
        form.base_fields = form.declared_fields = {**derived, **declared}
        return form

    return add_fields


def derived_field(name: str, info: FieldInfo, schema: Mapping[str, Any]) -> forms.Field:
    """Return the form field of a text, key, number or Boolean value with this JSON Schema."""
    shapes = schema.get("anyOf", [schema])
    shape, is_optional = shapes[0], {"type": "null"} in shapes
    help_text = " ".join((info.description or "").split())
    texts: dict[str, Any] = {"label": info.title, "help_text": help_text}
    empty_value = None if is_optional else ""
    empty: dict[str, Any] = {"required": info.is_required(), "empty_value": empty_value}
    bounds = {"min_value": shape.get("minimum"), "max_value": shape.get("maximum")}
    match shape:
        case {"type": "boolean"}:
            return forms.BooleanField(required=False, **texts)
        case {"type": "integer"}:
            return forms.IntegerField(required=not is_optional, **bounds, **texts)
        case {"type": "number"}:
            return forms.FloatField(required=not is_optional, **bounds, **texts)
        case {"type": "string", "pattern": pattern} if pattern == KEY_PATTERN:
            return KeyField(**empty, **texts)
        case {"type": "string", "maxLength": length} if length == MAX_TEXT:
            return ProseField(**texts)
        case {"type": "string", "maxLength": length} if "enum" not in shape:
            return forms.CharField(max_length=length, **empty, **texts)
    raise TypeError(f"The field {name!r} needs a declared form field: no default for {shape}.")
