"""Gestures that change several parts as one edit: create, insert, reconnect and bypass stages."""

from __future__ import annotations

from django.http import HttpResponse
from django_htmx.http import trigger_client_event

from designer.core import HtmxHttpRequest, PageState, RefusedError, Selection, get_pipeline
from designer.definitions import transition_key
from designer.editor.actions.bypass_stages import delete_and_reconnect
from designer.editor.actions.insert_in_transition import insert_existing_stage
from designer.editor.actions.insert_stage import NewStage, insert_stage
from designer.editor.actions.insert_stage import create_stage as create_new_stage
from designer.editor.actions.reconnect import reconnect_transition
from designer.editor.actions.stages import rename_stage as rename_one_stage
from designer.editor.actions.stages import serve_stage as serve_one_stage
from designer.editor.forms.canvas import (
    CreateStageForm,
    DeleteForm,
    InsertStageForm,
    ReconnectForm,
    RenameStageForm,
    ServeForm,
)
from designer.editor.fragments.edits import render_edit
from designer.editor.fragments.search import render_mentions
from designer.editor.views.responses import (
    UNPROCESSABLE,
    edited,
    gesture,
    refused,
    refused_in_place,
    replace_address,
    sentence_in_place,
)


@gesture
def create_stage(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add a stage after another one or between two others, and select it."""
    pipeline = get_pipeline(request, pk)
    form = CreateStageForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    data = form.cleaned_data
    is_new = data["kind"] == "new"
    new_stage = NewStage(
        at=data["at"],
        kind="agent" if is_new else data["kind"],
        agent_id=data["agent"] or None,
        new_agent=data["name"] if is_new else None,
    )
    source, target = data["source"], data["target"]
    if target:
        change = insert_stage(
            pipeline=pipeline,
            user=request.user,
            new_stage=new_stage,
            source=source,
            target=target,
            moves=data["moves"],
        )
    else:
        change = create_new_stage(
            pipeline=pipeline, user=request.user, new_stage=new_stage, source=source
        )
    return edited(request, change, select=Selection("stage", next(iter(change.after.stages))))


@gesture
def rename_stage(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Rename a stage on the canvas; a selected stage stays selected."""
    pipeline = get_pipeline(request, pk)
    form = RenameStageForm(request.POST)
    if not form.is_valid():
        return refused_in_place(request, pipeline, form)
    was, name = (Selection("stage", form.cleaned_data[field]) for field in ("phase", "name"))
    try:
        change = rename_one_stage(
            pipeline=pipeline, user=request.user, phase=was.key, name=name.key
        )
    except RefusedError as error:
        if not request.htmx:
            raise
        return sentence_in_place(str(error), UNPROCESSABLE)
    if not request.htmx:
        return edited(request, change, select=name)
    shown = PageState.parse(request.POST)
    is_shown = shown.selection == was
    shown = shown.selecting("stage", name.key) if is_shown else shown
    html = render_edit(change, request.user, shown) + render_mentions(change, was, name)
    response = HttpResponse(html)
    if is_shown:
        replace_address(response, change.pipeline, name, shown)
    detail = {"was": was.key, "now": name.key}
    return trigger_client_event(response, "baton:renamed", detail, after="settle")


@gesture
def serve_stage(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Assign an agent to a stage, or add it to the stage's group."""
    pipeline = get_pipeline(request, pk)
    form = ServeForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = serve_one_stage(
        pipeline=pipeline,
        user=request.user,
        phase=form.cleaned_data["stage"],
        agent_id=form.cleaned_data["agent"],
    )
    return edited(request, change)


@gesture
def splice_stage(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Insert a stage into a transition."""
    pipeline = get_pipeline(request, pk)
    form = InsertStageForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = insert_existing_stage(
        pipeline=pipeline,
        user=request.user,
        phase=form.cleaned_data["stage"],
        source=form.cleaned_data["source"],
        target=form.cleaned_data["target"],
        at=form.cleaned_data["at"],
        moves=form.cleaned_data["moves"],
    )
    return edited(request, change)


@gesture
def move_plug(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change the source or target of a transition, and select it."""
    pipeline = get_pipeline(request, pk)
    form = ReconnectForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    data = form.cleaned_data
    change = reconnect_transition(
        pipeline=pipeline,
        user=request.user,
        key=transition_key(data["source"], data["target"]),
        end=data["end"],
        phase=data["stage"],
    )
    moved = {"source": data["source"], "target": data["target"], data["end"]: data["stage"]}
    return edited(request, change, select=Selection("transition", transition_key(**moved)))


@gesture
def bypass_stages(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete stages, and connect their neighbours."""
    pipeline = get_pipeline(request, pk)
    form = DeleteForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = delete_and_reconnect(
        pipeline=pipeline,
        user=request.user,
        phases=form.cleaned_data["stages"],
        transitions=form.cleaned_data["transitions"],
        notes=form.cleaned_data["notes"],
        frames=form.cleaned_data["frames"],
    )
    return edited(request, change)
