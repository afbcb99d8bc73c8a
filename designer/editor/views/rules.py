"""The routing rules, in the bottom panel."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.views.decorators.http import require_GET, require_POST

from designer import definitions
from designer.core import (
    Change,
    HtmxHttpRequest,
    RefusedError,
    get_pipeline,
    lock,
    number,
    posted_key,
    token_of,
)
from designer.editor.actions import rules
from designer.editor.forms.merging import merge, values_of, with_values
from designer.editor.forms.rule import ComparisonRows, RuleForm, sent_comparisons
from designer.editor.fragments.held import last_by
from designer.editor.fragments.rules import rule_base, rule_form
from designer.editor.views.form_save import faulty
from designer.editor.views.ground import kept_base
from designer.editor.views.merge import asking, chosen
from designer.editor.views.responses import PRECONDITION_FAILED, edited, gesture
from designer.models import Pipeline
from orchestration.definition import Rule
from orchestration.exceptions import ConditionError
from orchestration.routing import compile_expression, compile_filter


@require_GET
def edit_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """The form of a rule, or of a new one."""
    pipeline = get_pipeline(request, pk)
    context = rule_form(definitions.read(pipeline), request.GET.get("rule", ""))
    if context is None:
        raise Http404
    return render(request, "editor/rules/_rule_form.html", {"pipeline": pipeline, **context})


@require_POST
def rule_rows(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """The comparisons of a form with one more, or without the n-th. Nothing is saved by it."""
    pipeline = get_pipeline(request, pk)
    token = token_of(request.POST.get("form_token", ""))
    taken_off = number(request.POST.get("take_off", ""))
    rows = sent_comparisons(request.POST).as_typed(token, without=taken_off)
    if "add_row" in request.POST:
        rows = rows.with_blank()
    context = {"pipeline": pipeline, "rows": rows, "token": token}
    return render(request, "editor/rules/_comparisons.html", context)


@gesture
def add_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add a rule."""
    pipeline = get_pipeline(request, pk)
    return _save(
        request,
        pipeline,
        was=None,
        act=lambda rule: rules.add_rule(pipeline=pipeline, user=request.user, rule=rule),
    )


@gesture
def update_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a rule."""
    pipeline = get_pipeline(request, pk)
    if "merge" in request.POST:
        request.typed, request.POST = chosen(request.POST)  # type: ignore[assignment]
    key = posted_key(request, "rule")
    with transaction.atomic():  # nothing can change between the look at the rule and the action
        return _save(
            request,
            pipeline,
            was=_rule(lock(pipeline), key),
            act=lambda rule: rules.update_rule(
                pipeline=pipeline, user=request.user, key=key, rule=rule
            ),
        )


@gesture
def delete_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete a rule. The form of another one, which may be open, stays."""
    pipeline = get_pipeline(request, pk)
    key = posted_key(request, "deleted") or posted_key(request, "rule")
    change = rules.delete_rule(pipeline=pipeline, user=request.user, key=key)
    is_open = request.POST.get("open_rule") == key
    return edited(request, change, extra=_form(request, "") if is_open else "")


@gesture
def duplicate_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add a rule again, right after it."""
    pipeline = get_pipeline(request, pk)
    key = posted_key(request, "rule")
    change = rules.duplicate_rule(pipeline=pipeline, user=request.user, key=key)
    return edited(request, change, extra=_told(f"{change.label}: it is asked right after it."))


@gesture
def move_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Have a rule asked right before another one, or last."""
    pipeline = get_pipeline(request, pk)
    key, before = posted_key(request, "rule"), posted_key(request, "before")
    change = rules.move_rule(pipeline=pipeline, user=request.user, key=key, before=before)
    order = [rule.id for rule in (change.definition or definitions.read(pipeline)).rules]
    place = f"Rule {key} is number {order.index(key) + 1} of {len(order)}."
    return edited(request, change, extra=_told(place))


@require_POST
def check_expression(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Check an expression during typing, next to its field. Nothing is saved."""
    get_pipeline(request, pk, right="view")
    is_filter = "expression" in request.POST
    text = request.POST.get("expression" if is_filter else "custom", "")
    said = _fault_of(text, compile_filter if is_filter else compile_expression)
    id_ = request.POST.get("checked", "")
    if not _FIELD.fullmatch(id_):
        raise Http404
    return render(request, "components/_field_error.html", {"id": id_, "text": said, "oob": True})


def _fault_of(text: str, compiled: Callable[[str], object]) -> str:
    """Return the error of an expression with its position; empty if it is valid or missing."""
    try:
        if text.strip():
            compiled(text.replace("\r\n", "\n"))
    except ConditionError as fault:
        return str(fault) if fault.column is None else f"At column {fault.column}: {fault}"
    return ""


_FIELD = re.compile(r"i[0-9a-f]{8}-(?:custom|expression)")


def _told(text: str) -> str:
    """Return the text for screen readers."""
    return format_html('<p id="announcer" hx-swap-oob="innerHTML">{}</p>', text)


def _rule(pipeline: Pipeline, key: str) -> Rule | None:
    rules = definitions.read(pipeline).rules
    return next((rule for rule in rules if rule.id == key), None)


def _save(
    request: HtmxHttpRequest,
    pipeline: Pipeline,
    *,
    was: Rule | None,
    act: Callable[[Rule], Change],
) -> HttpResponse:
    """Save the rule that the form says. The form stays open while the rules find faults in it."""
    form, rows = RuleForm(request.POST), sent_comparisons(request.POST)
    are_sound = rows.is_valid()
    if was is not None and request.POST.get("rule_base", base := rule_base(was)) != base:
        if asked := _put_together(request, pipeline, was, form, rows):
            return asked
        return _save(request, pipeline, was=was, act=act)
    rule = form.rule(rows.parts(), was) if form.is_valid() and are_sound else None
    if rule is None:
        said = _fault_of(request.POST.get("custom", ""), compile_expression)
        if said and "custom" not in form.errors:
            form.add_error("custom", said)  # it stands there already
        return faulty(request, pipeline, form, *rows.forms, general=rows.non_form_errors())
    if was is not None and request.POST.get("priority_shown") == str(rule.priority):
        # It was not touched in the form: the rule may have been moved in the meantime.
        rule = rule.model_copy(update={"priority": was.priority})
    try:
        change = act(rule)
    except RefusedError as error:
        form.add_error(error.field if error.field in form.fields else None, str(error))
        return faulty(request, pipeline, form, *rows.forms)
    told = ""
    if merged_with := getattr(request, "merged_with", ""):
        told = _told(f"Rule {rule.id} is saved, with the changes by {merged_with}.")
    return edited(request, change, extra=told + _form(request, _still_open(change, rule)))


def _put_together(
    request: HtmxHttpRequest, pipeline: Pipeline, was: Rule, form: RuleForm, rows: ComparisonRows
) -> HttpResponse | None:
    """Make the request one about the rule as it is now; where it cannot be, ask."""
    now = rule_form(definitions.read(pipeline), was.id) or {}
    mine, theirs = values_of([form, rows]), values_of([now["form"], now["rows"]])
    found = merge(kept_base(request.POST.get("rule_was", "")), mine, theirs)
    data = with_values(request.POST, found.settled)
    data["rule_base"], data["rule_was"] = now["rule_base"], now["rule_was"]
    data["priority_shown"] = str(now["priority"])
    who = last_by(pipeline, request.user, lambda patch: was.id in patch.get("rules", {}))
    if not found.conflicts:
        request.merged_with, request.POST = who, data  # type: ignore[assignment]
        return None
    labelled = [now["form"], now["rows"]]
    html = asking(request, labelled, found, data, theirs, who, merge_id="rule-merge")
    return HttpResponse(html, status=PRECONDITION_FAILED)


def _still_open(change: Change, rule: Rule) -> str:
    """The form of a rule in whose conditions the rules found something; else nothing."""
    if change.definition is None:
        return ""
    context = rule_form(change.definition, rule.id, change.issues)
    if context is None or not any(form.errors for form in (context["form"], *context["rows"])):
        return ""
    context |= {"pipeline": change.pipeline, "is_saved": True}
    return render_to_string("editor/rules/_rule_form.html", context)


def _form(request: HtmxHttpRequest, html: str) -> str:
    """Return the content in place of a rule's form, if the page shows it."""
    shows = request.POST.get("panel") == "rules"
    return f'<div id="rule-form" hx-swap-oob="innerHTML">{html}</div>' if shows else ""
