"""Copying, cutting, pasting and duplicating: parts of pipelines as definitions.

What is copied is a valid definition, so whatever takes a file takes it too, and what Baton exported
can be pasted. See `designer.editor.actions.subgraphs` for how one becomes part of another.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.canvas import with_positions
from designer.core import Change, GoneError, RefusedError, lock, make_edit
from designer.definitions import Patch, Settings
from designer.editor.actions.subgraphs import center_at, extract_subgraph, whole, with_free_keys
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

GONE = "What was selected is not there any more."
NOTHING = "There is no stage and no note in what was pasted."


@dataclass(frozen=True)
class PartSelection:
    """Keys of the selected parts."""

    phases: Collection[str] = ()
    notes: Collection[str] = ()
    frames: Collection[str] = ()


def copy_parts(*, pipeline: Pipeline, selection: PartSelection) -> PipelineDefinition:
    """Return the selected parts as a definition. Missing parts are skipped."""
    part = extract_subgraph(
        _around(pipeline, selection), selection.phases, selection.notes, selection.frames
    )
    if not _things(part):
        raise GoneError(GONE)
    return part


@transaction.atomic
def paste_parts(
    *, pipeline: Pipeline, user: User, part: PipelineDefinition, middle: Position | None = None
) -> Change:
    """Take the stages and notes of a definition in, around a point or where they are."""
    part = whole(with_positions(part))
    if not _things(part):
        raise RefusedError(NOTHING)
    return _take_in(pipeline, user, f"Paste {_named(part)}", part, middle)


@transaction.atomic
def duplicate_parts(*, pipeline: Pipeline, user: User, selection: PartSelection) -> Change:
    """Copy what is picked within the pipeline, a step aside."""
    pipeline = lock(pipeline)
    part = copy_parts(pipeline=pipeline, selection=selection)
    return _take_in(pipeline, user, f"Duplicate {_named(part)}", part, None)


@transaction.atomic
def cut_parts(*, pipeline: Pipeline, user: User, selection: PartSelection) -> Change:
    """Delete what is picked, which the person has copied: with the transitions of the stages."""
    pipeline = lock(pipeline)
    definition = definitions.read(pipeline)
    part = extract_subgraph(definition, selection.phases, selection.notes, selection.frames)
    if not _things(part):
        raise GoneError(GONE)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Cut {_named(part)}",
        patch=Patch.between(definition, _without(definition, part)),
    )


def _around(pipeline: Pipeline, selection: PartSelection) -> PipelineDefinition:
    """As much of the pipeline as what is picked takes: its cost does not grow with the rest."""
    framed = definitions.read_frames(pipeline, selection.frames).values()
    phases = {*selection.phases, *(phase for frame in framed for phase in frame.stages)}
    around = definitions.read_around(pipeline, phases)
    touched = pipeline.frames.filter(stages__phase__in=phases).values_list("key", flat=True)
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
                            definitions.read_frames(pipeline, set(touched)).items()
                        )
                    ),
                }
            ),
        }
    )


def _take_in(
    pipeline: Pipeline,
    user: User,
    label: str,
    part: PipelineDefinition,
    middle: Position | None,
) -> Change:
    pipeline = lock(pipeline)
    here = definitions.read(pipeline)
    fitting = center_at(here, with_free_keys(here, part), middle)
    _refuse_too_many(here, fitting)
    return make_edit(pipeline=pipeline, user=user, label=label, patch=_adding(fitting))


def _adding(part: PipelineDefinition) -> Patch:
    """The patch that adds an extract_subgraph to a pipeline that has none of its keys."""
    every = Patch.of(part)
    names = Patch.model_fields.keys() - {"settings"}
    parts: dict[str, Any] = {name: some for name in names if (some := getattr(every, name))}
    if part.entry is not None:
        parts["settings"] = Settings(entry=part.entry)
    return Patch(**parts)


def _without(definition: PipelineDefinition, part: PipelineDefinition) -> PipelineDefinition:
    """The definition without the stages and notes of an extract_subgraph of it."""
    gone = part.stages_by_phase
    notes = {note.id for note in part.layout.notes}
    layout = definition.layout
    return definition.model_copy(
        update={
            "stages": tuple(stage for stage in definition.stages if stage.phase not in gone),
            "transitions": tuple(
                way
                for way in definition.transitions
                if way.source not in gone and way.target not in gone
            ),
            "entry": None if definition.entry in gone else definition.entry,
            "layout": layout.model_copy(
                update={"notes": tuple(note for note in layout.notes if note.id not in notes)}
            ).without_stages(gone),
        }
    )


def _refuse_too_many(here: PipelineDefinition, part: PipelineDefinition) -> None:
    for name, most in (
        ("stages", MAX_STAGES),
        ("agents", MAX_AGENTS),
        ("transitions", MAX_TRANSITIONS),
        ("tools", MAX_TOOLS),
    ):
        _refuse_more(name, len(getattr(here, name)) + len(getattr(part, name)), most)
    for name, most in (("notes", MAX_NOTES), ("frames", MAX_FRAMES)):
        count = len(getattr(here.layout, name)) + len(getattr(part.layout, name))
        _refuse_more(name, count, most)


def _refuse_more(name: str, count: int, most: int) -> None:
    if count > most:
        raise RefusedError(f"That would make {count:,} {name}; a pipeline holds at most {most:,}.")


def _things(part: PipelineDefinition) -> int:
    return len(part.stages) + len(part.layout.notes)


def _named(part: PipelineDefinition) -> str:
    """Return the label of a selection: `review`, `3 stages`, `2 notes`."""
    if len(part.stages) == 1:
        return part.stages[0].phase
    if part.stages:
        return f"{len(part.stages)} stages"
    count = len(part.layout.notes)
    return f"{count} notes" if count > 1 else "a note"
