"""Tidy the canvas: arrange the stages in layers from left to right, wrapped to the window."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import User

from designer import definitions
from designer.canvas import (
    USUAL_AREA,
    FreeArea,
    notes_off_cards,
    supervisor_off_cards,
    tidy_positions,
)
from designer.core import Change, GoneError, current_row, edit_action, make_edit
from designer.definitions import Patch, Settings
from designer.models import Pipeline


@edit_action
def tidy(
    *,
    pipeline: Pipeline,
    user: User,
    phases: Collection[str] = (),
    window: FreeArea = USUAL_AREA,
) -> Change:
    """Tidy the given stages, or all stages. Without changes no edit is recorded.

    Notes and the supervisor move only if a card would cover them.
    """
    pipeline = current_row(pipeline)
    definition = definitions.read(pipeline)
    known = set(definition.stages_by_phase)
    chosen = known & set(phases) if phases else known
    if not chosen:
        missing = "Those stages no longer exist." if phases else "There is no stage to tidy."
        raise GoneError(missing)
    places = tidy_positions(definition, chosen, window)
    notes = notes_off_cards(definition, places)
    supervisor = supervisor_off_cards(definition, places)
    now = definition.layout.stages
    moved = {phase: at for phase, at in places.items() if now.get(phase) != at}
    parts: dict[str, Any] = {"positions": moved, "notes": notes}
    if supervisor is not None:
        parts["settings"] = Settings(supervisor_position=supervisor)
    count = f"{len(chosen)} stages" if len(chosen) > 1 else "a stage"
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Tidy {count}",
        patch=Patch(**{name: part for name, part in parts.items() if part}),
    )
