"""Parts of a definition to rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Model

from designer import models
from designer.definitions.patches import Patch, Settings, TransitionKey, transition_key
from orchestration.definition import Agent, Frame, Note, Tool


def write(pipeline: models.Pipeline, patch: Patch) -> None:
    """Save the parts that `patch` names. The caller holds the transaction.

    Whatever a part refers to must be there already or come in the same patch; what referred to a
    part that goes must be gone or changed in the same patch.
    """
    _delete_transitions(pipeline, _absent(patch.transitions))
    pipeline.rules.filter(key__in=_absent(patch.rules)).delete()
    pipeline.tools.filter(name__in=_absent(patch.tools)).delete()
    pipeline.notes.filter(key__in=_absent(patch.notes)).delete()

    _save(
        models.Agent,
        [_agent_row(pipeline, part) for part in patch.agents.values() if part],
        unique=("pipeline", "key"),
        but=("hue",),
    )
    _write_stages(pipeline, patch)
    _write_transitions(pipeline, patch)
    _write_rules(pipeline, patch)
    _save(
        models.Tool,
        [_tool_row(pipeline, part) for part in patch.tools.values() if part],
        unique=("pipeline", "name"),
    )
    _save(
        models.Note,
        [_note_row(pipeline, part) for part in patch.notes.values() if part],
        unique=("pipeline", "key"),
    )
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
    gone = [pk for pk, source, target in ends if transition_key(source, target) in keys]
    pipeline.transitions.filter(pk__in=gone).delete()


def _write_layout(pipeline: models.Pipeline, patch: Patch) -> None:
    there = _keys(pipeline.stages, "phase", patch.positions)
    placed = [
        models.Stage(pipeline=pipeline, phase=phase, x=at.x if at else None, y=at.y if at else None)
        for phase, at in patch.positions.items()
        if phase in there
    ]
    _save(models.Stage, placed, unique=("pipeline", "phase"), only=("x", "y"))
    there = _keys(pipeline.agents, "key", patch.hues)
    painted = [
        models.Agent(pipeline=pipeline, key=key, hue=hue)
        for key, hue in patch.hues.items()
        if key in there
    ]
    _save(models.Agent, painted, unique=("pipeline", "key"), only=("hue",))


def _write_frames(pipeline: models.Pipeline, patch: Patch) -> None:
    if not patch.frames:
        return
    pipeline.stages.filter(frame__key__in=patch.frames).update(frame=None)
    pipeline.frames.filter(key__in=_absent(patch.frames)).delete()
    parts = [part for part in patch.frames.values() if part]
    rows = [_frame_row(pipeline, part) for part in parts]
    _save(models.Frame, rows, unique=("pipeline", "key"))
    frames = _keys(pipeline.frames, "key", (part.id for part in parts))
    held = {phase: frames[part.id] for part in parts for phase in part.stages}
    there = _keys(pipeline.stages, "phase", held)
    framed = [
        models.Stage(pipeline=pipeline, phase=phase, frame_id=frame)
        for phase, frame in held.items()
        if phase in there
    ]
    _save(models.Stage, framed, unique=("pipeline", "phase"), only=("frame",))


def _frame_row(pipeline: models.Pipeline, frame: Frame) -> models.Frame:
    return models.Frame(pipeline=pipeline, key=frame.id, title=frame.title, hue=frame.hue)


def _agent_row(pipeline: models.Pipeline, agent: Agent) -> models.Agent:
    return models.Agent(
        pipeline=pipeline,
        key=agent.id,
        name=agent.name,
        instructions=agent.instructions,
        provider=agent.provider,
        model=agent.model,
        temperature=agent.temperature,
        max_output_tokens=agent.max_output_tokens,
        reasoning_effort=agent.reasoning_effort or "",
        tool_choice=agent.tool_choice,
        response_schema=agent.response_schema,
        retries=agent.retries,
        retry_shown=agent.retry_shown,
        time_limit=agent.time_limit,
        fallback=agent.fallback or "",
        fallback_model=agent.fallback_model,
        tools=list(agent.tools),
        cues=[cue.model_dump(mode="json", exclude_defaults=True) for cue in agent.cues],
    )


def _tool_row(pipeline: models.Pipeline, tool: Tool) -> models.Tool:
    return models.Tool(
        pipeline=pipeline,
        name=tool.name,
        kind=tool.kind,
        description=tool.description,
        parameters=tool.parameters,
        pipeline_name=tool.pipeline or "",
        template_hints=list(tool.template_hints),
        http=tool.http.model_dump(mode="json", exclude_defaults=True) if tool.http else None,
        mcp=tool.mcp.model_dump(mode="json") if tool.mcp else None,
        examples=[example.model_dump(mode="json") for example in tool.examples],
        stand_in=tool.stand_in,
        approval=tool.approval,
        idempotent=tool.idempotent,
        time_limit=tool.time_limit,
        max_answer=tool.max_answer,
    )


def _note_row(pipeline: models.Pipeline, note: Note) -> models.Note:
    return models.Note(
        pipeline=pipeline,
        key=note.id,
        text=note.text,
        x=note.x,
        y=note.y,
        width=note.width,
        hue=note.hue,
    )


def _write_stages(pipeline: models.Pipeline, patch: Patch) -> None:
    parts = [part for part in patch.stages.values() if part]
    agents = _keys(pipeline.agents, "key", (part.agent_id for part in parts))
    rows = [
        models.Stage(
            pipeline=pipeline,
            phase=part.phase,
            kind=part.kind,
            agent_id=agents[part.agent_id] if part.agent_id else None,
            group=part.group.model_dump(mode="json", exclude_defaults=True) if part.group else None,
            description=part.description,
        )
        for part in parts
    ]
    _save(models.Stage, rows, unique=("pipeline", "phase"), but=("x", "y", "frame"))


def _write_transitions(pipeline: models.Pipeline, patch: Patch) -> None:
    # `return` first: a stage's old `next` makes room before its new one comes.
    parts = sorted(filter(None, patch.transitions.values()), key=lambda t: t.kind, reverse=True)
    ends = (phase for part in parts for phase in (part.source, part.target))
    stages = _keys(pipeline.stages, "phase", ends)
    rows = [
        models.Transition(
            pipeline=pipeline,
            source_id=stages[part.source],
            target_id=stages[part.target],
            kind=part.kind,
            description=part.description,
            input_schema=part.input_schema,
            tool_name=part.tool_name or "",
            input_filter=part.input_filter.model_dump(mode="json", exclude_defaults=True),
        )
        for part in parts
    ]
    _save(models.Transition, rows, unique=("source", "target"))


def _write_rules(pipeline: models.Pipeline, patch: Patch) -> None:
    parts = [part for part in patch.rules.values() if part]
    agents = _keys(pipeline.agents, "key", (part.agent_id for part in parts))
    rows = [
        models.Rule(
            pipeline=pipeline,
            key=part.id,
            agent_id=agents[part.agent_id],
            priority=part.priority,
            conditions=part.conditions.model_dump(mode="json", exclude_defaults=True),
        )
        for part in parts
    ]
    _save(models.Rule, rows, unique=("pipeline", "key"))


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
            case "default_agent_id":
                pipeline.default_agent = pipeline.agents.get(key=value) if value else None
            case "supervisor_id":
                pipeline.supervisor = pipeline.agents.get(key=value) if value else None
            case "supervisor_position":
                pipeline.supervisor_x = value.x if value else None
                pipeline.supervisor_y = value.y if value else None
            case _:
                setattr(pipeline, name, value)
    pipeline.save()


def _save(
    model: type[Model],
    rows: list[Any],
    *,
    unique: tuple[str, ...],
    only: tuple[str, ...] = (),
    but: tuple[str, ...] = (),
) -> None:
    """Insert the rows; of those that are there, by their `unique` fields, update the others.

    With `only`, just these fields are updated; those in `but` are not.
    """
    if not rows:
        return
    kept = {"id", *unique, *but}
    fields = [f.name for f in model._meta.concrete_fields if f.name not in kept]  # noqa: SLF001
    model._default_manager.bulk_create(  # noqa: SLF001
        rows, update_conflicts=True, unique_fields=list(unique), update_fields=only or fields
    )


def _keys(rows: Any, field: str, names: Iterable[str | None]) -> dict[str, int]:
    """Primary keys by `field`, for the names asked for."""
    wanted = {name for name in names if name}
    return dict(rows.filter(**{f"{field}__in": wanted}).values_list(field, "pk")) if wanted else {}


def _absent(parts: dict[str, Any]) -> list[str]:
    return [key for key, part in parts.items() if part is None]
