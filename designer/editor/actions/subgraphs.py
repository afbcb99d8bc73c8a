"""Excerpts: a part of a pipeline as a definition of its own, and another pipeline that takes it in.

These are functions from value to value; `designer.editor.actions.clipboard` writes what they say.
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
    """Stages by their phases, notes and frames by their ids, as a definition that stands alone.

    With the stages go the transitions between them, the agents that serve them, the tools of
    those, and how all of it is drawn; with a frame all of its stages, and a frame with all of its
    stages. The entry goes along where it is among them.
    """
    framed = {
        phase for frame in definition.layout.frames if frame.id in frames for phase in frame.stages
    }
    stages = tuple(
        stage for stage in definition.stages if stage.phase in phases or stage.phase in framed
    )
    kept = {stage.phase for stage in stages}
    served = {key for stage in stages for key in stage.agent_ids}
    agents = tuple(agent for agent in definition.agents if agent.id in served)
    used = {name for agent in agents for name in agent.tools}
    layout = definition.layout
    return PipelineDefinition(
        name=definition.name,
        topology=definition.topology,
        agents=agents,
        stages=stages,
        transitions=tuple(
            way for way in definition.transitions if way.source in kept and way.target in kept
        ),
        tools=tuple(tool for tool in definition.tools if tool.name in used),
        entry=definition.entry if definition.entry in kept else None,
        layout=layout.model_copy(
            update={
                "stages": {phase: at for phase, at in layout.stages.items() if phase in kept},
                "hues": {key: hue for key, hue in layout.hues.items() if key in served},
                "supervisor": None,
                "notes": tuple(note for note in layout.notes if note.id in notes),
                "frames": tuple(frame for frame in layout.frames if kept.issuperset(frame.stages)),
            }
        ),
    )


def whole(definition: PipelineDefinition) -> PipelineDefinition:
    """All stages and notes of a definition, without what belongs to it as a whole."""
    return extract_subgraph(
        definition,
        definition.stages_by_phase.keys(),
        [note.id for note in definition.layout.notes],
    )


def with_free_keys(here: PipelineDefinition, part: PipelineDefinition) -> PipelineDefinition:
    """The extract_subgraph under keys that are free `here`: it can be added as it is.

    A phase, note, frame or tool whose key is taken gets the next number (`review` becomes
    `review-2`). An agent or tool that is here already, the same in everything but perhaps its
    number, is left out, and what referred to it refers to the one that is here.
    """
    tools = _tools(here, part)
    using = _Renaming(tools=tools.names)
    agents = _agents(here, part, using)
    phases = _Free({*here.stages_by_phase}, _phases_named(part)).names(part.stages_by_phase)
    note_ids = [note.id for note in part.layout.notes]
    notes = _Free({note.id for note in here.layout.notes}, note_ids).names(note_ids)
    rename = _Renaming(phases=phases, agents=agents.names, tools=tools.names)
    frame_ids = [frame.id for frame in part.layout.frames]
    frames = _Free({frame.id for frame in here.layout.frames}, frame_ids).names(frame_ids)
    layout = part.layout
    return part.model_copy(
        update={
            "agents": tuple(rename.agent(agent) for agent in part.agents if agent.id in agents.new),
            "stages": tuple(rename.stage(stage) for stage in part.stages),
            "transitions": tuple(rename.transition(way) for way in part.transitions),
            "tools": tuple(rename.tool(tool) for tool in part.tools if tool.name in tools.new),
            "entry": None if here.entry or part.entry is None else phases[part.entry],
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


def center_at(
    here: PipelineDefinition, part: PipelineDefinition, middle: Position | None
) -> PipelineDefinition:
    """The extract_subgraph around a point, its own shape kept; where it is, without one.

    Where it would hide what is here, or lie behind it, it goes as little aside as leaves both to
    be seen.
    """
    places = _places(part)
    if not places:
        return part
    left, right = min(at.x for at in places), max(at.x for at in places)
    top, bottom = min(at.y for at in places), max(at.y for at in places)
    dx = _snapped(middle.x - (left + right) / 2) if middle else 0.0
    dy = _snapped(middle.y - (top + bottom) / 2) if middle else 0.0
    dx, dy = (
        min(max(dx, -LIMIT - left), LIMIT - right),
        min(max(dy, -LIMIT - top), LIMIT - bottom),
    )
    there = _moved(part, dx, dy)
    across, down = clearing_move(bounding_box(drawn_boxes(there)), drawn_boxes(here))
    return _moved(part, dx + across, dy + down) if across or down else there


class _Free:
    """Keys that are free, each the first after the one that is taken."""

    def __init__(self, taken: Iterable[str], wanted: Iterable[str]) -> None:
        self._taken = set(taken)
        self._promised = self._taken | set(wanted)
        self._last: dict[str, int] = {}

    def names(self, keys: Iterable[str]) -> dict[str, str]:
        """For each key itself, where it is free, or the next that is."""
        return {key: self.after(key) if key in self._taken else key for key in keys}

    def after(self, key: str) -> str:
        """The next free key after one that is taken; nobody else gets it."""
        stem, mark, number = _parts(key)
        number = max(number, self._last.get(stem, 0)) + 1
        while (found := _numbered(stem, mark, number)) in self._promised:
            number += 1
        self._last[stem] = number
        self._promised.add(found)
        return found


@dataclass(frozen=True)
class _Renaming:
    """New names of parts, and values with the names replaced."""

    phases: Mapping[str, str] = field(default_factory=dict)
    agents: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)

    def stage(self, stage: Stage) -> Stage:
        """The stage, and who serves it."""
        update = {
            "phase": self.phases[stage.phase],
            "agent_id": self._agent(stage.agent_id),
            "group": stage.group and self._group(stage.group),
        }
        return stage.model_copy(update=update)

    def transition(self, way: Transition) -> Transition:
        """The transition between the stages' new phases."""
        ends = {"source": self.phases[way.source], "target": self.phases[way.target]}
        return way.model_copy(update=ends)

    def agent(self, agent: Agent) -> Agent:
        """The agent, with its tools and cues."""
        if not (self.phases or self.agents or self.tools):
            return agent
        update = {
            "id": self.agents.get(agent.id, agent.id),
            "tools": tuple(sorted({self.tools.get(name, name) for name in agent.tools})),
            "cues": tuple(map(self._cue, agent.cues)),
        }
        return agent.model_copy(update=update)

    def tool(self, tool: Tool) -> Tool:
        """The tool under its new name."""
        return tool.model_copy(update={"name": self.tools[tool.name]})

    def _group(self, group: Group) -> Group:
        def names(keys: Iterable[str]) -> tuple[str, ...]:
            return tuple(self.agents.get(key, key) for key in keys)

        return Group(
            agents=names(group.agents),
            parallel=group.parallel,
            dependencies={
                self.agents.get(key, key): names(needed)
                for key, needed in group.dependencies.items()
            },
        )

    def _cue(self, cue: Cue) -> Cue:
        call, over = cue.call, cue.hand_over
        if call:
            call = call.model_copy(update={"tool": self.tools.get(call.tool, call.tool)})
        if over:
            goal = {"target": self._who(over.target), "phase": self._phase(over.phase)}
            over = over.model_copy(update=goal)
        update = {
            "after_handoff_from": self._who(cue.after_handoff_from),
            "in_phase": self._phase(cue.in_phase),
            "call": call,
            "hand_over": over,
        }
        return cue.model_copy(update=update)

    def _agent(self, key: str | None) -> str | None:
        return None if key is None else self.agents.get(key, key)

    def _phase(self, key: str | None) -> str | None:
        return None if key is None else self.phases.get(key, key)

    def _who(self, key: str | None) -> str | None:
        """A stage may stand for who serves it; an agent of that name comes first."""
        return self._agent(key) if key is None or key in self.agents else self._phase(key)


@dataclass(frozen=True)
class _Fitted:
    """Names of parts in the target pipeline, and the parts that it lacks."""

    names: dict[str, str]
    new: frozenset[str]
    """By the name that they come with."""


def _tools(here: PipelineDefinition, part: PipelineDefinition) -> _Fitted:
    mentioned = {name for agent in part.agents for name in agent.tools}
    mentioned |= {cue.call.tool for agent in part.agents for cue in agent.cues if cue.call}

    def same(mine: Tool, other: Tool) -> bool:
        return mine == other.model_copy(update={"name": mine.name})

    return _fitted(here.tools_by_name, part.tools_by_name, same, mentioned)


def _agents(here: PipelineDefinition, part: PipelineDefinition, using: _Renaming) -> _Fitted:
    def same(mine: Agent, other: Agent) -> bool:
        return mine == using.agent(other).model_copy(update={"id": mine.id})

    return _fitted(here.agents_by_id, part.agents_by_id, same, {*_agents_named(part), HUMAN})


def _fitted(
    here: Mapping[str, Any],
    coming: Mapping[str, Any],
    same: Callable[[Any, Any], bool],
    mentioned: Collection[str],
) -> _Fitted:
    """Names for parts that come: of the same one that is here, else their own or a free one.

    Two that come never become one; nor does one take the name of what is `mentioned` and missing.
    """
    free = _Free(here, {*coming, *mentioned})
    others = {*coming, *mentioned}
    by_stem: dict[str, list[str]] = {}
    for key in here:
        by_stem.setdefault(_parts(key)[0], []).append(key)
    names: dict[str, str] = {}
    for key, part in coming.items():
        relatives = [key, *by_stem.get(_parts(key)[0], ())] if key in here else ()
        reused = (
            other
            for other in relatives
            if (other == key or other not in others) and same(here[other], part)
        )
        if (found := next(reused, None)) is not None:
            names[key] = found
            others.add(found)
    new = frozenset(key for key in coming if key not in names)
    return _Fitted(names | free.names(new), new)


def _phases_named(part: PipelineDefinition) -> set[str]:
    cues = [cue for agent in part.agents for cue in agent.cues]
    named = {cue.in_phase for cue in cues} | {cue.hand_over.phase for cue in cues if cue.hand_over}
    return {*part.stages_by_phase, *filter(None, named)}


def _agents_named(part: PipelineDefinition) -> set[str]:
    cues = [cue for agent in part.agents for cue in agent.cues]
    named = {cue.after_handoff_from for cue in cues}
    named |= {cue.hand_over.target for cue in cues if cue.hand_over}
    groups = [stage.group for stage in part.stages if stage.group]
    needed = {key for group in groups for keys in group.dependencies.values() for key in keys}
    members = {key for group in groups for key in (*group.agents, *group.dependencies)}
    return {*members, *needed, *filter(None, named)}


def _parts(key: str) -> tuple[str, str, int]:
    """The stem of a key, what stands before its number, and the number: `review-2`, `look_up_3`."""
    found = _NUMBERED.match(key)
    if found:
        return found[1], found[2], int(found[3])
    return key, "_" if "_" in key and "-" not in key else "-", 1


def _numbered(stem: str, mark: str, number: int) -> str:
    end = f"{mark}{number}"
    return stem[: 64 - len(end)] + end


def _places(definition: PipelineDefinition) -> list[Position]:
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
    """A place on the canvas, where adding floats may lead a hair beyond it."""
    return Position(
        x=min(max(x, -LIMIT), LIMIT),
        y=min(max(y, -LIMIT), LIMIT),
    )
