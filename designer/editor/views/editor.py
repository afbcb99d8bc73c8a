"""The editor: its page, its panels, and the gestures on the canvas."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from designer import definitions
from designer.core import HtmxHttpRequest, PageState, Selection, find_issues, get_pipeline, number
from designer.editor.actions import topology
from designer.editor.actions.agents import add_agent as add_one_agent
from designer.editor.actions.notes_and_frames import delete_notes_and_frames
from designer.editor.forms.canvas import (
    AddAgentForm,
    AddStageForm,
    ConnectForm,
    DeleteForm,
    KindForm,
    MoveStagesForm,
    MoveSupervisorForm,
)
from designer.editor.fragments.definition import LINES, text_part, whole_text
from designer.editor.fragments.inspector import inspector
from designer.editor.fragments.page import editor_page
from designer.editor.fragments.panels import bottom_panel
from designer.editor.views.responses import edited, gesture, refused, replace_address


@require_GET
def editor(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the page: canvas, panels, and the forms of all gestures."""
    pipeline = get_pipeline(request, pk)
    shown = PageState.parse(request.GET)
    response = render(request, "editor/editor.html", editor_page(pipeline, request.user, shown))
    response.content = in_ascii(response.text)
    return response


def in_ascii(html: str) -> bytes:
    """Return HTML with character references for non-ASCII characters.

    Browsers store and parse large pages faster if all characters fit in one byte.
    """
    return html.encode("ascii", "xmlcharrefreplace")


@require_GET
def inspect(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the inspector of a part, given by `kind` and `key` or by `select`, with a tab."""
    pipeline = get_pipeline(request, pk)
    shown = PageState.parse(request.GET)
    if "kind" in request.GET:
        key = request.GET.get("key", "")
        selection = Selection.parse(f"{request.GET['kind']}:{key}")
        shown = shown.selecting(selection.kind, selection.key)
    shows = inspector(pipeline, request.user, definitions.read(pipeline), shown)
    context = {"pipeline": pipeline, "inspector": shows}
    response = render(request, "editor/inspector/_inspector.html", context)
    return replace_address(response, pipeline, shows["selection"], shown)


@require_GET
def show_panel(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return a tab of the bottom panel."""
    pipeline = get_pipeline(request, pk)
    shown = PageState.parse(request.GET)
    definition = definitions.read(pipeline)
    issues = find_issues(pipeline, request.user, definition)
    context = bottom_panel(definition, issues, shown)
    response = render(request, "editor/panels/_bottom.html", {"pipeline": pipeline, **context})
    return replace_address(response, pipeline, shown.selection, shown)


@require_GET
def show_definition(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the next lines of the definition, or with `anew` all lines that the page shows.

    With `whole`, return the whole text for the clipboard.
    """
    pipeline = get_pipeline(request, pk)
    if "whole" in request.GET:
        text = whole_text(definitions.read(pipeline))
        return render(request, "editor/page/_copied.html", {"text": text, "oob": True})
    shown = number(request.GET.get("lines", "")) or 0
    is_anew = "anew" in request.GET
    start, until = (0, max(shown, LINES)) if is_anew else (shown, shown + LINES)
    part = text_part(definitions.read(pipeline), start, until)
    return render(
        request, "editor/panels/_definition_part.html", {"pipeline": pipeline, "part": part}
    )


@gesture
def move_stages(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Move stages and notes."""
    pipeline = get_pipeline(request, pk)
    form = MoveStagesForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = topology.move_stages(
        pipeline=pipeline,
        user=request.user,
        to=form.cleaned_data["moves"],
        notes=form.cleaned_data["notes"],
        frame=form.cleaned_data["frame"],
        by_keys=form.cleaned_data["by_keys"],
        how=form.cleaned_data["how"] or "move",
    )
    return edited(request, change)


@gesture
def move_supervisor(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Move the supervisor's card."""
    pipeline = get_pipeline(request, pk)
    form = MoveSupervisorForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    to = form.cleaned_data["at"]
    change = topology.move_supervisor(pipeline=pipeline, user=request.user, to=to)
    return edited(request, change)


@gesture
def add_stage(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add a stage, and select it."""
    pipeline = get_pipeline(request, pk)
    form = AddStageForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = topology.add_stage(
        pipeline=pipeline,
        user=request.user,
        at=form.cleaned_data["at"],
        source=form.cleaned_data["source"] or None,
        agent_id=form.cleaned_data["agent"] or None,
        kind=form.cleaned_data["kind"],
    )
    return edited(request, change, select=Selection("stage", next(iter(change.after.stages))))


@gesture
def connect(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add a transition."""
    pipeline = get_pipeline(request, pk)
    form = ConnectForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = topology.connect(pipeline=pipeline, user=request.user, **form.cleaned_data)
    return edited(request, change)


@gesture
def change_kind(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Make a transition the `next` of its source, or a return."""
    pipeline = get_pipeline(request, pk)
    form = KindForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = topology.change_kind(pipeline=pipeline, user=request.user, **form.cleaned_data)
    return edited(request, change)


@gesture
def delete_parts(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete stages and transitions, notes and frames."""
    pipeline = get_pipeline(request, pk)
    form = DeleteForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    data = form.cleaned_data
    parts = {"phases": data["stages"], "transitions": data["transitions"]}
    annotations = {"notes": data["notes"], "frames": data["frames"]}
    if any(parts.values()):
        change = topology.delete_parts(pipeline=pipeline, user=request.user, **parts, **annotations)
    else:
        change = delete_notes_and_frames(pipeline=pipeline, user=request.user, **annotations)
    return edited(request, change)


@gesture
def add_agent(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add an agent, and select it."""
    pipeline = get_pipeline(request, pk)
    form = AddAgentForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = add_one_agent(pipeline=pipeline, user=request.user, **form.cleaned_data)
    return edited(request, change, select=Selection("agent", next(iter(change.after.agents))))
