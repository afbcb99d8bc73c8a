"""Rows: small forms of one kind, as many as there are parts to show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self, cast

from django.forms.formsets import BaseFormSet, formset_factory
from django.http import QueryDict

from designer.core.forms.fields import PartForm


class RowForms(BaseFormSet):  # type: ignore[type-arg]
    """Rows in order. The cleaned `part` of each is what it makes; one that says nothing: None."""

    PREFIX: ClassVar[str] = ""
    BLANK: ClassVar[dict[str, Any]] = {}
    """Initial values of a new row."""

    auto_id: str

    default_error_messages: ClassVar[dict[str, Any]] = {
        "missing_management_form": "The page did not say how many rows there are: load it anew.",
        "too_many_forms": "At most %(num)d rows fit in here.",
    }
    """Messages in place of Django's."""

    @classmethod
    def of(cls, row: type[PartForm], *, most: int) -> type[Self]:
        """The class of at most so many rows of a kind."""
        made = formset_factory(
            row,
            formset=cls,
            extra=0,
            max_num=most,
            absolute_max=most + 1,
            validate_max=True,
        )
        return cast("type[Self]", made)

    @classmethod
    def sent(cls, data: QueryDict) -> Self:
        """The rows as they were sent."""
        return cls(data, prefix=cls.PREFIX)

    @classmethod
    def showing(cls, rows: Sequence[dict[str, Any]], token: str) -> Self:
        """The rows that show these values; their fields have ids that begin with the token."""
        return cls(initial=rows, prefix=cls.PREFIX, auto_id=f"{token}-%s")

    def with_blank(self) -> Self:
        """The same rows and an empty one to fill in."""
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
        return not any(errors for place, errors in enumerate(self.errors) if place != without)

    def parts(self, *, without: int | None = None) -> tuple[Any, ...]:
        """Return the parts that the rows describe, except the removed one."""
        made = (
            form.cleaned_data.get("part")
            for place, form in enumerate(self.forms)
            if place != without
        )
        return tuple(part for part in made if part is not None)
