"""Refused fields of a submission: they get their old values back, so that the rest is saved."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS
from django.forms import BaseForm
from django.http import QueryDict

from designer.core import RowForms
from designer.editor.forms.form_values import Values, blank_row, with_values
from designer.editor.forms.sent_forms import SentForms


def without_refused(data: QueryDict, sent: SentForms[Any], old: Values) -> QueryDict | None:
    """Return submitted data with the old values in place of the refused ones.

    None: an error concerns several fields together, or an old value is unknown.
    """
    restored: QueryDict | None = data
    for part in sent.parts:
        if restored is None:
            return None
        if isinstance(part, RowForms):
            restored = _without_refused_cells(restored, part, old.get(part.PREFIX))
        else:
            restored = _without_refused_fields(restored, part, old)
    return restored


def changed_names(data: QueryDict, other: QueryDict) -> list[str]:
    """Return the names that have different values in two submissions."""
    names = data.keys() | other.keys()
    return [name for name in names if data.getlist(name) != other.getlist(name)]


def _without_refused_fields(data: QueryDict, form: BaseForm, old: Values) -> QueryDict | None:
    if not form.errors.keys() <= old.keys():  # an error of the form as a whole
        return None
    return with_values(data, {name: old[name] for name in form.errors})


def _without_refused_cells(
    data: QueryDict, rows: RowForms, old: list[Values] | None
) -> QueryDict | None:
    """Restore the refused cells of rows.

    Rows are only added at the end, so a refused row there counts as not filled in.
    """
    if old is None or rows.non_form_errors() or not _RERENDERS.isdisjoint(data):
        return None
    data, count = data.copy(), len(rows.forms)
    for place, row in enumerate(rows.forms):
        names = list(row.errors)
        if names and len(old) == count and NON_FIELD_ERRORS not in names:
            values = {name: old[place].get(name, "") for name in names}
        elif names and len(old) == place == count - 1:
            values = blank_row(rows) | {name: "" for name in row.fields if name not in rows.BLANK}
        elif names:
            return None
        else:
            continue
        for name, value in values.items():
            data.pop(row.add_prefix(name), None)
            if value:
                data[row.add_prefix(name)] = value
    return data


_RERENDERS = {"add_row", "take_off", "write_as"}
"""Requests that render the rows again, which would discard refused text."""
