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
    Frame,
    Layout,
    PipelineDefinition,
)


def patched(definition: PipelineDefinition, patch: Patch) -> PipelineDefinition:
    """Return the definition after a patch.

    Too many parts raise pydantic's `ValidationError`, like reading them.
    """
    changes = _settings(patch) | _parts(definition, patch)
    layout = _layout(definition, patch)
    if layout:
        changes["layout"] = definition.layout.model_copy(update=layout)
    made = definition.model_copy(update=changes)
    return made if _is_within_bounds(made) else PipelineDefinition.model_validate(_values(made))


def _settings(patch: Patch) -> dict[str, Any]:
    changes = patch.settings.touched
    changes.pop("supervisor_position", None)
    if "aliases" in changes:
        changes["aliases"] = dict(sorted(changes["aliases"].items()))
    return changes


def _parts(definition: PipelineDefinition, patch: Patch) -> dict[str, Any]:
    """Return the tuples that a patch changes, each in its canonical order."""
    changes: dict[str, Any] = {}
    if patch.agents:
        kept = [agent for agent in definition.agents if agent.id not in patch.agents]
        changes["agents"] = _in_order(kept, patch.agents, "id")
    if patch.stages:
        stages = [stage for stage in definition.stages if stage.phase not in patch.stages]
        changes["stages"] = _in_order(stages, patch.stages, "phase")
    if patch.transitions:
        ends = {tuple(key.split(">")) for key in patch.transitions}
        ways = [way for way in definition.transitions if (way.source, way.target) not in ends]
        changes["transitions"] = _in_order(ways, patch.transitions, "source", "kind", "target")
    if patch.rules:
        rules = [rule for rule in definition.rules if rule.id not in patch.rules]
        changes["rules"] = _in_order(rules, patch.rules, "priority", "id")
    if patch.tools:
        tools = [tool for tool in definition.tools if tool.name not in patch.tools]
        changes["tools"] = _in_order(tools, patch.tools, "name")
    return changes


def _in_order(kept: list[Any], parts: Mapping[str, Any], *order: str) -> tuple[Any, ...]:
    kept += [part for part in parts.values() if part is not None]
    return tuple(sorted(kept, key=attrgetter(*order)))


def _layout(definition: PipelineDefinition, patch: Patch) -> dict[str, Any]:
    """Return the changes of a patch to the layout; removed parts leave it."""
    layout, changes = definition.layout, dict[str, Any]()
    gone = {phase for phase, stage in patch.stages.items() if stage is None}
    if patch.positions or gone:
        there = definition.stages_by_phase.keys() - gone | _present(patch.stages)
        places = {phase: at for phase, at in patch.positions.items() if phase in there}
        changes["stages"] = _with(layout.stages, places, gone)
    no_more = {key for key, agent in patch.agents.items() if agent is None}
    if patch.hues or no_more:
        known = definition.agents_by_id.keys() - no_more | _present(patch.agents)
        hues = {key: hue for key, hue in patch.hues.items() if key in known}
        changes["hues"] = _with(layout.hues, hues, no_more)
    if "supervisor_position" in patch.settings.model_fields_set:
        changes["supervisor"] = patch.settings.supervisor_position
    if patch.notes:
        notes = [note for note in layout.notes if note.id not in patch.notes]
        changes["notes"] = _in_order(notes, patch.notes, "id")
    if patch.frames or (gone and layout.frames):
        changes["frames"] = _framed(layout, patch, gone)
    return changes


def _present(parts: Mapping[str, Any]) -> set[str]:
    return {key for key, part in parts.items() if part is not None}


def _with(was: Mapping[str, Any], now: Mapping[str, Any], gone: Iterable[str]) -> dict[str, Any]:
    """Return the entries with changes, without removed or empty ones, sorted by key."""
    entries = {**was, **now, **dict.fromkeys(gone)}
    return dict(sorted((key, one) for key, one in entries.items() if one is not None))


def _framed(layout: Layout, patch: Patch, gone: set[str]) -> tuple[Frame, ...]:
    """Return the frames after a patch. A stage is in one frame only; empty frames are removed."""
    given = [frame for frame in patch.frames.values() if frame is not None]
    taken = gone.union(*(frame.stages for frame in given))
    frames = [
        frame
        if taken.isdisjoint(frame.stages)
        else frame.model_copy(
            update={"stages": tuple(phase for phase in frame.stages if phase not in taken)}
        )
        for frame in layout.frames
        if frame.id not in patch.frames
    ]
    return tuple(
        sorted([frame for frame in (*frames, *given) if frame.stages], key=attrgetter("id"))
    )


def _is_within_bounds(made: PipelineDefinition) -> bool:
    return (
        len(made.agents) <= MAX_AGENTS
        and len(made.stages) <= MAX_STAGES
        and len(made.transitions) <= MAX_TRANSITIONS
        and len(made.rules) <= MAX_RULES
        and len(made.tools) <= MAX_TOOLS
        and len(made.layout.notes) <= MAX_NOTES
        and len(made.layout.frames) <= MAX_FRAMES
    )


def _values(made: PipelineDefinition) -> dict[str, Any]:
    """Return the fields of a definition for validation; existing parts are not validated again."""
    fields = {name: getattr(made, name) for name in PipelineDefinition.model_fields}
    layout = {name: getattr(made.layout, name) for name in Layout.model_fields}
    return fields | {"layout": layout}
