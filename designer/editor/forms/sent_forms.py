"""Forms of one submission: fields, rows, or both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.forms import BaseForm
from django.http import QueryDict

from designer.core import RefusedError, RowForms, number

AnyForm = TypeVar("AnyForm", bound=BaseForm)
Fields = TypeVar("Fields", bound=BaseForm | None)


class SentForms(Generic[Fields]):
    """Everything that one submission contains.

    `add_row` in the data asks for an empty row, `take_off` removes the n-th.
    """

    def __init__(self, data: QueryDict, fields: Fields, rows: RowForms | None = None) -> None:
        self.fields = fields
        self.rows = rows
        self.adds_row = "add_row" in data
        self.removed_row = number(data.get("take_off", ""))

    @property
    def parts(self) -> list[BaseForm | RowForms]:
        """Return the fields and the rows, without those that do not exist."""
        return [part for part in (self.fields, self.rows) if part is not None]

    @property
    def forms(self) -> list[BaseForm]:
        """Return all forms; each row is one form."""
        rows = self.rows.forms if self.rows is not None else ()
        return [*([self.fields] if self.fields is not None else ()), *rows]

    @property
    def errors(self) -> dict[str, str]:
        """Return the errors by the name of the field in the request."""
        return {
            form.add_prefix(name): " ".join(map(str, errors))
            for form in self.forms
            for name, errors in form.errors.items()
        }

    @property
    def general_errors(self) -> list[str]:
        """Return the errors of the rows as a whole."""
        return [*map(str, self.rows.non_form_errors())] if self.rows is not None else []

    @property
    def row_parts(self) -> tuple[Any, ...]:
        """Return the parts that the rows describe, except the removed one."""
        return self.rows.parts(without=self.removed_row) if self.rows is not None else ()

    def are_valid(self) -> bool:
        """Report whether everything is valid, except the removed row."""
        rows_are_valid = self.rows is None or self.rows.are_valid(without=self.removed_row)
        return (self.fields is None or self.fields.is_valid()) and rows_are_valid

    def add_error(self, error: RefusedError) -> None:
        """Show an error of the action next to its field; raise it if there are only rows."""
        if self.fields is None:
            raise error
        field = error.field if error.field in self.fields.fields else None
        self.fields.add_error(field, str(error))


def sent_fields(form: type[AnyForm]) -> Callable[[QueryDict], SentForms[AnyForm]]:
    """Return the function that reads the fields of a submission."""
    return lambda data: SentForms(data, form(data))


def sent_rows(kind: type[RowForms]) -> Callable[[QueryDict], SentForms[None]]:
    """Return the function that reads the rows of a submission."""
    return lambda data: SentForms(data, None, kind.sent(data))
