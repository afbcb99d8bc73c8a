"""Views of the routing rules in the bottom panel."""

from __future__ import annotations

import re

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from designer import definitions
from designer.core import (
    HtmxHttpRequest,
    PageState,
    attempt_edit,
    get_pipeline,
    is_view_only,
    make_read_only,
    number,
    posted_key,
    token_of,
)
from designer.editor.actions import rules
from designer.editor.forms.rule import SentRule, sent_comparisons
from designer.editor.forms.shared_form import Outcome
from designer.editor.fragments.rules import rule_form
from designer.editor.views.responses import edited, gesture
from designer.editor.views.rule_save import (
    SharedRuleForm,
    announce,
    expression_error,
    replace_form,
    rule_response,
)
from orchestration.routing import compile_expression, compile_filter


@require_GET
def edit_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the form of a rule; without a key, of a new one."""
    pipeline = get_pipeline(request, pk)
    context = rule_form(definitions.read(pipeline), request.GET.get("rule", ""))
    if context is None:
        raise Http404
    if is_view_only(pipeline):
        make_read_only(context["form"], context["rows"])
    return render(request, "editor/rules/_rule_form.html", {"pipeline": pipeline, **context})


@require_POST
def rule_rows(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the comparisons of a form with one more, or without the n-th. Nothing is saved."""
    pipeline = get_pipeline(request, pk)
    token = token_of(request.POST.get("form_token", ""))
    removed = number(request.POST.get("take_off", ""))
    rows = sent_comparisons(request.POST).as_typed(token, without=removed)
    if "add_row" in request.POST:
        rows = rows.with_blank()
    rows = rows.offering(definitions.read(pipeline).variables)
    context = {"pipeline": pipeline, "rows": rows, "token": token}
    return render(request, "editor/rules/_comparisons.html", context)


@gesture
def add_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add a rule."""
    pipeline = get_pipeline(request, pk)
    form = SharedRuleForm(request, pipeline, new=True)
    outcome = form.save(
        lambda sent: rules.add_rule(pipeline=pipeline, user=request.user, rule=form.rule_in(sent))
    )
    return rule_response(form, outcome)


@gesture
def update_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a rule."""
    pipeline = get_pipeline(request, pk)

    def save() -> tuple[SharedRuleForm, Outcome[SentRule]]:
        form = SharedRuleForm(request, pipeline)
        outcome = form.save(
            lambda sent: rules.update_rule(
                pipeline=pipeline, user=request.user, key=form.key, rule=form.rule_in(sent)
            )
        )
        return form, outcome

    # The rule must not change between the comparison and the action.
    return rule_response(*attempt_edit(save))


@gesture
def delete_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete a rule. An open form of another rule stays."""
    pipeline = get_pipeline(request, pk)
    key = posted_key(request, "deleted") or posted_key(request, "rule")
    change = rules.delete_rule(pipeline=pipeline, user=request.user, key=key)
    is_open = request.POST.get("open_rule") == key
    shown = PageState.parse(request.POST)
    return edited(request, change, extra=replace_form(shown, "") if is_open else "")


@gesture
def duplicate_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add a copy of a rule right after it."""
    pipeline = get_pipeline(request, pk)
    key = posted_key(request, "rule")
    change = rules.duplicate_rule(pipeline=pipeline, user=request.user, key=key)
    return edited(request, change, extra=announce(f"{change.label}: it is checked right after it."))


@gesture
def move_rule(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Move a rule right before another one, or to the end."""
    pipeline = get_pipeline(request, pk)
    key, before = posted_key(request, "rule"), posted_key(request, "before")
    change = rules.move_rule(pipeline=pipeline, user=request.user, key=key, before=before)
    order = [rule.id for rule in change.read_definition().rules]
    place = f"Rule {key} is number {order.index(key) + 1} of {len(order)}."
    return edited(request, change, extra=announce(place))


@require_POST
def check_expression(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Check an expression during typing, next to its field. Nothing is saved."""
    get_pipeline(request, pk, right="view")
    is_filter = "expression" in request.POST
    text = request.POST.get("expression" if is_filter else "custom", "")
    error = expression_error(text, compile_filter if is_filter else compile_expression)
    id_ = request.POST.get("checked", "")
    if not _FIELD.fullmatch(id_):
        raise Http404
    return render(request, "components/_field_error.html", {"id": id_, "text": error, "oob": True})


_FIELD = re.compile(r"i[0-9a-f]{8}-(?:custom|expression)")
