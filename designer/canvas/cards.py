"""Cards of stages and lines of transitions on the canvas, from a definition."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from designer.canvas.layout import supervisor_position
from designer.canvas.supervision import supervision_in_words
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
"""Easily distinguished hues, in the order of assignment to new agents."""

CARD_HEIGHT = 96

SUPERVISOR_CARD = "supervisor-card"
"""Id of the element of the supervisor's card."""

DEFAULT_PROVIDER = "default"


@dataclass(frozen=True, slots=True)
class Member:
    """An agent as an avatar on the card of its group."""

    key: str
    name: str
    initial: str
    hue: int


@dataclass(frozen=True, slots=True)
class StageCard:
    """Content of a stage's card."""

    phase: str
    kind: str
    agent_key: str
    """Empty for a stage of a group or a human, and without an agent."""
    agent_name: str
    unknown_agent: str
    """Id of the stage's agent if there is no such agent; empty otherwise."""
    initial: str
    hue: int | None
    details: tuple[str, ...]
    """Its role in a team, and the agent's model and tools, without defaults."""
    members: tuple[Member, ...]
    """Members of the stage's group, in the order of registration."""
    is_parallel: bool
    """True if the group's members answer at the same time."""
    x: float
    y: float
    is_entry: bool
    is_terminal: bool
    is_lead: bool
    """True if its agent is the lead of a team."""
    rules: tuple[str, ...]
    """Ids of the routing rules that lead to its agent."""
    leads_to: str
    """List of the targets: `next review, branches or returns to intake`."""
    dom_id: str

    @property
    def accessible_name(self) -> str:
        """Return the card in words: `Stage review, agent Reviewer, terminal`."""
        roles = {"entry": self.is_entry, "terminal": self.is_terminal, "lead": self.is_lead}
        parts = [f"Stage {self.phase}", self._server]
        parts += [role for role, applies in roles.items() if applies]
        if self.rules:
            parts.append(f"routing rules: {' '.join(self.rules)}")
        return ", ".join([*parts, self.leads_to] if self.leads_to else parts)

    @property
    def rules_label(self) -> str:
        """Return the label of the edge of its routing rules: `rule vip`, `2 rules`."""
        return f"rule {self.rules[0]}" if len(self.rules) == 1 else f"{len(self.rules)} rules"

    @property
    def _server(self) -> str:
        if self.kind == "human":
            return "human"
        if self.members:
            names = ", ".join(member.name for member in self.members)
            order = "parallel" if self.is_parallel else "in turn"
            return f"group of {len(self.members)}: {names}, {order}"
        if self.kind == "group":
            return "group without members"
        if self.unknown_agent:
            return f"unknown agent {self.unknown_agent}"
        return f"agent {self.agent_name}" if self.agent_name else "no agent yet"


@dataclass(frozen=True, slots=True)
class NoteCard:
    """Content of a note on the canvas."""

    text: str
    x: float
    y: float
    width: float | None
    hue: int | None
    key: str
    dom_id: str


@dataclass(frozen=True, slots=True)
class FrameBox:
    """Content of a frame on the canvas. The page derives its position from its stages."""

    key: str
    title: str
    hue: int | None
    phases: tuple[str, ...]
    dom_id: str

    @property
    def accessible_name(self) -> str:
        """Return the frame in words: `Frame Checks, 2 stages: intake review`."""
        count = len(self.phases)
        return (
            f"Frame {self.title}, {count} stage{'' if count == 1 else 's'}: {' '.join(self.phases)}"
        )


@dataclass(frozen=True, slots=True)
class SupervisorCard:
    """Content of the supervisor's card."""

    agent_key: str
    agent_name: str
    initial: str
    hue: int
    does: str
    """Its part in a conversation: `supervises at handoffs and run ends`."""
    x: float
    y: float
    dom_id: str = SUPERVISOR_CARD


def canvas_context(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the context of `canvas/_canvas.html`, except `pipeline` and `mode`."""
    return {
        "stages": stage_cards(definition, definition.stages_by_phase),
        "edges": edge_lines(definition, definition.transitions),
        "supervisor": supervisor_card(definition),
        "notes": note_cards(definition.layout.notes),
        "frames": frame_boxes(definition.layout.frames),
    }


def stage_cards(definition: PipelineDefinition, phases: Iterable[str]) -> list[StageCard]:
    """Return the cards of the existing stages among `phases`."""
    stages = definition.stages_by_phase
    rules: dict[str, list[str]] = {}
    for rule in definition.rules:
        rules.setdefault(rule.agent_id, []).append(rule.id)
    return [_card(definition, stages[phase], rules) for phase in phases if phase in stages]


def members(definition: PipelineDefinition, stage: Stage) -> tuple[Member, ...]:
    """Return the members of the stage's group. An unknown agent is named by its key."""
    agents, hues = definition.agents_by_id, definition.layout.hues
    keys = stage.agent_ids if stage.kind == "group" else ()
    names = [(key, agents[key].name if key in agents else key) for key in keys]
    return tuple(Member(key, name, initial(name), hue_of(key, hues)) for key, name in names)


def note_cards(notes: Iterable[Note]) -> list[NoteCard]:
    """Return the content of notes."""
    return [
        NoteCard(
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
    """Return the content of frames."""
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
    """Return the supervisor's card, if the pipeline has a supervisor."""
    agent = definition.agents_by_id.get(definition.supervisor_id or "")
    if agent is None:
        return None
    at = definition.layout.supervisor or supervisor_position(definition.layout.stages.values())
    return SupervisorCard(
        agent_key=agent.id,
        agent_name=agent.name,
        initial=initial(agent.name),
        hue=hue_of(agent.id, definition.layout.hues),
        does=supervision_in_words(definition.supervision),
        x=at.x,
        y=at.y,
    )


def stage_id(phase: str) -> str:
    """Return the id of a stage's element."""
    return f"stage-{phase}"


def note_id(key: str) -> str:
    """Return the id of a note's element."""
    return f"note-{key}"


def frame_id(key: str) -> str:
    """Return the id of a frame's element."""
    return f"frame-{key}"


def agent_id(key: str) -> str:
    """Return the id of an agent's element in the left panel."""
    return f"agent-item-{key}"


def initial(name: str) -> str:
    """Return the letter in an agent's avatar."""
    return name.strip()[:1].upper()


def hue_of(key: str, hues: dict[str, int]) -> int:
    """Return an agent's hue: its stored hue, or one derived from its key."""
    stored = hues.get(key)
    return stored if stored is not None else HUES[zlib.crc32(key.encode()) % len(HUES)]


def _card(
    definition: PipelineDefinition, stage: Stage, rules: Mapping[str, Sequence[str]]
) -> StageCard:
    agent: Agent | None = definition.agents_by_id.get(stage.agent_id or "")
    outgoing = [
        transition
        for transition in definition.transitions_from.get(stage.phase, ())
        if can_be_taken(definition, transition)
    ]
    at = definition.layout.stages.get(stage.phase) or Position(x=0, y=0)
    name = agent.name if agent else "Human" if stage.kind == "human" else ""
    is_lead = definition.topology == "team" and stage.phase == definition.entry
    return StageCard(
        phase=stage.phase,
        kind=stage.kind,
        agent_key=agent.id if agent else "",
        agent_name=name,
        unknown_agent="" if agent else stage.agent_id or "",
        initial=initial(name),
        hue=hue_of(agent.id, definition.layout.hues) if agent else None,
        details=_details(agent, is_lead=is_lead) if agent else (),
        members=members(definition, stage),
        is_parallel=bool(stage.group and stage.group.parallel),
        x=at.x,
        y=at.y,
        is_entry=stage.phase == definition.entry,
        is_terminal=not outgoing and definition.topology != "team",
        is_lead=is_lead,
        rules=tuple(rules.get(agent.id, ())) if agent else (),
        leads_to=_leads_to(definition, outgoing),
        dom_id=stage_id(stage.phase),
    )


def _details(agent: Agent, *, is_lead: bool) -> tuple[str, ...]:
    model = agent.model or ("" if agent.provider == DEFAULT_PROVIDER else agent.provider)
    return tuple(filter(None, ("lead" if is_lead else "", model, ", ".join(agent.tools))))


def _leads_to(definition: PipelineDefinition, transitions: Collection[Transition]) -> str:
    if definition.topology == "team":
        next_phases, others = [], [transition.target for transition in transitions]
    else:
        next_phases = [item.target for item in transitions if item.kind == "next"]
        others = [item.target for item in transitions if item.kind == "return"]
    verb = "delegates to" if definition.topology == "team" else "branches or returns to"
    targets = [f"next {phase}" for phase in next_phases]
    return ", ".join([*targets, f"{verb} {', '.join(others)}"] if others else targets)
