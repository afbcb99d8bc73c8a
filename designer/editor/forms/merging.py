"""Merge of two people's values of the same form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from django.forms import BaseForm
from django.http import QueryDict
from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter

from designer.core import RowForms
from designer.editor.forms.agent import CueForms
from designer.editor.forms.examples import ExampleRows
from designer.editor.forms.payload import PayloadRows
from designer.editor.forms.rule import ComparisonRows

Plain = Any
"""A field's value as a browser sends it: a text; of several picks a list of them; of rows a list of
the fields of each; of a group what the page says of it."""

Values = dict[str, Plain]
Forms = Iterable[BaseForm | RowForms | None]


class _Group(BaseModel):
    """Submitted values of an unchanged group."""

    model_config = ConfigDict(strict=True)

    order: str
    drawn_order: str
    members: list[str]
    waits: list[str]


GROUP = "group"
ROWS = (CueForms.PREFIX, ExampleRows.PREFIX, PayloadRows.PREFIX, ComparisonRows.PREFIX)
"""The names of a group and of rows. A value's shape does not tell: no rows look like no picks."""

MOST_KEPT = 1_000_000
"""Maximum number of characters of the old values in a request, beside the form itself."""

_STRICT = ConfigDict(strict=True)
_FIELD: TypeAdapter[Any] = TypeAdapter(str | list[str], config=_STRICT)
_SHAPES: dict[str, TypeAdapter[Any]] = {
    GROUP: TypeAdapter(Annotated[_Group, AfterValidator(_Group.model_dump)]),
    **dict.fromkeys(ROWS, TypeAdapter(list[dict[str, str]], config=_STRICT)),
}
_VALUES: TypeAdapter[Values] = TypeAdapter(Values)


@dataclass(frozen=True)
class Conflict:
    """A field that two people made into different things."""

    name: str
    base: Plain | None
    """Old value; None if unknown."""
    mine: Plain
    theirs: Plain


@dataclass(frozen=True)
class Merge:
    """A form on other ground, field by field."""

    settled: Values
    """The fields in which what was sent gives way: nobody changed them here."""
    conflicts: tuple[Conflict, ...]


def merge(base: Mapping[str, Plain], mine: Values, theirs: Values) -> Merge:
    """Merge submitted values with the current ones; `base` is the common origin.

    A field that only one of them changed is as they made it. Picks are added and taken away by
    both.
    """
    settled: Values = {}
    conflicts: list[Conflict] = []
    for name, value in mine.items():
        was, now = base.get(name), theirs.get(name)
        if value == now or was == now:
            continue
        if value == was:
            settled[name] = now
        elif name not in ROWS and all(isinstance(one, list) for one in (was, value, now)):
            settled[name] = _picked(was, value, now)
        else:
            conflicts.append(Conflict(name, was, value, now))
    return Merge(settled, tuple(conflicts))


def _picked(was: Plain, mine: Plain, theirs: Plain) -> Plain:
    """Merge two selections: everything that either added, without anything that either removed."""
    kept = [one for one in theirs if one in mine or one not in was]
    return [*kept, *(one for one in mine if one not in was and one not in theirs)]


def values_of(forms: Forms, *, without: int | None = None) -> Values:
    """Return the values of forms; rows by their prefix, without the n-th if it is removed."""
    found: Values = {}
    for form in forms:
        if isinstance(form, RowForms):
            rows = [_fields(row) for place, row in enumerate(form.forms) if place != without]
            found[form.PREFIX] = [row for row in rows if _says_anything(form, row)]
        elif form is not None:
            found |= _fields(form)
    return found


def with_values(sent: QueryDict, values: Values) -> QueryDict:
    """Return the submitted data with other values in some fields."""
    data = sent.copy()
    for name, value in values.items():
        if name in ROWS:
            _write_rows(data, name, value)
        elif name == GROUP:
            data["order"], data["drawn_order"] = value["order"], value["drawn_order"]
            data.setlist("member", value["members"])
            data.setlist("waits", value["waits"])
        elif value == []:  # a browser sends nothing where nothing is picked
            data.pop(name, None)
        elif isinstance(value, list):
            data.setlist(name, value)
        else:
            data[name] = value
    return data


def blank_of(rows: RowForms) -> Values:
    """Return the values of the empty row for additions."""
    return {name: _plain(value) for name, value in rows.BLANK.items()}


def read_values(text: str) -> Values:
    """Values as a page sends them back, none where it knows none; else ValueError."""
    return checked(_VALUES.validate_json(text)) if text else {}


def checked(values: Values) -> Values:
    """Values from elsewhere, each of the shape that its field has; else ValueError."""
    return {
        name: _SHAPES.get(name, _FIELD).validate_python(value) for name, value in values.items()
    }


def write_values(values: Values) -> str:
    """Values as a page keeps them."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _fields(form: BaseForm) -> Values:
    return {name: _plain(form[name].value()) for name in form.fields}


def _plain(value: object) -> Plain:
    match value:
        case None | False:
            return ""
        case True:
            return "on"
        case dict():
            return value
        case list() | tuple():
            return [str(one) for one in value]
        case _:
            return str(value).replace("\r\n", "\n")


def _says_anything(rows: RowForms, row: Values) -> bool:
    """Report whether a row differs from the empty row for additions."""
    blank = blank_of(rows)
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
