"""Bypasses: what led to a deleted stage leads on to where that stage went next."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.core import Change, GoneError, lock, make_edit
from designer.definitions import Patch, TransitionKey, transition_key
from designer.editor.actions.topology import (
    delete_parts,
    missing_stages_text,
    without_notes_and_frames,
    without_parts,
)
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition, Transition


@transaction.atomic
def delete_and_reconnect(
    *,
    pipeline: Pipeline,
    user: User,
    phases: Collection[str],
    transitions: Collection[str] = (),
    notes: Collection[str] = (),
    frames: Collection[str] = (),
) -> Change:
    """Delete stages, and connect what led to each with where its `next` led.

    A conversation that began at one begins there too. A stage without a `next` is deleted alone.
    The transitions, notes and frames go with them.
    """
    pipeline = lock(pipeline)
    old = definitions.read(pipeline)
    gone = sorted(set(phases) & old.stages_by_phase.keys())
    if not gone:
        if phases and not transitions:
            raise GoneError(missing_stages_text(phases))
        others = {"transitions": transitions, "notes": notes, "frames": frames}
        return delete_parts(pipeline=pipeline, user=user, **others)
    new = bypass(old, gone, transitions)
    new = new.model_copy(update={"layout": without_notes_and_frames(new.layout, notes, frames)})
    what = f"stage {gone[0]}" if len(gone) == 1 else f"{len(gone)} stages"
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Delete {what} and reconnect",
        patch=Patch.between(old, new),
    )


def bypass(
    old: PipelineDefinition, gone: Collection[str], transitions: Collection[str] = ()
) -> PipelineDefinition:
    """The definition without these stages, and with a way around each."""
    left = without_parts(old, gone, transitions)
    following = {way.source: way.target for way in old.transitions if way.kind == "next"}
    ways = {transition_key(way.source, way.target): way for way in left.transitions}
    cut = set(transitions)
    for way in old.transitions:
        if way.target in gone and way.source not in gone and _key(way) not in cut:
            _reconnect(ways, way, _beyond(way.target, gone, following))
    entry = _beyond(old.entry, gone, following) if old.entry in gone else old.entry
    return left.model_copy(update={"transitions": tuple(ways.values()), "entry": entry})


def _reconnect(ways: dict[TransitionKey, Transition], way: Transition, target: str | None) -> None:
    """Lead a way on to `target`; where its source leads there already, that is its `next` now."""
    if target is None or target == way.source:
        return
    there = ways.get(transition_key(way.source, target))
    if there is None:
        ways[transition_key(way.source, target)] = way.model_copy(update={"target": target})
    elif way.kind == "next":
        ways[_key(there)] = there.model_copy(update={"kind": "next"})


def _beyond(phase: str | None, gone: Collection[str], following: Mapping[str, str]) -> str | None:
    """The first stage after this one that stays, by `next` alone; None: there is none."""
    passed: set[str] = set()
    while phase and phase in gone and phase not in passed:
        passed.add(phase)
        phase = following.get(phase)
    return None if phase in gone else phase


def _key(way: Transition) -> TransitionKey:
    return transition_key(way.source, way.target)
