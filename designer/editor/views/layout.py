"""Automatic layout of the stages."""

from __future__ import annotations

from django.http import HttpResponse

from designer.core import HtmxHttpRequest, get_pipeline
from designer.editor.actions.tidy import tidy as tidy_stages
from designer.editor.forms.canvas import TidyForm
from designer.editor.views.responses import edited, gesture, refused


@gesture
def tidy(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Lay out some stages, or all of them, for the shape of the window."""
    pipeline = get_pipeline(request, pk)
    form = TidyForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = tidy_stages(
        pipeline=pipeline,
        user=request.user,
        phases=form.cleaned_data["stages"],
        window=form.cleaned_data["window"],
    )
    return edited(request, change)
