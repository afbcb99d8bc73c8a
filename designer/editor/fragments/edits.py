"""Fragments that an edit changed, swapped out of band."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
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
from designer.editor.fragments.held import held
from designer.editor.fragments.inspector import inspector, present
from designer.editor.fragments.outline import (
    agent_names,
    name_id,
    new_rows,
    outline_rows,
    row_id,
)
from designer.editor.fragments.panels import bottom_panel, left_changes, left_panel
from designer.editor.fragments.refresh_rules import shows, shows_paper
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition, Transition
from orchestration.validation import Issue


@dataclass(frozen=True)
class Redrawn:
    """The elements of the canvas that an edit touched."""

    gone: list[str]
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
    """The fragments that an edit touched, and what always follows one.

    `keep_inspector` leaves the inspector's fields alone: the edit comes from there, and someone
    is typing; `keep_notice` what the page was told last: the edit comes from elsewhere. A page
    that has missed an edit, by its version, gets the whole canvas; so does one whose topology is
    another now, for every line then reads otherwise.
    """
    pipeline = change.pipeline
    known = pipeline.version - 1 if change.made else pipeline.version
    missed = shown.version is not None and shown.version != known
    if missed or "topology" in _set_otherwise(change):
        return render_all(
            pipeline, user, shown, keep_inspector=keep_inspector, keep_notice=keep_notice
        )
    context = chrome(pipeline, user) | {"keep_notice": keep_notice}
    definition, edition = change.definition, change.edition
    if change.made and definition is None:
        around = _around(change)
        context["redrawn"] = _redrawn(change, around)
        if change.after.settings.touched:
            context |= _supervisor(around, shown)
        context |= _listed(change, shown)
        if not keep_inspector and shows_paper(change, shown):
            there = present(around, shown.selection) == shown.selection
            known_now = around if there else definitions.read(pipeline)
            context |= _inspector(pipeline, user, known_now, shown, None)
    elif change.made and definition is not None:
        context["redrawn"] = _redrawn(change, definition)
        context |= _supervisor(definition, shown, touched=_touches_supervisor(change, definition))
        draft = edition.draft if edition else None
        context |= bottom_panel(definition, change.issues, shown, draft=draft, whole=False)
        context["bottom"] = True
        if shown.panel == "outline":
            context["outlined"] = _outlined(context["redrawn"], change, definition)
        touched = _touched(change)
        context["problem_changes"] = _relisted(change, definition, context["problems"])
        if touched & {"agents", "hues", "tools", "stages"}:
            parts = change.before, change.after
            context["left_changes"] = left_changes(definition, *parts, _servants(change))
        if not keep_inspector and shows(change, definition, shown):
            context |= _inspector(pipeline, user, definition, shown, change.issues)
    return render_to_string("editor/page/_edit.html", context)


def render_all(
    pipeline: Pipeline,
    user: User,
    shown: PageState,
    *,
    keep_inspector: bool = False,
    keep_notice: bool = False,
) -> str:
    """Every fragment of the page as it is now: for a page that has missed something."""
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
    """The inspector as it is now; or what is said beside it, where someone is in its form."""
    kept = held(pipeline, user, definition, shown)
    return (
        kept
        if kept is not None
        else {"inspector": inspector(pipeline, user, definition, shown, issues)}
    )


def _around(change: Change) -> PipelineDefinition:
    """As much of the pipeline as it takes to draw stages and the supervisor elsewhere."""
    after = change.after
    if after.settings.touched:
        return definitions.read(change.pipeline)
    around = definitions.read_around(change.pipeline, after.positions)
    paper = {
        "notes": tuple(note for note in after.notes.values() if note),
        "frames": tuple(frame for frame in after.frames.values() if frame),
    }
    return around.model_copy(update={"layout": around.layout.model_copy(update=paper)})


def _redrawn(change: Change, definition: PipelineDefinition) -> Redrawn:
    before, after = change.before, change.after
    gone = [stage_id(phase) for phase, stage in after.stages.items() if stage is None]
    new = [phase for phase, stage in after.stages.items() if stage and not before.stages[phase]]
    touched = [phase for phase in _phases(change, definition) if phase not in new]

    ways = {_key(way): way for way in after.transitions.values() if way}
    lost = [
        key for key, way in after.transitions.items() if way is None and before.transitions[key]
    ]
    fresh = [way for key, way in ways.items() if not before.transitions.get(key)]
    changed = [way for key, way in ways.items() if before.transitions.get(key)]
    back, turned = _back(change, definition)
    reworded = {_key(way): way for way in (*_reworded(change, definition), *turned)}
    changed += [way for key, way in reworded.items() if key not in after.transitions]
    notes = [(note, before.notes.get(key)) for key, note in after.notes.items() if note]
    gone += [note_id(key) for key, note in after.notes.items() if note is None]
    frames = [(frame, before.frames.get(key)) for key, frame in after.frames.items() if frame]
    gone += [frame_id(key) for key, frame in after.frames.items() if frame is None]
    return Redrawn(
        gone=[*gone, *(edge_id(*key.split(">")) for key in lost)],
        stages=stage_cards(definition, touched),
        new_stages=stage_cards(definition, new),
        edges=edge_lines(definition, changed, back),
        new_edges=edge_lines(definition, fresh, back),
        notes=note_cards(note for note, was in notes if was),
        new_notes=note_cards(note for note, was in notes if not was),
        frames=frame_boxes(frame for frame, was in frames if was),
        new_frames=frame_boxes(frame for frame, was in frames if not was),
    )


def _outlined(redrawn: Redrawn, change: Change, definition: PipelineDefinition) -> dict[str, Any]:
    """The rows of the outline that an edit touched: those of the cards that it did."""
    new, touched = (
        [card.phase for card in cards] for cards in (redrawn.new_stages, redrawn.stages)
    )
    before, after = change.before, change.after
    names = [
        (before.agents[key], agent)
        for key, agent in after.agents.items()
        if getattr(before.agents[key], "name", None) != getattr(agent, "name", None)
    ]
    return {
        "gone": [row_id(phase) for phase, stage in after.stages.items() if stage is None],
        "rows": outline_rows(definition, touched),
        "new": new_rows(definition, new),
        "paper": _paper(definition) if after.notes or after.frames else None,
        "unnamed": [name_id(was.id) for was, _ in names if was],
        "named": agent_names(agent for _, agent in names if agent),
    }


def _paper(definition: PipelineDefinition) -> dict[str, Any]:
    """The notes and frames that the outline lists."""
    layout = definition.layout
    return {"outline_notes": layout.notes, "outline_frames": layout.frames}


def _listed(change: Change, shown: PageState) -> dict[str, Any]:
    """The notes and frames of the outline, where one says something else now, or holds others."""

    def said(patch: Patch) -> object:
        frames = {key: one and (one.title, one.stages) for key, one in patch.frames.items()}
        return {key: one and one.text for key, one in patch.notes.items()}, frames

    if shown.panel != "outline" or said(change.before) == said(change.after):
        return {}
    return {"outlined": {"paper": _paper(definitions.read(change.pipeline))}}


def _phases(change: Change, definition: PipelineDefinition) -> list[str]:
    """The stages whose cards look different: by their parts, ways or agents, or as the entry."""
    before, after = change.before, change.after
    phases = dict.fromkeys([*after.stages, *after.positions])
    phases |= dict.fromkeys(key.partition(">")[0] for key in after.transitions)
    agents = {*after.agents, *after.hues}
    if agents:
        phases |= dict.fromkeys(
            stage.phase for stage in definition.stages if not agents.isdisjoint(stage.agent_ids)
        )
    for settings in (before.settings, after.settings):
        if "entry" in settings.model_fields_set and settings.entry:
            phases[settings.entry] = None
    return list(phases)


def _reworded(change: Change, definition: PipelineDefinition) -> list[Transition]:
    """The transitions whose lines say something else now, because of what is around them.

    In a team it is the entry that delegates, and a group chooses no way. The names of handoff tools
    depend on who serves the target, and on the other tools of the same stage.
    """
    after = change.after
    if definition.topology == "team":
        turned = "entry" in _set_otherwise(change)
        entries = {change.before.settings.entry, after.settings.entry} if turned else set()
        return [way for way in definition.transitions if way.source in entries]
    sources = {key.partition(">")[0] for key in after.transitions}
    typed = [way for way in definition.transitions if way.input_schema is not None]
    sources |= {way.source for way in typed if way.target in after.stages}
    others = {
        phase
        for phase, stage in after.stages.items()
        if stage and (was := change.before.stages[phase]) and was.kind != stage.kind
    }
    ways = (way for way in definition.transitions if way.source in others)
    return [*ways, *(way for way in typed if way.source in sources - others)]


def _back(
    change: Change, definition: PipelineDefinition
) -> tuple[AbstractSet[tuple[str, str]], list[Transition]]:
    """Return the transitions that lead back, and the `return` transitions whose direction changed.

    If the earlier definition is not known, every `return` transition counts as changed.
    """
    touched = change.after.stages or change.after.transitions or _set_otherwise(change)
    if change.edition is None or not touched:
        return frozenset(), []
    now = change.edition.draft.ways_back
    returns = [way for way in definition.transitions if way.kind == "return"]
    if change.was is None:
        return now, returns
    turned = now ^ change.was.draft.ways_back
    return now, [way for way in returns if (way.source, way.target) in turned] if turned else []


def _set_otherwise(change: Change) -> set[str]:
    """The names of the settings that are others now."""
    was, now = change.before.settings.touched, change.after.settings.touched
    return {name for name, part in now.items() if part != was[name]}


def _key(way: Transition) -> str:
    return transition_key(way.source, way.target)


def _supervisor(
    definition: PipelineDefinition, shown: PageState, *, touched: bool = True
) -> dict[str, Any]:
    """The supervisor's card, and whether the page has it already."""
    card = supervisor_card(definition)
    if not card and not shown.is_supervised:
        return {}
    state = "gone" if not card else "there" if shown.is_supervised else "new"
    return {"supervisor": card, "supervisor_is": state} if touched else {}


def _touches_supervisor(change: Change, definition: PipelineDefinition) -> bool:
    fields = {"supervisor_id", "supervisor_position"}
    agents = {*change.after.agents, *change.after.hues}
    return bool(
        fields & change.after.settings.model_fields_set or definition.supervisor_id in agents
    )


def _servants(change: Change) -> set[str]:
    """The agents that serve more or fewer stages now."""
    parts = (*change.before.stages.values(), *change.after.stages.values())
    return {agent_id for stage in parts if stage for agent_id in stage.agent_ids}


def _relisted(
    change: Change, definition: PipelineDefinition, listed: Sequence[Problem]
) -> ProblemChanges | None:
    """Return the change of the list of problems, if the edit's own part is known.

    What bars subtasks comes and goes with other pipelines.
    """
    was = change.was
    if was is None or any(
        tool.kind == "subtask" for one in (was.definition, definition) for tool in one.tools
    ):
        return None
    return problem_changes(list_problems(was.definition, was.issues, was.draft), listed)


def _touched(change: Change) -> set[str]:
    return {name for name in Patch.model_fields if getattr(change.after, name)}
