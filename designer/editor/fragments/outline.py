"""The outline: the pipeline as a table, for work by keyboard and screen reader."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from designer.canvas import stage_id
from designer.core import natural_key
from designer.definitions import TransitionKey, transition_key
from orchestration.definition import Agent, PipelineDefinition, Stage, Transition


@dataclass(frozen=True, slots=True)
class OutlineTransition:
    """One transition from a stage."""

    target: str
    key: TransitionKey


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One stage as a row."""

    phase: str
    served_by: str
    """Name of the agent, group or human; empty without one."""
    next: tuple[OutlineTransition, ...]
    """At most one."""
    returns: tuple[OutlineTransition, ...]
    is_entry: bool
    card_id: str
    """Id of its card on the canvas."""
    dom_id: str


def outline(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the context of `editor/outline/_outline.html`: the stages in order of appearance."""
    return {
        "outline_rows": outline_rows(definition, reading_order(definition)),
        "outline_agents": agent_names(definition.agents),
        "outline_notes": definition.layout.notes,
        "outline_frames": definition.layout.frames,
    }


def outline_rows(definition: PipelineDefinition, phases: Collection[str]) -> list[OutlineRow]:
    """Return the rows of some stages, in the order of `phases`."""
    known = definition.stages_by_phase
    return [_row(definition, known[phase]) for phase in phases if phase in known]


def new_rows(
    definition: PipelineDefinition, phases: Collection[str]
) -> list[tuple[str, OutlineRow]]:
    """Return the new rows in order, each with the id of its predecessor; empty for the first."""
    order, wanted = reading_order(definition), set(phases)
    places = {phase: order[at - 1] if at else "" for at, phase in enumerate(order)}
    rows = outline_rows(definition, [phase for phase in order if phase in wanted])
    return [(row_id(at) if (at := places[row.phase]) else "", row) for row in rows]


def reading_order(definition: PipelineDefinition) -> list[str]:
    """Return all stages in breadth-first order from the entry, `next` first; then the others."""
    starts = [definition.entry or "", *definition.stages_by_phase]
    order: dict[str, None] = {}
    for start in starts:
        waiting = deque([start])
        while waiting:
            phase = waiting.popleft()
            if phase in order or phase not in definition.stages_by_phase:
                continue
            order[phase] = None
            outgoing = definition.transitions_from.get(phase, ())
            waiting += [edge.target for edge in sorted(outgoing, key=lambda e: e.kind != "next")]
    return list(order)


def agent_names(agents: Iterable[Agent]) -> list[tuple[str, str]]:
    """Return the names of agents, each with the id of its suggestion element."""
    by_name = sorted(agents, key=lambda agent: natural_key(agent.name))
    return [(name_id(agent.id), agent.name) for agent in by_name]


def name_id(key: str) -> str:
    """Return the id of the element that suggests an agent's name."""
    return f"outline-name-{key}"


def row_id(phase: str) -> str:
    """Return the id of a stage's row."""
    return f"outline-{phase}"


def _row(definition: PipelineDefinition, stage: Stage) -> OutlineRow:
    outgoing = definition.transitions_from.get(stage.phase, ())
    return OutlineRow(
        phase=stage.phase,
        served_by=_served_by(definition, stage),
        next=tuple(_transition(edge) for edge in outgoing if edge.kind == "next"),
        returns=tuple(_transition(edge) for edge in outgoing if edge.kind == "return"),
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


def _transition(edge: Transition) -> OutlineTransition:
    return OutlineTransition(edge.target, transition_key(edge.source, edge.target))
