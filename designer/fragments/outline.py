"""The outline: the pipeline as a table, for whoever would rather read and type than draw."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from designer.fragments.canvas import stage_id
from designer.patches import TransitionKey, transition_key
from orchestration.definition import PipelineDefinition, Stage, Transition


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
    """Who answers, in words; empty: nobody yet."""
    next: tuple[OutlineWay, ...]
    """At most one."""
    returns: tuple[OutlineWay, ...]
    is_entry: bool
    card_id: str
    """The id of its card on the canvas."""
    dom_id: str


def outline(definition: PipelineDefinition) -> dict[str, Any]:
    """What `editor/_outline.html` shows."""
    return {
        "outline_rows": outline_rows(definition, definition.stages_by_phase),
        "agent_names": sorted({agent.name for agent in definition.agents}),
        "outline_notes": definition.layout.notes,
        "outline_frames": definition.layout.frames,
    }


def outline_rows(definition: PipelineDefinition, phases: Collection[str]) -> list[OutlineRow]:
    """The rows of some of the stages."""
    wanted = set(phases)
    return [_row(definition, stage) for stage in definition.stages if stage.phase in wanted]


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
