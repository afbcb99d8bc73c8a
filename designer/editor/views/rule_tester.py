"""Test of the routing rules: the agent for a message, and the reason. Changes no pipeline.

The session keeps the typed test message.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from designer import definitions
from designer.core import HtmxHttpRequest, form_errors, get_pipeline, posted_key
from designer.editor.actions.rules import with_rule
from designer.editor.forms.rule import SentRule
from designer.editor.forms.rule_tester import RuleTesterForm
from designer.editor.fragments.rule_tester import explain
from orchestration.definition import PipelineDefinition

SESSION_KEY = "tester"
MAX_PIPELINES = 5
MAX_LENGTH = 2_000
"""Maximum number of stored characters of a field."""


@require_GET
def show_tester(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the form with the last test message."""
    pipeline = get_pipeline(request, pk)
    typed = request.session.get(SESSION_KEY, {}).get(str(pk), {})
    form = RuleTesterForm.showing(definitions.read(pipeline), typed)
    return render(request, "editor/rules/_tester.html", {"pipeline": pipeline, "form": form})


@require_POST
def test_rules(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Return the routing decision, including the rule that is being edited."""
    pipeline = get_pipeline(request, pk, right="view")
    form = RuleTesterForm.sent(request.POST)
    if not form.is_valid():
        return render(
            request, "editor/rules/_tester_result.html", {"faults": list(form_errors(form))}
        )
    _remember(request, pk, form)
    definition, remark = _with_open_rule(request, definitions.read(pipeline))
    state = form.state.with_variables(definition.variables)
    answer = explain(definition, form.message, state, form.context)
    return render(request, "editor/rules/_tester_result.html", {"answer": answer, "remark": remark})


def _with_open_rule(
    request: HtmxHttpRequest, definition: PipelineDefinition
) -> tuple[PipelineDefinition, str]:
    """Return the definition with the rule of the open form, and a remark about it."""
    if "form_token" not in request.POST:
        return definition, ""
    key = posted_key(request, "rule")
    was = next((rule for rule in definition.rules if rule.id == key), None)
    sent = SentRule(request.POST, was)
    if not sent.are_valid():
        return definition, "Without the rule in the open form: it is not complete."
    rule = sent.rule
    if was is not None and rule.model_copy(update={"priority": was.priority}) == was:
        return definition, ""
    return with_rule(definition, key, rule), f"With rule {rule.id} as in the open form."


def _remember(request: HtmxHttpRequest, pk: int, form: RuleTesterForm) -> None:
    """Store the typed message in the session, for the pipelines that were tested last."""
    typed = {name: text[:MAX_LENGTH] for name, text in form.typed.items()}
    known: dict[str, Any] = request.session.get(SESSION_KEY, {})
    if known.get(str(pk)) == typed:
        return
    others = [(other, fields) for other, fields in known.items() if other != str(pk)]
    request.session[SESSION_KEY] = dict([*others[1 - MAX_PIPELINES :], (str(pk), typed)])
