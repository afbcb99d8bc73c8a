"""Search and replacement of a text in a pipeline."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_http_methods

from designer import definitions
from designer.core import Change, EditError, HtmxHttpRequest, RefusedError, get_pipeline
from designer.editor.actions.search import SearchQuery, replace_all, replace_one
from designer.editor.forms.search import ReplaceForm, SearchForm
from designer.editor.fragments.search import render_results, search_results
from designer.editor.views.responses import (
    CONFLICT,
    UNPROCESSABLE,
    edited,
    gesture,
    refused,
)
from designer.models import Pipeline


@require_http_methods(["GET", "POST"])
def search(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Search a text in the pipeline."""
    pipeline = get_pipeline(request, pk, right="view")
    form = SearchForm(request.POST or request.GET)
    if not form.is_valid():
        context = {"pipeline": pipeline, "error": _errors(form)}
        return render(request, "editor/panels/_search_results.html", context, status=UNPROCESSABLE)
    context = search_results(pipeline, definitions.read(pipeline), SearchQuery(**form.cleaned_data))
    response = render(request, "editor/panels/_search_results.html", context)
    response.write(render_to_string("editor/panels/_replace_all.html", {**context, "oob": True}))
    return response


@gesture
def replace(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Replace a text in one place or everywhere."""
    pipeline = get_pipeline(request, pk)
    form = ReplaceForm(request.POST)
    if not form.is_valid():
        if not request.htmx or "text" in form.errors:
            return refused(request, pipeline, form)
        return _with_error(pipeline, _query(form), _errors(form), UNPROCESSABLE)
    query = _query(form)
    try:
        change = _replace(pipeline, request, form, query)
    except EditError as error:
        if not request.htmx:
            raise
        status = UNPROCESSABLE if isinstance(error, RefusedError) else CONFLICT
        return _with_error(pipeline, query, str(error), status)
    definition = change.read_definition()
    results = render_results(change.pipeline, definition, query, replaced=change.label)
    return edited(request, change, extra=results)


def _replace(
    pipeline: Pipeline, request: HtmxHttpRequest, form: ReplaceForm, query: SearchQuery
) -> Change:
    replacement, name = form.cleaned_data["replacement"], form.cleaned_data["place"]
    if name:
        return replace_one(
            pipeline=pipeline, user=request.user, query=query, replacement=replacement, name=name
        )
    return replace_all(pipeline=pipeline, user=request.user, query=query, replacement=replacement)


def _with_error(pipeline: Pipeline, query: SearchQuery, error: str, status: int) -> HttpResponse:
    """Return the current hits with an error above them."""
    html = render_results(pipeline, definitions.read(pipeline), query, error=error)
    return HttpResponse(html, status=status)


def _query(form: SearchForm) -> SearchQuery:
    fields = ("text", "match_case", "whole_words")
    return SearchQuery(**{name: form.cleaned_data[name] for name in fields})


def _errors(form: SearchForm) -> str:
    return " ".join(str(error) for errors in form.errors.values() for error in errors)
