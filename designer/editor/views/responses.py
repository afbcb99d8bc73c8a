"""Responses of the editor: fragments after an edit, a sentence after a refused one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    ImportRunningError,
    PageState,
    RefusedError,
    Selection,
    StaleEditError,
    get_pipeline,
)
from designer.editor.fragments.edits import render_all, render_edit
from designer.editor.fragments.inspector import existing
from designer.editor.fragments.page import editor_page
from designer.editor.fragments.refresh_rules import follow_renames, selected_after
from designer.editor.views.inline_errors import render_inline_errors, unknown_stages
from designer.models import Pipeline

View = Callable[[HtmxHttpRequest, int], HttpResponse]

UNPROCESSABLE, CONFLICT, PRECONDITION_FAILED, TOO_MANY = 422, 409, 412, 429


def gesture(view: View) -> View:
    """Decorate a view that makes one edit: the errors of its action become a sentence.

    The view checks the permission to edit; permission to view is enough to read the sentence.
    """

    @wraps(view)
    def respond(request: HtmxHttpRequest, pk: int) -> HttpResponse:
        visible = partial(get_pipeline, request, pk, right="view")
        try:
            return view(request, pk)
        except RefusedError as error:
            return _refused(request, visible(), {error.field or "": str(error)})
        except GoneError as error:
            pipeline, text = visible(), str(error)
            errors = dict.fromkeys(unknown_stages(request.POST, pipeline), text)
            html = render_inline_errors(request.POST, errors)
            return caught_up(request, pipeline, text, CONFLICT, more=html)
        except StaleEditError as error:
            return caught_up(request, visible(), str(error), PRECONDITION_FAILED)
        except ImportRunningError as error:
            return sentence(request, visible(), str(error), TOO_MANY)

    return require_POST(respond)


def edited(
    request: HtmxHttpRequest,
    change: Change,
    *,
    select: Selection | None = None,
    keep_inspector: bool = False,
    extra: str = "",
    shown: PageState | None = None,
) -> HttpResponse:
    """Return the fragments that an edit touched. `select` becomes the page's selection.

    `shown` is the page's state, if it is not the submitted one.
    """
    if not request.htmx:
        return redirect(address_of(change.pipeline, select or Selection()))
    shown = shown or PageState.parse(request.POST)
    was = shown.selection
    if select:
        shown = shown.selecting(select.kind, select.key)
    html = render_edit(change, request.user, shown, keep_inspector=keep_inspector)
    response = HttpResponse(html + extra)
    if not select:
        shown = follow_renames(change, shown)
        shown = replace(shown, selection=selected_after(change, shown.selection))
    if select or (shown.selection != was and not shown.typing):
        tell_selected(response, shown.selection)
        replace_address(response, change.pipeline, shown.selection, shown)
    return response


def refused(
    request: HtmxHttpRequest,
    pipeline: Pipeline,
    *forms: BaseForm,
    shown: PageState | None = None,
) -> HttpResponse:
    """Return the errors of a gesture's form: next to its fields, or as a notice."""
    errors = {
        name: " ".join(dict.fromkeys(map(str, texts)))
        for form in forms
        for name, texts in form.errors.items()
    }
    return _refused(request, pipeline, errors, shown)


def _refused(
    request: HtmxHttpRequest,
    pipeline: Pipeline,
    errors: Mapping[str, str],
    shown: PageState | None = None,
) -> HttpResponse:
    """Return errors next to their fields, or as a notice."""
    if request.htmx and (html := render_inline_errors(request.POST, errors)):
        return HttpResponse(html, status=UNPROCESSABLE)
    text = " ".join(dict.fromkeys(errors.values()))
    return sentence(request, pipeline, text, UNPROCESSABLE, shown=shown)


def refused_in_place(request: HtmxHttpRequest, pipeline: Pipeline, form: BaseForm) -> HttpResponse:
    """Return the errors of text written on the canvas, in place."""
    if not request.htmx:
        return refused(request, pipeline, form)
    text = " ".join(str(error) for errors in form.errors.values() for error in errors)
    return sentence_in_place(text, UNPROCESSABLE)


def sentence_in_place(text: str, status: int, *, more: str = "") -> HttpResponse:
    """Return a sentence next to text written on the canvas, after `more` fragments."""
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
    link: tuple[str, str] = ("", ""),
    shown: PageState | None = None,
) -> HttpResponse:
    """Return a sentence in the notice, after `more` fragments, which clear the old sentence.

    `link` is the address and the text of a link in it.
    """
    if not request.htmx:
        context = editor_page(pipeline, request.user, shown or PageState.parse(request.POST))
        return render(request, "editor/editor.html", {**context, "text": text}, status=status)
    address, link_text = link
    context = {"text": text, "link": address, "link_text": link_text, "oob": True}
    notice = render_to_string("components/_notice.html", context)
    return HttpResponse(more + notice, status=status)


def caught_up(
    request: HtmxHttpRequest, pipeline: Pipeline, text: str, status: int, *, more: str = ""
) -> HttpResponse:
    """Return a sentence in the notice, and the current page, which has missed a change."""
    shown = PageState.parse(request.POST)
    if request.htmx:
        more += render_all(pipeline, request.user, shown)
    response = sentence(request, pipeline, text, status, more=more)
    selection = existing(definitions.read(pipeline), shown.selection)
    if selection != shown.selection and not shown.typing:
        tell_selected(response, selection)
        replace_address(response, pipeline, selection, shown)
    return response


def nothing_to_do(request: HtmxHttpRequest, pipeline: Pipeline, command: str) -> HttpResponse:
    """Return the response to undo or redo without a step."""
    return sentence(request, pipeline, f"There is nothing to {command}.", CONFLICT)


def tell_selected(response: HttpResponse, selection: Selection) -> HttpResponse:
    """Tell the page its new selection."""
    detail: dict[str, Any] = {"kind": selection.kind, "key": selection.key}
    return trigger_client_event(response, "baton:selected", detail, after="settle")


def address_of(pipeline: Pipeline, selection: Selection, shown: PageState | None = None) -> str:
    """Return the address of the editor that shows the selection."""
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
    """Keep the selection in the page's address, so that a reload shows it again."""
    return replace_url(response, address_of(pipeline, selection, shown))
