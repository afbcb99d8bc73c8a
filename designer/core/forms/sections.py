"""Forms with named sections that fold, below the fields that most people need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.utils.text import slugify

from designer.core.forms.fields import PartForm


@dataclass(frozen=True)
class Section:
    """A named section of a form."""

    name: str
    id: str
    fields: list[forms.BoundField]
    summary: str
    """The values of the section in a few words: the changed fields, or "defaults"."""
    is_open: bool
    """The section is open unless the user folded it."""
    has_errors: bool
    """A field has an error: the section is open in any case."""
    only_for: str
    """The choices of the form to which all fields of the section apply; empty: all choices."""


class SectionedForm(PartForm):
    """A form with fields that are always shown, and sections that fold."""

    TOP: ClassVar[tuple[str, ...]]
    """Names of the fields that are always shown, in order."""
    SECTIONS: ClassVar[Mapping[str, tuple[str, ...]]]
    """Names of the fields of each section. The last one also has the fields that no other has."""
    OPEN: ClassVar[frozenset[str]] = frozenset()
    """Names of the sections that are open at first."""
    DEFAULTS: ClassVar[Mapping[str, Any]] = {}
    """Values that count as unchanged, except for empty ones."""

    @property
    def top_fields(self) -> list[forms.BoundField]:
        """Return the fields that are always shown."""
        return [self[name] for name in self.TOP]

    @property
    def sections(self) -> Iterator[Section]:
        """Return the sections, in order."""
        named = {name for names in self.SECTIONS.values() for name in names}
        rest = [name for name in self.fields if name not in self.TOP and name not in named]
        last = list(self.SECTIONS)[-1]
        for name, names in self.SECTIONS.items():
            fields = [self[field] for field in (*names, *(rest if name == last else ()))]
            yield Section(
                name=name,
                id=str(self.auto_id).replace("%s", f"section-{slugify(name)}"),
                fields=fields,
                summary=self.summary_of(name, fields),
                is_open=name in self.OPEN,
                has_errors=any(field.errors for field in fields),
                only_for=_shared_choices(fields),
            )

    def summary_of(self, section: str, fields: list[forms.BoundField]) -> str:
        """Return the values of a section in a few words."""
        changed = [str(field.label) for field in fields if self._is_changed(field)]
        return ", ".join(changed) or "defaults"

    def _is_changed(self, field: forms.BoundField) -> bool:
        """Report whether a field has another value than by default.

        A field that always has a value of its own, such as an id, does not count.
        """
        value = field.value()
        if field.name in self.DEFAULTS:
            return _plain(value) != _plain(self.DEFAULTS[field.name])
        return not (value is None or value is False or value in _EMPTY or field.field.required)


def _plain(value: object) -> object:
    return [str(item) for item in value] if isinstance(value, list | tuple) else str(value)


_EMPTY: tuple[object, ...] = ("", [], (), {})


def _shared_choices(fields: list[forms.BoundField]) -> str:
    choices = {str(field.field.widget.attrs.get("data-only", "")) for field in fields}
    return choices.pop() if len(choices) == 1 else ""
