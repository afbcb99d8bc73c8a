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
from orchestration.definition import Frozen, Transition


def write(pipeline: models.Pipeline, patch: Patch) -> None:
    """Save the parts in `patch`. The caller opens the transaction.

    References to parts that do not exist are stored by name: those of stages and rules in the
    column `unknown_agent`, others in `Pipeline.unresolved`. The parts that refer to a deleted part
    must be deleted or changed in the same patch.
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
    unresolved = _unresolved_transitions(pipeline, parts)
    _write_parts(pipeline, TRANSITION, [part for part in parts if part not in unresolved])
    before = pipeline.unresolved.get("transitions", {})
    after = {key: part for key, part in before.items() if key not in patch.transitions}
    for part in unresolved:
        key = transition_key(part.source, part.target)
        after[key] = part.model_dump(mode="json", exclude_defaults=True)
    if after != before:
        _set_unresolved(pipeline, "transitions", after)


def _unresolved_transitions(
    pipeline: models.Pipeline, parts: Sequence[Transition]
) -> list[Transition]:
    """Return the transitions from or to stages that do not exist.

    Only an import creates them, so pipelines without unresolved names need no query.
    """
    if not pipeline.unresolved.get("names"):
        return []
    ends = {end for part in parts for end in (part.source, part.target)}
    phases = _keys(pipeline.stages, "phase", ends)
    return [part for part in parts if part.source not in phases or part.target not in phases]


def _set_unresolved(pipeline: models.Pipeline, name: str, value: Any) -> None:
    """Set or remove an unresolved reference of a pipeline."""
    others = {key: part for key, part in pipeline.unresolved.items() if key != name}
    pipeline.unresolved = others | ({name: value} if value else {})
    models.Pipeline.objects.filter(pk=pipeline.pk).update(unresolved=pipeline.unresolved)


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
            if reference.unknown:
                setattr(row, f"{reference.column}_id", ids.get(name))
                setattr(row, reference.unknown, name if name and name not in ids else "")
            else:
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
                pipeline.entry = _existing(pipeline, name, pipeline.stages, "phase", value)
            case "default_agent_id" | "supervisor_id":
                agent = _existing(pipeline, name, pipeline.agents, "key", value)
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


def _existing(
    pipeline: models.Pipeline, setting: str, rows: Any, field: str, name: str | None
) -> Any:
    """Return the row that a setting names; keep the name of a row that does not exist."""
    row = rows.filter(**{field: name}).first() if name else None
    unresolved = name if row is None else None
    if pipeline.unresolved.get(setting) != unresolved:
        _set_unresolved(pipeline, setting, unresolved)
    return row


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
