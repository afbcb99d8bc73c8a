"""Copy, cut, paste and duplicate parts of pipelines.

The clipboard contains a valid definition, so it can be imported like a file, and an exported file
can be pasted. `designer.editor.actions.subgraphs` extracts and merges the parts.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from designer import definitions
from designer.canvas import with_positions
from designer.core import Change, GoneError, RefusedError, current_row, edit_action, make_edit
from designer.definitions import Patch, Settings
from designer.editor.actions.subgraphs import (
    extract_all,
    extract_subgraph,
    place_part,
    with_free_keys,
)
from designer.models import Pipeline
from orchestration.definition import (
    MAX_AGENTS,
    MAX_FRAMES,
    MAX_NOTES,
    MAX_STAGES,
    MAX_TOOLS,
    MAX_TRANSITIONS,
    PipelineDefinition,
    Position,
)

GONE = "The selected parts no longer exist."
EMPTY = "The pasted pipeline has no stages and no notes. Copy at least one of them."


@dataclass(frozen=True)
class PartSelection:
    """Keys of the selected parts."""

    phases: Collection[str] = ()
    notes: Collection[str] = ()
    frames: Collection[str] = ()


def copy_parts(*, pipeline: Pipeline, selection: PartSelection) -> PipelineDefinition:
    """Return the selected parts as a definition. Missing parts are skipped."""
    part = extract_subgraph(
        _read_around(pipeline, selection), selection.phases, selection.notes, selection.frames
    )
    if not _count(part):
        raise GoneError(GONE)
    return part


@edit_action
def paste_parts(
    *, pipeline: Pipeline, user: User, part: PipelineDefinition, center: Position | None = None
) -> Change:
    """Add the stages and notes of a definition, centered at a point or at their own positions."""
    part = extract_all(with_positions(part))
    if not _count(part):
        raise RefusedError(EMPTY)
    return _add(pipeline, user, f"Paste {_label(part)}", part, center)


@edit_action
def duplicate_parts(*, pipeline: Pipeline, user: User, selection: PartSelection) -> Change:
    """Copy the selected parts within the pipeline, at a small offset."""
    pipeline = current_row(pipeline)
    part = copy_parts(pipeline=pipeline, selection=selection)
    return _add(pipeline, user, f"Duplicate {_label(part)}", part, None)


@edit_action
def cut_parts(*, pipeline: Pipeline, user: User, selection: PartSelection) -> Change:
    """Delete the selected parts, which the person has copied, and the transitions of the stages."""
    pipeline = current_row(pipeline)
    definition = definitions.read(pipeline)
    part = extract_subgraph(definition, selection.phases, selection.notes, selection.frames)
    if not _count(part):
        raise GoneError(GONE)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Cut {_label(part)}",
        patch=Patch.between(definition, _without(definition, part)),
    )


def _read_around(pipeline: Pipeline, selection: PartSelection) -> PipelineDefinition:
    """Read the selected parts and all that they contain, at a cost that depends on these only."""
    frames = definitions.read_frames(pipeline, selection.frames).values()
    phases = {*selection.phases, *(phase for frame in frames for phase in frame.stages)}
    around = definitions.read_around(pipeline, phases)
    frame_keys = pipeline.frames.filter(stages__phase__in=phases).values_list("key", flat=True)
    names = {name for agent in around.agents for name in agent.tools}
    tools = definitions.read_parts(pipeline, Patch(tools=dict.fromkeys(names))).tools
    return around.model_copy(
        update={
            "tools": tuple(tools[name] for name in sorted(names) if tools[name]),
            "layout": around.layout.model_copy(
                update={
                    "notes": tuple(
                        note
                        for _, note in sorted(
                            definitions.read_notes(pipeline, selection.notes).items()
                        )
                    ),
                    "frames": tuple(
                        frame
                        for _, frame in sorted(
                            definitions.read_frames(pipeline, set(frame_keys)).items()
                        )
                    ),
                }
            ),
        }
    )


def _add(
    pipeline: Pipeline,
    user: User,
    label: str,
    part: PipelineDefinition,
    center: Position | None,
) -> Change:
    pipeline = current_row(pipeline)
    target = definitions.read(pipeline)
    part = place_part(target, with_free_keys(target, part), center)
    _refuse_too_many(target, part)
    return make_edit(pipeline=pipeline, user=user, label=label, patch=_addition(part))


def _addition(part: PipelineDefinition) -> Patch:
    """Return the patch that adds a subgraph to a pipeline without any of its keys."""
    whole = Patch.of(part)
    names = Patch.model_fields.keys() - {"settings"}
    parts: dict[str, Any] = {name: value for name in names if (value := getattr(whole, name))}
    if part.entry is not None:
        parts["settings"] = Settings(entry=part.entry)
    return Patch(**parts)


def _without(definition: PipelineDefinition, part: PipelineDefinition) -> PipelineDefinition:
    """Return the definition without the stages and notes of a subgraph of it."""
    phases = part.stages_by_phase
    notes = {note.id for note in part.layout.notes}
    layout = definition.layout
    return definition.model_copy(
        update={
            "stages": tuple(stage for stage in definition.stages if stage.phase not in phases),
            "transitions": tuple(
                transition
                for transition in definition.transitions
                if transition.source not in phases and transition.target not in phases
            ),
            "entry": None if definition.entry in phases else definition.entry,
            "layout": layout.model_copy(
                update={"notes": tuple(note for note in layout.notes if note.id not in notes)}
            ).without_stages(phases),
        }
    )


def _refuse_too_many(target: PipelineDefinition, part: PipelineDefinition) -> None:
    for name, limit in (
        ("stages", MAX_STAGES),
        ("agents", MAX_AGENTS),
        ("transitions", MAX_TRANSITIONS),
        ("tools", MAX_TOOLS),
    ):
        _refuse_more(name, len(getattr(target, name)) + len(getattr(part, name)), limit)
    for name, limit in (("notes", MAX_NOTES), ("frames", MAX_FRAMES)):
        count = len(getattr(target.layout, name)) + len(getattr(part.layout, name))
        _refuse_more(name, count, limit)


def _refuse_more(name: str, count: int, limit: int) -> None:
    if count > limit:
        raise RefusedError(f"That would make {count:,} {name}; a pipeline has at most {limit:,}.")


def _count(part: PipelineDefinition) -> int:
    return len(part.stages) + len(part.layout.notes)


def _label(part: PipelineDefinition) -> str:
    """Return the label of a selection: `review`, `3 stages`, `2 notes`."""
    if len(part.stages) == 1:
        return part.stages[0].phase
    if part.stages:
        return f"{len(part.stages)} stages"
    count = len(part.layout.notes)
    return f"{count} notes" if count > 1 else "a note"
