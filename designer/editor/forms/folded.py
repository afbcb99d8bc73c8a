"""Forms with a folded section for the fields that are rarely used."""

from __future__ import annotations

from typing import ClassVar

from django import forms

from designer.core import PartForm


class FoldedForm(PartForm):
    """A form with two sections: fields that are always shown, and a folded section."""

    SHOWN: ClassVar[tuple[str, ...]]
    """Names of the fields that are always shown, in order."""

    @property
    def shown_fields(self) -> list[forms.BoundField]:
        """Return the fields that are always shown."""
        return [self[name] for name in self.SHOWN]

    @property
    def folded_fields(self) -> list[forms.BoundField]:
        """Return the fields of the folded section."""
        return [field for field in self if field.name not in self.SHOWN]

    @property
    def is_unfolded(self) -> bool:
        """Report whether a field of the folded section is in use or has an error.

        A field that always has a value, such as an id, does not count as used.
        """
        return any(
            field.errors or (field.value() not in _EMPTY and not field.field.required)
            for field in self.folded_fields
        )


_EMPTY = (None, "", False, "auto")
