"""Values of a form's fields, as the page submits them and keeps them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any

from django.forms import BaseForm
from django.http import QueryDict
from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter

from designer.core import RefusedError, RowForms
from designer.editor.forms.agent import CueForms
from designer.editor.forms.examples import ExampleRows
from designer.editor.forms.payload import PayloadRows
from designer.editor.forms.rule import ComparisonRows
from orchestration.exceptions import DefinitionError
from orchestration.loading import FORM_VALUES, read_json

FieldValue = Any
"""A field's value as a browser submits it: a text; a list of texts for several choices; a list of
dictionaries for rows; a dictionary for a group.
"""

Values = dict[str, FieldValue]

GROUP = "group"
ROWS = (CueForms.PREFIX, ExampleRows.PREFIX, PayloadRows.PREFIX, ComparisonRows.PREFIX)
"""Names of a group and of rows. The shape is ambiguous: an empty list is no rows or no choices."""

MAX_OLD_VALUES = 1_000_000
"""Maximum number of characters of the old values in a request, beside the form itself."""

MALFORMED = (
    "The old values that your page submitted cannot be read, so nothing is saved. "
    "Copy what you typed and reload the page."
)
TOO_LONG = (
    f"The old content of this form is longer than {MAX_OLD_VALUES:,} characters, so nothing is "
    "saved. Export the pipeline, shorten the content in the file, and import it."
)


class _Group(BaseModel):
    """Submitted values of an unchanged group."""

    model_config = ConfigDict(strict=True)

    order: str
    drawn_order: str
    members: list[str]
    waits: list[str]


_STRICT = ConfigDict(strict=True)
_FIELD: TypeAdapter[Any] = TypeAdapter(str | list[str], config=_STRICT)
_SHAPES: dict[str, TypeAdapter[Any]] = {
    GROUP: TypeAdapter(Annotated[_Group, AfterValidator(_Group.model_dump)]),
    **dict.fromkeys(ROWS, TypeAdapter(list[dict[str, str]], config=_STRICT)),
}
_VALUES: TypeAdapter[Values] = TypeAdapter(Values)


def values_of(forms: Iterable[BaseForm | RowForms | None], *, without: int | None = None) -> Values:
    """Return the values of forms; rows by their prefix, without the n-th if it is removed."""
    values: Values = {}
    for form in forms:
        if isinstance(form, RowForms):
            rows = [_fields(row) for place, row in enumerate(form.forms) if place != without]
            values[form.PREFIX] = [row for row in rows if _is_filled_in(form, row)]
        elif form is not None:
            values |= _fields(form)
    return values


def with_values(data: QueryDict, values: Values) -> QueryDict:
    """Return submitted data with other values in some fields."""
    data = data.copy()
    for name, value in values.items():
        if name in ROWS:
            _write_rows(data, name, value)
        elif name == GROUP:
            data["order"], data["drawn_order"] = value["order"], value["drawn_order"]
            data.setlist("member", value["members"])
            data.setlist("waits", value["waits"])
        elif value == []:  # a browser submits nothing for an empty choice
            data.pop(name, None)
        elif isinstance(value, list):
            data.setlist(name, value)
        else:
            data[name] = value
    return data


def blank_row(rows: RowForms) -> Values:
    """Return the values of the empty row for additions."""
    return {name: _plain(value) for name, value in rows.BLANK.items()}


def read_old_values(text: str) -> Values:
    """Return the old values that a page submits; raise RefusedError if they are invalid."""
    if len(text) > MAX_OLD_VALUES:
        raise RefusedError(TOO_LONG)
    try:
        return read_values(text)
    except ValueError:
        raise RefusedError(MALFORMED) from None


def read_values(text: str) -> Values:
    """Return the values that `write_values` wrote, none for an empty text; else ValueError."""
    return check_values(_VALUES.validate_python(parse_values(text))) if text else {}


def parse_values(text: str) -> object:
    """Return the JSON value of a page's hidden field; raise ValueError if it is refused."""
    try:
        return read_json(text, FORM_VALUES)
    except DefinitionError as error:
        raise ValueError(str(error)) from None


def check_values(values: Values) -> Values:
    """Return submitted values; raise ValueError if one does not have the shape of its field."""
    return {
        name: _SHAPES.get(name, _FIELD).validate_python(value) for name, value in values.items()
    }


def write_values(values: Values) -> str:
    """Return values in the format in which a page keeps them."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _fields(form: BaseForm) -> Values:
    return {name: _plain(form[name].value()) for name in form.fields}


def _plain(value: object) -> FieldValue:
    match value:
        case None | False:
            return ""
        case True:
            return "on"
        case dict():
            return value
        case list() | tuple():
            return [str(item) for item in value]
        case _:
            return str(value).replace("\r\n", "\n")


def _is_filled_in(rows: RowForms, row: Values) -> bool:
    """Report whether a row differs from the empty row for additions."""
    blank = blank_row(rows)
    return any(value != blank.get(name, "") for name, value in row.items())


def _write_rows(data: QueryDict, prefix: str, rows: Iterable[Values]) -> None:
    for name in [name for name in data if name.startswith(f"{prefix}-")]:
        del data[name]
    data.pop("take_off", None)
    count = 0
    for count, row in enumerate(rows, start=1):
        for name, value in row.items():
            if value != "":
                data[f"{prefix}-{count - 1}-{name}"] = value
    data[f"{prefix}-TOTAL_FORMS"] = data[f"{prefix}-INITIAL_FORMS"] = str(count)
