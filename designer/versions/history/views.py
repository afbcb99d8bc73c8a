"""Views of the history of edits: the list, an earlier state on the canvas, its restoration."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from designer.core import HtmxHttpRequest, get_pipeline
from designer.models import Pipeline
from designer.versions.drawing import DrawnDifference, picture
from designer.versions.errors import VersionError
from designer.versions.forms import MoveForm, PageForm
from designer.versions.history import by_day, point_at
from designer.versions.restoration import restore_point

PAGE = 100
"""Number of edits on a page of the history."""


@require_GET
@never_cache
def edit_history(request: HtmxHttpRequest, pk: int, number: int | None = None) -> HttpResponse:
    """List the edits, newest first, and draw the state after one of them."""
    pipeline = get_pipeline(request, pk)
    form = PageForm(request.GET)
    until = form.cleaned_data["until"] if form.is_valid() else None
    entries = pipeline.history.defer("before")
    if until is not None:
        entries = entries.filter(version__lte=until)
    listed = list(entries[: PAGE + 1])
    try:
        shown = _shown(pipeline, number) if number is not None else {}
    except VersionError as error:
        messages.error(request, str(error))
        return redirect("edit_history", pipeline.pk)
    context = {
        "pipeline": pipeline,
        "mode": "versions",
        "days": by_day(listed[:PAGE]),
        "older": listed[PAGE] if len(listed) > PAGE else None,
        "until": until,
        "page": f"?until={until}" if until is not None else "",
        **shown,
    }
    return render(request, "versions/history.html", context)


@require_POST
def history_restore(request: HtmxHttpRequest, pk: int, number: int) -> HttpResponse:
    """Turn the draft into its state after an earlier edit, as one edit."""
    pipeline = get_pipeline(request, pk)
    form = MoveForm(request.POST)
    expected = form.cleaned_data["draft"] if form.is_valid() else None
    try:
        restore_point(pipeline=pipeline, version=number, user=request.user, expected=expected)
    except VersionError as error:
        messages.error(request, str(error))
        return redirect("edit_history", pipeline.pk)
    messages.success(request, "The earlier state is restored. Undo in Design takes this back.")
    return redirect("editor", pipeline.pk)


def _shown(pipeline: Pipeline, number: int) -> dict[str, Any]:
    """Return the state after an edit: its drawing, with the changes of the edit marked."""
    point = point_at(pipeline, number)
    drawn = DrawnDifference(point.before, point.definition)
    return {"point": point.entry, "drawing": picture(drawn), "changes": drawn.changes}
