"""Rows to definitions and back: the only place where either knows the other.

Reading and writing go by parts (`designer.patches.Patch`), so that a gesture costs what it touches:
`read_parts` asks for the rows that a patch names, `write` saves just those.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import Model, QuerySet

from designer import models
from designer.patches import Patch, Settings, transition_key
from orchestration.definition import (
    Agent,
    Conditions,
    Limits,
    PipelineDefinition,
    Position,
    Rule,
    Stage,
    Tool,
    Transition,
)


def read(pipeline: models.Pipeline) -> PipelineDefinition:
    """The whole pipeline as its definition: one query for each kind of row."""
    parts = _drawn(pipeline.stages.all(), pipeline.agents.all(), pipeline.transitions.all())
    return Patch(
        **parts,
        rules={row.key: _rule(row) for row in pipeline.rules.select_related("agent")},
        tools={row.name: _tool(row) for row in pipeline.tools.all()},
        settings=_settings(pipeline, Settings.model_fields),
    ).definition()


def read_around(pipeline: models.Pipeline, phases: Collection[str]) -> PipelineDefinition:
    """The pipeline as if it held only these stages, with their agents and ways on.

    Enough to draw them, at a cost that does not grow with the pipeline.
    """
    stages = pipeline.stages.filter(phase__in=phases)
    agents = pipeline.agents.filter(stages__in=stages).distinct()
    ways = pipeline.transitions.filter(source__phase__in=phases)
    return Patch(
        **_drawn(stages, agents, ways), settings=_settings(pipeline, {"name", "entry"})
    ).definition()


def read_parts(pipeline: models.Pipeline, patch: Patch) -> Patch:
    """The parts that `patch` names, as they are now; None where there is no such part."""
    phases = _named(pipeline.stages.select_related("agent"), "phase", patch.stages, patch.positions)
    agents = _named(pipeline.agents.all(), "key", patch.agents, patch.hues)
    rules = _named(pipeline.rules.select_related("agent"), "key", patch.rules)
    tools = _named(pipeline.tools.all(), "name", patch.tools)
    between = _transitions(
        pipeline.transitions.filter(
            source__phase__in={key.partition(">")[0] for key in patch.transitions}
        )
        if patch.transitions
        else models.Transition.objects.none()
    )
    parts: dict[str, Any] = {
        "agents": {key: _maybe(_agent, agents.get(key)) for key in patch.agents},
        "stages": {key: _maybe(_stage, phases.get(key)) for key in patch.stages},
        "transitions": {key: between.get(key) for key in patch.transitions},
        "rules": {key: _maybe(_rule, rules.get(key)) for key in patch.rules},
        "tools": {key: _maybe(_tool, tools.get(key)) for key in patch.tools},
        "positions": {key: _maybe(_position, phases.get(key)) for key in patch.positions},
        "hues": {key: _maybe(lambda row: row.hue, agents.get(key)) for key in patch.hues},
    }
    touched = {name: part for name, part in parts.items() if part}
    if fields := patch.settings.model_fields_set:
        touched["settings"] = _settings(pipeline, fields)
    return Patch(**touched)


def write(pipeline: models.Pipeline, patch: Patch) -> None:
    """Save the parts that `patch` names. The caller holds the transaction.

    Whatever a part refers to must be there already or come in the same patch; what referred to a
    part that goes must be gone or changed in the same patch.
    """
    gone = [key for key, part in patch.transitions.items() if part is None]
    for key in gone:
        source, _, target = key.partition(">")
        pipeline.transitions.filter(source__phase=source, target__phase=target).delete()
    pipeline.rules.filter(key__in=_absent(patch.rules)).delete()
    pipeline.tools.filter(name__in=_absent(patch.tools)).delete()

    _save(
        models.Agent,
        [_agent_row(pipeline, part) for part in patch.agents.values() if part],
        unique=("pipeline", "key"),
    )
    _write_stages(pipeline, patch)
    _write_transitions(pipeline, patch)
    _write_rules(pipeline, patch)
    _save(
        models.Tool,
        [_tool_row(pipeline, part) for part in patch.tools.values() if part],
        unique=("pipeline", "name"),
    )
    for phase, position in patch.positions.items():
        x, y = (position.x, position.y) if position else (None, None)
        pipeline.stages.filter(phase=phase).update(x=x, y=y)
    for key, hue in patch.hues.items():
        pipeline.agents.filter(key=key).update(hue=hue)

    pipeline.stages.filter(phase__in=_absent(patch.stages)).delete()
    pipeline.agents.filter(key__in=_absent(patch.agents)).delete()
    _write_settings(pipeline, patch.settings)


# Rows to parts


def _drawn(
    stages: QuerySet[models.Stage],
    agents: QuerySet[models.Agent],
    transitions: QuerySet[models.Transition],
) -> dict[str, Any]:
    """What the canvas draws."""
    stage_rows = list(stages.select_related("agent"))
    agent_rows = list(agents)
    return {
        "agents": {row.key: _agent(row) for row in agent_rows},
        "stages": {row.phase: _stage(row) for row in stage_rows},
        "transitions": _transitions(transitions),
        "positions": {row.phase: _position(row) for row in stage_rows},
        "hues": {row.key: row.hue for row in agent_rows},
    }


def _agent(row: models.Agent) -> Agent:
    return Agent(
        id=row.key,
        name=row.name,
        instructions=row.instructions,
        provider=row.provider,
        model=row.model,
        temperature=row.temperature,
        max_output_tokens=row.max_output_tokens,
        tools=row.tools,
        cues=row.cues,
    )


def _stage(row: models.Stage) -> Stage:
    return Stage(
        phase=row.phase,
        kind=row.kind,
        agent_id=row.agent.key if row.agent else None,
        description=row.description,
    )


def _transitions(rows: QuerySet[models.Transition]) -> dict[str, Transition | None]:
    found = rows.values_list("source__phase", "target__phase", "kind", "description")
    return {
        transition_key(source, target): Transition(
            source=source,
            target=target,
            kind=kind,
            description=description,
        )
        for source, target, kind, description in found
    }


def _rule(row: models.RoutingRule) -> Rule:
    return Rule(
        id=row.key,
        agent_id=row.agent.key,
        priority=row.priority,
        conditions=Conditions.model_validate(row.conditions),
    )


def _tool(row: models.Tool) -> Tool:
    return Tool(
        name=row.name,
        description=row.description,
        parameters=row.parameters,
        examples=row.examples,
    )


def _position(row: models.Stage) -> Position | None:
    return None if row.x is None or row.y is None else Position(x=row.x, y=row.y)


def _settings(pipeline: models.Pipeline, fields: Collection[str]) -> Settings:
    x, y = pipeline.supervisor_x, pipeline.supervisor_y
    every = {
        "name": pipeline.name,
        "description": pipeline.description,
        "limits": Limits(
            max_turns=pipeline.max_turns,
            max_handoffs=pipeline.max_handoffs,
            max_context_tokens=pipeline.max_context_tokens,
        ),
        "entry": pipeline.entry.phase if pipeline.entry else None,
        "default_agent_id": pipeline.default_agent.key if pipeline.default_agent else None,
        "supervisor_id": pipeline.supervisor.key if pipeline.supervisor else None,
        "aliases": pipeline.aliases,
        "on_handoff": pipeline.on_handoff,
        "allow_human": pipeline.allow_human,
        "supervisor_position": None if x is None or y is None else Position(x=x, y=y),
    }
    return Settings.model_validate({name: every[name] for name in fields})


def _named(rows: QuerySet[Any], field: str, *names: Iterable[str]) -> dict[str, Any]:
    """Rows by `field`, for the names asked for; no query when none is."""
    wanted = {name for some in names for name in some}
    if not wanted:
        return {}
    return {getattr(row, field): row for row in rows.filter(**{f"{field}__in": wanted})}


def _maybe(convert: Any, row: Model | None) -> Any:
    return None if row is None else convert(row)


# Parts to rows


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
        tools=list(agent.tools),
        cues=[cue.model_dump(mode="json", exclude_defaults=True) for cue in agent.cues],
    )


def _tool_row(pipeline: models.Pipeline, tool: Tool) -> models.Tool:
    return models.Tool(
        pipeline=pipeline,
        name=tool.name,
        description=tool.description,
        parameters=tool.parameters,
        examples=[example.model_dump(mode="json") for example in tool.examples],
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
            description=part.description,
        )
        for part in parts
    ]
    _save(models.Stage, rows, unique=("pipeline", "phase"), but=("x", "y"))


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
        )
        for part in parts
    ]
    _save(models.Transition, rows, unique=("source", "target"))


def _write_rules(pipeline: models.Pipeline, patch: Patch) -> None:
    parts = [part for part in patch.rules.values() if part]
    agents = _keys(pipeline.agents, "key", (part.agent_id for part in parts))
    rows = [
        models.RoutingRule(
            pipeline=pipeline,
            key=part.id,
            agent_id=agents[part.agent_id],
            priority=part.priority,
            conditions=part.conditions.model_dump(mode="json", exclude_defaults=True),
        )
        for part in parts
    ]
    _save(models.RoutingRule, rows, unique=("pipeline", "key"))


def _write_settings(pipeline: models.Pipeline, settings: Settings) -> None:
    if not settings.model_fields_set:
        return
    for name, value in settings.touched.items():
        match name:
            case "limits":
                pipeline.max_turns = value.max_turns
                pipeline.max_handoffs = value.max_handoffs
                pipeline.max_context_tokens = value.max_context_tokens
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
    model: type[Model], rows: list[Any], *, unique: tuple[str, ...], but: tuple[str, ...] = ()
) -> None:
    """Insert the rows, or update those that are there, by their `unique` fields."""
    if not rows:
        return
    kept = {"id", "hue", *unique, *but}
    fields = [f.name for f in model._meta.concrete_fields if f.name not in kept]  # noqa: SLF001
    model._default_manager.bulk_create(  # noqa: SLF001
        rows, update_conflicts=True, unique_fields=list(unique), update_fields=fields
    )


def _keys(rows: Any, field: str, names: Iterable[str | None]) -> dict[str, int]:
    """Primary keys by `field`, for the names asked for."""
    wanted = {name for name in names if name}
    return dict(rows.filter(**{f"{field}__in": wanted}).values_list(field, "pk")) if wanted else {}


def _absent(parts: dict[str, Any]) -> list[str]:
    return [key for key, part in parts.items() if part is None]
