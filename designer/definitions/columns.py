"""Columns of the rows that store the parts of a definition.

A field of a part is stored in the column of the same name. Only the exceptions are listed here. A
new field needs a column and a migration, and is then read and written without further code.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db.models import Model, QuerySet

from designer import models
from orchestration.definition import Agent, Frame, Frozen, Note, Rule, Stage, Tool, Transition

Values = dict[str, Any]
"""The fields of a part, or the columns of a row, by name."""
Rows: TypeAlias = QuerySet[Any, Values]


@dataclass(frozen=True, slots=True)
class Reference:
    """A field with the key of another part, stored as a foreign key."""

    field: str
    column: str
    key: str
    """Column of the other row that holds the key."""
    model: type[Model]
    """Model of the other row."""
    unknown: str = ""
    """Column for the key of a part that does not exist; empty if the part must exist."""


class Columns:
    """Columns of a model that store the fields of a part.

    `unique` are the columns that identify a row. `names` are the columns whose names differ from
    their fields; `agent__key` stands for a foreign key to the row of an agent, whose key is the
    value of the field. `without` are fields that are stored elsewhere. A column `unknown_agent`
    next to `agent` holds the key of an agent that does not exist.
    """

    def __init__(
        self,
        part: type[Frozen],
        model: type[Model],
        *,
        unique: tuple[str, ...],
        names: Mapping[str, str] | None = None,
        without: Collection[str] = (),
    ) -> None:
        self.part, self.model, self.unique = part, model, unique
        fields = [name for name in part.model_fields if name not in without]
        self.lookups = {name: (names or {}).get(name, name) for name in fields}
        """Column of each field, in the notation of a query."""
        self.references = [
            self._reference(name, lookup) for name, lookup in self.lookups.items() if "__" in lookup
        ]
        self._plain = {name: lookup for name, lookup in self.lookups.items() if "__" not in lookup}
        self._empty_is_none = [
            name
            for name, column in self._plain.items()
            if part.model_fields[name].default is None and not self._column(column).null
        ]
        """Fields without a value that are stored as an empty text."""

    @property
    def updated(self) -> list[str]:
        """The columns that an update of a row sets."""
        columns = [*self._plain.values(), *(reference.column for reference in self.references)]
        columns += self.unknown
        return [column for column in columns if column not in self.unique]

    @property
    def unknown(self) -> list[str]:
        """The columns for keys of parts that do not exist."""
        return [reference.unknown for reference in self.references if reference.unknown]

    def values(self, row: Values) -> Values:
        """Return the fields of the part in a row."""
        values = {name: row[lookup] for name, lookup in self.lookups.items()}
        for name in self._empty_is_none:
            values[name] = values[name] or None
        for reference in self.references:
            if reference.unknown and values[reference.field] is None:
                values[reference.field] = row[reference.unknown] or None
        return values

    def stored(self, part: Frozen) -> Values:
        """Return the columns of a part, except its foreign keys."""
        columns = {column: _stored(getattr(part, name)) for name, column in self._plain.items()}
        for name in self._empty_is_none:
            columns[self._plain[name]] = columns[self._plain[name]] or ""
        return columns

    def _column(self, name: str) -> Any:
        return self.model._meta.get_field(name)  # noqa: SLF001

    def _reference(self, name: str, lookup: str) -> Reference:
        column, _, key = lookup.partition("__")
        columns = {field.name for field in self.model._meta.get_fields()}  # noqa: SLF001
        unknown = f"unknown_{column}" if f"unknown_{column}" in columns else ""
        return Reference(name, column, key, self._column(column).related_model, unknown)


def _stored(value: Any) -> Any:
    """Return the value of a field as a column stores it."""
    if isinstance(value, tuple):
        return [_stored(item) for item in value]
    # `hasattr` takes a fraction of the time of `isinstance` with a class of pydantic.
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_defaults=True)
    return value


AGENT = Columns(Agent, models.Agent, unique=("pipeline", "key"), names={"id": "key"})
STAGE = Columns(Stage, models.Stage, unique=("pipeline", "phase"), names={"agent_id": "agent__key"})
TRANSITION = Columns(
    Transition,
    models.Transition,
    unique=("source", "target"),
    names={"source": "source__phase", "target": "target__phase"},
)
RULE = Columns(
    Rule,
    models.Rule,
    unique=("pipeline", "key"),
    names={"id": "key", "agent_id": "agent__key"},
)
TOOL = Columns(Tool, models.Tool, unique=("pipeline", "name"), names={"pipeline": "pipeline_name"})
NOTE = Columns(Note, models.Note, unique=("pipeline", "key"), names={"id": "key"})
FRAME = Columns(
    Frame,
    models.Frame,
    unique=("pipeline", "key"),
    names={"id": "key"},
    without=("stages",),
)
