"""The clipboard: copying, cutting, pasting, and duplicating without it."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from designer.canvas import note_id, stage_id
from designer.core import Change, HtmxHttpRequest, Selection, get_pipeline
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
    """Delete the selection, once it is on the clipboard."""
    pipeline = get_pipeline(request, pk)
    form = SelectionForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = cut_parts(pipeline=pipeline, user=request.user, selection=_selection(form))
    return edited(request, change)


@gesture
def paste(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Take in what was copied here, in another pipeline or out of a file, and select it."""
    pipeline = get_pipeline(request, pk)
    form = PasteForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = paste_parts(
        pipeline=pipeline,
        user=request.user,
        part=form.cleaned_data["text"],
        middle=form.cleaned_data["at"],
    )
    return _came(request, change, "Pasted")


@gesture
def duplicate(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Copy the selection within the pipeline, and select the copies."""
    pipeline = get_pipeline(request, pk)
    form = SelectionForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = duplicate_parts(pipeline=pipeline, user=request.user, selection=_selection(form))
    return _came(request, change, "Duplicated")


def _selection(form: SelectionForm) -> PartSelection:
    given = form.cleaned_data
    return PartSelection(set(given["stages"]), set(given["notes"]), set(given["frames"]))


def _came(request: HtmxHttpRequest, change: Change, did: str) -> HttpResponse:
    """The edit, and which elements it brought: the page selects them."""
    phases = list(change.after.stages)
    context: dict[str, Any] = {
        "said": f"{did} {change.label.partition(' ')[2]}",
        "ids": [*map(stage_id, phases), *map(note_id, change.after.notes)],
        "oob": True,
    }
    select = Selection("stage", phases[0]) if len(phases) == 1 else None
    extra = render_to_string("editor/page/_pasted.html", context)
    return edited(request, change, select=select, extra=extra)
