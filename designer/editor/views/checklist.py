"""Views of the checklist for the first pipeline."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from designer import definitions
from designer.core import HtmxHttpRequest, get_pipeline
from designer.pipelines import checklist_of, close_checklist


@require_GET
def show_checklist(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the checklist with its present state; nothing if it is complete."""
    pipeline = get_pipeline(request, pk)
    items = checklist_of(pipeline, request.user, definitions.read(pipeline))
    context = {"pipeline": pipeline, "checklist": items}
    return render(request, "editor/page/_checklist.html", context)


@require_POST
def dismiss_checklist(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Close the checklist of the user permanently."""
    pipeline = get_pipeline(request, pk)
    close_checklist(request.user)
    return HttpResponse() if request.htmx else redirect("editor", pipeline.pk)
