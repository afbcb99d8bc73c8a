"""Comparison of two conversations of a pipeline."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from designer.core import HtmxHttpRequest, conversations_in, get_pipeline
from designer.models import Conversation, ConversationQuerySet
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
    rows = _selectable(request, conversations)
    form = ComparisonForm(request.GET, conversations=rows)
    context = {"pipeline": pipeline, "mode": "rehearse", "form": form, "conversations": rows}
    if not form.is_valid():
        return render(request, "rehearsal/compare.html", context, status=422)
    pks = form.cleaned_data["left"], form.cleaned_data["right"]
    if None not in pks:
        left, right = (get_object_or_404(conversations, pk=pk) for pk in pks)
        context["comparison"] = compare(left, right)
    return render(request, "rehearsal/compare.html", context)


def _selectable(
    request: HtmxHttpRequest, conversations: ConversationQuerySet
) -> list[Conversation]:
    """Return the newest conversations, and older ones that the request names."""
    named = [request.GET.get(name, "") for name in ("left", "right")]
    pks = [int(pk) for pk in named if pk.isascii() and pk.isdigit() and len(pk) < 19]
    rows = list(conversations.with_first_message()[:MAX_LISTED])
    listed = {row.pk for row in rows}
    older = [pk for pk in pks if pk not in listed]
    return rows + list(conversations.with_first_message().filter(pk__in=older))
