"""Comparison of two conversations of a pipeline."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from designer.core import HtmxHttpRequest, conversations_in, get_pipeline
from designer.rehearsal.forms.comparison import ComparisonForm
from designer.rehearsal.fragments.comparison import compare

MAX_LISTED = 200
"""Maximum number of selectable conversations."""


@require_GET
@never_cache
def compare_conversations(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Compare two conversations, by default the newest and its origin."""
    pipeline = get_pipeline(request, pk, right="edit")
    conversations = conversations_in(request, pipeline)
    rows = list(conversations.with_first_message()[:MAX_LISTED])
    form = ComparisonForm(request.GET, conversations=rows)
    context = {"pipeline": pipeline, "mode": "rehearse", "form": form, "conversations": rows}
    if not form.is_valid():
        return render(request, "rehearsal/compare.html", context, status=422)
    pks = form.cleaned_data["left"], form.cleaned_data["right"]
    if None not in pks:
        left, right = (get_object_or_404(conversations, pk=pk) for pk in pks)
        context["comparison"] = compare(left, right)
    return render(request, "rehearsal/compare.html", context)
