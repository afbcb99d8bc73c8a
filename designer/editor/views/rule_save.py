"""Form of a routing rule: saved while other people edit the same rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, assert_never

from django.http import HttpResponse, QueryDict
from django.template.loader import render_to_string
from django.utils.html import format_html

from designer import definitions
from designer.core import (
    Change,
    HtmxHttpRequest,
    PageState,
    current_row,
    key_in,
    read_definition,
    token_of,
)
from designer.editor.forms.rule import SentRule, free_name
from designer.editor.forms.shared_form import (
    ConflictingForm,
    DeletedForm,
    InvalidForm,
    Outcome,
    OutdatedForm,
    SavedForm,
    SharedForm,
)
from designer.editor.fragments.form_notice import last_by
from designer.editor.fragments.merge import render_choices
from designer.editor.fragments.rules import rule_base, rule_form
from designer.editor.fragments.saved_form import render_field_errors
from designer.editor.views.form_save import OUTDATED
from designer.editor.views.responses import (
    CONFLICT,
    PRECONDITION_FAILED,
    UNPROCESSABLE,
    edited,
    refused,
    sentence,
)
from designer.models import Pipeline
from designer.versions import address_of_others_edit
from orchestration.definition import Rule
from orchestration.exceptions import ConditionError
from orchestration.routing import compile_expression


class SharedRuleForm(SharedForm[SentRule]):
    """The form of a rule in the bottom panel.

    `new` is a form that adds a rule. Otherwise the form reads the rule: create it in the attempt
    that saves it.
    """

    BASE: ClassVar = "rule_base"
    OLD_VALUES: ClassVar = "rule_was"

    def __init__(self, request: HtmxHttpRequest, pipeline: Pipeline, *, new: bool = False) -> None:
        super().__init__(request.POST, self._read, saves_partially=False)
        self.request = request
        self.pipeline = pipeline
        self.shown = PageState.parse(self.data)
        self.key = key_in(self.data, "rule")
        self.was = None if new else _find_rule(current_row(pipeline), self.key)
        """The rule as it is now; None if it is new or deleted."""

    def _read(self, data: QueryDict) -> SentRule:
        if self.was is not None:
            return SentRule(data, self.was)
        return SentRule(data, name=free_name(read_definition(self.pipeline)))

    def current_base(self) -> str | None:
        """Return the digest of the rule now; None if it is deleted."""
        return rule_base(self.was) if self.was else None

    def current_fields(self) -> dict[str, str]:
        """Return the hidden fields of the form as it would be rendered now."""
        context = self.current_form()
        names = (self.BASE, self.OLD_VALUES)
        return {name: context[name] for name in names} | {
            "priority_shown": str(context["priority"])
        }

    def current_form(self) -> dict[str, Any]:
        """Return the context of the form as it would be rendered now."""
        return rule_form(read_definition(self.pipeline), self.key) or {}

    def last_author(self) -> str:
        """Return the author of the last change of the rule."""
        return last_by(
            self.pipeline, self.request.user, lambda patch: self.key in patch.get("rules", {})
        )

    def rule_in(self, sent: SentRule) -> Rule:
        """Return the submitted rule. If its priority was not touched, it keeps the current one.

        The rule may have moved in the meantime.
        """
        rule = sent.rule
        if self.was and self.data.get("priority_shown") == str(rule.priority):
            return rule.model_copy(update={"priority": self.was.priority})
        return rule


def rule_response(form: SharedRuleForm, outcome: Outcome[SentRule]) -> HttpResponse:
    """Return the response to the form of a rule."""
    request, pipeline = form.request, form.pipeline
    match outcome:
        case SavedForm():
            return _saved(form, outcome)
        case InvalidForm(sent):
            return _invalid(form, sent)
        case ConflictingForm():
            current = form.current_form()
            parts = [current["form"], current["rows"]]  # the submitted forms have no options
            difference = address_of_others_edit(pipeline, request.user)
            html = render_choices(
                outcome,
                parts,
                request.path,
                saved=read_definition(pipeline),
                merge_id="rule-merge",
                difference=difference,
            )
            return HttpResponse(html, status=PRECONDITION_FAILED)
        case OutdatedForm():
            return sentence(request, pipeline, OUTDATED, PRECONDITION_FAILED, shown=form.shown)
        case DeletedForm(text):
            return sentence(request, pipeline, text, CONFLICT, shown=form.shown)
        case _:
            assert_never(outcome)


def replace_form(shown: PageState, html: str) -> str:
    """Return the content in place of a rule's form, if the page shows it."""
    is_shown = shown.panel == "rules"
    return f'<div id="rule-form" hx-swap-oob="innerHTML">{html}</div>' if is_shown else ""


def announce(text: str) -> str:
    """Return a text for screen readers."""
    return format_html('<p id="announcer" hx-swap-oob="innerHTML">{}</p>', text)


def expression_error(text: str, compiled: Callable[[str], object] = compile_expression) -> str:
    """Return the error of an expression with its position; empty if it is valid or missing."""
    try:
        if text.strip():
            compiled(text.replace("\r\n", "\n"))
    except ConditionError as error:
        return str(error) if error.column is None else f"At column {error.column}: {error}"
    return ""


def _find_rule(pipeline: Pipeline, key: str) -> Rule | None:
    rules = definitions.read(pipeline).rules
    return next((rule for rule in rules if rule.id == key), None)


def _saved(form: SharedRuleForm, outcome: SavedForm[SentRule]) -> HttpResponse:
    """Return the fragments of the edit.

    The form of a new rule is closed, unless it has issues. Another form stays as it is, except
    for its errors; it is rendered again if values of another person were merged or chosen.
    """
    rule = outcome.sent.rule
    if form.was is None:
        html = replace_form(form.shown, _form_with_issues(outcome.change, rule))
    elif outcome.merged_with or "merge" in form.request.POST:
        html = replace_form(form.shown, _render_form(form, rule))
    else:
        html = _render_state(form, outcome)
    if outcome.merged_with:
        html = (
            announce(f"Rule {rule.id} is saved, with the changes by {outcome.merged_with}.") + html
        )
    return edited(form.request, outcome.change, extra=html, shown=form.shown)


def _form_with_issues(change: Change, rule: Rule) -> str:
    """Render the form of a saved rule if its conditions have issues; else nothing."""
    if change.definition is None:
        return ""
    context = rule_form(change.definition, rule.id, change.issues)
    if context is None or not any(form.errors for form in (context["form"], *context["rows"])):
        return ""
    context |= {"pipeline": change.pipeline, "is_saved": True}
    return render_to_string("editor/rules/_rule_form.html", context)


def _render_form(form: SharedRuleForm, rule: Rule) -> str:
    context = rule_form(read_definition(form.pipeline), rule.id) or {}
    return render_to_string("editor/rules/_rule_form.html", context | {"pipeline": form.pipeline})


def _render_state(form: SharedRuleForm, outcome: SavedForm[SentRule]) -> str:
    """Render the hidden fields of the form and the issues next to its fields."""
    change, sent = outcome.change, outcome.sent
    definition = change.read_definition()
    context = rule_form(definition, sent.rule.id, change.issues)
    if context is None or (token := form.data.get("form_token")) is None:
        return ""
    filled = [row for row in sent.rows.forms if row.cleaned_data.get("part") is not None]
    pairs = [(sent.fields, context["form"]), *zip(filled, context["rows"].forms, strict=False)]
    context["errors"] = [
        (f"{token_of(token)}-{typed.add_prefix(name)}", " ".join(map(str, fresh[name].errors)))
        for typed, fresh in pairs
        for name in typed.fields
    ]
    return render_to_string("editor/rules/_rule_saved.html", context)


def _invalid(form: SharedRuleForm, sent: SentRule) -> HttpResponse:
    """Return the errors next to the fields; the typed text stays."""
    error = expression_error(form.data.get("custom", ""))
    if error and "custom" not in sent.fields.errors:
        sent.fields.add_error("custom", error)  # keep the error that was shown during typing
    if not form.request.htmx:
        return refused(form.request, form.pipeline, *sent.forms, shown=form.shown)
    token = form.data.get("form_token")
    html = render_field_errors(
        sent, token or form.shown.token, block=None, in_inspector=token is None
    )
    return HttpResponse(html, status=UNPROCESSABLE)
