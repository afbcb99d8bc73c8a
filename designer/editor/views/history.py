"""Undo and redo, and the list of steps to go back over."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import pluralize
from django.utils.html import format_html
from django.views.decorators.http import require_GET

from designer.core import (
    HtmxHttpRequest,
    get_pipeline,
    last_steps,
    number,
    redo_edit,
    undo_down_to,
    undo_edit,
)
from designer.editor.views.responses import caught_up, edited, gesture, nothing_to_do
from designer.models import Pipeline

OK = 200


@require_GET
def steps(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """The last steps of the person who asks, each with what takes it and those after it back."""
    pipeline = get_pipeline(request, pk)
    found = last_steps(pipeline=pipeline, user=request.user)
    return render(request, "editor/page/_undo_steps.html", {"pipeline": pipeline, "steps": found})


@gesture
def undo(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Take the last edit back; with `down_to`, those down to that one."""
    pipeline = get_pipeline(request, pk)
    if "down_to" in request.POST:
        return _undo_down_to(request, pipeline, number(request.POST["down_to"]) or 0)
    change = undo_edit(pipeline=pipeline, user=request.user)
    if change is None:
        return nothing_to_do(request, pipeline, "undo")
    return edited(request, change, extra=_said(f"Undone: {change.label}"))


@gesture
def redo(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Make the edit again that was undone last."""
    pipeline = get_pipeline(request, pk)
    change = redo_edit(pipeline=pipeline, user=request.user)
    if change is None:
        return nothing_to_do(request, pipeline, "redo")
    return edited(request, change, extra=_said(f"Redone: {change.label}"))


def _undo_down_to(request: HtmxHttpRequest, pipeline: Pipeline, edit_id: int) -> HttpResponse:
    version, change = undo_down_to(pipeline=pipeline, user=request.user, edit_id=edit_id)
    if change is None:
        return caught_up(request, pipeline, "", OK)
    if request.POST.get("version") == str(
        version
    ):  # the page knows all but these steps, as it would know all but one
        sent = request.POST.copy()
        sent["version"] = str(change.pipeline.version - 1)
        request.POST = sent  # type: ignore[assignment]
    steps = change.pipeline.version - version
    return edited(request, change, extra=_said(f"Undone: {steps} step{pluralize(steps)}"))


def _said(text: str) -> str:
    """A sentence aloud, for those who do not see what came and went."""
    return format_html('<p id="announcer" hx-swap-oob="innerHTML">{}</p>', text)
