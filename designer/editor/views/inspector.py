"""Views of the inspector's forms: stage, transition, agent, tool, and the pipeline itself."""

from __future__ import annotations

from django.http import HttpResponse

from designer.core import Change, HtmxHttpRequest, Selection, get_pipeline, posted_key
from designer.editor.actions import agents, stages, tools, topology
from designer.editor.actions.stages import StageValues
from designer.editor.forms.agent import CUES, AgentForm
from designer.editor.forms.examples import EXAMPLES
from designer.editor.forms.payload import SentPayload
from designer.editor.forms.sent_forms import SentForms, sent_fields, sent_rows
from designer.editor.forms.shared_form import SavedForm
from designer.editor.forms.stage import StageForm, TransitionForm
from designer.editor.forms.tool import ToolForm
from designer.editor.views.form_save import InspectorForm, fields_response, rows_response
from designer.editor.views.responses import edited, gesture
from designer.pipelines import SettingsForm, update_settings


@gesture
def update_stage(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a stage: its phase, its agent or group, and its targets."""
    pipeline = get_pipeline(request, pk)
    form = InspectorForm(request, pipeline, sent_fields(StageForm))
    outcome = form.save(
        lambda sent: stages.update_stage(
            pipeline=pipeline,
            user=request.user,
            phase=form.subject,
            values=StageValues(**sent.fields.values),
        )
    )
    return fields_response(
        form,
        outcome,
        selects=lambda saved: Selection("stage", saved.sent.fields.cleaned_data["phase"]),
    )


@gesture
def update_transition(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a transition: its kind, its condition, and the messages that its target is shown."""
    pipeline = get_pipeline(request, pk)
    form = InspectorForm(request, pipeline, sent_fields(TransitionForm))
    outcome = form.save(
        lambda sent: topology.update_transition(
            pipeline=pipeline, user=request.user, key=form.subject, **sent.fields.cleaned_data
        )
    )
    return fields_response(form, outcome)


@gesture
def update_payload(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change the data that the target of a transition receives."""
    pipeline = get_pipeline(request, pk)
    form = InspectorForm(request, pipeline, SentPayload)
    outcome = form.save(
        lambda sent: topology.update_payload(
            pipeline=pipeline,
            user=request.user,
            key=form.subject,
            schema=sent.schema,
            tool_name=sent.fields.cleaned_data["tool_name"],
        )
    )
    return rows_response(form, outcome, block="payload")


@gesture
def update_agent(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change an agent, except its cues."""
    pipeline = get_pipeline(request, pk)
    form = InspectorForm(request, pipeline, sent_fields(AgentForm))
    outcome = form.save(
        lambda sent: agents.update_agent(
            pipeline=pipeline,
            user=request.user,
            agent_id=form.subject,
            agent=sent.fields.cleaned_data["agent"],
        )
    )
    shown = form.shown.selection

    def selects(saved: SavedForm[SentForms[AgentForm]]) -> Selection:
        before, after = saved.change.before.agents, saved.change.after.agents
        added = (key for key, agent in after.items() if agent and before.get(key) is None)
        return Selection("agent", next(added, form.subject)) if shown.kind == "agent" else shown

    return fields_response(form, outcome, selects=selects)


@gesture
def update_cues(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change an agent's cues."""
    pipeline = get_pipeline(request, pk)
    form = InspectorForm(request, pipeline, sent_rows(CUES))

    def update(sent: SentForms[None]) -> Change:
        return agents.update_cues(
            pipeline=pipeline, user=request.user, agent_id=form.subject, cues=sent.row_parts
        )

    return rows_response(form, form.save(update), block="cues")


@gesture
def update_pipeline(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change the settings of the pipeline."""
    pipeline = get_pipeline(request, pk)
    form = InspectorForm(request, pipeline, sent_fields(SettingsForm))
    outcome = form.save(
        lambda sent: update_settings(
            pipeline=pipeline, user=request.user, settings=sent.fields.cleaned_data["settings"]
        )
    )
    return fields_response(form, outcome)


@gesture
def update_tool(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a tool."""
    pipeline = get_pipeline(request, pk)
    form = InspectorForm(request, pipeline, sent_fields(ToolForm))
    outcome = form.save(
        lambda sent: tools.update_tool(
            pipeline=pipeline,
            user=request.user,
            name=form.subject,
            tool=sent.fields.cleaned_data["tool"],
        )
    )
    return fields_response(
        form,
        outcome,
        selects=lambda saved: Selection("tool", saved.sent.fields.cleaned_data["tool"].name),
    )


@gesture
def update_examples(request: HtmxHttpRequest, pk: int) -> HttpResponse:
    """Change a tool's examples."""
    pipeline = get_pipeline(request, pk)
    form = InspectorForm(request, pipeline, sent_rows(EXAMPLES))

    def update(sent: SentForms[None]) -> Change:
        return tools.update_examples(
            pipeline=pipeline, user=request.user, name=form.subject, examples=sent.row_parts
        )

    return rows_response(form, form.save(update), block="examples")


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
