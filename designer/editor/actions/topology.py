"""Changing what is drawn: stages, the transitions between them, and where they stand."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import count
from typing import Any, Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from designer import definitions
from designer.core import NUDGE, Change, GoneError, RefusedError, lock, make_edit
from designer.definitions import Patch, Settings, transition_key
from designer.editor.actions.frame_members import Frames, assign_frame, notes_and_frames_label
from designer.editor.actions.outgoing import (
    TransitionValues,
    change_payload,
    change_transition,
    outgoing_transitions,
)
from designer.models import Pipeline
from orchestration import graph
from orchestration.definition import (
    InputFilter,
    Layout,
    Note,
    PipelineDefinition,
    Position,
    Stage,
    Transition,
)

STEP_RIGHT = 290
"""From a stage to the one put beside it, in CSS pixels."""
STEP_DOWN = 140
"""From a stage to the one put below it."""
FIRST_PLACE = Position(x=60, y=250)

MAX_NAME = 50
"""Maximum length of an agent's key in a numbered phase."""

StageKind = Literal["agent", "group", "human"]
TransitionKind = Literal["next", "return"]
MoveKind = Literal["move", "align", "distribute"]


@transaction.atomic
def add_stage(
    *,
    pipeline: Pipeline,
    user: User,
    at: Position | None = None,
    source: str | None = None,
    agent_id: str | None = None,
    kind: StageKind = "agent",
) -> Change:
    """Add a stage with a free phase, connected from `source` when given.

    The first stage of a pipeline becomes its entry. Without `at` it is put right of all others.
    """
    pipeline = lock(pipeline)
    if agent_id and not pipeline.agents.filter(key=agent_id).exists():
        raise GoneError(f"There is no agent “{agent_id}” any more.")
    phase = free_phase(pipeline, agent_id if kind == "agent" else None)
    parts: dict[str, Any] = {
        "stages": {
            phase: Stage(phase=phase, kind=kind, agent_id=agent_id if kind == "agent" else None)
        },
        "positions": {phase: at or _place_beside(pipeline)},
    }
    if source:
        way = new_transition(pipeline, source, phase)
        parts["transitions"] = {transition_key(source, phase): way}
    if not pipeline.stages.exists():
        parts["settings"] = Settings(entry=phase)
    label = f"Add stage {phase}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch(**parts))


@transaction.atomic
def move_stages(
    *,
    pipeline: Pipeline,
    user: User,
    to: Mapping[str, Position],
    notes: Mapping[str, Position] | None = None,
    by_keys: bool = False,
    how: MoveKind = "move",
    frame: str | Literal[False] | None = False,
) -> Change:
    """Put stages and notes elsewhere. Those gone are passed over, unless all of them are.

    The stages are put in a `frame` too; None: in none, False: they stay in theirs. Moves by arrow
    keys that follow one another are one step of undo.
    """
    pipeline = lock(pipeline)
    found = set(pipeline.stages.filter(phase__in=to).values_list("phase", flat=True))
    slips = definitions.read_notes(pipeline, notes or ())
    if not found and not slips:
        raise GoneError(missing_stages_text(to) if to else "That note is not there any more.")
    frames: Frames = assign_frame(pipeline, found, frame) if found and frame is not False else {}
    parts: dict[str, Any] = {
        "positions": {phase: at for phase, at in to.items() if phase in found},
        "notes": {key: _at(note, (notes or {})[key]) for key, note in slips.items()},
        "frames": frames,
    }
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"{NUDGE if by_keys else how.title()} {_named(found, len(slips))}",
        patch=Patch(**{name: part for name, part in parts.items() if part}),
    )


@transaction.atomic
def move_supervisor(*, pipeline: Pipeline, user: User, to: Position) -> Change:
    """Put the supervisor's card elsewhere."""
    return make_edit(
        pipeline=pipeline,
        user=user,
        label="Move the supervisor",
        patch=Patch(settings=Settings(supervisor_position=to)),
    )


@transaction.atomic
def connect(*, pipeline: Pipeline, user: User, source: str, target: str) -> Change:
    """Add a transition: `next` or `return`, as `new_transition` says.

    A stage may lead to itself (contract O-11). The same pair twice is refused.
    """
    pipeline = lock(pipeline)
    if not pipeline.stages.filter(phase=target).exists():
        raise GoneError(missing_stages_text([target]))
    if pipeline.transitions.filter(source__phase=source, target__phase=target).exists():
        raise RefusedError(f"“{source}” already leads to “{target}”.", field="target")
    way = new_transition(pipeline, source, target)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Connect {source} → {target}",
        patch=Patch(transitions={transition_key(source, target): way}),
    )


@transaction.atomic
def update_transition(
    *,
    pipeline: Pipeline,
    user: User,
    key: str,
    kind: TransitionKind,
    description: str,
    input_filter: InputFilter | None = None,
) -> Change:
    """Change a transition. One made `next` turns the old `next` of its source into a return.

    Without `input_filter` the target is shown what it was.
    """
    pipeline = lock(pipeline)
    source, _, target = key.partition(">")
    ways = read_outgoing(pipeline, key)
    values = TransitionValues(kind=kind, description=description, input_filter=input_filter)
    changed = change_transition(ways, key, values)
    label = f"Describe {source} → {target}"
    if ways[key].kind != kind:
        label = f"Make {source} → {target} {kind}"
    elif ways[key].input_filter != changed[key].input_filter:
        label = f"Change what {target} is shown by {source}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch(transitions=changed))


@transaction.atomic
def update_payload(
    *,
    pipeline: Pipeline,
    user: User,
    key: str,
    schema: dict[str, Any] | None,
    tool_name: str | None,
) -> Change:
    """Change what the target of a transition needs to be told. Without that it has no own tool."""
    pipeline = lock(pipeline)
    source, _, target = key.partition(">")
    way = read_outgoing(pipeline, key)[key]
    changed = {key: change_payload(way, schema, tool_name)}
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Change what {target} is told by {source}",
        patch=Patch(transitions=changed),
    )


@transaction.atomic
def delete_parts(
    *,
    pipeline: Pipeline,
    user: User,
    phases: Collection[str] = (),
    transitions: Collection[str] = (),
    notes: Collection[str] = (),
    frames: Collection[str] = (),
) -> Change:
    """Delete stages and transitions, with the transitions of the stages and the entry mark.

    Notes and frames go with them.
    """
    pipeline = lock(pipeline)
    definition = definitions.read(pipeline)
    left = without_parts(definition, phases, transitions)
    left = left.model_copy(update={"layout": without_notes_and_frames(left.layout, notes, frames)})
    patch = Patch.between(definition, left)
    if not patch:
        raise GoneError("What was to be deleted is not there any more.")
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=_deletion(patch),
        patch=patch,
    )


def without_parts(
    definition: PipelineDefinition, phases: Collection[str], transitions: Collection[str] = ()
) -> PipelineDefinition:
    """The definition without these stages, all that leads to and from them, and these ways."""
    gone, wanted = set(phases), set(transitions)
    return definition.model_copy(
        update={
            "stages": tuple(stage for stage in definition.stages if stage.phase not in gone),
            "transitions": tuple(
                way
                for way in definition.transitions
                if gone.isdisjoint((way.source, way.target))
                and transition_key(way.source, way.target) not in wanted
            ),
            "entry": None if definition.entry in gone else definition.entry,
            "layout": definition.layout.without_stages(gone),
        }
    )


def free_key(stem: str, taken: Iterable[str]) -> str:
    """The first of `stem-1`, `stem-2`… that nothing has."""
    others = set(taken)
    number = 1
    while f"{stem}-{number}" in others:
        number += 1
    return f"{stem}-{number}"


def free_phase(pipeline: Pipeline, agent_id: str | None) -> str:
    """A phase for a new stage: after the agent that is to serve it, else the first that is free."""
    taken = set(pipeline.stages.values_list("phase", flat=True))
    name = (agent_id or "").removeprefix("agent-").lstrip("-_")
    if not name or name.isdecimal():
        return free_key("stage", taken)
    if name not in taken:
        return name
    return next(key for n in count(2) if (key := f"{name[:MAX_NAME]}-{n}") not in taken)


def read_outgoing(pipeline: Pipeline, key: str) -> dict[str, Transition]:
    """The ways on from where a transition begins, by key; that one is among them."""
    around = definitions.read_around(pipeline, [key.partition(">")[0]])
    return outgoing_transitions(around, key)


def new_transition(pipeline: Pipeline, source: str, target: str) -> Transition:
    """A way that is to lead from a stage: its `next`, where it has none yet, else a `return`.

    What leads back to where a conversation came from is a `return` at once, where that is taken.
    """
    if not pipeline.stages.filter(phase=source).exists():
        raise GoneError(missing_stages_text([source]))
    definition = definitions.read(pipeline)
    back = Transition(source=source, target=target, kind="return")
    leads_back = graph.can_be_taken(definition, back) and graph.leads_to(definition, target, source)
    if leads_back or has_next(pipeline, source):
        return back
    return back.model_copy(update={"kind": "next"})


def has_next(pipeline: Pipeline, phase: str) -> bool:
    """Report whether a stage has a `next` transition."""
    return pipeline.transitions.filter(source__phase=phase, kind="next").exists()


def without_notes_and_frames(
    layout: Layout, notes: Collection[str], frames: Collection[str]
) -> Layout:
    """The layout without these notes and frames; what stood in a frame stays."""
    kept = {
        "notes": tuple(note for note in layout.notes if note.id not in notes),
        "frames": tuple(frame for frame in layout.frames if frame.id not in frames),
    }
    return layout.model_copy(update=kept)


def _at(note: Note, place: Position) -> Note:
    return note.model_copy(update={"x": place.x, "y": place.y})


def _named(phases: Collection[str], notes: int) -> str:
    """Describe the moved parts: `stage review`, `3 stages and a note`."""
    count = len(phases)
    stages = f"stage {next(iter(phases))}" if count == 1 else f"{count} stages"
    return " and ".join(filter(None, [stages if count else "", notes_and_frames_label(notes, 0)]))


def _place_beside(pipeline: Pipeline) -> Position:
    rightmost = pipeline.stages.aggregate(x=Max("x"))["x"]
    if rightmost is None:
        return FIRST_PLACE
    row = pipeline.stages.filter(x=rightmost).first()
    return Position(x=rightmost + STEP_RIGHT, y=row.y if row and row.y is not None else 0)


def missing_stages_text(phases: Iterable[str]) -> str:
    """Return the error text about deleted stages."""
    names = " or ".join(f"“{phase}”" for phase in sorted(phases)[:5])
    return f"There is no stage {names} any more."


def _deletion(patch: Patch) -> str:
    phases, ways = list(patch.stages), list(patch.transitions)
    if not phases and not ways:
        return f"Delete {notes_and_frames_label(len(patch.notes), len(patch.frames))}"
    if len(phases) == 1:
        return f"Delete stage {phases[0]}"
    if phases:
        return f"Delete {len(phases)} stages"
    if len(ways) == 1:
        return f"Delete {ways[0].replace('>', ' → ')}"
    return f"Delete {len(ways)} transitions"
