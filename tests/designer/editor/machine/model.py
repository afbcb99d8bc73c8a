"""A simple model of a pipeline: the expected state after gestures."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from itertools import count
from typing import Any

from django.utils.text import slugify

from designer.canvas import HUES
from designer.definitions.patches import Settings
from orchestration.definition import (
    Agent,
    Frame,
    Group,
    Note,
    PipelineDefinition,
    Position,
    Rule,
    Stage,
    Tool,
    Transition,
)

Ends = tuple[str, str]
Place = tuple[float, float]


@dataclass
class PipelineModel:
    """All parts of a definition by their keys, and its settings."""

    agents: dict[str, Agent] = field(default_factory=dict)
    hues: dict[str, int] = field(default_factory=dict)
    stages: dict[str, Stage] = field(default_factory=dict)
    places: dict[str, Position] = field(default_factory=dict)
    transitions: dict[Ends, Transition] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)
    tools: dict[str, Tool] = field(default_factory=dict)
    notes: dict[str, Note] = field(default_factory=dict)
    frames: dict[str, Frame] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, definition: PipelineDefinition) -> PipelineModel:
        """Return the model of a definition, with all of its parts."""
        layout = definition.layout
        names = Settings.model_fields.keys() - {"supervisor_position"}
        return cls(
            agents={agent.id: agent for agent in definition.agents},
            hues=dict(layout.hues),
            stages={stage.phase: stage for stage in definition.stages},
            places=dict(layout.stages),
            transitions={(edge.source, edge.target): edge for edge in definition.transitions},
            rules={rule.id: rule for rule in definition.rules},
            tools={tool.name: tool for tool in definition.tools},
            notes={note.id: note for note in layout.notes},
            frames={frame.id: frame for frame in layout.frames},
            settings={name: getattr(definition, name) for name in names}
            | {"supervisor_position": layout.supervisor},
        )

    def copy(self) -> PipelineModel:
        """Return a copy; the parts are immutable."""
        return PipelineModel(**{part.name: dict(getattr(self, part.name)) for part in fields(self)})

    def change(self, kind: str, key: Any, /, **values: Any) -> None:
        """Change values of a part."""
        parts = getattr(self, kind)
        parts[key] = parts[key].model_copy(update=values)

    @property
    def entry(self) -> str | None:
        """The entry stage."""
        entry: str | None = self.settings["entry"]
        return entry

    def next_of(self, phase: str) -> str | None:
        """Return the target of a stage's `next` transition."""
        edges = self.transitions.values()
        targets = (edge.target for edge in edges if edge.source == phase and edge.kind == "next")
        return next(targets, None)

    def agents_of(self, phase: str) -> tuple[str, ...]:
        """Return the agents of a stage."""
        return self.stages[phase].agent_ids

    def frame_of(self, phase: str) -> str | None:
        """Return the frame of a stage."""
        return next((key for key, frame in self.frames.items() if phase in frame.stages), None)

    # Stages and the transitions between them

    def free_phase(self, agent_id: str | None) -> str:
        """Return the phase of a new stage: named after its agent, or numbered."""
        name = (agent_id or "").removeprefix("agent-")
        if not name or name.isdecimal():
            return free("stage", self.stages)
        names = (name, *(f"{name}-{number}" for number in range(2, 99)))
        return next(key for key in names if key not in self.stages)

    def add_stage(self, stage: Stage, at: Place, source: str | None = None) -> None:
        if not self.stages:
            self.settings["entry"] = stage.phase
        self.stages[stage.phase] = stage
        self.places[stage.phase] = Position(x=at[0], y=at[1])
        if source:
            self.connect(source, stage.phase)

    def connect(self, source: str, target: str) -> None:
        kind = "return" if self.next_of(source) or self.leads_back(source, target) else "next"
        self.transitions[source, target] = Transition.model_validate(
            {"source": source, "target": target, "kind": kind}
        )

    def leads_back(self, source: str, target: str) -> bool:
        """Report whether a return from the source is followed and the target leads to it."""
        topology, entry = self.settings["topology"], self.settings["entry"]

        def is_taken(start: str, kind: str) -> bool:
            if topology == "team":
                return bool(start == entry)
            only_next = topology == "workflow" or self.stages[start].kind == "group"
            return kind == "next" or not only_next

        edges = self.transitions.values()
        taken = [edge for edge in edges if is_taken(edge.source, edge.kind)]
        reached = {target}
        for _ in self.stages:
            reached |= {edge.target for edge in taken if edge.source in reached}
        return is_taken(source, "return") and source in reached

    def delete(
        self,
        phases: Collection[str] = (),
        transitions: Collection[Ends] = (),
        notes: Collection[str] = (),
        frames: Collection[str] = (),
    ) -> None:
        """Delete parts of any kinds, and the transitions of deleted stages."""
        self.stages = {key: part for key, part in self.stages.items() if key not in phases}
        self.places = {key: at for key, at in self.places.items() if key not in phases}
        self.notes = {key: note for key, note in self.notes.items() if key not in notes}
        self.frames = {key: frame for key, frame in self.frames.items() if key not in frames}
        self.transitions = {
            edge: part
            for edge, part in self.transitions.items()
            if edge not in transitions and not set(edge) & set(phases)
        }
        self.unframe(phases)
        if self.entry in phases:
            self.settings["entry"] = None

    def bypass(self, phases: Collection[str], transitions: Collection[Ends] = ()) -> None:
        """Delete stages, and connect their sources to the next remaining stage."""

        def beyond(phase: str | None) -> str | None:
            passed = set()
            while phase in phases and phase not in passed:
                passed.add(phase)
                phase = self.next_of(phase or "")
            return None if phase in phases else phase

        ordered = sorted(self.transitions.items(), key=lambda item: item[1].kind)
        redirected = [
            (edge, beyond(edge.target))
            for (source, target), edge in ordered
            if target in phases and source not in phases and (source, target) not in transitions
        ]
        entry = beyond(self.entry)
        self.delete(phases, transitions)
        for edge, target in redirected:
            if target is None or target == edge.source:
                continue
            if (edge.source, target) not in self.transitions:
                self.transitions[edge.source, target] = edge.model_copy(update={"target": target})
            elif edge.kind == "next":
                self.change("transitions", (edge.source, target), kind="next")
        self.settings["entry"] = entry

    def splice(self, phase: str, source: str, target: str) -> None:
        """Insert a stage into a transition."""
        leads_on = self.next_of(phase) is not None
        edge = self.transitions.pop((source, target))
        if (source, phase) not in self.transitions:
            first = {"source": source, "target": phase, "kind": edge.kind}
            described = {"description": edge.description}
            self.transitions[source, phase] = Transition.model_validate(first | described)
        elif edge.kind == "next":
            self.change("transitions", (source, phase), kind="next")
        second = {"source": phase, "kind": "return" if leads_on else "next", "description": ""}
        self.transitions.setdefault((phase, target), edge.model_copy(update=second))

    def replug(self, edge: Ends, end: str, phase: str) -> None:
        """Move one end of a transition to another stage."""
        moved = self.transitions.pop(edge).model_copy(update={end: phase})
        if end == "source" and moved.kind == "next" and self.next_of(phase):
            moved = moved.model_copy(update={"kind": "return"})
        self.transitions[moved.source, moved.target] = moved

    def lead(self, phase: str, onward: str | None, returns: Iterable[str]) -> None:
        """Set the targets of a stage."""
        kinds = dict.fromkeys(returns, "return") | ({onward: "next"} if onward else {})
        known = {edge: part for edge, part in self.transitions.items() if edge[0] == phase}
        for ends in known:
            del self.transitions[ends]
        for target, kind in kinds.items():
            part = known.get((phase, target)) or Transition(source=phase, target=target)
            self.transitions[phase, target] = part.model_copy(update={"kind": kind})

    def make_next(self, edge: Ends) -> None:
        """Make a transition its source's `next`; the previous `next` becomes a return."""
        if (old := self.next_of(edge[0])) is not None:
            self.change("transitions", (edge[0], old), kind="return")
        self.change("transitions", edge, kind="next")

    def serve(self, phase: str, agent_id: str) -> None:
        """Assign an agent to a stage, or add it to the stage's group."""
        stage = self.stages[phase]
        if stage.kind != "group":
            self.change("stages", phase, kind="agent", agent_id=agent_id, group=None)
            return
        members = () if stage.group is None else stage.group.agents
        is_new = agent_id not in members
        self.regroup(phase, (*members, agent_id) if is_new else members)

    def regroup(self, phase: str, members: Iterable[str], parallel: bool | None = None) -> None:
        """Set the members of a group; without members there is no group."""
        old = self.stages[phase].group
        is_parallel = (old.parallel if old else True) if parallel is None else parallel
        agents = tuple(members)
        group = Group(agents=agents, parallel=is_parallel) if agents else None
        self.change("stages", phase, group=group)

    # Notes and frames

    def put_in_frame(self, key: str | None, phases: Collection[str]) -> None:
        """Put stages into a frame, or remove them from their frames; empty frames are deleted."""
        phases_before = () if key is None else self.frames[key].stages
        for other, frame in [*self.frames.items()]:
            if other != key:
                self._set_stages(other, set(frame.stages) - set(phases))
        if key is not None:
            self._set_stages(key, {*phases_before, *phases})

    def frame(self, key: str, phases: Collection[str]) -> None:
        self.unframe(phases)
        title = key.replace("-", " ").capitalize()
        self.frames[key] = Frame(id=key, title=title, stages=tuple(phases))

    def unframe(self, phases: Collection[str]) -> None:
        self.put_in_frame(None, phases)

    def _set_stages(self, key: str, phases: Collection[str]) -> None:
        if phases:
            self.change("frames", key, stages=tuple(sorted(phases)))
        else:
            del self.frames[key]

    # Agents and tools

    def add_agent(self, name: str = "") -> str:
        """Add an agent and return its key."""
        stem = f"agent-{slugify(name)}" if name else "agent"
        key = stem if name and stem not in self.agents else free(stem, self.agents)
        self.agents[key] = Agent(id=key, name=name or f"Agent {key.removeprefix('agent-')}")
        self.hues[key] = min(HUES, key=[*self.hues.values()].count)
        return key

    def derived_key(self, key: str, name: str) -> str:
        """Return the key of an agent with a new name: it follows the name until it is used."""
        old = self.agents[key].name
        stems = (f"agent-{slugify(old)}", f"agent-{old.removeprefix('Agent ')}")
        is_derived = key in stems or re.fullmatch(rf"{stems[0]}-\d+", key)
        users = [*(rule.agent_id for rule in self.rules.values())]
        users += [self.settings["default_agent_id"], self.settings["supervisor_id"]]
        if old == name or not is_derived or key in users:
            return key
        others = self.agents.keys() - {key}
        stem = f"agent-{slugify(name)}"
        return stem if stem not in others else free(stem, others)

    def delete_agent(self, key: str) -> None:
        """Delete an agent with its rules; its stages stay."""
        del self.agents[key]
        self.hues.pop(key, None)
        self.rules = {name: rule for name, rule in self.rules.items() if rule.agent_id != key}
        for phase, stage in self.stages.items():
            if stage.agent_id == key:
                self.change("stages", phase, agent_id=None)
            elif stage.group and key in stage.group.agents:
                self.regroup(phase, [member for member in stage.group.agents if member != key])
                if self.stages[phase].group is None:
                    self.change("stages", phase, kind="agent")
        if self.settings["supervisor_id"] == key:
            self.settings["supervision"] = None
        for name in ("default_agent_id", "supervisor_id"):
            if self.settings[name] == key:
                self.settings[name] = None

    def delete_tool(self, name: str) -> None:
        del self.tools[name]
        for key, agent in self.agents.items():
            self.change("agents", key, tools=tuple(tool for tool in agent.tools if tool != name))

    # Renames

    def rename_stage(self, phase: str, name: str) -> None:
        new = _renaming(phase, name)
        self.stages = {
            new(key): part.model_copy(update={"phase": new(key)})
            for key, part in self.stages.items()
        }
        self.places = {new(key): at for key, at in self.places.items()}
        self.transitions = {
            (new(s), new(t)): edge.model_copy(update={"source": new(s), "target": new(t)})
            for (s, t), edge in self.transitions.items()
        }
        for key, frame in self.frames.items():
            self.change("frames", key, stages=tuple(sorted(map(new, frame.stages))))
        for key, rule in self.rules.items():
            if rule.conditions.phases is not None:
                phases = tuple(sorted({*map(new, rule.conditions.phases)}))
                conditions = rule.conditions.model_copy(update={"phases": phases})
                self.change("rules", key, conditions=conditions)
        self.settings["entry"] = self.entry and new(self.entry)

    def rename_agent(self, old: str, name: str) -> None:
        new = _renaming(old, name)
        self.agents = {
            new(key): part.model_copy(update={"id": new(key)}) for key, part in self.agents.items()
        }
        self.hues = {new(key): hue for key, hue in self.hues.items()}
        for phase, stage in self.stages.items():
            if stage.agent_id == old:
                self.change("stages", phase, agent_id=name)
            elif stage.group:
                self.regroup(phase, map(new, stage.group.agents))
        for key, rule in self.rules.items():
            self.change("rules", key, agent_id=new(rule.agent_id))
        for setting in ("default_agent_id", "supervisor_id"):
            if self.settings[setting] == old:
                self.settings[setting] = name

    def rename_tool(self, old: str, name: str) -> None:
        new = _renaming(old, name)
        self.tools = {
            new(key): part.model_copy(update={"name": new(key)}) for key, part in self.tools.items()
        }
        for key, agent in self.agents.items():
            self.change("agents", key, tools=tuple(sorted(map(new, agent.tools))))


def free(stem: str, taken: Collection[str] | Mapping[str, object]) -> str:
    """Return the first free key of `stem-1`, `stem-2`…"""
    return next(key for number in count(1) if (key := f"{stem}-{number}") not in taken)


def _renaming(old: str, new: str) -> Callable[[str], str]:
    return lambda name: new if name == old else name
