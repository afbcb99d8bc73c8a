"""Views of jobs: the list, one job with its progress, stop and download."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator

from django.conf import settings
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from designer.core import HtmxHttpRequest, get_job, in_database
from designer.jobs.fragments import job_context, render_job
from designer.jobs.kinds import JobFailedError, find_kind
from designer.jobs.stop import stop_job
from designer.models import Job, JobShard

MAX_LISTED = 100
"""Maximum number of jobs in the list."""

CHUNK = 256 * 1024
"""Maximum number of bytes that are decompressed at once."""


@require_GET
@never_cache
def jobs(request: HtmxHttpRequest) -> HttpResponse:
    """List the user's jobs, newest first; administrators see all jobs."""
    rows = Job.objects.seen_by(request.user).select_related("asked_by")[:MAX_LISTED]
    entries = [render_job(row, request) for row in rows]
    may_back_up = request.user.is_staff and bool(settings.BACKUP_DIR)
    return render(request, "jobs/jobs.html", {"entries": entries, "may_back_up": may_back_up})


@require_GET
@never_cache
def job(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Show a job with its progress."""
    row = get_job(request, pk)
    return render(request, "jobs/job.html", {"job": row, "fragment": render_job(row, request)})


@require_GET
@never_cache
def job_progress(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the fragment of a job, if the page shows another state."""
    context = job_context(get_job(request, pk), request.user)
    if request.GET.get("shown") == context["status"]:
        return HttpResponse(status=204)
    return render(request, "jobs/_job.html", context)


@require_POST
def job_stop(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Stop a job; one that is over stays as it is."""
    row = get_job(request, pk)
    stop_job(job=row)
    row.refresh_from_db()
    if request.htmx:
        return HttpResponse(render_job(row, request))
    return redirect("job", row.pk)


@require_GET
async def job_download(request: HtmxHttpRequest, pk: int) -> HttpResponseBase:
    """Download the result file of a finished job."""
    row = await in_database(get_job, request, pk, right="download")
    name = await in_database(_file_name, row)
    if name is None:
        raise Http404
    response = StreamingHttpResponse(_content(row.pk), content_type="application/x-ndjson")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _file_name(row: Job) -> str | None:
    """Return the name of the result file; None if there is none."""
    try:
        kind = find_kind(row)
    except JobFailedError:
        return None
    return kind.file_name(row) if row.is_done and kind.file_name is not None else None


async def _content(job_id: int) -> AsyncGenerator[bytes]:
    """Yield the output of one shard after the other."""
    shards = await in_database(_shard_ids, job_id)
    for shard_id in shards:
        decompressor = zlib.decompressobj()
        rest = await in_database(_output, shard_id)
        while rest and not decompressor.eof:
            yield decompressor.decompress(rest, CHUNK)
            rest = decompressor.unconsumed_tail
        yield decompressor.flush()


def _shard_ids(job_id: int) -> list[int]:
    return list(JobShard.objects.filter(job=job_id).values_list("pk", flat=True))


def _output(shard_id: int) -> bytes:
    return bytes(JobShard.objects.values_list("output", flat=True).get(pk=shard_id))
