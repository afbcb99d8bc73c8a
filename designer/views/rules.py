"""The routing rules, in the bottom panel."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from designer import definitions
from designer.actions import settings
from designer.actions.edits import Change, RefusedError
from designer.forms.pipeline import RuleForm
from designer.fragments.panels import rule_form
from designer.http import HtmxHttpRequest, get_pipeline, posted_key
from designer.models import Pipeline
from designer.views.answers import edited, gesture
from designer.views.saving import faulty
from orchestration.definition import Rule

CLOSED = '<div id="rule-form" hx-swap-oob="innerHTML"></div>'
"""What an answer adds when the form of a rule has done its work."""


@require_GET
def edit_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """The form of a rule, or of a new one."""
    pipeline = get_pipeline(request, pk)
    context = rule_form(definitions.read(pipeline), request.GET.get("rule", ""))
    if context is None:
        raise Http404
    return render(request, "editor/_rule_form.html", {"pipeline": pipeline, **context})


@gesture
def add_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add a rule."""
    pipeline = get_pipeline(request, pk)
    form = RuleForm(request.POST)
    rule = form.rule() if form.is_valid() else None
    if rule is None:
        return faulty(request, pipeline, form)
    try:
        change = settings.add_rule(pipeline=pipeline, user=request.user, rule=rule)
    except RefusedError as error:
        return _refused(request, pipeline, form, error)
    return _edited(request, change)


@gesture
def update_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a rule."""
    pipeline = get_pipeline(request, pk)
    form = RuleForm(request.POST)
    key = posted_key(request, "rule")
    rule = form.rule(_rule(pipeline, key)) if form.is_valid() else None
    if rule is None:
        return faulty(request, pipeline, form)
    try:
        change = settings.update_rule(pipeline=pipeline, user=request.user, key=key, rule=rule)
    except RefusedError as error:
        return _refused(request, pipeline, form, error)
    return _edited(request, change)


@gesture
def delete_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete a rule."""
    pipeline = get_pipeline(request, pk)
    key = posted_key(request, "rule")
    return _edited(request, settings.delete_rule(pipeline=pipeline, user=request.user, key=key))


def _rule(pipeline: Pipeline, key: str) -> Rule | None:
    rules = definitions.read(pipeline).rules
    return next((rule for rule in rules if rule.id == key), None)


def _refused(
    request: HtmxHttpRequest, pipeline: Pipeline, form: RuleForm, error: RefusedError
) -> HttpResponse:
    form.add_error(error.field if error.field in form.fields else None, str(error))
    return faulty(request, pipeline, form)


def _edited(request: HtmxHttpRequest, change: Change) -> HttpResponse:
    closes = request.POST.get("panel") == "rules"
    return edited(request, change, extra=CLOSED if closes else "")
