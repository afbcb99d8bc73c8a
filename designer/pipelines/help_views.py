"""Help pages about issues."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from designer.core import HtmxHttpRequest
from designer.pipelines.help import EXPLANATIONS, topic, topics


@require_GET
def problems_help(request: HtmxHttpRequest) -> HttpResponse:
    """List every issue that the editor can show."""
    return render(request, "pipelines/help_problems.html", {"topics": topics()})


@require_GET
def problem_help(request: HtmxHttpRequest, code: str) -> HttpResponse:
    """Show the explanation, an example and the fix of one issue."""
    if code not in EXPLANATIONS:
        raise Http404
    return render(request, "pipelines/help_problem.html", {"topic": topic(code)})
