"""Notes and frames: annotations on the canvas for people."""

from __future__ import annotations

from django.http import HttpResponse

from designer.core import (
    HtmxHttpRequest,
    PageState,
    Selection,
    StaleEditError,
    get_pipeline,
)
from designer.editor.actions import notes_and_frames
from designer.editor.forms.notes_and_frames import (
    AddNoteForm,
    FrameForm,
    FrameStagesForm,
    NoteForm,
    RenameFrameForm,
    SizeNoteForm,
    WriteNoteForm,
)
from designer.editor.forms.sent_forms import sent_fields
from designer.editor.fragments.edits import render_all
from designer.editor.views.form_save import InspectorForm, fields_response
from designer.editor.views.responses import (
    PRECONDITION_FAILED,
    edited,
    gesture,
    refused,
    refused_in_place,
    sentence_in_place,
)
from designer.models import Pipeline


@gesture
def add_note(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add a note to the canvas, and select it."""
    pipeline = get_pipeline(request, pk)
    form = AddNoteForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    at = form.cleaned_data["at"]
    change = notes_and_frames.add_note(pipeline=pipeline, user=request.user, at=at)
    return edited(request, change, select=Selection("note", next(iter(change.after.notes))))


@gesture
def write_note(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change the text of a note on the canvas."""
    pipeline = get_pipeline(request, pk)
    form = WriteNoteForm(request.POST)
    if not form.is_valid():
        return refused_in_place(request, pipeline, form)
    key, text = form.cleaned_data["note"], form.cleaned_data["text"]
    try:
        change = notes_and_frames.write_note(
            pipeline=pipeline, user=request.user, key=key, text=text, was=form.old_text
        )
    except StaleEditError as error:
        return _stale_in_place(request, pipeline, error)
    return edited(request, change)


@gesture
def size_note(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change the width of a note."""
    pipeline = get_pipeline(request, pk)
    form = SizeNoteForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    key, width = form.cleaned_data["note"], form.cleaned_data["width"]
    return edited(
        request,
        notes_and_frames.size_note(pipeline=pipeline, user=request.user, key=key, width=width),
    )


@gesture
def update_note(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a note in the inspector."""
    pipeline = get_pipeline(request, pk)
    form = InspectorForm(request, pipeline, sent_fields(NoteForm))
    outcome = form.save(
        lambda sent: notes_and_frames.update_note(
            pipeline=pipeline, user=request.user, key=form.subject, **sent.fields.cleaned_data
        )
    )
    return fields_response(form, outcome)


@gesture
def add_frame(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Put a frame around stages, and select it."""
    pipeline = get_pipeline(request, pk)
    form = FrameStagesForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    phases = form.cleaned_data["stages"]
    change = notes_and_frames.add_frame(pipeline=pipeline, user=request.user, phases=phases)
    key = next(name for name, frame in change.before.frames.items() if frame is None)
    return edited(request, change, select=Selection("frame", key))


@gesture
def put_in_frame(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Put stages in a frame, or remove them from their frame."""
    pipeline = get_pipeline(request, pk)
    form = FrameStagesForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = notes_and_frames.put_in_frame(
        pipeline=pipeline, user=request.user, phases=form.cleaned_data["stages"], key=form.key
    )
    return edited(request, change)


@gesture
def rename_frame(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change the title of a frame on the canvas."""
    pipeline = get_pipeline(request, pk)
    form = RenameFrameForm(request.POST)
    if not form.is_valid():
        return refused_in_place(request, pipeline, form)
    key, title = form.cleaned_data["frame"], form.cleaned_data["title"]
    try:
        change = notes_and_frames.rename_frame(
            pipeline=pipeline, user=request.user, key=key, title=title, was=form.old_text
        )
    except StaleEditError as error:
        return _stale_in_place(request, pipeline, error)
    return edited(request, change)


@gesture
def update_frame(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a frame in the inspector."""
    pipeline = get_pipeline(request, pk)
    form = InspectorForm(request, pipeline, sent_fields(FrameForm))
    outcome = form.save(
        lambda sent: notes_and_frames.update_frame(
            pipeline=pipeline, user=request.user, key=form.subject, **sent.fields.cleaned_data
        )
    )
    return fields_response(form, outcome)


def _stale_in_place(
    request: HtmxHttpRequest, pipeline: Pipeline, error: StaleEditError
) -> HttpResponse:
    """Return the conflict notice in place, and the rest of the page unchanged."""
    if not request.htmx:
        raise error
    shown = PageState.parse(request.POST)
    html = render_all(pipeline, request.user, shown, keep_inspector=True)
    return sentence_in_place(str(error), PRECONDITION_FAILED, more=html)
