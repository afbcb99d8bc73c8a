"""Rows: a list of small forms of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self, cast

from django.forms.formsets import BaseFormSet, formset_factory
from django.http import QueryDict

from designer.core.forms.fields import PartForm


class RowForms(BaseFormSet):  # type: ignore[type-arg]
    """Ordered rows. The cleaned `part` of a row is the part that it describes; None if blank."""

    PREFIX: ClassVar[str] = ""
    BLANK: ClassVar[dict[str, Any]] = {}
    """Initial values of a new row."""

    auto_id: str

    default_error_messages: ClassVar[dict[str, Any]] = {
        "missing_management_form": "The number of rows is missing: reload the page.",
        "too_many_forms": "At most %(num)d rows are allowed: remove some.",
    }
    """Messages in place of Django's."""

    @classmethod
    def of(cls, row: type[PartForm], *, max_rows: int) -> type[Self]:
        """Create the class for at most `max_rows` rows of a kind."""
        row_forms = formset_factory(
            row,
            formset=cls,
            extra=0,
            max_num=max_rows,
            absolute_max=max_rows + 1,
            validate_max=True,
        )
        return cast("type[Self]", row_forms)

    @classmethod
    def sent(cls, data: QueryDict) -> Self:
        """Return the submitted rows."""
        return cls(data, prefix=cls.PREFIX)

    @classmethod
    def showing(cls, rows: Sequence[dict[str, Any]], token: str) -> Self:
        """Return rows with these values; the token is the prefix of the ids of their fields."""
        return cls(initial=rows, prefix=cls.PREFIX, auto_id=f"{token}-%s")

    def with_blank(self) -> Self:
        """Return the same rows and an additional blank one."""
        rows = [*(self.initial or ()), self.BLANK]
        forms = type(self)(initial=rows, prefix=self.PREFIX, auto_id=self.auto_id)
        first = next(iter(forms.forms[-1].fields.values()))
        first.widget.attrs["autofocus"] = True
        return forms

    @property
    def is_last_blank(self) -> bool:
        """Report whether the last of the valid rows is empty."""
        return bool(self.forms) and self.forms[-1].cleaned_data.get("part") is None

    def are_valid(self, *, without: int | None = None) -> bool:
        """Report whether all rows are valid, except the removed one."""
        if self.is_valid():
            return True
        if without is None or self.non_form_errors():
            return False
        return not any(errors for index, errors in enumerate(self.errors) if index != without)

    def parts(self, *, without: int | None = None) -> tuple[Any, ...]:
        """Return the parts that the rows describe, except the removed one."""
        parts = (
            form.cleaned_data.get("part")
            for index, form in enumerate(self.forms)
            if index != without
        )
        return tuple(part for part in parts if part is not None)
