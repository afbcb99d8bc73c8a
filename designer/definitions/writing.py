"""Conversion of parts of a definition to rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db.models import Model

from designer import models
from designer.definitions.columns import (
    AGENT,
    FRAME,
    NOTE,
    RULE,
    STAGE,
    TOOL,
    TRANSITION,
    Columns,
    Reference,
)
from designer.definitions.patches import Patch, Settings, TransitionKey, transition_key
from orchestration.definition import Frozen


def write(pipeline: models.Pipeline, patch: Patch) -> None:
    """Save the parts in `patch`. The caller opens the transaction.

    The parts that a saved part refers to must exist already or be in the same patch. The parts that
    refer to a deleted part must be deleted or changed in the same patch.
    """
    _delete_transitions(pipeline, _absent(patch.transitions))
    pipeline.rules.filter(key__in=_absent(patch.rules)).delete()
    pipeline.tools.filter(name__in=_absent(patch.tools)).delete()
    pipeline.notes.filter(key__in=_absent(patch.notes)).delete()

    _write_parts(pipeline, AGENT, patch.agents.values())
    _write_parts(pipeline, STAGE, patch.stages.values())
    _write_transitions(pipeline, patch)
    _write_parts(pipeline, RULE, patch.rules.values())
    _write_parts(pipeline, TOOL, patch.tools.values())
    _write_parts(pipeline, NOTE, patch.notes.values())
    _write_layout(pipeline, patch)
    _write_frames(pipeline, patch)
    pipeline.stages.filter(phase__in=_absent(patch.stages)).delete()
    pipeline.agents.filter(key__in=_absent(patch.agents)).delete()
    _write_settings(pipeline, patch.settings)


def _delete_transitions(pipeline: models.Pipeline, keys: list[TransitionKey]) -> None:
    if not keys:
        return
    sources = {key.partition(">")[0] for key in keys}
    rows = pipeline.transitions.filter(source__phase__in=sources)
    ends = rows.values_list("pk", "source__phase", "target__phase")
    deleted = [pk for pk, source, target in ends if transition_key(source, target) in keys]
    pipeline.transitions.filter(pk__in=deleted).delete()


def _write_layout(pipeline: models.Pipeline, patch: Patch) -> None:
    phases = _keys(pipeline.stages, "phase", patch.positions)
    stages = [
        models.Stage(pipeline=pipeline, phase=phase, x=at.x if at else None, y=at.y if at else None)
        for phase, at in patch.positions.items()
        if phase in phases
    ]
    _save(models.Stage, stages, unique=STAGE.unique, updated=("x", "y"))
    keys = _keys(pipeline.agents, "key", patch.hues)
    agents = [
        models.Agent(pipeline=pipeline, key=key, hue=hue)
        for key, hue in patch.hues.items()
        if key in keys
    ]
    _save(models.Agent, agents, unique=AGENT.unique, updated=("hue",))


def _write_frames(pipeline: models.Pipeline, patch: Patch) -> None:
    if not patch.frames:
        return
    pipeline.stages.filter(frame__key__in=patch.frames).update(frame=None)
    pipeline.frames.filter(key__in=_absent(patch.frames)).delete()
    parts = [part for part in patch.frames.values() if part]
    _write_parts(pipeline, FRAME, parts)
    frames = _keys(pipeline.frames, "key", (part.id for part in parts))
    frame_by_phase = {phase: frames[part.id] for part in parts for phase in part.stages}
    phases = _keys(pipeline.stages, "phase", frame_by_phase)
    stages = [
        models.Stage(pipeline=pipeline, phase=phase, frame_id=frame)
        for phase, frame in frame_by_phase.items()
        if phase in phases
    ]
    _save(models.Stage, stages, unique=STAGE.unique, updated=("frame",))


def _write_transitions(pipeline: models.Pipeline, patch: Patch) -> None:
    # `return` first: the old `next` of a stage must become a `return` before the new one is saved.
    parts = sorted(filter(None, patch.transitions.values()), key=lambda t: t.kind, reverse=True)
    _write_parts(pipeline, TRANSITION, parts)


def _write_parts(
    pipeline: models.Pipeline, columns: Columns, parts: Iterable[Frozen | None]
) -> None:
    """Insert or update the rows of parts; None stands for an absent part."""
    present = [part for part in parts if part is not None]
    if not present:
        return
    rows = [columns.model(pipeline=pipeline, **columns.stored(part)) for part in present]
    for (model, key), references in groupby(columns.references, attrgetter("model", "key")):
        _set_foreign_keys(
            rows, present, list(references), model.objects.filter(pipeline=pipeline), key
        )
    _save(columns.model, rows, unique=columns.unique, updated=columns.updated)


def _set_foreign_keys(
    rows: list[Any], parts: list[Frozen], references: list[Reference], others: Any, key: str
) -> None:
    """Set the foreign keys of rows to other rows. `key` is the column that the parts refer to."""
    names = {getattr(part, reference.field) for part in parts for reference in references}
    ids = _keys(others, key, names)
    for row, part in zip(rows, parts, strict=True):
        for reference in references:
            name = getattr(part, reference.field)
            setattr(row, f"{reference.column}_id", ids[name] if name else None)


def _write_settings(pipeline: models.Pipeline, settings: Settings) -> None:
    if not settings.model_fields_set:
        return
    for name, value in settings.touched.items():
        match name:
            case "limits":
                for limit, bound in value:
                    setattr(pipeline, limit, bound)
            case "handoff_tool_name":
                pipeline.handoff_tool_name = value or ""
            case "entry":
                pipeline.entry = pipeline.stages.get(phase=value) if value else None
            case "default_agent_id" | "supervisor_id":
                agent = pipeline.agents.get(key=value) if value else None
                setattr(pipeline, name.removesuffix("_id"), agent)
            case "supervision":
                pipeline.supervision = value and value.model_dump(
                    mode="json", exclude_defaults=True
                )
            case "supervisor_position":
                pipeline.supervisor_x = value.x if value else None
                pipeline.supervisor_y = value.y if value else None
            case _:
                setattr(pipeline, name, value)
    pipeline.save()


def _save(
    model: type[Model], rows: list[Any], *, unique: Sequence[str], updated: Sequence[str]
) -> None:
    """Insert the rows, or set the columns `updated` of rows with the same `unique` columns."""
    if rows:
        model._default_manager.bulk_create(  # noqa: SLF001
            rows, update_conflicts=True, unique_fields=unique, update_fields=updated
        )


def _keys(rows: Any, field: str, names: Iterable[str | None]) -> dict[str, int]:
    """Return the primary keys of the rows with these names, by `field`."""
    present = {name for name in names if name}
    if not present:
        return {}
    return dict(rows.filter(**{f"{field}__in": present}).values_list(field, "pk"))


def _absent(parts: dict[str, Any]) -> list[str]:
    return [key for key, part in parts.items() if part is None]
