"""The clipboard: copy, cut, paste and duplicate."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from designer.canvas import note_id, stage_id
from designer.core import Change, HtmxHttpRequest, Selection, document_job, get_pipeline
from designer.editor.actions.clipboard import (
    PartSelection,
    copy_parts,
    cut_parts,
    duplicate_parts,
    paste_parts,
)
from designer.editor.forms.clipboard import PasteForm, SelectionForm
from designer.editor.views.responses import edited, gesture, refused


@gesture
def copy(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the selection as JSON for the clipboard. Nothing changes."""
    pipeline = get_pipeline(request, pk, right="view")
    form = SelectionForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    part = copy_parts(pipeline=pipeline, selection=_selection(form))
    return render(request, "editor/page/_copied.html", {"text": part.dump(), "oob": True})


@gesture
def cut(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete the selection after the page has copied it."""
    pipeline = get_pipeline(request, pk)
    form = SelectionForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = cut_parts(pipeline=pipeline, user=request.user, selection=_selection(form))
    return edited(request, change)


@gesture
def paste(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add parts from this pipeline, another pipeline or a file, and select them."""
    pipeline = get_pipeline(request, pk)
    form = PasteForm(request.POST)
    with document_job(request.user.pk):
        if not form.is_valid():
            return refused(request, pipeline, form)
        change = paste_parts(
            pipeline=pipeline,
            user=request.user,
            part=form.cleaned_data["text"],
            center=form.cleaned_data["at"],
        )
    return _select_new(request, change, "Pasted")


@gesture
def duplicate(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Duplicate the selection within the pipeline, and select the copies."""
    pipeline = get_pipeline(request, pk)
    form = SelectionForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = duplicate_parts(pipeline=pipeline, user=request.user, selection=_selection(form))
    return _select_new(request, change, "Duplicated")


def _selection(form: SelectionForm) -> PartSelection:
    data = form.cleaned_data
    return PartSelection(set(data["stages"]), set(data["notes"]), set(data["frames"]))


def _select_new(request: HtmxHttpRequest, change: Change, verb: str) -> HttpResponse:
    """Return the edit and the ids of the new elements, which the page selects."""
    phases = list(change.after.stages)
    context: dict[str, Any] = {
        "announcement": f"{verb} {change.label.partition(' ')[2]}",
        "ids": [*map(stage_id, phases), *map(note_id, change.after.notes)],
        "oob": True,
    }
    select = Selection("stage", phases[0]) if len(phases) == 1 else None
    extra = render_to_string("editor/page/_pasted.html", context)
    return edited(request, change, select=select, extra=extra)
