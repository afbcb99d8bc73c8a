"""What forms say as plain values, and how two people's values of the same form come together."""

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
    """What the page says of a group that it shows as it is."""

    model_config = ConfigDict(strict=True)

    order: str
    drawn_order: str
    members: list[str]
    waits: list[str]


GROUP = "group"
ROWS = (CueForms.PREFIX, ExampleRows.PREFIX, PayloadRows.PREFIX, ComparisonRows.PREFIX)
"""The names of a group and of rows. A value's shape does not tell: no rows look like no picks."""

MOST_KEPT = 1_000_000
"""How many characters a page may send of what was there: a request holds the form beside it."""

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
    """What it was before; None where that is not known."""
    mine: Plain
    theirs: Plain


@dataclass(frozen=True)
class Merge:
    """A form on other ground, field by field."""

    settled: Values
    """The fields in which what was sent gives way: nobody changed them here."""
    conflicts: tuple[Conflict, ...]


def merge(base: Mapping[str, Plain], mine: Values, theirs: Values) -> Merge:
    """What someone sent, put together with what is there now; `base` is what both began with.

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
    """What either has picked, without what either took away."""
    kept = [one for one in theirs if one in mine or one not in was]
    return [*kept, *(one for one in mine if one not in was and one not in theirs)]


def values_of(forms: Forms, *, without: int | None = None) -> Values:
    """What forms say; rows go by their prefix, without the n-th where that is taken off."""
    found: Values = {}
    for form in forms:
        if isinstance(form, RowForms):
            rows = [_fields(row) for place, row in enumerate(form.forms) if place != without]
            found[form.PREFIX] = [row for row in rows if _says_anything(form, row)]
        elif form is not None:
            found |= _fields(form)
    return found


def with_values(sent: QueryDict, values: Values) -> QueryDict:
    """What a page sent, with other values in some of its fields."""
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
    """What the empty row says that is there to be filled in, where that is anything."""
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
    """Whether a row is more than the empty one that is there to be filled in."""
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
