"""Three-way merge of two people's values of the same form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from designer.editor.forms.form_values import ROWS, FieldValue, Values


@dataclass(frozen=True)
class Conflict:
    """A field that two people changed to different values."""

    name: str
    base: FieldValue | None
    """Old value; None if unknown."""
    mine: FieldValue
    theirs: FieldValue


@dataclass(frozen=True)
class Merge:
    """Result of a merge, field by field."""

    settled: Values
    """Fields to change in the submitted data: only the other person changed them, or both changed
    a list of choices.
    """
    conflicts: tuple[Conflict, ...]


def merge(base: Mapping[str, FieldValue], mine: Values, theirs: Values) -> Merge:
    """Merge submitted values with the current ones; `base` is the common origin.

    A field that only one person changed gets that person's value. In a list of choices, the
    additions and removals of both apply.
    """
    settled: Values = {}
    conflicts: list[Conflict] = []
    for name, value in mine.items():
        old, current = base.get(name), theirs.get(name)
        if value == current or old == current:
            continue
        if value == old:
            settled[name] = current
        elif name not in ROWS and all(isinstance(item, list) for item in (old, value, current)):
            settled[name] = _merge_choices(old, value, current)
        else:
            conflicts.append(Conflict(name, old, value, current))
    return Merge(settled, tuple(conflicts))


def _merge_choices(old: FieldValue, mine: FieldValue, theirs: FieldValue) -> FieldValue:
    """Return everything that either person added, without anything that either removed."""
    kept = [item for item in theirs if item in mine or item not in old]
    return [*kept, *(item for item in mine if item not in old and item not in theirs)]
