"""Forms on other ground: what two people made of the same part is put together, or chosen from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import wraps
from typing import Any

from django.forms import BaseForm
from django.http import HttpResponse, QueryDict
from django.template.loader import render_to_string
from pydantic import BaseModel, ConfigDict

from designer import definitions
from designer.core import (
    GoneError,
    HtmxHttpRequest,
    PageState,
    RefusedError,
    RowForms,
    Selection,
    get_pipeline,
    number,
    posted_key,
)
from designer.editor.forms.merging import (
    Merge,
    Values,
    checked,
    merge,
    read_values,
    values_of,
    with_values,
)
from designer.editor.fragments.edits import render_all
from designer.editor.fragments.held import changed_by, gone
from designer.editor.fragments.inspector import inspector, present
from designer.editor.fragments.merge import choices, render_merge
from designer.editor.views.ground import MALFORMED, kept_base
from designer.editor.views.holding import holding
from designer.editor.views.responses import CONFLICT, PRECONDITION_FAILED, StaleFormError, View
from designer.models import Pipeline

ALONG = ("version", "panel", "supervised")
"""State of the page that is submitted anew with a choice."""


class SentValues(BaseModel):
    """Data that a page keeps during a choice: all submitted values, and the other side's fields."""

    model_config = ConfigDict(strict=True)

    typed: str
    mine: str
    theirs: Values


def merging(view: View) -> View:
    """A view that saves a form of the inspector.

    What someone else has changed since the form was drawn is put together with what was sent, field
    by field. Where both changed the same field, the person is asked, and nothing is saved before;
    what is refused is put right before that. Else what is valid of it is saved.
    """
    view = holding(view)

    @wraps(view)
    def answer(request: HtmxHttpRequest, pk: int) -> HttpResponse:
        if "merge" in request.POST:
            request.typed, request.POST = chosen(request.POST)  # type: ignore[assignment]
        try:
            return view(request, pk)
        except StaleFormError as stale:
            pipeline = get_pipeline(request, pk)
            asked = _put_together(request, pipeline, stale)
            if hasattr(request, "held") and (
                asked or any(isinstance(form, RowForms) for form in stale.forms)
            ):
                return request.refusal
        except GoneError as error:
            if not request.htmx or "base" not in request.POST:
                raise
            return _gone(request, get_pipeline(request, pk), str(error))
        return asked or view(request, pk)

    return answer


def _put_together(
    request: HtmxHttpRequest, pipeline: Pipeline, stale: StaleFormError
) -> HttpResponse | None:
    """Make the request one on the ground there is now; where it cannot be, ask."""
    sent, shown = stale.forms, PageState.parse(request.POST)
    if shown.selection.kind == "stage" and shown.tab == "agent":  # the agent it was then
        shown = replace(shown, selection=Selection("agent", posted_key(request, "subject")))
    context = inspector(pipeline, request.user, definitions.read(pipeline), shown)
    mine = values_of(sent, without=number(request.POST.get("take_off", "")))
    theirs = read_values(context["was"])
    if not mine.keys() <= theirs.keys():  # it is written in another way now
        return stale.answer
    found = merge(kept_base(request.POST.get("was", "")), mine, theirs)
    data = with_values(request.POST, found.settled)
    data["base"], data["was"] = context["base"], context["was"]
    who = changed_by(pipeline, shown.selection, request.user)
    if found.conflicts:
        asked = asking(request, sent, found, data, theirs, who)
        html = render_to_string("editor/forms/_not_saved.html") + asked
        return HttpResponse(html, status=PRECONDITION_FAILED)
    request.typed = getattr(request, "typed", None) or request.POST
    request.merged_with, request.POST = who, data  # type: ignore[assignment]
    return None


def asking(
    request: HtmxHttpRequest,
    sent: Iterable[BaseForm | RowForms],
    found: Merge,
    data: QueryDict,
    theirs: Values,
    who: str,
    *,
    merge_id: str = "merge",
) -> str:
    """The place in which one chooses. `data` is what is saved but for what is chosen."""
    forms = {name: form for form in sent for name in _names(form)}
    of_them = {conflict.name: theirs[conflict.name] for conflict in found.conflicts}
    kept = SentValues(typed=request.POST.urlencode(), mine=data.urlencode(), theirs=of_them)
    context: dict[str, Any] = {
        "path": request.path,
        "merge_id": merge_id,
        "who": who,
        "choices": choices(found.conflicts, forms, who),
        "settled": len(found.settled),
        "merge": kept.model_dump_json(),
    }
    return render_merge(context)


def chosen(sent: QueryDict) -> tuple[QueryDict, QueryDict]:
    """Return the typed data, and the data to save after the choice."""
    try:
        kept = SentValues.model_validate_json(str(sent["merge"]))
        theirs = checked(kept.theirs)
    except ValueError:
        raise RefusedError(MALFORMED) from None
    of_all = sent.get("choose_all")
    taken = {
        name: value
        for name, value in theirs.items()
        if (of_all or sent.get(f"choose-{name}")) == "theirs"
    }
    data = with_values(QueryDict(kept.mine), taken)
    for name in ALONG:
        data[name] = sent.get(name, "")
    return QueryDict(kept.typed), data


def _gone(request: HtmxHttpRequest, pipeline: Pipeline, text: str) -> HttpResponse:
    """Return the response for a form whose part is gone: the typed text stays."""
    shown = PageState.parse(request.POST)
    is_there = present(definitions.read(pipeline), shown.selection) == shown.selection
    context: dict[str, Any] = {"pipeline": pipeline}
    if is_there:
        context |= {"text": text, "who": changed_by(pipeline, shown.selection, request.user)}
    else:
        context["gone"] = gone(pipeline, request.user, shown.selection)
    html = render_all(pipeline, request.user, shown, keep_inspector=True)
    html += render_to_string("editor/forms/_not_saved.html") + render_merge(context)
    return HttpResponse(html, status=CONFLICT)


def _names(form: BaseForm | RowForms) -> Iterable[str]:
    return (form.PREFIX,) if isinstance(form, RowForms) else form.fields
