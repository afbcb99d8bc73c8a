"""View that starts a backup."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from designer.backup.job import start_backup
from designer.core import HtmxHttpRequest
from designer.jobs import TooManyJobsError


@require_POST
def backup_start(request: HtmxHttpRequest) -> HttpResponse:
    """Start a backup, for administrators of an installation with a backup folder."""
    if not request.user.is_staff or not settings.BACKUP_DIR:
        raise Http404
    try:
        job = start_backup(user=request.user)
    except TooManyJobsError as error:
        messages.error(request, str(error))
        return redirect("jobs")
    return redirect("job", job.pk)
