"""Preview of the model's view with unsaved form values. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import wraps
from itertools import chain
from typing import TypeVar

from django.forms import BaseForm
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST
from pydantic import ValidationError

from designer import definitions
from designer.core import (
    EditError,
    HtmxHttpRequest,
    error_sentences,
    form_errors,
    get_pipeline,
    posted_key,
)
from designer.editor.actions import agents, stages
from designer.editor.actions.outgoing import (
    TransitionValues,
    change_payload,
    change_transition,
    outgoing_transitions,
    with_transitions,
)
from designer.editor.forms.agent import AgentForm
from designer.editor.forms.payload import SentPayload
from designer.editor.forms.stage import StageForm, TransitionForm
from designer.editor.fragments.model_preview import ModelPreview, agent_preview, stage_preview
from orchestration.definition import PipelineDefinition

PreviewPair = tuple[ModelPreview, ModelPreview]
"""Previews with the unsaved and with the saved values."""


class _InvalidInputError(Exception):
    """The typed values cannot be saved. The text gives the reason."""


AnyForm = TypeVar("AnyForm", bound=BaseForm)
Preview = Callable[[HtmxHttpRequest, PipelineDefinition, str], PreviewPair]
View = Callable[[HtmxHttpRequest, int], HttpResponse]


def _preview(preview: Preview) -> View:
    """Decorate a preview of a form: the view renders it, or the reason why there is none."""

    @wraps(preview)
    def respond(request: HtmxHttpRequest, pk: int) -> HttpResponse:
        pipeline = get_pipeline(request, pk, right="view")
        definition = definitions.read(pipeline)
        try:
            unsaved, saved = preview(request, definition, posted_key(request, "subject"))
        except (EditError, _InvalidInputError) as error:
            return render(request, "editor/inspector/_preview_result.html", {"reason": str(error)})
        return render(
            request,
            "editor/inspector/_preview_result.html",
            {"preview": unsaved.compared_with(saved)},
        )

    return require_POST(respond)


@_preview
def preview_stage(
    request: HtmxHttpRequest, definition: PipelineDefinition, phase: str
) -> PreviewPair:
    """Return the models' view of a stage with this phase, agent, description and targets."""
    form = _validated(StageForm(request.POST))
    values = stages.StageValues(**form.values)
    changed = stages.with_values(definition, phase, values)
    return stage_preview(_as_stored(changed), values.phase), stage_preview(definition, phase)


@_preview
def preview_agent(
    request: HtmxHttpRequest, definition: PipelineDefinition, key: str
) -> PreviewPair:
    """Return an agent's view with these instructions, this name and these tools."""
    form = _validated(AgentForm(request.POST))
    agent = form.cleaned_data["agent"]
    changed = agents.with_values(definition, key, agent)
    return agent_preview(_as_stored(changed), agent.id), agent_preview(definition, key)


@_preview
def preview_transition(
    request: HtmxHttpRequest, definition: PipelineDefinition, key: str
) -> PreviewPair:
    """Return the handoff tool of a transition with this kind and description."""
    form = _validated(TransitionForm(request.POST))
    values = TransitionValues(**form.cleaned_data)
    changed = change_transition(outgoing_transitions(definition, key), key, values)
    return _transition_views(with_transitions(definition, changed), definition, key)


@_preview
def preview_payload(
    request: HtmxHttpRequest, definition: PipelineDefinition, key: str
) -> PreviewPair:
    """Return the handoff tool of a transition with this payload."""
    sent = SentPayload(request.POST)
    if not sent.are_valid():
        raise _InvalidInputError(_first_error(*sent.forms) or " ".join(sent.general_errors))
    transition = outgoing_transitions(definition, key)[key]
    changed = change_payload(transition, sent.schema, sent.fields.cleaned_data["tool_name"])
    return _transition_views(with_transitions(definition, {key: changed}), definition, key)


def _transition_views(
    changed: PipelineDefinition, definition: PipelineDefinition, key: str
) -> PreviewPair:
    source, _, target = key.partition(">")
    return stage_preview(_as_stored(changed), source, target), stage_preview(
        definition, source, target
    )


def _as_stored(definition: PipelineDefinition) -> PipelineDefinition:
    """Return the definition as it would be read from the database: ordered and validated."""
    try:
        return PipelineDefinition(**dict(copy(definition)))  # without cached properties
    except ValidationError as error:
        raise _InvalidInputError(" ".join(error_sentences(error)[:3])) from None


def _validated(form: AnyForm) -> AnyForm:
    if not form.is_valid():
        raise _InvalidInputError(_first_error(form))
    return form


def _first_error(*forms: BaseForm) -> str:
    """Return the first error, with the name of its field."""
    return next(chain.from_iterable(map(form_errors, forms)), "")
