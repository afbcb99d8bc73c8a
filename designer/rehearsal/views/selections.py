"""Actions on conversations that are selected in a list: compare, export, delete."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from designer.conversations import address_after, selected
from designer.core import HtmxHttpRequest, call_async, notify_conversation
from designer.jobs import TooManyJobsError
from designer.models import Conversation, ConversationSummary
from designer.pipelines import NoConversationsError, start_selection_export, trace_lines
from designer.rehearsal import live
from designer.rehearsal.actions.rehearsals import delete_conversation

MAX_DIRECT_EVENTS = 2_000
"""Maximum number of events of a selection that is exported without a job."""


@require_GET
@never_cache
def compare_selection(request: HtmxHttpRequest) -> HttpResponse:
    """Open the comparison of two selected conversations of one pipeline."""
    summaries = selected(request)
    pipelines = {summary.pipeline_id for summary in summaries}
    if len(summaries) != 2 or len(pipelines) != 1:
        messages.error(request, "Select two conversations of one pipeline to compare them.")
        return redirect("conversations")
    left, right = summaries
    address = reverse("compare", args=[left.pipeline_id])
    return redirect(f"{address}?{urlencode({'left': left.pk, 'right': right.pk})}")


@require_POST
def export_selection(request: HtmxHttpRequest) -> HttpResponse:
    """Export the selected conversations as JSON lines; a large selection by a job."""
    pks = [summary.pk for summary in selected(request)]
    rows = Conversation.objects.filter(pk__in=pks).order_by("pk")
    if pks and sum(rows.values_list("last_seq", flat=True)) <= MAX_DIRECT_EVENTS:
        body = b"".join(part for row in rows for part in trace_lines(row))
        response = HttpResponse(body, content_type="application/x-ndjson")
        response["Content-Disposition"] = 'attachment; filename="rehearsals.traces.jsonl"'
        return response
    try:
        job = start_selection_export(pks=pks, user=request.user)
    except (NoConversationsError, TooManyJobsError) as error:
        messages.error(request, str(error))
        return redirect(address_after(request, reverse("conversations")))
    return redirect("job", job.pk)


@require_POST
def delete_selection(request: HtmxHttpRequest) -> HttpResponse:
    """Delete the selected conversations, all or none of them."""
    summaries = selected(request)
    if not all(_may_delete(request, summary) for summary in summaries):
        raise PermissionDenied(
            "Only the owner of the pipeline and the person who started a rehearsal can delete it, "
            "so nothing was deleted."
        )
    for row in Conversation.objects.without_definition().filter(
        pk__in=[summary.pk for summary in summaries]
    ):
        pk, session_id = row.pk, row.session_id
        with suppress(Conversation.DoesNotExist, live.NotEndedError):  # deleted on another page
            call_async(live.stop, pk)
        delete_conversation(conversation=row)
        notify_conversation(pk)
        call_async(live.notify_variants, session_id)
    count = len(summaries)
    messages.success(request, f"{count} conversation{'s' if count != 1 else ''} deleted.")
    return redirect(address_after(request, reverse("conversations")))


def _may_delete(request: HtmxHttpRequest, summary: ConversationSummary) -> bool:
    return request.user.pk in (summary.started_by_id, summary.pipeline.owner_id)
