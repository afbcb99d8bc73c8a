"""Edits of the outline."""

from __future__ import annotations

from django.http import HttpResponse

from designer.core import HtmxHttpRequest, Selection, get_pipeline
from designer.definitions import Settings
from designer.editor.actions.outline_edits import StageDescription, add_described_stage
from designer.editor.actions.topology import move_stages
from designer.editor.forms.outline import EntryForm, StageDescriptionForm, StagePositionForm
from designer.editor.views.responses import edited, gesture, refused
from designer.pipelines import update_settings


@gesture
def describe_stage(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add a stage by its description, and select it."""
    pipeline = get_pipeline(request, pk)
    form = StageDescriptionForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    description = StageDescription(**form.cleaned_data)
    change = add_described_stage(pipeline=pipeline, user=request.user, description=description)
    return edited(request, change, select=Selection("stage", description.phase))


@gesture
def place_stage(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Move a stage to an exact position."""
    pipeline = get_pipeline(request, pk)
    form = StagePositionForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    to = {form.cleaned_data["stage"]: form.cleaned_data["at"]}
    return edited(request, move_stages(pipeline=pipeline, user=request.user, to=to))


@gesture
def make_entry(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Make a stage the entry."""
    pipeline = get_pipeline(request, pk)
    form = EntryForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    settings = Settings(entry=form.cleaned_data["entry"])
    change = update_settings(pipeline=pipeline, user=request.user, settings=settings)
    return edited(request, change)
