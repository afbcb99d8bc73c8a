"""Forms of which a part is refused: the rest is saved, and that stays as it was typed."""

from __future__ import annotations

from functools import wraps

from django.core.exceptions import NON_FIELD_ERRORS
from django.forms import BaseForm
from django.http import HttpResponse, QueryDict

from designer.core import HtmxHttpRequest, RefusedError, RowForms
from designer.editor.forms.merging import Values, blank_of, values_of, with_values
from designer.editor.views.ground import kept_base
from designer.editor.views.responses import FaultyFormError, View


def holding(view: View) -> View:
    """A view that saves a form of the inspector: what is valid of it is saved.

    A refused field counts as what was there when the form was drawn, until nothing is refused any
    more. Where that cannot be, or nothing would be saved, the form is refused as a whole.
    """

    @wraps(view)
    def answer(request: HtmxHttpRequest, pk: int) -> HttpResponse:
        while True:
            try:
                return view(request, pk)
            except FaultyFormError as fault:
                held = getattr(request, "held", {})
                refusal = getattr(request, "refusal", fault.answer)
                found = _faults(fault)
                data = _without(request, fault) if request.htmx else None
                if data is None or found.keys() & held.keys():
                    return refusal
                beside = dict.fromkeys(_different(request.POST, data), "")
                request.held, request.refusal = held | beside | found, refusal
                request.typed = getattr(request, "typed", None) or request.POST
                request.POST = data  # type: ignore[assignment]

    return answer


def _faults(fault: FaultyFormError) -> dict[str, str]:
    """Return the error of each submitted field, by its name in the request."""
    return {
        form.add_prefix(name): " ".join(map(str, errors))
        for sent in fault.forms
        for form in (sent.forms if isinstance(sent, RowForms) else [sent])
        for name, errors in form.errors.items()
    }


def _without(request: HtmxHttpRequest, fault: FaultyFormError) -> QueryDict | None:
    """Return the submitted data with old values in place of refused ones.

    None: it cannot be told what was there, or nothing else is to be saved.
    """
    try:
        base = kept_base(request.POST.get("was", ""))
    except RefusedError:
        return None
    data: QueryDict | None = request.POST
    for sent in fault.forms:
        if data is None:
            return None
        if isinstance(sent, RowForms):
            data = _without_cells(data, sent, base.get(sent.PREFIX))
        else:
            data = _without_fields(data, sent, base)
    if data is None or all(base.get(name) == value for name, value in _says(fault, data).items()):
        return None
    return data


def _without_fields(data: QueryDict, form: BaseForm, base: Values) -> QueryDict | None:
    if not form.errors.keys() <= base.keys():  # something is wrong with all of it together
        return None
    return with_values(data, {name: base[name] for name in form.errors})


def _without_cells(data: QueryDict, rows: RowForms, was: list[Values] | None) -> QueryDict | None:
    """Rows are only ever added at the end: there, one that is refused counts as not filled in."""
    if was is None or rows.non_form_errors() or not _REDRAWS.isdisjoint(data):
        return None
    data, count = data.copy(), len(rows.forms)
    for place, row in enumerate(rows.forms):
        names = list(row.errors)
        if names and len(was) == count and NON_FIELD_ERRORS not in names:
            values = {name: was[place].get(name, "") for name in names}
        elif names and len(was) == place == count - 1:
            values = blank_of(rows) | {name: "" for name in row.fields if name not in rows.BLANK}
        elif names:
            return None
        else:
            continue
        for name, value in values.items():
            data.pop(row.add_prefix(name), None)
            if value:
                data[row.add_prefix(name)] = value
    return data


_REDRAWS = {"add_row", "take_off", "write_as"}
"""Actions that render the rows anew, so that no typed text remains."""


def _says(fault: FaultyFormError, data: QueryDict) -> Values:
    """Return the values of a fault's forms for other data."""
    again = [
        sent.sent(data) if isinstance(sent, RowForms) else type(sent)(data) for sent in fault.forms
    ]
    names = {name for sent in fault.forms for name in values_of([sent])}
    return {name: value for name, value in values_of(again).items() if name in names}


def _different(sent: QueryDict, data: QueryDict) -> list[str]:
    """The names under which other data says something else than what was sent."""
    names = sent.keys() | data.keys()
    return [name for name in names if sent.getlist(name) != data.getlist(name)]
