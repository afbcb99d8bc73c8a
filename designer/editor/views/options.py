"""Remaining options of a list, loaded on use."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_GET

from designer import definitions
from designer.core import CHOICE_KINDS, HtmxHttpRequest, get_pipeline, part_choices, render_options


@require_GET
def options(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the stages or agents of the pipeline as options, without the chosen one."""
    pipeline = get_pipeline(request, pk)
    kind, chosen = request.GET.get("field", ""), request.GET.get("chosen", "")
    if kind not in CHOICE_KINDS:
        raise Http404
    matches = part_choices(definitions.read(pipeline), kind, request.GET.get("of", ""))
    return HttpResponse(render_options(pair for pair in matches.choices if pair[0] != chosen))
