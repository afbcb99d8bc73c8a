"""Sharing a pipeline: the dialog in the editor."""

from __future__ import annotations

from contextlib import suppress

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from designer.accounts import (
    ShareForm,
    UnshareForm,
    share_pipeline,
    unshare_pipeline,
    unshared_subtasks,
)
from designer.core import GoneError, HtmxHttpRequest, RefusedError, get_pipeline
from designer.editor.views.responses import UNPROCESSABLE
from designer.models import Pipeline


@require_POST
def share(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Share a pipeline with a person, or change their role."""
    pipeline = get_pipeline(request, pk, right="own")
    form = ShareForm(request.POST)
    if form.is_valid():
        try:
            share_pipeline(pipeline=pipeline, **form.cleaned_data)
        except RefusedError as error:
            form.add_error(error.field, str(error))
    return _people(request, pipeline, form if form.errors else ShareForm())


@require_POST
def unshare(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Stop sharing a pipeline with a person."""
    pipeline = get_pipeline(request, pk, right="own")
    form = UnshareForm(request.POST)
    if form.is_valid():
        with suppress(GoneError):  # a repeated request
            unshare_pipeline(pipeline=pipeline, user_id=form.cleaned_data["user"], by=request.user)
    return _people(request, pipeline, ShareForm())


@require_POST
def leave(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Leave a pipeline that another person shares."""
    pipeline = get_pipeline(request, pk, right="view")
    with suppress(GoneError):  # the owner cannot leave
        unshare_pipeline(pipeline=pipeline, user_id=request.user.pk, by=request.user)
        messages.success(request, f"You have left “{pipeline.name}”.")
    return redirect("pipelines")


def _people(request: HtmxHttpRequest, pipeline: Pipeline, form: ShareForm) -> HttpResponse:
    """Return the dialog with the current people; refused input stays."""
    if not request.htmx:
        return redirect("editor", pipeline.pk)
    unshared = unshared_subtasks(pipeline)
    context = {"pipeline": pipeline, "share_form": form, "unshared": unshared}
    status = UNPROCESSABLE if form.errors else 200
    return render(request, "editor/page/_share.html", context, status=status)
