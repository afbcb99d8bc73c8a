"""Hands on the canvas that do several things as one edit: create and connect, splice, re-plug."""

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
from designer.editor.views.responses import (
    UNPROCESSABLE,
    edited,
    gesture,
    refused,
    refused_in_place,
    replace_address,
    said_in_place,
)


@gesture
def create_stage(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add a stage, that another leads to or between two others; and select it."""
    pipeline = get_pipeline(request, pk)
    form = CreateStageForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    said = form.cleaned_data
    is_new = said["kind"] == "new"
    new_stage = NewStage(
        at=said["at"],
        kind="agent" if is_new else said["kind"],
        agent_id=said["agent"] or None,
        new_agent=said["name"] if is_new else None,
    )
    source, target = said["source"], said["target"]
    if target:
        change = insert_stage(
            pipeline=pipeline, user=request.user, new_stage=new_stage, source=source, target=target
        )
    else:
        change = create_new_stage(
            pipeline=pipeline, user=request.user, new_stage=new_stage, source=source
        )
    return edited(request, change, select=Selection("stage", next(iter(change.after.stages))))


@gesture
def rename_stage(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Call a stage otherwise, where it stands; where it is selected, it stays so."""
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
        return said_in_place(str(error), UNPROCESSABLE)
    if not request.htmx:
        return edited(request, change, select=name)
    shown = PageState.parse(request.POST)
    is_shown = shown.selection == was
    shown = shown.selecting("stage", name.key) if is_shown else shown
    response = HttpResponse(render_edit(change, request.user, shown))
    if is_shown:
        replace_address(response, change.pipeline, name, shown)
    detail = {"was": was.key, "now": name.key}
    return trigger_client_event(response, "baton:renamed", detail, after="settle")


@gesture
def serve_stage(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Have an agent serve a stage; a group gets it as one more member."""
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
    """Put a stage into a transition."""
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
    )
    return edited(request, change)


@gesture
def move_plug(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Let a transition begin at, or lead to, another stage; and select it."""
    pipeline = get_pipeline(request, pk)
    form = ReconnectForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    said = form.cleaned_data
    change = reconnect_transition(
        pipeline=pipeline,
        user=request.user,
        key=transition_key(said["source"], said["target"]),
        end=said["end"],
        phase=said["stage"],
    )
    moved = {"source": said["source"], "target": said["target"], said["end"]: said["stage"]}
    return edited(request, change, select=Selection("transition", transition_key(**moved)))


@gesture
def bypass_stages(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete stages, and connect what is around them."""
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
