"""Context of a job's fragment: its progress, and the permitted actions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString

from designer.core import HtmxHttpRequest
from designer.jobs.kinds import JobFailedError, find_kind
from designer.models import Job, JobState

WORKER_SECONDS = 15
"""Seconds after which a job that no worker has begun says so."""


def job_context(job: Job, user: User) -> dict[str, Any]:
    """Return the context of the fragment; `status` changes whenever it looks different."""
    waits = job.state == JobState.WAITING
    has_no_worker = waits and timezone.now() - job.created > timedelta(seconds=WORKER_SECONDS)
    return {
        "job": job,
        "unit": _unit(job),
        "has_no_worker": has_no_worker,
        "has_file": job.is_done and _has_file(job),
        "may_download": job.asked_by_id == user.pk,
        "status": f"{job.state}-{job.done}-{int(has_no_worker)}",
    }


def render_job(job: Job, request: HtmxHttpRequest) -> SafeString:
    """Render the fragment."""
    html = render_to_string("jobs/_job.html", job_context(job, request.user), request)
    return SafeString(html)


def _unit(job: Job) -> str:
    try:
        return find_kind(job).unit
    except JobFailedError:
        return "item"


def _has_file(job: Job) -> bool:
    try:
        return find_kind(job).file_name is not None
    except JobFailedError:
        return False
