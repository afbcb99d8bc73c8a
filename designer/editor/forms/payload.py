"""Forms of a handoff's payload: rows of fields, or a JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, Self

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import QueryDict

from designer.core import (
    JsonField,
    ListField,
    PartForm,
    PlaceholderField,
    RowForms,
    ToolNameField,
)
from designer.editor.forms.sent_forms import SentForms
from orchestration.definition import MAX_TEXT, TOOL_NAME_PATTERN, Transition

MAX_FIELDS = 50
MAX_WORDS = 500

FieldType = Literal["text", "number", "integer", "yes_no", "texts", "choice"]

TYPES: tuple[tuple[FieldType, str], ...] = (
    ("text", "Text"),
    ("number", "Number"),
    ("integer", "Whole number"),
    ("yes_no", "Yes or no"),
    ("texts", "List of texts"),
    ("choice", "One of…"),
)


@dataclass(frozen=True, slots=True)
class PayloadField:
    """One field of a handoff's payload."""

    name: str
    type: FieldType = "text"
    choices: tuple[str, ...] = ()
    """Options of a field of the type `choice`."""
    description: str = ""
    required: bool = True


def schema_of(fields: Iterable[PayloadField]) -> dict[str, Any] | None:
    """Return the JSON Schema of payload fields; None without fields."""
    fields = tuple(fields)
    required = [field.name for field in fields if field.required]
    properties = {field.name: _property(field) for field in fields}
    schema = {"type": "object", "properties": properties} | (
        {"required": required} if required else {}
    )
    return schema if fields else None


def fields_of(schema: Mapping[str, Any] | None) -> tuple[PayloadField, ...] | None:
    """Return the fields of a schema; None if rows cannot express all of it."""
    if schema is None:
        return ()
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        return None
    if len(properties) > MAX_FIELDS:
        return None
    parsed = (_field(name, part, required=name in required) for name, part in properties.items())
    fields = tuple(field for field in parsed if field is not None)
    return fields if schema_of(fields) == _in_order(schema, properties, required) else None


class PayloadRow(PartForm):
    """One field of the payload."""

    ONLY_FOR: ClassVar[Mapping[str, str]] = {"choices": "choice"}

    name = ToolNameField()
    type = forms.ChoiceField(choices=TYPES)
    choices = ListField(rows=2, help_text="One per line.")
    description = PlaceholderField(label="Description", max_length=MAX_WORDS)
    required = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Build the field; None for an empty row."""
        values = self.cleaned_data
        unused = self.drop_unused(values.get("type"))
        if self.errors:
            return values
        if "choices" in unused:
            values["choices"] = ()
        elif not values["choices"]:
            self.add_error("choices", "Write the options to choose from, one per line.")
        is_filled = any(values[name] for name in ("name", "choices", "description"))
        if is_filled and not values["name"]:
            self.add_error("name", "Enter the name of the field.")
        if not self.errors:
            values["part"] = PayloadField(**values) if is_filled else None
        return values


class PayloadRows(RowForms):
    """Fields of the payload with unique names."""

    PREFIX = "field"
    BLANK: ClassVar[dict[str, Any]] = {"type": "text", "required": True}

    def clean(self) -> None:
        """Refuse duplicate names."""
        names: set[str] = set()
        for form in self.forms:
            name = form.cleaned_data.get("name") if form.is_valid() else None
            if name and name in names:
                form.add_error("name", f"There is a field “{name}” already.")
            names.add(name or "")


PAYLOAD: type[PayloadRows] = PayloadRows.of(PayloadRow, max_rows=MAX_FIELDS)


class PayloadForm(PartForm):
    """Further fields of the payload: the tool's name, and the schema as JSON in place of rows."""

    schema = JsonField(
        dict[str, Any] | None,
        rows=8,
        label="As a JSON Schema",
        empty="null",
        help_text="Its type is object. Leave empty for no payload.",
    )
    tool_name = ToolNameField(
        label="Tool name", help_text="The tool that the model calls for this handoff."
    )

    PATHS: ClassVar[dict[str, str]] = {
        "input_schema": NON_FIELD_ERRORS,
        "tool_name": "tool_name",
    }
    """Field that shows the issues of a path of the transition."""

    @classmethod
    def showing(cls, transition: Transition, default_name: str, **options: Any) -> Self:
        """Return the form of a transition. `default_name` names its tool if it has no name."""
        initial = {"schema": transition.input_schema, "tool_name": transition.tool_name}
        form = cls(initial=initial, **options)
        form.fields["tool_name"].widget.attrs["placeholder"] = default_name
        return form


def payload_rows(fields: Iterable[PayloadField], token: str) -> PayloadRows:
    """Return the rows of payload fields."""
    return PAYLOAD.showing([asdict(field) for field in fields], token)


class SentPayload(SentForms[PayloadForm]):
    """Submitted payload: rows, or JSON in the form beside them.

    `write_as` in the data asks for the other format.
    """

    def __init__(self, data: QueryDict) -> None:
        is_json = data.get("written_as") == "json"
        super().__init__(data, PayloadForm(data), None if is_json else PAYLOAD.sent(data))
        self.write_as = data.get("write_as") or ("json" if is_json else "fields")
        if not is_json:
            del self.fields.fields["schema"]

    def are_valid(self) -> bool:
        """Report whether the payload can be saved and shown in the requested format."""
        if not super().are_valid():
            return False
        is_read_as_fields = self.rows is None and self.write_as == "fields"
        if is_read_as_fields and fields_of(self.schema) is None:
            self.fields.add_error(
                "schema",
                "Fields cannot express this schema, so it stays JSON. Simplify it first.",
            )
        return self.fields.is_valid()

    @property
    def schema(self) -> dict[str, Any] | None:
        """JSON Schema of a valid payload."""
        if self.rows is None:
            schema: dict[str, Any] | None = self.fields.cleaned_data["schema"]
            return schema
        return schema_of(self.row_parts)


_SIMPLE: dict[FieldType, dict[str, Any]] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "yes_no": {"type": "boolean"},
    "texts": {"type": "array", "items": {"type": "string"}},
}


def _in_order(
    schema: Mapping[str, Any], properties: Mapping[str, Any], required: list[Any]
) -> dict[str, Any]:
    """Return the schema with `required` in the order of rows, if it means the same."""
    names = [name for name in properties if name in required]
    rest = {key: part for key, part in schema.items() if key != "required"}
    return rest | ({"required": names} if names else {}) if len(names) == len(required) else {}


def _property(field: PayloadField) -> dict[str, Any]:
    """Return the schema of one field."""
    kind = _SIMPLE.get(field.type) or {"type": "string", "enum": list(field.choices)}
    return kind | ({"description": field.description} if field.description else {})


def _field(name: str, schema: object, *, required: bool) -> PayloadField | None:
    """Return the field of a schema; None if a row cannot express it."""
    if not isinstance(schema, dict) or not re.fullmatch(TOOL_NAME_PATTERN, name):
        return None
    words, choices = schema.get("description", ""), schema.get("enum", [])
    if not isinstance(choices, list) or not all(map(_fits, [words, *choices])):
        return None
    if len("\n".join(choices)) > MAX_TEXT:
        return None
    rest = {key: part for key, part in schema.items() if key != "description"}
    simple_kind = next((kind for kind, simple in _SIMPLE.items() if simple == rest), None)
    kind: FieldType | None = "choice" if choices and all(choices) else simple_kind
    return PayloadField(name, kind, tuple(choices), words, required) if kind else None


def _fits(text: object) -> bool:
    """Report whether a one-line field preserves the text."""
    return (
        isinstance(text, str)
        and text.strip() == text
        and len(text.splitlines()) <= 1
        and len(text) <= MAX_WORDS
        and "\x00" not in text
    )
