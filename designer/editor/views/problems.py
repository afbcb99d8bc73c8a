"""Fixes of problems."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect

from designer.canvas import FixAllForm, FixForm, issue_token
from designer.core import HtmxHttpRequest, get_conversation, get_pipeline, number
from designer.editor.actions.fixes import fix_all_issues, fix_issue
from designer.editor.views.responses import edited, gesture, refused
from designer.models import Pipeline


@gesture
def fix_problem(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Fix one issue, if its rule has a fix."""
    pipeline = get_pipeline(request, pk)
    form = FixForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    token = form.cleaned_data["issue"]
    change = fix_issue(
        pipeline=pipeline, user=request.user, is_meant=lambda issue: issue_token(issue) == token
    )
    if "rehearsing" in request.POST:
        return _back_to_rehearsal(request, pipeline)
    return edited(request, change)


@gesture
def fix_problems(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Fix all issues of one rule."""
    pipeline = get_pipeline(request, pk)
    form = FixAllForm(request.POST)
    if not form.is_valid():
        return refused(request, pipeline, form)
    change = fix_all_issues(pipeline=pipeline, user=request.user, code=form.cleaned_data["code"])
    return edited(request, change)


def _back_to_rehearsal(request: HtmxHttpRequest, pipeline: Pipeline) -> HttpResponse:
    """Redirect to the conversation that showed the problem, or to the start of a rehearsal."""
    conversation = number(request.POST["rehearsing"])
    if conversation is None:
        return redirect("rehearse", pipeline.pk)
    return redirect("conversation", get_conversation(request, conversation).pk)
