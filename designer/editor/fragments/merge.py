"""Choice between two people's texts of the same fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.forms import BaseForm
from django.template.loader import render_to_string

from designer.core import RowForms
from designer.editor.forms.form_values import FieldValue
from designer.editor.forms.merging import Conflict
from designer.editor.forms.shared_form import ConflictingForm
from designer.versions import difference_context
from orchestration.definition import PipelineDefinition
from orchestration.difference import TextMark, TextRun, word_differences

Piece = tuple[Literal["same", "gone", "new"], str]

_ROWS = {
    "cue": "Cues",
    "example": "Examples",
    "field": "Data for the target",
    "comparison": "Comparisons",
}
_KINDS: dict[TextMark, Literal["same", "gone", "new"]] = {
    "": "same",
    "removed": "gone",
    "added": "new",
}


@dataclass(frozen=True)
class FieldVersion:
    """One person's value of a field, and its difference from the old value."""

    whose: Literal["mine", "theirs"]
    title: str
    pieces: list[Piece]


@dataclass(frozen=True)
class FieldChoice:
    """A field in conflict, with both values."""

    name: str
    label: str
    was: str | None
    versions: tuple[FieldVersion, FieldVersion]


def render_choices(
    conflicting: ConflictingForm[Any],
    parts: Iterable[BaseForm | RowForms],
    path: str,
    *,
    saved: PipelineDefinition,
    merge_id: str = "merge",
    difference: str = "",
) -> str:
    """Render both texts of each field in conflict. `parts` are forms with labels and options.

    `saved` is the pipeline as it is: a dialog shows its difference from the person's own one.
    `difference` is the address of the other person's changes.
    """
    forms = {
        name: part
        for part in parts
        for name in ((part.PREFIX,) if isinstance(part, RowForms) else part.fields)
    }
    merge, author = conflicting.merge, conflicting.author
    context: dict[str, Any] = {
        "path": path,
        "merge_id": merge_id,
        "difference": difference,
        "who": author,
        "choices": [
            _choice(conflict, forms[conflict.name], author) for conflict in merge.conflicts
        ],
        "settled": len(merge.settled),
        "merge": conflicting.pending.model_dump_json(),
    }
    if conflicting.mine is not None and conflicting.mine != saved:
        titles = (f"Saved, by {author}", "Yours")
        context |= difference_context(saved, conflicting.mine, titles=titles)
    return render_merge(context)


def render_merge(context: dict[str, Any]) -> str:
    """Render `editor/forms/_merge.html`, which lists what it expects."""
    return render_to_string("editor/forms/_merge.html", {**context, "oob": True})


def _choice(conflict: Conflict, form: BaseForm | RowForms, author: str) -> FieldChoice:
    label, words = _words(form, conflict.name)
    was = None if conflict.base is None else words(conflict.base)
    mine, theirs = words(conflict.mine), words(conflict.theirs)
    versions = (
        FieldVersion("mine", "Yours", differences(was, mine)),
        FieldVersion("theirs", f"By {author}", differences(was, theirs)),
    )
    return FieldChoice(conflict.name, label, was, versions)


def differences(was: str | None, now: str) -> list[Piece]:
    """Return the kept, removed and added pieces in reading order."""
    if was is None:
        return [("same", now)] if now else []
    runs = word_differences(was, now)
    if now and runs == (TextRun("removed", was), TextRun("added", now)):
        return [("new", now)]  # as a whole: the old value is shown beside it
    return [(_KINDS[mark], text) for mark, text in runs]


def _words(form: BaseForm | RowForms, name: str) -> tuple[str, Any]:
    """Return the label of a field, and the function that formats its value."""
    if isinstance(form, RowForms):
        row = form.empty_form
        labels = {field: str(row[field].label) for field in row.fields}
        title = _ROWS.get(name, name)
        return title, lambda rows: "\n".join(_row_lines(rows, labels))
    field = form[name]
    offered = getattr(field.field.widget, "choices", ())
    names = {str(key): re.sub(r"<[^>]+>", "", str(label)) for key, label in offered}

    def words(value: FieldValue) -> str:
        if isinstance(value, dict):
            return "\n".join([value["order"], *value["members"], *value["waits"]])
        if isinstance(value, list):
            return "\n".join(names.get(item, str(item)) for item in value)
        if field.widget_type == "checkbox":
            return "Yes" if value else "No"
        return names.get(value, str(value)) if value else ""

    return str(field.label), words


def _row_lines(rows: list[dict[str, str]], labels: Mapping[str, str]) -> Iterator[str]:
    for number, row in enumerate(rows, start=1):
        yield f"{number}."
        for name, value in row.items():
            if value:
                text = value.replace("\n", "\n      ")
                yield f"   {labels.get(name, name)}: {text}"
