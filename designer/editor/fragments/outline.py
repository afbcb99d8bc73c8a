"""The outline: the pipeline as a table, for whoever would rather read and type than draw."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from designer.canvas import stage_id
from designer.definitions import TransitionKey, transition_key
from orchestration.definition import Agent, PipelineDefinition, Stage, Transition


@dataclass(frozen=True, slots=True)
class OutlineWay:
    """One way on from a stage."""

    target: str
    key: TransitionKey


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One stage as a row."""

    phase: str
    served_by: str
    """Server in words; empty without one."""
    next: tuple[OutlineWay, ...]
    """At most one."""
    returns: tuple[OutlineWay, ...]
    is_entry: bool
    card_id: str
    """The id of its card on the canvas."""
    dom_id: str


def outline(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the context of `editor/outline/_outline.html`: the stages in order of appearance."""
    return {
        "outline_rows": outline_rows(definition, met(definition)),
        "outline_agents": agent_names(definition.agents),
        "outline_notes": definition.layout.notes,
        "outline_frames": definition.layout.frames,
    }


def outline_rows(definition: PipelineDefinition, phases: Collection[str]) -> list[OutlineRow]:
    """The rows of some of the stages, in the order of these."""
    known = definition.stages_by_phase
    return [_row(definition, known[phase]) for phase in phases if phase in known]


def new_rows(
    definition: PipelineDefinition, phases: Collection[str]
) -> list[tuple[str, OutlineRow]]:
    """Rows that the table does not have yet, each with the id of the one it comes after.

    Empty: it comes first. They are to be put there one after another.
    """
    order, wanted = met(definition), set(phases)
    places = {phase: order[at - 1] if at else "" for at, phase in enumerate(order)}
    rows = outline_rows(definition, [phase for phase in order if phase in wanted])
    return [(row_id(at) if (at := places[row.phase]) else "", row) for row in rows]


def met(definition: PipelineDefinition) -> list[str]:
    """All stages as they are met on the ways from the entry, `next` first; then the others."""
    starts = [definition.entry or "", *definition.stages_by_phase]
    found: dict[str, None] = {}
    for start in starts:
        waiting = deque([start])
        while waiting:
            phase = waiting.popleft()
            if phase in found or phase not in definition.stages_by_phase:
                continue
            found[phase] = None
            ways = definition.transitions_from.get(phase, ())
            waiting += [way.target for way in sorted(ways, key=lambda way: way.kind != "next")]
    return list(found)


def agent_names(agents: Iterable[Agent]) -> list[tuple[str, str]]:
    """Return the names of agents, each with the id of its suggestion element."""
    return [(name_id(agent.id), agent.name) for agent in agents]


def name_id(key: str) -> str:
    """The id of the element that offers the name of an agent."""
    return f"outline-name-{key}"


def row_id(phase: str) -> str:
    """The id of a stage's row."""
    return f"outline-{phase}"


def _row(definition: PipelineDefinition, stage: Stage) -> OutlineRow:
    ways = definition.transitions_from.get(stage.phase, ())
    return OutlineRow(
        phase=stage.phase,
        served_by=_served_by(definition, stage),
        next=tuple(_way(way) for way in ways if way.kind == "next"),
        returns=tuple(_way(way) for way in ways if way.kind == "return"),
        is_entry=definition.entry == stage.phase,
        card_id=stage_id(stage.phase),
        dom_id=row_id(stage.phase),
    )


def _served_by(definition: PipelineDefinition, stage: Stage) -> str:
    if stage.kind == "human":
        return "the human"
    known = definition.agents_by_id
    names = [known[key].name if key in known else key for key in stage.agent_ids]
    if stage.kind == "group" and names:
        return f"the group of {', '.join(names)}"
    return ", ".join(names)


def _way(way: Transition) -> OutlineWay:
    return OutlineWay(way.target, transition_key(way.source, way.target))
