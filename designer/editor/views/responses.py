"""Responses of the editor: fragments after an edit, a sentence after a refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial, wraps
from typing import Any

from django.forms import BaseForm
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_POST
from django_htmx.http import replace_url, trigger_client_event

from designer import definitions
from designer.core import (
    Change,
    GoneError,
    HtmxHttpRequest,
    PageState,
    RefusedError,
    RowForms,
    Selection,
    StaleEditError,
    get_pipeline,
)
from designer.editor.fragments.edits import render_all, render_edit
from designer.editor.fragments.inspector import present
from designer.editor.fragments.page import editor_page
from designer.editor.fragments.refresh_rules import selected_after
from designer.editor.views.inline_errors import beside, unknown_stages
from designer.models import Pipeline

View = Callable[[HtmxHttpRequest, int], HttpResponse]

UNPROCESSABLE, CONFLICT, PRECONDITION_FAILED = 422, 409, 412


class StaleFormError(Exception):
    """A form of the inspector stands on other ground, and nothing was done with it.

    `forms` are all that was sent; `answer` is what to say where they cannot be put together with
    what is there now (`designer.editor.views.merge`).
    """

    def __init__(self, forms: Iterable[BaseForm | RowForms], answer: HttpResponse) -> None:
        super().__init__()
        self.forms, self.answer = list(forms), answer


class FaultyFormError(Exception):
    """Something is wrong with a form of the inspector, and nothing was done with it.

    `forms` are all that was sent; `answer` is what to say where nothing of it can be kept
    (`designer.editor.views.holding`).
    """

    def __init__(self, forms: Iterable[BaseForm | RowForms], answer: HttpResponse) -> None:
        super().__init__()
        self.forms, self.answer = list(forms), answer


def gesture(view: View) -> View:
    """A view that makes one edit. What cannot be done answers with a sentence.

    The view asks for the right to what it does; the sentence is for whoever may look.
    """

    @wraps(view)
    def answer(request: HtmxHttpRequest, pk: int) -> HttpResponse:
        seen = partial(get_pipeline, request, pk, right="view")
        try:
            return view(request, pk)
        except RefusedError as error:
            return _refused(request, seen(), {error.field or "": str(error)})
        except (FaultyFormError, StaleFormError) as error:
            return error.answer
        except GoneError as error:
            pipeline, text = seen(), str(error)
            told = beside(request.POST, dict.fromkeys(unknown_stages(request.POST, pipeline), text))
            return caught_up(request, pipeline, text, CONFLICT, more=told)
        except StaleEditError as error:
            return caught_up(request, seen(), str(error), PRECONDITION_FAILED)

    return require_POST(answer)


def edited(
    request: HtmxHttpRequest,
    change: Change,
    *,
    select: Selection | None = None,
    keep_inspector: bool = False,
    extra: str = "",
) -> HttpResponse:
    """The fragments that an edit touched. `select` is what the page is to select now."""
    if not request.htmx:
        return redirect(address_of(change.pipeline, select or Selection()))
    shown = PageState.parse(request.POST)
    was = shown.selection
    if select:
        shown = shown.selecting(select.kind, select.key)
    html = render_edit(change, request.user, shown, keep_inspector=keep_inspector)
    response = HttpResponse(html + extra)
    if not select:
        shown = replace(shown, selection=selected_after(change, shown.selection))
    if select or (shown.selection != was and not shown.typing):
        tell_selected(response, shown.selection)
        replace_address(response, change.pipeline, shown.selection, shown)
    return response


def refused(request: HtmxHttpRequest, pipeline: Pipeline, *forms: BaseForm) -> HttpResponse:
    """Return the errors of a gesture's form: next to its fields, or as a notice."""
    told = {
        name: " ".join(dict.fromkeys(map(str, errors)))
        for form in forms
        for name, errors in form.errors.items()
    }
    return _refused(request, pipeline, told)


def _refused(request: HtmxHttpRequest, pipeline: Pipeline, told: Mapping[str, str]) -> HttpResponse:
    """Sentences by the fields that they are about."""
    if request.htmx and (html := beside(request.POST, told)):
        return HttpResponse(html, status=UNPROCESSABLE)
    text = " ".join(dict.fromkeys(told.values()))
    return sentence(request, pipeline, text, UNPROCESSABLE)


def refused_in_place(request: HtmxHttpRequest, pipeline: Pipeline, form: BaseForm) -> HttpResponse:
    """Return the errors of text written on the canvas, in place."""
    if not request.htmx:
        return refused(request, pipeline, form)
    found = " ".join(str(error) for errors in form.errors.values() for error in errors)
    return said_in_place(found, UNPROCESSABLE)


def said_in_place(text: str, status: int, *, more: str = "") -> HttpResponse:
    """A sentence beside where someone writes on the canvas, after `more` fragments."""
    context = {"id": "writing", "text": text, "oob": True}
    return HttpResponse(
        more + render_to_string("components/_field_error.html", context), status=status
    )


def sentence(
    request: HtmxHttpRequest,
    pipeline: Pipeline,
    text: str,
    status: int,
    *,
    more: str = "",
    way_on: tuple[str, str] = ("", ""),
) -> HttpResponse:
    """A sentence in the notice, after `more` fragments: they take the old sentence away.

    `way_on` is a link in it: where it leads, and what it says.
    """
    if not request.htmx:
        context = editor_page(pipeline, request.user, PageState.parse(request.POST))
        return render(request, "editor/editor.html", {**context, "text": text}, status=status)
    link, link_text = way_on
    notice = render_to_string(
        "components/_notice.html", {"text": text, "link": link, "link_text": link_text, "oob": True}
    )
    return HttpResponse(more + notice, status=status)


def caught_up(
    request: HtmxHttpRequest, pipeline: Pipeline, text: str, status: int, *, more: str = ""
) -> HttpResponse:
    """A sentence in the notice, and the page as it should be: it has missed something."""
    shown = PageState.parse(request.POST)
    if request.htmx:
        more += render_all(pipeline, request.user, shown)
    response = sentence(request, pipeline, text, status, more=more)
    selection = present(definitions.read(pipeline), shown.selection)
    if selection != shown.selection and not shown.typing:
        tell_selected(response, selection)
        replace_address(response, pipeline, selection, shown)
    return response


def nothing_to_do(request: HtmxHttpRequest, pipeline: Pipeline, what: str) -> HttpResponse:
    """Undo or redo asked for once too often."""
    return sentence(request, pipeline, f"There is nothing to {what}.", CONFLICT)


def tell_selected(response: HttpResponse, selection: Selection) -> HttpResponse:
    """Let the page mark what is selected now."""
    detail: dict[str, Any] = {"kind": selection.kind, "key": selection.key}
    return trigger_client_event(response, "baton:selected", detail, after="settle")


def address_of(pipeline: Pipeline, selection: Selection, shown: PageState | None = None) -> str:
    """The address of the editor that shows the selection."""
    query = QueryDict(mutable=True)
    if selection.key:
        query["select"] = str(selection)
    if shown and selection.kind == "stage" and shown.tab != "stage":
        query["tab"] = shown.tab
    if shown and shown.panel != "problems":
        query["panel"] = shown.panel
    path = reverse("editor", args=[pipeline.pk])
    return f"{path}?{query.urlencode(safe=':>')}" if query else path


def replace_address(
    response: HttpResponse, pipeline: Pipeline, selection: Selection, shown: PageState
) -> HttpResponse:
    """Keep what is selected in the page's address, so that a reload shows it again."""
    return replace_url(response, address_of(pipeline, selection, shown))
