"""Remaining options of a list, loaded on use."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_GET

from designer import definitions
from designer.core import KINDS, HtmxHttpRequest, get_pipeline, many, written


@require_GET
def options(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the stages or agents of the pipeline as options, without the chosen one."""
    pipeline = get_pipeline(request, pk)
    kind, chosen = request.GET.get("field", ""), request.GET.get("chosen", "")
    if kind not in KINDS:
        raise Http404
    matches = many(definitions.read(pipeline), kind, request.GET.get("of", ""))
    return HttpResponse(written(pair for pair in matches.choices if pair[0] != chosen))
