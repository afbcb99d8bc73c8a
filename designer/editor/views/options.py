"""Options of lists and names to insert, loaded on use."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from designer import definitions
from designer.core import CHOICE_KINDS, HtmxHttpRequest, get_pipeline, part_choices, render_options
from designer.editor.forms.prompt_names import prompt_names as names_of


@require_GET
def options(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the stages or agents of the pipeline as options, without the chosen one."""
    pipeline = get_pipeline(request, pk)
    kind, chosen = request.GET.get("field", ""), request.GET.get("chosen", "")
    if kind not in CHOICE_KINDS:
        raise Http404
    matches = part_choices(definitions.read(pipeline), kind, request.GET.get("of", ""))
    return HttpResponse(render_options(pair for pair in matches.choices if pair[0] != chosen))


@require_GET
def prompt_names(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the names that can be inserted into instructions."""
    definition = definitions.read(get_pipeline(request, pk))
    context = {"names": names_of(definition)}
    return render(request, "editor/inspector/_prompt_names.html", context)
