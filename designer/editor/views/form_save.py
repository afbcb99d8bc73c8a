"""Forms of the inspector: saved while other people edit the same part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, assert_never

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse

from designer import definitions
from designer.core import (
    HtmxHttpRequest,
    PageState,
    Selection,
    current_row,
    get_pipeline,
    key_in,
    read_definition,
)
from designer.editor.forms.shared_form import (
    ConflictingForm,
    DeletedForm,
    InvalidForm,
    Outcome,
    OutdatedForm,
    SavedForm,
    Sent,
    SharedForm,
)
from designer.editor.fragments.edits import render_all
from designer.editor.fragments.form_notice import changed_by, deletion_of
from designer.editor.fragments.inspector import base_of, existing, inspector
from designer.editor.fragments.merge import render_choices, render_merge
from designer.editor.fragments.saved_form import (
    Block,
    render_field_errors,
    render_saved_fields,
    render_saved_rows,
)
from designer.editor.fragments.search import render_mentions
from designer.editor.views.responses import (
    CONFLICT,
    PRECONDITION_FAILED,
    UNPROCESSABLE,
    address_of,
    refused,
    replace_address,
    sentence,
    tell_selected,
)
from designer.models import Pipeline
from designer.versions import address_of_others_edit

OUTDATED = (
    "This was changed elsewhere since you opened it, so it is not saved. "
    "What you typed is still here."
)


class InspectorForm(SharedForm[Sent]):
    """A form of the inspector. It edits the selected part, or the agent of the selected stage."""

    BASE: ClassVar = "base"
    OLD_VALUES: ClassVar = "was"

    def __init__(
        self, request: HtmxHttpRequest, pipeline: Pipeline, read: Callable[[QueryDict], Sent]
    ) -> None:
        super().__init__(request.POST, read, saves_partially=bool(request.htmx))
        self.request = request
        self.pipeline = pipeline
        self.shown = PageState.parse(self.data)
        self.subject = key_in(self.data, "subject")
        """Key of the edited part."""

    def current_base(self) -> str | None:
        """Return the digest of the part now; None if it is deleted."""
        definition = definitions.read(current_row(self.pipeline))
        if existing(definition, self.shown.selection) != self.shown.selection:
            return None
        return base_of(definition, self.shown.selection, self.shown.tab)

    def current_fields(self) -> dict[str, str]:
        """Return the hidden fields of the form as it would be rendered now."""
        pipeline, shown = get_pipeline(self.request, self.pipeline.pk), self.shown
        if shown.selection.kind == "stage" and shown.tab == "agent":
            # The stage may have another agent now; the form still edits the previous one.
            shown = replace(shown, selection=Selection("agent", self.subject))
        context = inspector(pipeline, self.request.user, definitions.read(pipeline), shown)
        return {self.BASE: context["base"], self.OLD_VALUES: context["was"]}

    def last_author(self) -> str:
        """Return the author of the last change of the part."""
        selection = self.shown.selection
        if selection.kind == "stage" and self.shown.tab == "agent":
            selection = Selection("agent", self.subject)
        return changed_by(self.pipeline, selection, self.request.user)


def fields_response(
    form: InspectorForm[Sent],
    outcome: Outcome[Sent],
    *,
    selects: Callable[[SavedForm[Sent]], Selection] | None = None,
) -> HttpResponse:
    """Return the response to a form of fields.

    `selects` returns the selection afterwards, if the form can rename the selected part.
    """
    if not isinstance(outcome, SavedForm):
        return _not_saved(form, outcome)
    if not form.request.htmx:
        return redirect(reverse("editor", args=[form.pipeline.pk]))
    selection = selects(outcome) if selects else form.shown.selection
    shown = replace(form.shown, selection=selection)
    html = render_saved_fields(form.request.user, outcome, shown)
    html += render_mentions(outcome.change, form.shown.selection, selection)
    response = _saved(outcome, html)
    if selection != form.shown.selection:
        tell_selected(response, selection)
        replace_address(response, outcome.change.pipeline, selection, shown)
    return response


def rows_response(
    form: InspectorForm[Sent], outcome: Outcome[Sent], *, block: Block
) -> HttpResponse:
    """Return the response to a form of rows."""
    if not isinstance(outcome, SavedForm):
        return _not_saved(form, outcome, block=block)
    if not form.request.htmx:
        return redirect(reverse("editor", args=[form.pipeline.pk]))
    html = render_saved_rows(form.request.user, outcome, form.shown, block)
    return _saved(outcome, html)


def _saved(outcome: SavedForm[Sent], html: str) -> HttpResponse:
    return HttpResponse(html, status=UNPROCESSABLE if outcome.refused else None)


def _not_saved(
    form: InspectorForm[Sent],
    outcome: InvalidForm[Sent] | ConflictingForm[Sent] | OutdatedForm | DeletedForm,
    *,
    block: Block | None = None,
) -> HttpResponse:
    match outcome:
        case InvalidForm(sent):
            return _invalid(form, sent, block)
        case ConflictingForm():
            choices = render_choices(
                outcome,
                outcome.sent.parts,
                form.request.path,
                saved=read_definition(form.pipeline),
                difference=address_of_others_edit(form.pipeline, form.request.user),
            )
            html = render_to_string("editor/forms/_not_saved.html") + choices
            return HttpResponse(html, status=PRECONDITION_FAILED)
        case OutdatedForm():
            return _outdated(form)
        case DeletedForm(text):
            return _deleted(form, text)
        case _:
            assert_never(outcome)


def _invalid(form: InspectorForm[Sent], sent: Sent, block: Block | None) -> HttpResponse:
    """Return the errors next to the fields; the typed text stays."""
    if not form.request.htmx:
        return refused(form.request, form.pipeline, *sent.forms, shown=form.shown)
    html = render_field_errors(sent, form.shown.token, block=block, in_inspector=True)
    return HttpResponse(html, status=UNPROCESSABLE)


def _outdated(form: InspectorForm[Sent]) -> HttpResponse:
    """Return a notice with a link that shows the part as it is now."""
    selection = form.shown.selection
    link = (address_of(form.pipeline, selection, form.shown), "Show it as it is now")
    return sentence(
        form.request,
        form.pipeline,
        OUTDATED,
        PRECONDITION_FAILED,
        more=render_to_string("editor/forms/_not_saved.html"),
        link=link,
        shown=form.shown,
    )


def _deleted(form: InspectorForm[Sent], text: str) -> HttpResponse:
    """Return a notice in the form, and the rest of the page as it is now; the text stays."""
    pipeline, shown = get_pipeline(form.request, form.pipeline.pk), form.shown
    context: dict[str, object] = {"pipeline": pipeline}
    if existing(definitions.read(pipeline), shown.selection) == shown.selection:
        author = changed_by(pipeline, shown.selection, form.request.user)
        context |= {"text": text, "who": author}
    else:
        context["deletion"] = deletion_of(pipeline, form.request.user, shown.selection)
    html = render_all(pipeline, form.request.user, shown, keep_inspector=True)
    html += render_to_string("editor/forms/_not_saved.html") + render_merge(context)
    return HttpResponse(html, status=CONFLICT)
