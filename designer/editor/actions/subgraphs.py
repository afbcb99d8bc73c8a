"""Subgraphs: extraction of a part of a pipeline, and its insertion into another pipeline.

These are functions from value to value. `designer.editor.actions.clipboard` writes the results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from designer.canvas import GRID, LIMIT, bounding_box, clearing_move, drawn_boxes
from orchestration.definition import (
    HUMAN,
    Agent,
    Cue,
    Group,
    PipelineDefinition,
    Position,
    Stage,
    Tool,
    Transition,
)

_NUMBERED = re.compile(r"^(.+?)([-_])([1-9][0-9]{0,3})$")


def extract_subgraph(
    definition: PipelineDefinition,
    phases: Collection[str],
    notes: Collection[str] = (),
    frames: Collection[str] = (),
) -> PipelineDefinition:
    """Return stages by phase, and notes and frames by id, as an independent definition.

    It contains the transitions between the stages, their agents, the tools of these, and the
    layout. A given frame brings its stages, and a frame is included if all of its stages are. The
    entry stays the entry if it is included.
    """
    framed = {
        phase for frame in definition.layout.frames if frame.id in frames for phase in frame.stages
    }
    stages = tuple(
        stage for stage in definition.stages if stage.phase in phases or stage.phase in framed
    )
    kept = {stage.phase for stage in stages}
    agent_ids = {key for stage in stages for key in stage.agent_ids}
    agents = tuple(agent for agent in definition.agents if agent.id in agent_ids)
    tool_names = {name for agent in agents for name in agent.tools}
    layout = definition.layout
    return PipelineDefinition(
        name=definition.name,
        topology=definition.topology,
        agents=agents,
        stages=stages,
        transitions=tuple(
            t for t in definition.transitions if t.source in kept and t.target in kept
        ),
        tools=tuple(tool for tool in definition.tools if tool.name in tool_names),
        entry=definition.entry if definition.entry in kept else None,
        layout=layout.model_copy(
            update={
                "stages": {phase: at for phase, at in layout.stages.items() if phase in kept},
                "hues": {key: hue for key, hue in layout.hues.items() if key in agent_ids},
                "supervisor": None,
                "notes": tuple(note for note in layout.notes if note.id in notes),
                "frames": tuple(frame for frame in layout.frames if kept.issuperset(frame.stages)),
            }
        ),
    )


def extract_all(definition: PipelineDefinition) -> PipelineDefinition:
    """Return all stages and notes of a definition, without the settings of the pipeline."""
    return extract_subgraph(
        definition,
        definition.stages_by_phase.keys(),
        [note.id for note in definition.layout.notes],
    )


def with_free_keys(target: PipelineDefinition, part: PipelineDefinition) -> PipelineDefinition:
    """Return the subgraph with keys that are free in `target`, so that it can be added.

    A phase, note, frame or tool with an existing key gets the next number (`review` becomes
    `review-2`). An agent or tool that `target` already has, perhaps with another number, is
    removed, and references to it refer to the existing one.
    """
    tools = _match_tools(target, part)
    agents = _match_agents(target, part, _Renames(tools=tools.names))
    phases = _FreeKeys(target.stages_by_phase, _phase_references(part)).names(part.stages_by_phase)
    note_ids = [note.id for note in part.layout.notes]
    notes = _FreeKeys({note.id for note in target.layout.notes}, note_ids).names(note_ids)
    frame_ids = [frame.id for frame in part.layout.frames]
    frames = _FreeKeys({frame.id for frame in target.layout.frames}, frame_ids).names(frame_ids)
    rename = _Renames(phases=phases, agents=agents.names, tools=tools.names)
    layout = part.layout
    return part.model_copy(
        update={
            "agents": tuple(rename.agent(agent) for agent in part.agents if agent.id in agents.new),
            "stages": tuple(rename.stage(stage) for stage in part.stages),
            "transitions": tuple(map(rename.transition, part.transitions)),
            "tools": tuple(rename.tool(tool) for tool in part.tools if tool.name in tools.new),
            "entry": None if target.entry or part.entry is None else phases[part.entry],
            "layout": layout.model_copy(
                update={
                    "stages": {phases[phase]: at for phase, at in layout.stages.items()},
                    "hues": {
                        agents.names[key]: hue
                        for key, hue in layout.hues.items()
                        if key in agents.new
                    },
                    "notes": tuple(
                        note.model_copy(update={"id": notes[note.id]}) for note in layout.notes
                    ),
                    "frames": tuple(
                        frame.model_copy(
                            update={
                                "id": frames[frame.id],
                                "stages": tuple(sorted(phases[phase] for phase in frame.stages)),
                            }
                        )
                        for frame in layout.frames
                    ),
                }
            ),
        }
    )


def place_part(
    target: PipelineDefinition, part: PipelineDefinition, center: Position | None
) -> PipelineDefinition:
    """Return the subgraph centered at a point, or at its own position if there is none.

    It moves aside if it would overlap the parts of `target`.
    """
    positions = _positions(part)
    if not positions:
        return part
    left, right = min(at.x for at in positions), max(at.x for at in positions)
    top, bottom = min(at.y for at in positions), max(at.y for at in positions)
    dx = _snapped(center.x - (left + right) / 2) if center else 0.0
    dy = _snapped(center.y - (top + bottom) / 2) if center else 0.0
    dx, dy = (
        min(max(dx, -LIMIT - left), LIMIT - right),
        min(max(dy, -LIMIT - top), LIMIT - bottom),
    )
    moved = _moved(part, dx, dy)
    across, down = clearing_move(bounding_box(drawn_boxes(moved)), drawn_boxes(target))
    return _moved(part, dx + across, dy + down) if across or down else moved


class _FreeKeys:
    """Generator of free keys. `reserved` keys are not given to other parts."""

    def __init__(self, taken: Iterable[str], reserved: Iterable[str]) -> None:
        self._taken = set(taken)
        self._used = self._taken | set(reserved)
        self._last: dict[str, int] = {}

    def names(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the new name of each key: itself if it is free, else the next free key."""
        return {key: self._next(key) if key in self._taken else key for key in keys}

    def _next(self, key: str) -> str:
        stem, separator, number = _split_key(key)
        number = max(number, self._last.get(stem, 0)) + 1
        while (free := _numbered(stem, separator, number)) in self._used:
            number += 1
        self._last[stem] = number
        self._used.add(free)
        return free


@dataclass(frozen=True)
class _Renames:
    """New keys of parts, and their replacement in the parts."""

    phases: Mapping[str, str] = field(default_factory=dict)
    agents: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)

    def stage(self, stage: Stage) -> Stage:
        """Rename a stage and its agents."""
        update = {
            "phase": self.phases[stage.phase],
            "agent_id": self._agent(stage.agent_id),
            "group": stage.group and self._group(stage.group),
        }
        return stage.model_copy(update=update)

    def transition(self, transition: Transition) -> Transition:
        """Rename the ends of a transition."""
        source, target = self.phases[transition.source], self.phases[transition.target]
        return transition.model_copy(update={"source": source, "target": target})

    def agent(self, agent: Agent) -> Agent:
        """Rename an agent and the references in its tools and cues."""
        if not (self.phases or self.agents or self.tools):
            return agent
        update = {
            "id": self.agents.get(agent.id, agent.id),
            "tools": tuple(sorted({self.tools.get(name, name) for name in agent.tools})),
            "cues": tuple(map(self._cue, agent.cues)),
        }
        return agent.model_copy(update=update)

    def tool(self, tool: Tool) -> Tool:
        """Rename a tool."""
        return tool.model_copy(update={"name": self.tools[tool.name]})

    def _group(self, group: Group) -> Group:
        def names(keys: Iterable[str]) -> tuple[str, ...]:
            return tuple(self.agents.get(key, key) for key in keys)

        return Group(
            agents=names(group.agents),
            parallel=group.parallel,
            dependencies={
                self.agents.get(key, key): names(required)
                for key, required in group.dependencies.items()
            },
        )

    def _cue(self, cue: Cue) -> Cue:
        call, hand_over = cue.call, cue.hand_over
        if call:
            call = call.model_copy(update={"tool": self.tools.get(call.tool, call.tool)})
        if hand_over:
            target, phase = self._target(hand_over.target), self._phase(hand_over.phase)
            hand_over = hand_over.model_copy(update={"target": target, "phase": phase})
        update = {
            "after_handoff_from": self._target(cue.after_handoff_from),
            "in_phase": self._phase(cue.in_phase),
            "call": call,
            "hand_over": hand_over,
        }
        return cue.model_copy(update=update)

    def _agent(self, key: str | None) -> str | None:
        return None if key is None else self.agents.get(key, key)

    def _phase(self, key: str | None) -> str | None:
        return None if key is None else self.phases.get(key, key)

    def _target(self, key: str | None) -> str | None:
        """Rename a reference to an agent, or to a stage if there is no such agent."""
        return self._agent(key) if key is None or key in self.agents else self._phase(key)


@dataclass(frozen=True)
class _Matches:
    """Keys of parts in the target pipeline, and the parts that it does not have."""

    names: dict[str, str]
    new: frozenset[str]
    """Old keys of the parts to add."""


def _match_tools(target: PipelineDefinition, part: PipelineDefinition) -> _Matches:
    references = {name for agent in part.agents for name in agent.tools}
    references |= {cue.call.tool for agent in part.agents for cue in agent.cues if cue.call}

    def is_same(old: Tool, new: Tool) -> bool:
        return old == new.model_copy(update={"name": old.name})

    return _match(target.tools_by_name, part.tools_by_name, is_same, references)


def _match_agents(
    target: PipelineDefinition, part: PipelineDefinition, rename: _Renames
) -> _Matches:
    def is_same(old: Agent, new: Agent) -> bool:
        return old == rename.agent(new).model_copy(update={"id": old.id})

    references = {*_agent_references(part), HUMAN}
    return _match(target.agents_by_id, part.agents_by_id, is_same, references)


def _match(
    existing: Mapping[str, Any],
    added: Mapping[str, Any],
    is_same: Callable[[Any, Any], bool],
    references: Collection[str],
) -> _Matches:
    """Return keys for added parts: that of an equal existing part, else their own or a free one.

    Two added parts never become one, and a part never gets a key that only `references` contains.
    """
    unavailable = {*added, *references}
    by_stem: dict[str, list[str]] = {}
    for key in existing:
        by_stem.setdefault(_split_key(key)[0], []).append(key)
    names: dict[str, str] = {}
    for key, part in added.items():
        candidates = [key, *by_stem.get(_split_key(key)[0], ())] if key in existing else ()
        for other in candidates:
            is_available = other == key or other not in unavailable
            if is_available and is_same(existing[other], part):
                names[key] = other
                unavailable.add(other)
                break
    new = frozenset(key for key in added if key not in names)
    return _Matches(names | _FreeKeys(existing, {*added, *references}).names(new), new)


def _phase_references(part: PipelineDefinition) -> set[str]:
    cues = [cue for agent in part.agents for cue in agent.cues]
    phases = {cue.in_phase for cue in cues} | {cue.hand_over.phase for cue in cues if cue.hand_over}
    return {*part.stages_by_phase, *filter(None, phases)}


def _agent_references(part: PipelineDefinition) -> set[str]:
    cues = [cue for agent in part.agents for cue in agent.cues]
    in_cues = {cue.after_handoff_from for cue in cues}
    in_cues |= {cue.hand_over.target for cue in cues if cue.hand_over}
    groups = [stage.group for stage in part.stages if stage.group]
    required = {key for group in groups for keys in group.dependencies.values() for key in keys}
    members = {key for group in groups for key in (*group.agents, *group.dependencies)}
    return {*members, *required, *filter(None, in_cues)}


def _split_key(key: str) -> tuple[str, str, int]:
    """Split a key into its stem, the separator and the number: `review-2`, `look_up_3`."""
    match = _NUMBERED.match(key)
    if match:
        return match[1], match[2], int(match[3])
    return key, "_" if "_" in key and "-" not in key else "-", 1


def _numbered(stem: str, separator: str, number: int) -> str:
    end = f"{separator}{number}"
    return stem[: 64 - len(end)] + end


def _positions(definition: PipelineDefinition) -> list[Position]:
    layout = definition.layout
    return [*layout.stages.values(), *(Position(x=note.x, y=note.y) for note in layout.notes)]


def _snapped(distance: float) -> float:
    return float(round(distance / GRID) * GRID)


def _moved(part: PipelineDefinition, dx: float, dy: float) -> PipelineDefinition:
    layout = part.layout
    stages = {phase: _position(at.x + dx, at.y + dy) for phase, at in layout.stages.items()}
    notes = tuple(
        note.model_copy(update=dict(_position(note.x + dx, note.y + dy))) for note in layout.notes
    )
    moved = layout.model_copy(update={"stages": stages, "notes": notes})
    return part.model_copy(update={"layout": moved})


def _position(x: float, y: float) -> Position:
    """Return a position within the canvas: adding floats may exceed its limit slightly."""
    return Position(
        x=min(max(x, -LIMIT), LIMIT),
        y=min(max(y, -LIMIT), LIMIT),
    )
