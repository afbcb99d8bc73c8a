"""Cards of stages and lines of transitions on the canvas, from a definition."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from designer.canvas.layout import lookout
from designer.canvas.transitions import edge_lines
from orchestration.definition import (
    Agent,
    Frame,
    Note,
    PipelineDefinition,
    Position,
    Stage,
    Transition,
)
from orchestration.graph import can_be_taken

HUES = (28, 210, 160, 280, 340, 60, 185, 250, 130, 310, 95, 5)
"""Hues that are told apart easily, in the order in which new agents get them."""


CARD_HEIGHT = 96


@dataclass(frozen=True, slots=True)
class Member:
    """An agent as one of a group's discs."""

    key: str
    name: str
    initial: str
    hue: int


@dataclass(frozen=True, slots=True)
class StageCard:
    """One stage as its card shows it."""

    phase: str
    kind: str
    agent_key: str
    """Empty: a group or the human serves the stage, or nobody does yet."""
    agent_name: str
    initial: str
    hue: int | None
    provider: str
    model: str
    tools: int
    members: tuple[Member, ...]
    """The group that serves the stage, in the order of registration."""
    is_parallel: bool
    """True if the group's members answer at once."""
    x: float
    y: float
    is_entry: bool
    is_terminal: bool
    is_lead: bool
    """True if its agent is the lead of a team."""
    leads_to: str
    """Targets in words: `next review, branches or returns to intake`."""
    dom_id: str


@dataclass(frozen=True, slots=True)
class NoteSlip:
    """One note as its slip of paper shows it."""

    text: str
    x: float
    y: float
    width: float | None
    hue: int | None
    key: str
    dom_id: str


@dataclass(frozen=True, slots=True)
class FrameBox:
    """One frame as it is drawn: the page finds its place from those of its stages."""

    key: str
    title: str
    hue: int | None
    phases: tuple[str, ...]
    dom_id: str


@dataclass(frozen=True, slots=True)
class SupervisorCard:
    """The supervisor as its card shows it."""

    agent_key: str
    agent_name: str
    initial: str
    hue: int
    x: float
    y: float
    dom_id: str = "supervisor-card"


def canvas_context(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the context of `canvas/_canvas.html`, except `pipeline` and `mode`."""
    return {
        "stages": stage_cards(definition, definition.stages_by_phase),
        "edges": edge_lines(definition, definition.transitions),
        "supervisor": supervisor_card(definition),
        "notes": note_slips(definition.layout.notes),
        "frames": frame_boxes(definition.layout.frames),
    }


def stage_cards(definition: PipelineDefinition, phases: Iterable[str]) -> list[StageCard]:
    """The cards of those of the `phases` that there are."""
    stages = definition.stages_by_phase
    return [_card(definition, stages[phase]) for phase in phases if phase in stages]


def members(definition: PipelineDefinition, stage: Stage) -> tuple[Member, ...]:
    """The discs of the stage's group; one that is no agent goes by its key."""
    known, hues = definition.agents_by_id, definition.layout.hues
    keys = stage.agent_ids if stage.kind == "group" else ()
    named = [(key, known[key].name if key in known else key) for key in keys]
    return tuple(Member(key, name, initial(name), hue_of(key, hues)) for key, name in named)


def note_slips(notes: Iterable[Note]) -> list[NoteSlip]:
    """The slips of notes."""
    return [
        NoteSlip(
            text=note.text,
            x=note.x,
            y=note.y,
            width=note.width,
            hue=note.hue,
            key=note.id,
            dom_id=note_id(note.id),
        )
        for note in notes
    ]


def frame_boxes(frames: Iterable[Frame]) -> list[FrameBox]:
    """Frames as they are drawn."""
    return [
        FrameBox(
            key=frame.id,
            title=frame.title,
            hue=frame.hue,
            phases=frame.stages,
            dom_id=frame_id(frame.id),
        )
        for frame in frames
    ]


def supervisor_card(definition: PipelineDefinition) -> SupervisorCard | None:
    """The supervisor's card."""
    agent = definition.agents_by_id.get(definition.supervisor_id or "")
    if agent is None:
        return None
    at = definition.layout.supervisor or lookout(definition.layout.stages.values())
    return SupervisorCard(
        agent_key=agent.id,
        agent_name=agent.name,
        initial=initial(agent.name),
        hue=hue_of(agent.id, definition.layout.hues),
        x=at.x,
        y=at.y,
    )


def stage_id(phase: str) -> str:
    """The id of a stage's element."""
    return f"stage-{phase}"


def note_id(key: str) -> str:
    """The id of a note's element."""
    return f"note-{key}"


def frame_id(key: str) -> str:
    """The id of a frame's element."""
    return f"frame-{key}"


def agent_id(key: str) -> str:
    """The id of an agent's element in the left panel."""
    return f"agent-item-{key}"


def initial(name: str) -> str:
    """The letter in an agent's disc."""
    return name.strip()[:1].upper()


def hue_of(key: str, hues: dict[str, int]) -> int:
    """An agent's hue: its own, or one that its key always gives."""
    own = hues.get(key)
    return own if own is not None else HUES[zlib.crc32(key.encode()) % len(HUES)]


def _card(definition: PipelineDefinition, stage: Stage) -> StageCard:
    agent: Agent | None = definition.agents_by_id.get(stage.agent_id or "")
    ways = [
        way
        for way in definition.transitions_from.get(stage.phase, ())
        if can_be_taken(definition, way)
    ]
    at = definition.layout.stages.get(stage.phase) or Position(x=0, y=0)
    name = agent.name if agent else "Human" if stage.kind == "human" else ""
    return StageCard(
        phase=stage.phase,
        kind=stage.kind,
        agent_key=agent.id if agent else "",
        agent_name=name,
        initial=initial(name),
        hue=hue_of(agent.id, definition.layout.hues) if agent else None,
        provider=agent.provider if agent else "",
        model=agent.model if agent else "",
        tools=len(agent.tools) if agent else 0,
        members=members(definition, stage),
        is_parallel=bool(stage.group and stage.group.parallel),
        x=at.x,
        y=at.y,
        is_entry=stage.phase == definition.entry,
        is_terminal=not ways and definition.topology != "team",
        is_lead=definition.topology == "team" and stage.phase == definition.entry,
        leads_to=_leads_to(definition, ways),
        dom_id=stage_id(stage.phase),
    )


def _leads_to(definition: PipelineDefinition, ways: Collection[Transition]) -> str:
    if definition.topology == "team":
        onward, others = [], [way.target for way in ways]
    else:
        onward = [way.target for way in ways if way.kind == "next"]
        others = [way.target for way in ways if way.kind == "return"]
    does = "delegates to" if definition.topology == "team" else "branches or returns to"
    said = [f"next {phase}" for phase in onward]
    return ", ".join([*said, f"{does} {', '.join(others)}"] if others else said)
