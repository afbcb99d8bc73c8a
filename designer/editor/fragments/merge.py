"""Contexts of a merge: mine, theirs, and the old value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.forms import BaseForm
from django.template.loader import render_to_string

from designer.core import RowForms
from designer.editor.forms.merging import Conflict, Plain
from designer.editor.fragments.text_difference import MOST_PAIRS, Mark, compared

Piece = tuple[Literal["same", "gone", "new"], str]

_ROWS = {
    "cue": "Cues",
    "example": "Examples",
    "field": "What the target needs to be told",
    "comparison": "Comparisons",
}
_KINDS: dict[Mark, Literal["same", "gone", "new"]] = {"": "same", "removed": "gone", "added": "new"}
_WORDS, _LINES = re.compile(r"\s+|\w+|[^\w\s]"), re.compile(r".*\n?")


@dataclass(frozen=True)
class FieldVersion:
    """One person's value of a field, and its difference from the old value."""

    whose: Literal["mine", "theirs"]
    title: str
    pieces: list[Piece]


@dataclass(frozen=True)
class FieldChoice:
    """A field of which one of two values is to be kept."""

    name: str
    label: str
    was: str | None
    sides: tuple[FieldVersion, FieldVersion]


def choices(
    conflicts: tuple[Conflict, ...], forms: Mapping[str, BaseForm | RowForms], who: str
) -> list[FieldChoice]:
    """The fields to choose in; `forms` says in which form each of them stands."""
    found = []
    for conflict in conflicts:
        form = forms[conflict.name]
        label, words = _words(form, conflict.name)
        was = None if conflict.base is None else words(conflict.base)
        mine, theirs = words(conflict.mine), words(conflict.theirs)
        sides = (
            FieldVersion("mine", "Yours", differences(was, mine)),
            FieldVersion("theirs", f"By {who}", differences(was, theirs)),
        )
        found.append(FieldChoice(conflict.name, label, was, sides))
    return found


def render_merge(context: dict[str, Any]) -> str:
    """The place in which one chooses. Expects what `editor/forms/_merge.html` says."""
    return render_to_string("editor/forms/_merge.html", {**context, "oob": True})


def differences(was: str | None, now: str) -> list[Piece]:
    """Return the kept, removed and added pieces in reading order."""
    if was is None or was == now:
        return [("same", now)] if now else []
    old, new = _WORDS.findall(was), _WORDS.findall(now)
    if len(old) * len(new) > MOST_PAIRS:
        old, new = _LINES.findall(was), _LINES.findall(now)
    pieces = [(_KINDS[mark], "".join(parts)) for mark, parts in compared(old, new)]
    same = sum(len(text) for kind, text in pieces if kind == "same" and text.strip())
    if 2 * same < len(now):  # nothing to hold on to: it reads better as a whole
        return [("new", now)] if now else [("gone", was)]
    return pieces


def _words(form: BaseForm | RowForms, name: str) -> tuple[str, Any]:
    """Return the label of a field, and the function that formats its value."""
    if isinstance(form, RowForms):
        row = form.empty_form
        labels = {field: str(row[field].label) for field in row.fields}
        title = _ROWS.get(name, name)
        return title, lambda rows: "\n".join(_said_of_rows(rows, labels))
    field = form[name]
    offered = getattr(field.field.widget, "choices", ())
    names = {str(key): re.sub(r"<[^>]+>", "", str(label)) for key, label in offered}

    def words(value: Plain) -> str:
        if isinstance(value, dict):
            return "\n".join([value["order"], *value["members"], *value["waits"]])
        if isinstance(value, list):
            return "\n".join(names.get(one, str(one)) for one in value)
        if field.widget_type == "checkbox":
            return "Yes" if value else "No"
        return names.get(value, str(value)) if value else ""

    return str(field.label), words


def _said_of_rows(rows: list[dict[str, str]], labels: Mapping[str, str]) -> Iterator[str]:
    for number, row in enumerate(rows, start=1):
        yield f"{number}."
        for name, value in row.items():
            if value:
                text = value.replace("\n", "\n      ")
                yield f"   {labels.get(name, name)}: {text}"
