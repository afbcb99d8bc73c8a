"""Views of the inspector's forms: stage, transition, agent, tool, and the pipeline itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from django.http import HttpResponse

from designer.core import (
    Change,
    HtmxHttpRequest,
    PageState,
    RowForms,
    Selection,
    get_pipeline,
    number,
    posted_key,
)
from designer.editor.actions import agents, stages, tools, topology
from designer.editor.actions.stages import StageValues
from designer.editor.forms.agent import CUES, AgentForm
from designer.editor.forms.examples import EXAMPLES
from designer.editor.forms.payload import SentPayload
from designer.editor.forms.stage import StageForm, TransitionForm
from designer.editor.forms.tool import ToolForm
from designer.editor.views.form_save import faulty, rows_saved, save, unless_stale
from designer.editor.views.merge import merging
from designer.editor.views.responses import FaultyFormError, edited, gesture
from designer.models import Pipeline
from designer.pipelines import SettingsForm, update_settings
from orchestration.definition import Cue, ToolExample


@gesture
@merging
def update_stage(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a stage: its phase, who serves it, where it leads."""
    pipeline = get_pipeline(request, pk)
    form = StageForm(request.POST)

    def act() -> Change:
        values = StageValues(**form.values)
        phase = posted_key(request, "subject")
        return stages.update_stage(pipeline=pipeline, user=request.user, phase=phase, values=values)

    return save(
        request, pipeline, form, act, selects=lambda: Selection("stage", form.cleaned_data["phase"])
    )


@gesture
@merging
def update_transition(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a transition: its kind, when to take it, and what its target is shown."""
    pipeline = get_pipeline(request, pk)
    form = TransitionForm(request.POST)
    return save(
        request,
        pipeline,
        form,
        lambda: topology.update_transition(
            pipeline=pipeline,
            user=request.user,
            key=posted_key(request, "subject"),
            **form.cleaned_data,
        ),
    )


@gesture
@merging
def update_payload(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change what the target of a transition needs to be told."""
    pipeline = get_pipeline(request, pk)
    sent = SentPayload(request.POST)
    if not sent.is_valid():
        answer = faulty(request, pipeline, *sent.forms, about="-payload", general=sent.general)
        raise FaultyFormError([sent.form, *([sent.rows] if sent.rows else [])], answer)

    def act() -> Change:
        return topology.update_payload(
            pipeline=pipeline,
            user=request.user,
            key=posted_key(request, "subject"),
            schema=sent.schema,
            tool_name=sent.form.cleaned_data["tool_name"],
        )

    change = unless_stale(request, pipeline, act, sent.form, sent.rows)
    return rows_saved(
        request,
        change,
        sent.rows,
        beside=sent.form,
        block="payload",
        adds=sent.adds,
        anew=sent.taken_off is not None,
        as_json=sent.write_as == "json",
    )


@gesture
@merging
def update_agent(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change an agent, but for its cues."""
    pipeline = get_pipeline(request, pk)
    form = AgentForm(request.POST)
    shown = PageState.parse(request.POST).selection

    def selects() -> Selection:
        agent = form.cleaned_data["agent"]
        return Selection("agent", agent.id) if shown.kind == "agent" else shown

    return save(
        request,
        pipeline,
        form,
        lambda: agents.update_agent(
            pipeline=pipeline,
            user=request.user,
            agent_id=posted_key(request, "subject"),
            agent=form.cleaned_data["agent"],
        ),
        selects=selects,
    )


@gesture
@merging
def update_cues(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change an agent's cues."""

    def update(pipeline: Pipeline, key: str, cues: tuple[Cue, ...]) -> Change:
        return agents.update_cues(pipeline=pipeline, user=request.user, agent_id=key, cues=cues)

    return _save_rows(request, pk, CUES, "cues", update)


@gesture
@merging
def update_pipeline(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change the settings of the pipeline."""
    pipeline = get_pipeline(request, pk)
    form = SettingsForm(request.POST)
    return save(
        request,
        pipeline,
        form,
        lambda: update_settings(
            pipeline=pipeline, user=request.user, settings=form.cleaned_data["settings"]
        ),
    )


@gesture
@merging
def update_tool(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a tool."""
    pipeline = get_pipeline(request, pk)
    form = ToolForm(request.POST)
    return save(
        request,
        pipeline,
        form,
        lambda: tools.update_tool(
            pipeline=pipeline,
            user=request.user,
            name=posted_key(request, "subject"),
            tool=form.cleaned_data["tool"],
        ),
        selects=lambda: Selection("tool", form.cleaned_data["tool"].name),
    )


@gesture
@merging
def update_examples(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a tool's examples."""

    def update(pipeline: Pipeline, key: str, examples: tuple[ToolExample, ...]) -> Change:
        return tools.update_examples(
            pipeline=pipeline, user=request.user, name=key, examples=examples
        )

    return _save_rows(request, pk, EXAMPLES, "examples", update)


@gesture
def delete_agent(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete an agent."""
    pipeline = get_pipeline(request, pk)
    key = posted_key(request, "agent")
    return edited(request, agents.delete_agent(pipeline=pipeline, user=request.user, agent_id=key))


@gesture
def add_tool(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Add a tool, and select it."""
    pipeline = get_pipeline(request, pk)
    change = tools.add_tool(pipeline=pipeline, user=request.user)
    return edited(request, change, select=Selection("tool", next(iter(change.after.tools))))


@gesture
def delete_tool(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Delete a tool."""
    pipeline = get_pipeline(request, pk)
    name = posted_key(request, "tool")
    return edited(request, tools.delete_tool(pipeline=pipeline, user=request.user, name=name))


def _save_rows(
    request: HtmxHttpRequest,
    pk: int,
    kind: type[RowForms],
    block: Literal["cues", "examples"],
    update: Callable[[Pipeline, str, tuple[Any, ...]], Change],
) -> HttpResponse:
    """Change the rows of a part; `add_row` adds an empty one, `take_off` takes off the n-th."""
    pipeline = get_pipeline(request, pk)
    taken_off = number(request.POST.get("take_off", ""))
    rows = kind.sent(request.POST)
    if not rows.are_valid(without=taken_off):
        general = rows.non_form_errors()
        answer = faulty(request, pipeline, *rows.forms, about=f"-{block}", general=general)
        raise FaultyFormError([rows], answer)

    def act() -> Change:
        return update(pipeline, posted_key(request, "subject"), rows.parts(without=taken_off))

    change = unless_stale(request, pipeline, act, rows)
    return rows_saved(
        request,
        change,
        rows,
        block=block,
        adds="add_row" in request.POST,
        anew=taken_off is not None,
    )
