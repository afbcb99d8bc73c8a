"""Delete stages and reconnect the transitions around them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.contrib.auth.models import User

from designer import definitions
from designer.core import Change, GoneError, current_row, edit_action, make_edit
from designer.definitions import Patch, TransitionKey, transition_key
from designer.editor.actions.topology import (
    delete_parts,
    missing_stages_text,
    without_notes_and_frames,
    without_parts,
)
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition, Transition


@edit_action
def delete_and_reconnect(
    *,
    pipeline: Pipeline,
    user: User,
    phases: Collection[str],
    transitions: Collection[str] = (),
    notes: Collection[str] = (),
    frames: Collection[str] = (),
) -> Change:
    """Delete stages, and connect their sources with the target of their `next`.

    If the entry is deleted, this target becomes the entry. Transitions to a stage without a `next`
    are deleted. The given transitions, notes and frames are deleted too.
    """
    pipeline = current_row(pipeline)
    old = definitions.read(pipeline)
    deleted = sorted(set(phases) & old.stages_by_phase.keys())
    if not deleted:
        if phases and not transitions:
            raise GoneError(missing_stages_text(phases))
        others = {"transitions": transitions, "notes": notes, "frames": frames}
        return delete_parts(pipeline=pipeline, user=user, **others)
    new = bypass(old, deleted, transitions)
    new = new.model_copy(update={"layout": without_notes_and_frames(new.layout, notes, frames)})
    stages = f"stage {deleted[0]}" if len(deleted) == 1 else f"{len(deleted)} stages"
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Delete {stages} and reconnect",
        patch=Patch.between(old, new),
    )


def bypass(
    old: PipelineDefinition, deleted: Collection[str], transitions: Collection[str] = ()
) -> PipelineDefinition:
    """Return the definition without these stages, with transitions that bypass them."""
    new = without_parts(old, deleted, transitions)
    next_phases = {t.source: t.target for t in old.transitions if t.kind == "next"}
    by_key = {_key(transition): transition for transition in new.transitions}
    for transition in old.transitions:
        leads_in = transition.target in deleted and transition.source not in deleted
        if leads_in and _key(transition) not in transitions:
            _reconnect(by_key, transition, _remaining(transition.target, deleted, next_phases))
    entry = _remaining(old.entry, deleted, next_phases) if old.entry in deleted else old.entry
    return new.model_copy(update={"transitions": tuple(by_key.values()), "entry": entry})


def _reconnect(
    by_key: dict[TransitionKey, Transition], transition: Transition, target: str | None
) -> None:
    """Add a transition to `target`. An existing one becomes the `next` if this one was it."""
    if target is None or target == transition.source:
        return
    existing = by_key.get(transition_key(transition.source, target))
    if existing is None:
        moved = transition.model_copy(update={"target": target})
        by_key[_key(moved)] = moved
    elif transition.kind == "next":
        by_key[_key(existing)] = existing.model_copy(update={"kind": "next"})


def _remaining(
    phase: str | None, deleted: Collection[str], next_phases: Mapping[str, str]
) -> str | None:
    """Follow `next` from a phase to the first stage that is not deleted; None without one."""
    visited: set[str] = set()
    while phase and phase in deleted and phase not in visited:
        visited.add(phase)
        phase = next_phases.get(phase)
    return None if phase in deleted else phase


def _key(transition: Transition) -> TransitionKey:
    return transition_key(transition.source, transition.target)
