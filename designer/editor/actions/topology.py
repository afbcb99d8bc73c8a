"""Add, connect, move and delete stages, and change the transitions between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import count
from operator import itemgetter
from typing import Any, Literal

from django.contrib.auth.models import User
from django.db.models import Max

from designer import definitions
from designer.canvas import CARD_HEIGHT, CARD_WIDTH, LIMIT, drawn_boxes
from designer.core import (
    NUDGE,
    Change,
    GoneError,
    RefusedError,
    current_row,
    edit_action,
    make_edit,
)
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
"""Distance of stages beside each other, in CSS pixels."""
STEP_DOWN = 140
"""Distance of stages below each other, in CSS pixels."""
FIRST_PLACE = Position(x=60, y=250)

MAX_NAME = 50
"""Maximum length of an agent's key in a numbered phase."""

StageKind = Literal["agent", "group", "human"]
TransitionKind = Literal["next", "return"]
MoveKind = Literal["move", "align", "distribute"]


@edit_action
def add_stage(
    *,
    pipeline: Pipeline,
    user: User,
    at: Position | None = None,
    source: str | None = None,
    agent_id: str | None = None,
    kind: StageKind = "agent",
) -> Change:
    """Add a stage with a free phase, and a transition from `source` if there is one.

    The first stage of a pipeline becomes its entry. Without `at` it is placed right of all others.
    """
    pipeline = current_row(pipeline)
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
        transition = new_transition(pipeline, source, phase)
        parts["transitions"] = {transition_key(source, phase): transition}
    if not pipeline.stages.exists():
        parts["settings"] = Settings(entry=phase)
    label = f"Add stage {phase}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch(**parts))


@edit_action
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
    """Move stages and notes, except those that no longer exist.

    The stages also enter the `frame`; None removes them from their frames, False keeps these.
    Successive moves by arrow keys are one undo step.
    """
    pipeline = current_row(pipeline)
    phases = set(pipeline.stages.filter(phase__in=to).values_list("phase", flat=True))
    old_notes = definitions.read_notes(pipeline, notes or ())
    if not phases and not old_notes:
        raise GoneError(missing_stages_text(to) if to else "That note no longer exists.")
    frames: Frames = assign_frame(pipeline, phases, frame) if phases and frame is not False else {}
    parts: dict[str, Any] = {
        "positions": {phase: at for phase, at in to.items() if phase in phases},
        "notes": {key: _at(note, (notes or {})[key]) for key, note in old_notes.items()},
        "frames": frames,
    }
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"{NUDGE if by_keys else how.title()} {_moved_label(phases, len(old_notes))}",
        patch=Patch(**{name: part for name, part in parts.items() if part}),
    )


@edit_action
def move_supervisor(*, pipeline: Pipeline, user: User, to: Position) -> Change:
    """Move the card of the supervisor."""
    return make_edit(
        pipeline=pipeline,
        user=user,
        label="Move the supervisor",
        patch=Patch(settings=Settings(supervisor_position=to)),
    )


@edit_action
def connect(*, pipeline: Pipeline, user: User, source: str, target: str) -> Change:
    """Add a transition. `new_transition` selects its kind.

    A stage may lead to itself (contract O-11). A second transition between two stages is refused.
    """
    pipeline = current_row(pipeline)
    if not pipeline.stages.filter(phase=target).exists():
        raise GoneError(missing_stages_text([target]))
    if pipeline.transitions.filter(source__phase=source, target__phase=target).exists():
        raise RefusedError(f"“{source}” already leads to “{target}”.", field="target")
    transition = new_transition(pipeline, source, target)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Connect {source} → {target}",
        patch=Patch(transitions={transition_key(source, target): transition}),
    )


@edit_action
def update_transition(
    *,
    pipeline: Pipeline,
    user: User,
    key: str,
    kind: TransitionKind,
    description: str,
    input_filter: InputFilter | None = None,
) -> Change:
    """Change a transition. A new `next` turns the old `next` of its source into a return.

    Without `input_filter` the current filter stays.
    """
    pipeline = current_row(pipeline)
    source, _, target = key.partition(">")
    outgoing = read_outgoing(pipeline, key)
    values = TransitionValues(kind=kind, description=description, input_filter=input_filter)
    changed = change_transition(outgoing, key, values)
    label = f"Describe {source} → {target}"
    if outgoing[key].kind != kind:
        label = f"Make {source} → {target} {kind}"
    elif outgoing[key].input_filter != changed[key].input_filter:
        label = f"Change the input filter of {source} → {target}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch(transitions=changed))


@edit_action
def change_kind(
    *, pipeline: Pipeline, user: User, source: str, target: str, kind: TransitionKind
) -> Change:
    """Make a transition the `next` of its source, or a return."""
    pipeline = current_row(pipeline)
    key = transition_key(source, target)
    outgoing = read_outgoing(pipeline, key)
    values = TransitionValues(kind=kind, description=outgoing[key].description)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Make {source} → {target} {kind}",
        patch=Patch(transitions=change_transition(outgoing, key, values)),
    )


@edit_action
def update_payload(
    *,
    pipeline: Pipeline,
    user: User,
    key: str,
    schema: dict[str, Any] | None,
    tool_name: str | None,
) -> Change:
    """Change the payload of a transition. Without a schema it has no tool name."""
    pipeline = current_row(pipeline)
    source, _, target = key.partition(">")
    transition = read_outgoing(pipeline, key)[key]
    changed = {key: change_payload(transition, schema, tool_name)}
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Change the payload of {source} → {target}",
        patch=Patch(transitions=changed),
    )


@edit_action
def delete_parts(
    *,
    pipeline: Pipeline,
    user: User,
    phases: Collection[str] = (),
    transitions: Collection[str] = (),
    notes: Collection[str] = (),
    frames: Collection[str] = (),
) -> Change:
    """Delete stages with their transitions and the entry mark, transitions, notes and frames."""
    pipeline = current_row(pipeline)
    definition = definitions.read(pipeline)
    new = without_parts(definition, phases, transitions)
    new = new.model_copy(update={"layout": without_notes_and_frames(new.layout, notes, frames)})
    patch = Patch.between(definition, new)
    if not patch:
        raise GoneError("The selected parts no longer exist.")
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=_deletion_label(patch),
        patch=patch,
    )


def without_parts(
    definition: PipelineDefinition, phases: Collection[str], transitions: Collection[str] = ()
) -> PipelineDefinition:
    """Return the definition without these stages with their transitions, and these transitions."""
    deleted, keys = set(phases), set(transitions)
    return definition.model_copy(
        update={
            "stages": tuple(stage for stage in definition.stages if stage.phase not in deleted),
            "transitions": tuple(
                t
                for t in definition.transitions
                if deleted.isdisjoint((t.source, t.target))
                and transition_key(t.source, t.target) not in keys
            ),
            "entry": None if definition.entry in deleted else definition.entry,
            "layout": definition.layout.without_stages(deleted),
        }
    )


def free_key(stem: str, taken: Iterable[str]) -> str:
    """Return the first free key of the series `stem-1`, `stem-2`."""
    others = set(taken)
    number = 1
    while f"{stem}-{number}" in others:
        number += 1
    return f"{stem}-{number}"


def free_phase(pipeline: Pipeline, agent_id: str | None) -> str:
    """Return a free phase for a new stage, derived from the agent if there is one."""
    taken = set(pipeline.stages.values_list("phase", flat=True))
    name = (agent_id or "").removeprefix("agent-").lstrip("-_")
    if not name or name.isdecimal():
        return free_key("stage", taken)
    if name not in taken:
        return name
    return next(key for n in count(2) if (key := f"{name[:MAX_NAME]}-{n}") not in taken)


def read_outgoing(pipeline: Pipeline, key: str) -> dict[str, Transition]:
    """Read all transitions with the same source as the one with this key, by their keys."""
    definition = definitions.read_around(pipeline, [key.partition(">")[0]])
    return outgoing_transitions(definition, key)


def new_transition(pipeline: Pipeline, source: str, target: str) -> Transition:
    """Return a new transition: the `next` of its source if it has none, else a `return`.

    A transition that leads back is always a `return` if the topology takes returns.
    """
    if not pipeline.stages.filter(phase=source).exists():
        raise GoneError(missing_stages_text([source]))
    definition = definitions.read(pipeline)
    back = Transition(source=source, target=target, kind="return")
    leads_back = graph.can_be_taken(definition, back) and graph.can_reach(
        definition, target, source
    )
    if leads_back or has_next(pipeline, source):
        return back
    return back.model_copy(update={"kind": "next"})


def has_next(pipeline: Pipeline, phase: str) -> bool:
    """Report whether a stage has a `next` transition."""
    return pipeline.transitions.filter(source__phase=phase, kind="next").exists()


def without_notes_and_frames(
    layout: Layout, notes: Collection[str], frames: Collection[str]
) -> Layout:
    """Return the layout without these notes and frames. Stages in the frames stay."""
    remaining = {
        "notes": tuple(note for note in layout.notes if note.id not in notes),
        "frames": tuple(frame for frame in layout.frames if frame.id not in frames),
    }
    return layout.model_copy(update=remaining)


def _at(note: Note, position: Position) -> Note:
    return note.model_copy(update={"x": position.x, "y": position.y})


def _moved_label(phases: Collection[str], notes: int) -> str:
    """Return the label of moved parts: `stage review`, `3 stages and a note`."""
    count = len(phases)
    stages = f"stage {next(iter(phases))}" if count == 1 else f"{count} stages"
    return " and ".join(filter(None, [stages if count else "", notes_and_frames_label(notes, 0)]))


def _place_beside(pipeline: Pipeline) -> Position:
    rightmost = pipeline.stages.aggregate(x=Max("x"))["x"]
    if rightmost is None:
        return FIRST_PLACE
    row = pipeline.stages.filter(x=rightmost).first()
    return Position(x=rightmost + STEP_RIGHT, y=row.y if row and row.y is not None else 0)


def free_position(definition: PipelineDefinition, source: str) -> Position:
    """Return a position right of `source` or of all stages, and below the parts there."""
    positions = definition.layout.stages
    if not positions:
        return FIRST_PLACE
    neighbour = positions.get(source) or max(positions.values(), key=lambda at: (at.x, -at.y))
    x, y = neighbour.x + STEP_RIGHT, neighbour.y
    gap = STEP_DOWN - CARD_HEIGHT
    for left, top, right, bottom in sorted(drawn_boxes(definition), key=itemgetter(1)):
        is_beside = left < x + CARD_WIDTH + gap and x < right + gap
        if is_beside and top < y + CARD_HEIGHT + gap and y < bottom + gap:
            y = bottom + gap
    return Position(x=min(x, LIMIT), y=min(y, LIMIT))


def missing_stages_text(phases: Iterable[str]) -> str:
    """Return the error text about deleted stages."""
    names = " or ".join(f"“{phase}”" for phase in sorted(phases)[:5])
    return f"There is no stage {names} any more."


def _deletion_label(patch: Patch) -> str:
    phases, keys = list(patch.stages), list(patch.transitions)
    if not phases and not keys:
        return f"Delete {notes_and_frames_label(len(patch.notes), len(patch.frames))}"
    if len(phases) == 1:
        return f"Delete stage {phases[0]}"
    if phases:
        return f"Delete {len(phases)} stages"
    if len(keys) == 1:
        return f"Delete {keys[0].replace('>', ' → ')}"
    return f"Delete {len(keys)} transitions"
