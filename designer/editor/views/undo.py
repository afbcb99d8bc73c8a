"""Undo and redo, and the list of steps that can be undone."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpResponse
from django.shortcuts import render
from django.template.defaultfilters import pluralize
from django.utils.html import format_html
from django.views.decorators.http import require_GET

from designer.core import (
    HtmxHttpRequest,
    PageState,
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
    """Return the person's last steps, each with a button that undoes it and all later ones."""
    pipeline = get_pipeline(request, pk)
    last = last_steps(pipeline=pipeline, user=request.user)
    return render(request, "editor/page/_undo_steps.html", {"pipeline": pipeline, "steps": last})


@gesture
def undo(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Undo the last edit; with `down_to`, all edits down to that one."""
    pipeline = get_pipeline(request, pk)
    if "down_to" in request.POST:
        return _undo_down_to(request, pipeline, number(request.POST["down_to"]) or 0)
    change = undo_edit(pipeline=pipeline, user=request.user)
    if change is None:
        return nothing_to_do(request, pipeline, "undo")
    return edited(request, change, extra=_announcement(f"Undone: {change.label}"))


@gesture
def redo(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Redo the edit that was undone last."""
    pipeline = get_pipeline(request, pk)
    change = redo_edit(pipeline=pipeline, user=request.user)
    if change is None:
        return nothing_to_do(request, pipeline, "redo")
    return edited(request, change, extra=_announcement(f"Redone: {change.label}"))


def _undo_down_to(request: HtmxHttpRequest, pipeline: Pipeline, edit_id: int) -> HttpResponse:
    version, change = undo_down_to(pipeline=pipeline, user=request.user, edit_id=edit_id)
    if change is None:
        return caught_up(request, pipeline, "", OK)
    steps = change.pipeline.version - version
    shown = PageState.parse(request.POST)
    if shown.version == version:  # the page lacks only these steps, which are one change here
        shown = replace(shown, version=change.pipeline.version - 1)
    text = _announcement(f"Undone: {steps} step{pluralize(steps)}")
    return edited(request, change, extra=text, shown=shown)


def _announcement(text: str) -> str:
    """Return a text for screen readers."""
    return format_html('<p id="announcer" hx-swap-oob="innerHTML">{}</p>', text)
