"""Application of a patch to a definition, with the same result as reading the rows again.

Parts outside of the patch are shared with the earlier definition, so the cost is that of the
changed parts and of copying a few tuples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any

from designer.definitions.patches import Patch
from orchestration.definition import (
    MAX_AGENTS,
    MAX_FRAMES,
    MAX_NOTES,
    MAX_RULES,
    MAX_STAGES,
    MAX_TOOLS,
    MAX_TRANSITIONS,
    MAX_VARIABLES,
    Frame,
    Layout,
    PipelineDefinition,
)


def apply_patch(definition: PipelineDefinition, patch: Patch) -> PipelineDefinition:
    """Return the definition after a patch.

    Raises pydantic's `ValidationError` for too many parts, like reading them.
    """
    changes = _settings(patch) | _parts(definition, patch)
    layout = _layout(definition, patch)
    if layout:
        changes["layout"] = definition.layout.model_copy(update=layout)
    new = definition.model_copy(update=changes)
    return new if _is_within_bounds(new) else PipelineDefinition.model_validate(_values(new))


def _settings(patch: Patch) -> dict[str, Any]:
    changes = patch.settings.touched
    changes.pop("supervisor_position", None)
    for name in changes.keys() & {"aliases", "variables"}:
        changes[name] = dict(sorted(changes[name].items()))
    return changes


def _parts(definition: PipelineDefinition, patch: Patch) -> dict[str, Any]:
    """Return the tuples that a patch changes, each in its canonical order."""
    changes: dict[str, Any] = {}
    if patch.agents:
        agents = [agent for agent in definition.agents if agent.id not in patch.agents]
        changes["agents"] = _in_order(agents, patch.agents, "id")
    if patch.stages:
        stages = [stage for stage in definition.stages if stage.phase not in patch.stages]
        changes["stages"] = _in_order(stages, patch.stages, "phase")
    if patch.transitions:
        ends = {tuple(key.split(">")) for key in patch.transitions}
        transitions = [t for t in definition.transitions if (t.source, t.target) not in ends]
        changes["transitions"] = _in_order(
            transitions, patch.transitions, "source", "kind", "target"
        )
    if patch.rules:
        rules = [rule for rule in definition.rules if rule.id not in patch.rules]
        changes["rules"] = _in_order(rules, patch.rules, "priority", "id")
    if patch.tools:
        tools = [tool for tool in definition.tools if tool.name not in patch.tools]
        changes["tools"] = _in_order(tools, patch.tools, "name")
    return changes


def _in_order(unchanged: list[Any], parts: Mapping[str, Any], *order: str) -> tuple[Any, ...]:
    changed = [part for part in parts.values() if part is not None]
    return tuple(sorted([*unchanged, *changed], key=attrgetter(*order)))


def _layout(definition: PipelineDefinition, patch: Patch) -> dict[str, Any]:
    """Return the changes of a patch to the layout; removed parts leave it."""
    layout, changes = definition.layout, dict[str, Any]()
    deleted_phases = {phase for phase, stage in patch.stages.items() if stage is None}
    if patch.positions or deleted_phases:
        phases = definition.stages_by_phase.keys() - deleted_phases | _present(patch.stages)
        positions = {phase: at for phase, at in patch.positions.items() if phase in phases}
        changes["stages"] = _updated(layout.stages, positions, deleted_phases)
    deleted_agents = {key for key, agent in patch.agents.items() if agent is None}
    if patch.hues or deleted_agents:
        agents = definition.agents_by_id.keys() - deleted_agents | _present(patch.agents)
        hues = {key: hue for key, hue in patch.hues.items() if key in agents}
        changes["hues"] = _updated(layout.hues, hues, deleted_agents)
    if "supervisor_position" in patch.settings.model_fields_set:
        changes["supervisor"] = patch.settings.supervisor_position
    if patch.notes:
        notes = [note for note in layout.notes if note.id not in patch.notes]
        changes["notes"] = _in_order(notes, patch.notes, "id")
    if patch.frames or (deleted_phases and layout.frames):
        changes["frames"] = _frames(layout, patch, deleted_phases)
    return changes


def _present(parts: Mapping[str, Any]) -> set[str]:
    return {key for key, part in parts.items() if part is not None}


def _updated(
    entries: Mapping[str, Any], changes: Mapping[str, Any], deleted: Iterable[str]
) -> dict[str, Any]:
    """Return the entries with changes, without deleted or empty ones, sorted by key."""
    updated = {**entries, **changes, **dict.fromkeys(deleted)}
    return dict(sorted((key, value) for key, value in updated.items() if value is not None))


def _frames(layout: Layout, patch: Patch, deleted_phases: set[str]) -> tuple[Frame, ...]:
    """Return the frames after a patch. A stage is in one frame only; empty frames are removed."""
    changed = [frame for frame in patch.frames.values() if frame is not None]
    moved_phases = deleted_phases.union(*(frame.stages for frame in changed))
    frames = [
        frame
        if moved_phases.isdisjoint(frame.stages)
        else frame.model_copy(
            update={"stages": tuple(phase for phase in frame.stages if phase not in moved_phases)}
        )
        for frame in layout.frames
        if frame.id not in patch.frames
    ]
    return tuple(
        sorted([frame for frame in (*frames, *changed) if frame.stages], key=attrgetter("id"))
    )


def _is_within_bounds(definition: PipelineDefinition) -> bool:
    return (
        len(definition.agents) <= MAX_AGENTS
        and len(definition.stages) <= MAX_STAGES
        and len(definition.transitions) <= MAX_TRANSITIONS
        and len(definition.rules) <= MAX_RULES
        and len(definition.tools) <= MAX_TOOLS
        and len(definition.variables) <= MAX_VARIABLES
        and len(definition.layout.notes) <= MAX_NOTES
        and len(definition.layout.frames) <= MAX_FRAMES
    )


def _values(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the fields of a definition for validation; existing parts are not validated again."""
    fields = {name: getattr(definition, name) for name in PipelineDefinition.model_fields}
    layout = {name: getattr(definition.layout, name) for name in Layout.model_fields}
    return fields | {"layout": layout}
