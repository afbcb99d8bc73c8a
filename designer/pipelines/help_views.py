"""Help: what each issue means, and what to do about it."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from designer.core import HtmxHttpRequest
from designer.pipelines.help import EVERY, topic, topics


@require_GET
def problems_help(request: HtmxHttpRequest) -> HttpResponse:
    """Every issue that the editor can show, a line each."""
    return render(request, "pipelines/help_problems.html", {"topics": topics()})


@require_GET
def problem_help(request: HtmxHttpRequest, code: str) -> HttpResponse:
    """One issue: what it says, why it matters, an example, what mends it."""
    if code not in EVERY:
        raise Http404
    return render(request, "pipelines/help_problem.html", {"topic": topic(code)})
