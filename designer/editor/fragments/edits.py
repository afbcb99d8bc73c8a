"""Fragments that an edit changed, swapped out of band."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.template.loader import render_to_string

from designer import definitions
from designer.canvas import (
    EdgeLine,
    FrameBox,
    NoteCard,
    Problem,
    ProblemChanges,
    StageCard,
    canvas_context,
    edge_id,
    edge_lines,
    frame_boxes,
    frame_id,
    list_problems,
    note_cards,
    note_id,
    problem_changes,
    stage_cards,
    stage_id,
    supervisor_card,
)
from designer.core import Change, PageState, change_since, find_issues, last_edit, next_edit
from designer.definitions import Patch, transition_key
from designer.editor.fragments.form_notice import form_notice
from designer.editor.fragments.inspector import existing, inspector
from designer.editor.fragments.outline import (
    agent_names,
    name_id,
    new_rows,
    outline_rows,
    row_id,
)
from designer.editor.fragments.panels import bottom_panel, left_changes, left_panel
from designer.editor.fragments.refresh_rules import (
    follow_renames,
    shows_annotation,
    shows_change,
)
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition, Transition
from orchestration.validation import Issue

MAX_SWAPS = 60
"""Maximum number of elements that are swapped one by one.

For every element the browser reports all elements swapped before it.
"""


@dataclass(frozen=True)
class CanvasChanges:
    """The changed elements of the canvas."""

    deleted: list[str]
    """Ids of elements."""
    stages: list[StageCard]
    new_stages: list[StageCard]
    edges: list[EdgeLine]
    new_edges: list[EdgeLine]
    notes: list[NoteCard]
    new_notes: list[NoteCard]
    frames: list[FrameBox]
    new_frames: list[FrameBox]


def render_since(pipeline: Pipeline, user: User, shown: PageState) -> str:
    """Render the changes of others since the page's version; the whole page if unknown."""
    if shown.version == pipeline.version:
        return ""
    known = shown.version is not None and shown.version < pipeline.version
    since = shown.version or 0
    change = change_since(pipeline=pipeline, user=user, version=since) if known else None
    if change is None:
        return render_all(pipeline, user, shown, keep_notice=True)
    shown = replace(shown, version=pipeline.version - 1 if change.made else pipeline.version)
    return render_edit(change, user, shown, keep_notice=True)


def render_edit(
    change: Change,
    user: User,
    shown: PageState,
    *,
    keep_inspector: bool = False,
    keep_notice: bool = False,
) -> str:
    """Render the fragments that an edit changed, and those that follow every edit.

    `keep_inspector` leaves the inspector's fields alone, for an edit from its form.
    `keep_notice` leaves the last notice, for an edit by someone else. A page that has missed an
    edit, by its version, gets the whole canvas. So does a page after a change of the topology,
    which changes the label of every line, and after a change of more than `MAX_SWAPS` elements.
    """
    pipeline, shown = change.pipeline, follow_renames(change, shown)
    known = pipeline.version - 1 if change.made else pipeline.version
    missed = shown.version is not None and shown.version != known
    everything = partial(
        render_all, pipeline, user, shown, keep_inspector=keep_inspector, keep_notice=keep_notice
    )
    if missed or "topology" in _changed_settings(change):
        return everything()
    context = chrome(pipeline, user) | {"keep_notice": keep_notice}
    definition, edition = change.definition, change.edition
    if change.made and definition is None:
        drawn_part = _partial_definition(change)
        context["canvas_changes"] = _canvas_changes(change, drawn_part)
        if change.after.settings.touched:
            context |= _supervisor(drawn_part, shown)
        context |= _outline_annotations(change, shown)
        if not keep_inspector and shows_annotation(change, shown):
            exists = existing(drawn_part, shown.selection) == shown.selection
            known_now = drawn_part if exists else definitions.read(pipeline)
            context |= _inspector(pipeline, user, known_now, shown, None)
    elif change.made and definition is not None:
        context["canvas_changes"] = _canvas_changes(change, definition)
        context |= _supervisor(definition, shown, touched=_touches_supervisor(change, definition))
        draft = edition.draft if edition else None
        context |= bottom_panel(definition, change.issues, shown, draft=draft, whole=False)
        context["bottom"] = True
        if shown.panel == "outline":
            context["outline_changes"] = _outline_changes(
                context["canvas_changes"], change, definition
            )
        touched, affected = _touched(change), _affected_agents(change)
        context["problem_changes"] = _problem_changes(change, definition, context["problems"])
        if affected or touched & {"agents", "hues", "tools"}:
            parts = change.before, change.after
            context["left_changes"] = left_changes(definition, *parts, affected)
        if not keep_inspector and shows_change(change, definition, shown):
            context |= _inspector(pipeline, user, definition, shown, change.issues)
    changes = (context.get(f"{place}_changes") for place in ("canvas", "left", "problem"))
    if sum(_count(change) for change in changes if change) > MAX_SWAPS:
        return everything()
    return render_to_string("editor/page/_edit.html", context)


def render_all(
    pipeline: Pipeline,
    user: User,
    shown: PageState,
    *,
    keep_inspector: bool = False,
    keep_notice: bool = False,
) -> str:
    """Render every fragment of the page, for a page that has missed a change."""
    definition = definitions.read(pipeline)
    issues = find_issues(pipeline, user, definition)
    context = chrome(pipeline, user)
    context |= canvas_context(definition) | left_panel(definition)
    context |= bottom_panel(definition, issues, shown)
    context |= {"everything": True, "bottom": True, "left": True, "keep_notice": keep_notice}
    context |= _supervisor(definition, shown)
    if not keep_inspector:
        context |= _inspector(pipeline, user, definition, shown, issues)
    return render_to_string("editor/page/_edit.html", context)


def chrome(pipeline: Pipeline, user: User) -> dict[str, Any]:
    """Return the context of `components/_top_bar.html` in design mode."""
    return {
        "pipeline": pipeline,
        "mode": "design",
        "undo": last_edit(pipeline=pipeline, user=user),
        "redo": next_edit(pipeline=pipeline, user=user),
    }


def _inspector(
    pipeline: Pipeline,
    user: User,
    definition: PipelineDefinition,
    shown: PageState,
    issues: Sequence[Issue] | None,
) -> dict[str, Any]:
    """Return the context of the inspector, or of the notice next to its form if that is in use."""
    notice = form_notice(pipeline, user, definition, shown)
    return (
        notice
        if notice is not None
        else {"inspector": inspector(pipeline, user, definition, shown, issues)}
    )


def _count(changes: Any) -> int:
    """Return the number of changed elements, from the fields of a dataclass."""
    return sum(len(getattr(changes, field.name)) for field in fields(changes))


def _partial_definition(change: Change) -> PipelineDefinition:
    """Return the part of the pipeline that is needed to draw moved stages and the supervisor."""
    after = change.after
    if after.settings.touched:
        return definitions.read(change.pipeline)
    around = definitions.read_around(change.pipeline, after.positions)
    annotations = {
        "notes": tuple(note for note in after.notes.values() if note),
        "frames": tuple(frame for frame in after.frames.values() if frame),
    }
    return around.model_copy(update={"layout": around.layout.model_copy(update=annotations)})


def _canvas_changes(change: Change, definition: PipelineDefinition) -> CanvasChanges:
    before, after = change.before, change.after
    deleted = [stage_id(phase) for phase, stage in after.stages.items() if stage is None]
    new = [phase for phase, stage in after.stages.items() if stage and not before.stages[phase]]
    touched = [phase for phase in _phases(change, definition) if phase not in new]

    edges = {_key(edge): edge for edge in after.transitions.values() if edge}
    deleted_edges = [
        key for key, edge in after.transitions.items() if edge is None and before.transitions[key]
    ]
    new_edges = [edge for key, edge in edges.items() if not before.transitions.get(key)]
    changed = [edge for key, edge in edges.items() if before.transitions.get(key)]
    back, turned = _back(change, definition)
    relabelled = {_key(edge): edge for edge in (*_relabelled(change, definition), *turned)}
    changed += [edge for key, edge in relabelled.items() if key not in after.transitions]
    notes = [(note, before.notes.get(key)) for key, note in after.notes.items() if note]
    deleted += [note_id(key) for key, note in after.notes.items() if note is None]
    frames = [(frame, before.frames.get(key)) for key, frame in after.frames.items() if frame]
    deleted += [frame_id(key) for key, frame in after.frames.items() if frame is None]
    return CanvasChanges(
        deleted=[*deleted, *(edge_id(*key.split(">")) for key in deleted_edges)],
        stages=stage_cards(definition, touched),
        new_stages=stage_cards(definition, new),
        edges=edge_lines(definition, changed, back),
        new_edges=edge_lines(definition, new_edges, back),
        notes=note_cards(note for note, was in notes if was),
        new_notes=note_cards(note for note, was in notes if not was),
        frames=frame_boxes(frame for frame, was in frames if was),
        new_frames=frame_boxes(frame for frame, was in frames if not was),
    )


def _outline_changes(
    canvas: CanvasChanges, change: Change, definition: PipelineDefinition
) -> dict[str, Any]:
    """Return the changes of the outline: the rows of the changed cards, notes, frames and names."""
    new, touched = ([card.phase for card in cards] for cards in (canvas.new_stages, canvas.stages))
    before, after = change.before, change.after
    names = [
        (before.agents[key], agent)
        for key, agent in after.agents.items()
        if getattr(before.agents[key], "name", None) != getattr(agent, "name", None)
    ]
    return {
        "deleted": [row_id(phase) for phase, stage in after.stages.items() if stage is None],
        "rows": outline_rows(definition, touched),
        "new": new_rows(definition, new),
        "annotations": _annotations(definition) if after.notes or after.frames else None,
        "deleted_names": [name_id(was.id) for was, _ in names if was],
        "new_names": agent_names(agent for _, agent in names if agent),
    }


def _annotations(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the notes and frames that the outline lists."""
    layout = definition.layout
    return {"outline_notes": layout.notes, "outline_frames": layout.frames}


def _outline_annotations(change: Change, shown: PageState) -> dict[str, Any]:
    """Return the notes and frames of the outline, if their texts, titles or stages changed."""

    def content(patch: Patch) -> object:
        frames = {key: frame and (frame.title, frame.stages) for key, frame in patch.frames.items()}
        return {key: note and note.text for key, note in patch.notes.items()}, frames

    if shown.panel != "outline" or content(change.before) == content(change.after):
        return {}
    return {"outline_changes": {"annotations": _annotations(definitions.read(change.pipeline))}}


def _phases(change: Change, definition: PipelineDefinition) -> list[str]:
    """Return the stages with changed cards: by their parts, agents, rules or as the entry."""
    before, after = change.before, change.after
    phases = dict.fromkeys([*after.stages, *after.positions])
    phases |= dict.fromkeys(key.partition(">")[0] for key in after.transitions)
    agents = {*after.agents, *after.hues}
    rules = (*before.rules.values(), *after.rules.values())
    agents |= {rule.agent_id for rule in rules if rule}
    if agents:
        phases |= dict.fromkeys(
            stage.phase for stage in definition.stages if not agents.isdisjoint(stage.agent_ids)
        )
    for settings in (before.settings, after.settings):
        if "entry" in settings.model_fields_set and settings.entry:
            phases[settings.entry] = None
    return list(phases)


def _relabelled(change: Change, definition: PipelineDefinition) -> list[Transition]:
    """Return the transitions whose labels changed because of other parts.

    In a team only the entry delegates, and a group follows only its next stage. The names of
    handoff tools depend on the target's agent and on the other tools of the same stage.
    """
    after = change.after
    if definition.topology == "team":
        has_new_entry = "entry" in _changed_settings(change)
        entries = {change.before.settings.entry, after.settings.entry} if has_new_entry else set()
        return [edge for edge in definition.transitions if edge.source in entries]
    sources = {key.partition(">")[0] for key in after.transitions}
    typed = [edge for edge in definition.transitions if edge.input_schema is not None]
    sources |= {edge.source for edge in typed if edge.target in after.stages}
    other_kinds = {
        phase
        for phase, stage in after.stages.items()
        if stage and (was := change.before.stages[phase]) and was.kind != stage.kind
    }
    edges = (edge for edge in definition.transitions if edge.source in other_kinds)
    return [*edges, *(edge for edge in typed if edge.source in sources - other_kinds)]


def _back(
    change: Change, definition: PipelineDefinition
) -> tuple[AbstractSet[tuple[str, str]], list[Transition]]:
    """Return the transitions that lead back, and the `return` transitions whose direction changed.

    If the earlier definition is not known, every `return` transition counts as changed.
    """
    touched = change.after.stages or change.after.transitions or _changed_settings(change)
    if change.edition is None or not touched:
        return frozenset(), []
    now = change.edition.draft.backward_transitions
    returns = [edge for edge in definition.transitions if edge.kind == "return"]
    if change.was is None:
        return now, returns
    turned = now ^ change.was.draft.backward_transitions
    return now, [edge for edge in returns if (edge.source, edge.target) in turned] if turned else []


def _changed_settings(change: Change) -> set[str]:
    """Return the names of the changed settings."""
    was, now = change.before.settings.touched, change.after.settings.touched
    return {name for name, part in now.items() if part != was[name]}


def _key(edge: Transition) -> str:
    return transition_key(edge.source, edge.target)


def _supervisor(
    definition: PipelineDefinition, shown: PageState, *, touched: bool = True
) -> dict[str, Any]:
    """Return the context of the supervisor's card: new, changed or deleted on the page."""
    card = supervisor_card(definition)
    if not card and not shown.is_supervised:
        return {}
    state = "deleted" if not card else "changed" if shown.is_supervised else "new"
    return {"supervisor": card, "supervisor_state": state} if touched else {}


def _touches_supervisor(change: Change, definition: PipelineDefinition) -> bool:
    names = {"supervisor_id", "supervision", "supervisor_position"}
    agents = {*change.after.agents, *change.after.hues}
    return bool(
        names & change.after.settings.model_fields_set or definition.supervisor_id in agents
    )


def _affected_agents(change: Change) -> set[str]:
    """Return the agents of the touched stages, and a new and a former supervisor."""
    parts = (*change.before.stages.values(), *change.after.stages.values())
    agents = {agent_id for stage in parts if stage for agent_id in stage.agent_ids}
    supervisors = {change.before.settings.supervisor_id} ^ {change.after.settings.supervisor_id}
    return agents.union(filter(None, supervisors))


def _problem_changes(
    change: Change, definition: PipelineDefinition, problems: Sequence[Problem]
) -> ProblemChanges | None:
    """Return the changes of the list of problems, if only this edit can have caused them.

    Problems of subtasks also depend on other pipelines.
    """
    was = change.was
    if was is None or any(
        tool.kind == "subtask" for tool in (*was.definition.tools, *definition.tools)
    ):
        return None
    return problem_changes(list_problems(was.definition, was.issues, was.draft), problems)


def _touched(change: Change) -> set[str]:
    return {name for name in Patch.model_fields if getattr(change.after, name)}
