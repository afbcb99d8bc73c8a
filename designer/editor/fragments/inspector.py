"""Context of the inspector: the selected part in `editor/inspector/_inspector.html`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from django.contrib.auth.models import User

from designer import definitions
from designer.canvas import edge_lines, has_both_ends, hue_of, initial, members
from designer.core import (
    PageState,
    Selection,
    Tab,
    find_issues,
    is_view_only,
    make_read_only,
    natural_key,
    provider_choices,
    tool_connections,
)
from designer.editor.forms.agent import AgentForm, cue_lists, cue_rows
from designer.editor.forms.examples import example_rows
from designer.editor.forms.form_values import values_of, write_values
from designer.editor.forms.notes_and_frames import FrameForm, NoteForm
from designer.editor.forms.stage import StageForm
from designer.editor.forms.tool import ToolForm
from designer.editor.fragments.field_issues import field_issues
from designer.editor.fragments.group import show_group
from designer.editor.fragments.model_preview import agent_preview, stage_preview
from designer.editor.fragments.transition import transition
from designer.models import Pipeline
from designer.pipelines import SettingsForm
from orchestration.definition import (
    Frame,
    Frozen,
    Note,
    PipelineDefinition,
    Topology,
    Transition,
)
from orchestration.validation import Issue

Drawn = TypeVar("Drawn", Note, Frame)


def inspector(
    pipeline: Pipeline,
    user: User,
    definition: PipelineDefinition,
    shown: PageState,
    issues: Sequence[Issue] | None = None,
) -> dict[str, Any]:
    """Return the context of the inspector. It shows the pipeline if the selected part is deleted.

    `issues` are those of the definition, if they are known; otherwise the rules run if needed.
    """
    selection = existing(definition, shown.selection)
    if issues is None:
        shows = _shows_issues(definition, selection, shown.tab)
        issues = find_issues(pipeline, user, definition) if shows else ()
    context: dict[str, Any] = {
        "selection": selection,
        "tab": shown.tab if selection.kind == "stage" else "",
        "token": shown.token,
        "key": selection.key,
        "subject": _subject(definition, selection, shown.tab),
        "base": base_of(definition, selection, shown.tab),
    }
    auto = {"auto_id": f"{shown.token}-%s"}
    match selection.kind:
        case "stage":
            context |= _stage(pipeline, definition, selection.key, shown.tab, issues, auto)
        case "agent":
            context |= _agent(pipeline, definition, selection.key, issues, auto)
        case "transition":
            if edge := transition_of(definition, selection.key):
                context |= transition(definition, edge, shown.token, issues)
                context["preview"] = stage_preview(definition, edge.source, edge.target)
        case "tool":
            context |= _tool(pipeline, user, definition, selection.key, issues, auto)
        case "note" | "frame":
            context |= _annotation(definition, selection, auto)
        case "pipeline":
            form = SettingsForm.showing(definition, **auto)
            context |= {"form": form, "tools": definition.tools}
    forms = [context.get(name) for name in ("form", "payload", "rows")]
    context["was"] = write_values(values_of(forms))
    if is_view_only(pipeline):
        make_read_only(*forms)
    return context


def _shows_issues(definition: PipelineDefinition, selection: Selection, tab: Tab) -> bool:
    """Report whether a form can show issues."""
    if selection.kind == "agent" or (selection.kind == "stage" and tab == "agent"):
        agent = definition.agents_by_id.get(_subject(definition, selection, tab))
        return agent is not None and agent.response_schema is not None
    if selection.kind == "stage":
        return definition.stages_by_phase[selection.key].kind != "agent"
    return selection.kind in ("transition", "tool")


def existing(definition: PipelineDefinition, selection: Selection) -> Selection:
    """Return the selection if its part exists; else the pipeline."""
    part: Any
    match selection.kind:
        case "stage":
            part = definition.stages_by_phase.get(selection.key)
        case "agent":
            part = definition.agents_by_id.get(selection.key)
        case "tool":
            part = definition.tools_by_name.get(selection.key)
        case "transition":
            edge = transition_of(definition, selection.key)
            part = edge if edge and has_both_ends(definition, edge) else None
        case "note":
            part = _with_id(definition.layout.notes, selection.key)
        case "frame":
            part = _with_id(definition.layout.frames, selection.key)
        case "pipeline":
            part = None
    return selection if part is not None else Selection()


def transition_of(definition: PipelineDefinition, key: str) -> Transition | None:
    """Return the transition with this key."""
    source, _, target = key.partition(">")
    outgoing = definition.transitions_from.get(source, ())
    return next((edge for edge in outgoing if edge.target == target), None)


def _with_id(parts: Iterable[Drawn], key: str) -> Drawn | None:
    return next((part for part in parts if part.id == key), None)


def base_of(definition: PipelineDefinition, selection: Selection, tab: Tab = "stage") -> str:
    """Return a digest of a form's values: a different one means a change in between."""
    parts: list[Frozen] = []
    match selection.kind:
        case "stage" if tab == "agent":
            stage = definition.stages_by_phase[selection.key]
            return base_of(definition, Selection("agent", stage.agent_id or ""))
        case "stage":
            outgoing = definition.transitions_from.get(selection.key, ())
            parts = [definition.stages_by_phase[selection.key], *outgoing]
        case "agent":
            agent = definition.agents_by_id.get(selection.key)
            parts = [agent] if agent else []
        case "tool":
            parts = [definition.tools_by_name[selection.key]]
        case "transition":
            edge = transition_of(definition, selection.key)
            parts = [edge] if edge else []
        case "note":
            note = _with_id(definition.layout.notes, selection.key)
            parts = [note.model_copy(update={"x": 0.0, "y": 0.0})] if note else []
        case "frame":
            frame = _with_id(definition.layout.frames, selection.key)
            parts = [frame.model_copy(update={"stages": ()})] if frame else []
        case "pipeline":
            parts = [definition.without_layout().model_copy(update=_WITHOUT_PARTS)]
    text = "\n".join(part.model_dump_json() for part in parts)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


_WITHOUT_PARTS: dict[str, Any] = {
    "agents": (), "stages": (), "transitions": (), "rules": (), "tools": (),
}  # fmt: skip


def _stage(
    pipeline: Pipeline,
    definition: PipelineDefinition,
    phase: str,
    tab: Tab,
    issues: Sequence[Issue],
    auto: dict[str, Any],
) -> dict[str, Any]:
    stage = definition.stages_by_phase[phase]
    context: dict[str, Any] = {"stage": stage}
    if tab == "agent":
        agent_context = _agent(pipeline, definition, stage.agent_id or "", issues, auto)
        return context | agent_context | {"members": members(definition, stage)}
    context["preview"] = stage_preview(definition, phase)
    if tab == "handoffs":
        outgoing = definition.transitions_from.get(phase, ())
        incoming = [edge for edge in definition.transitions if edge.target == phase]
        edition = definitions.cached_edition(pipeline)
        back = (
            edition.draft.backward_transitions
            if edition and edition.definition is definition
            else None
        )
        return context | {
            "outgoing": edge_lines(definition, outgoing, back),
            "incoming": edge_lines(definition, incoming, back),
            "labels": _LABELS[definition.topology],
        }
    agent = definition.agents_by_id.get(stage.agent_id or "")
    form = StageForm.showing(definition, stage, **auto)
    form.show_issues(field_issues(issues, "stage", (phase,), form.PATHS))
    show_group(form.fields["group"].widget, definition, stage)
    return context | {
        "form": form,
        "initial": initial(agent.name) if agent else "",
        "hue": hue_of(agent.id, definition.layout.hues) if agent else None,
    }


def _agent(
    pipeline: Pipeline,
    definition: PipelineDefinition,
    key: str,
    issues: Sequence[Issue],
    auto: dict[str, Any],
) -> dict[str, Any]:
    agent = definition.agents_by_id.get(key)
    if agent is None:
        return {}
    form = AgentForm.showing(definition, agent, provider_choices(pipeline.owner_id), **auto)
    form.show_issues(field_issues(issues, "agent", (key,), form.PATHS))
    return {
        "agent": agent,
        "preview": agent_preview(definition, agent.id),
        "hue": hue_of(agent.id, definition.layout.hues),
        "initial": initial(agent.name),
        "form": form,
        "rows": cue_rows(agent.cues, auto["auto_id"].removesuffix("-%s")),
        "cue_lists": cue_lists(definition, agent),
        "serves": [stage.phase for stage in definition.stages if agent.id in stage.agent_ids],
        "supervises": agent.id == definition.supervisor_id,
        "rules": [rule.id for rule in definition.rules if rule.agent_id == agent.id],
    }


def _tool(
    pipeline: Pipeline,
    user: User,
    definition: PipelineDefinition,
    name: str,
    issues: Sequence[Issue],
    auto: dict[str, Any],
) -> dict[str, Any]:
    tool = definition.tools_by_name[name]
    visible = Pipeline.objects.seen_by(user)
    others = visible.filter(owner=pipeline.owner_id).exclude(pk=pipeline.pk)
    names = sorted(set(others.values_list("name", flat=True)), key=natural_key)
    form = ToolForm.showing(tool, names, tool_connections(pipeline.owner_id), **auto)
    form.show_issues(field_issues(issues, "tool", (name,), form.PATHS))
    users = [agent for agent in definition.agents if tool.name in agent.tools]
    rows = example_rows(tool.examples, auto["auto_id"].removesuffix("-%s"))
    return {"tool": tool, "form": form, "rows": rows, "users": users}


def _annotation(
    definition: PipelineDefinition, selection: Selection, auto: dict[str, Any]
) -> dict[str, Any]:
    layout = definition.layout
    if note := _with_id(layout.notes, selection.key if selection.kind == "note" else ""):
        return {"form": NoteForm.showing(note, **auto)}
    if frame := _with_id(layout.frames, selection.key):
        return {"form": FrameForm.showing(frame, **auto), "frame": frame}
    return {}


def _subject(definition: PipelineDefinition, selection: Selection, tab: Tab) -> str:
    """Return the key of the edited part: in a stage's tab “Agent” the agent's."""
    if selection.kind == "stage" and tab == "agent":
        return definition.stages_by_phase[selection.key].agent_id or ""
    return selection.key


_HANDOFFS = {
    "onward": "may hand over to",
    "before": "Stages that may hand over to",
    "end": "None: a conversation ends here.",
    "undescribed": "No condition",
}
_LABELS: dict[Topology, dict[str, str]] = {
    "pipeline": _HANDOFFS,
    "swarm": _HANDOFFS,
    "workflow": {
        "onward": "is followed by",
        "before": "Stages before",
        "end": "None: its answer is the reply.",
    },
    "team": {
        "onward": "delegates to",
        "before": "Stages that delegate to",
        "end": "None: it answers the lead.",
        "undescribed": "No task description",
    },
}
"""Texts about the transitions from and to a stage."""
