"""Views that export, open and delete traces."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from designer.core import (
    HtmxHttpRequest,
    ImportRunningError,
    document_job,
    get_conversation,
    get_pipeline,
    slug,
)
from designer.jobs import TooManyJobsError
from designer.pipelines.conversation_export import NoConversationsError, start_export
from designer.pipelines.trace_file_form import TraceFileForm
from designer.pipelines.traces import TooManyTracesError, close_trace, open_trace, trace_lines
from designer.pipelines.views import TOO_MANY, get_or_post, list_page
from orchestration.runtime import exceeded_limit


@require_GET
def trace_export(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Export a conversation as a file of JSON lines.

    A file that exceeds the limits for opening it is announced first; `anyway` exports it.
    """
    row = get_conversation(request, pk)
    name = slug(f"{row.pipeline.name} {row.title}" if row.pipeline else row.title)
    body = b"".join(trace_lines(row))
    if "anyway" not in request.GET and (limit := exceeded_limit(body)):
        context = {"conversation": row, "limit": limit}
        return render(request, "pipelines/large_trace.html", context)
    response = HttpResponse(body, content_type="application/x-ndjson")
    file = name or f"conversation-{row.pk}"
    response["Content-Disposition"] = f'attachment; filename="{file}.trace.jsonl"'
    return response


@require_POST
def conversations_export(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Start the export of all conversations of a pipeline, and show its progress."""
    pipeline = get_pipeline(request, pk, right="own")
    try:
        job = start_export(pipeline=pipeline, user=request.user)
    except (NoConversationsError, TooManyJobsError) as error:
        messages.error(request, str(error))
        return redirect("rehearse", pipeline.pk)
    return redirect("job", job.pk)


@get_or_post
def trace_open(request: HtmxHttpRequest) -> HttpResponse:
    """Open a trace file, or show its error."""
    if request.method == "GET":
        return redirect("pipelines")
    form = TraceFileForm(request.POST, request.FILES, auto_id="trace-%s")
    try:
        with document_job(request.user.pk):
            if form.is_valid():
                trace = open_trace(user=request.user, trace=form.cleaned_data["file"])
                return redirect("conversation", trace.pk)
    except TooManyTracesError as error:
        form.add_error("file", str(error))
    except ImportRunningError as error:
        messages.error(request, str(error))
        return list_page(request, status=TOO_MANY)
    file = getattr(request.FILES.get("file"), "name", "")
    context = {"trace_form": form, "trace_name": file, "opened": "trace"}
    return list_page(request, status=422, **context)


@require_POST
def trace_close(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete a trace that was opened from a file."""
    row = get_conversation(request, pk)
    if not row.is_read_only:
        raise Http404
    close_trace(conversation=row)
    messages.success(request, f"The trace “{row.title}” is deleted.")
    return redirect("pipelines")
