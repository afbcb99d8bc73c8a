"""What a pipeline is to look like after gestures: a model that is as plain as can be."""

from __future__ import annotations

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

Way = tuple[str, str]
Place = tuple[float, float]


@dataclass
class Sketch:
    """All parts of a definition, each by its key, and its settings; and no more."""

    agents: dict[str, Agent] = field(default_factory=dict)
    hues: dict[str, int] = field(default_factory=dict)
    stages: dict[str, Stage] = field(default_factory=dict)
    places: dict[str, Position] = field(default_factory=dict)
    ways: dict[Way, Transition] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)
    tools: dict[str, Tool] = field(default_factory=dict)
    notes: dict[str, Note] = field(default_factory=dict)
    frames: dict[str, Frame] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, definition: PipelineDefinition) -> Sketch:
        """A definition as a sketch: nothing of it is lost."""
        layout = definition.layout
        named = Settings.model_fields.keys() - {"supervisor_position"}
        return cls(
            agents={agent.id: agent for agent in definition.agents},
            hues=dict(layout.hues),
            stages={stage.phase: stage for stage in definition.stages},
            places=dict(layout.stages),
            ways={(way.source, way.target): way for way in definition.transitions},
            rules={rule.id: rule for rule in definition.rules},
            tools={tool.name: tool for tool in definition.tools},
            notes={note.id: note for note in layout.notes},
            frames={frame.id: frame for frame in layout.frames},
            settings={name: getattr(definition, name) for name in named}
            | {"supervisor_position": layout.supervisor},
        )

    def copy(self) -> Sketch:
        """The same; its parts never change themselves."""
        return Sketch(**{part.name: dict(getattr(self, part.name)) for part in fields(self)})

    def change(self, kind: str, key: Any, /, **values: Any) -> None:
        """Make a part something else."""
        parts = getattr(self, kind)
        parts[key] = parts[key].model_copy(update=values)

    @property
    def entry(self) -> str | None:
        """Where a conversation begins."""
        found: str | None = self.settings["entry"]
        return found

    def next_of(self, phase: str) -> str | None:
        """Where a stage leads to by its `next`."""
        found = (t for (s, t), way in self.ways.items() if s == phase and way.kind == "next")
        return next(found, None)

    def agents_of(self, phase: str) -> tuple[str, ...]:
        """Who serves a stage."""
        return self.stages[phase].agent_ids

    def frame_of(self, phase: str) -> str | None:
        """The frame that a stage is in."""
        return next((key for key, frame in self.frames.items() if phase in frame.stages), None)

    # Stages and the ways between them

    def free_phase(self, agent_id: str | None) -> str:
        """What a new stage is called: after who serves it, else by a number."""
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
        self.ways[source, target] = Transition.model_validate(
            {"source": source, "target": target, "kind": kind}
        )

    def leads_back(self, source: str, target: str) -> bool:
        """Whether a return from there is taken, and its target leads to its source."""
        passes_on, entry = self.settings["topology"], self.settings["entry"]

        def is_taken(start: str, kind: str) -> bool:
            if passes_on == "team":
                return bool(start == entry)
            by_itself = passes_on == "workflow" or self.stages[start].kind == "group"
            return kind == "next" or not by_itself

        ways = {way for way, drawn in self.ways.items() if is_taken(way[0], drawn.kind)}
        found = {target}
        for _ in self.stages:
            found |= {end for start, end in ways if start in found}
        return is_taken(source, "return") and source in found

    def delete(
        self,
        phases: Collection[str] = (),
        ways: Collection[Way] = (),
        notes: Collection[str] = (),
        frames: Collection[str] = (),
    ) -> None:
        """Delete parts of any kinds, and what leads to and from the stages among them."""
        self.stages = {key: part for key, part in self.stages.items() if key not in phases}
        self.places = {key: at for key, at in self.places.items() if key not in phases}
        self.notes = {key: note for key, note in self.notes.items() if key not in notes}
        self.frames = {key: frame for key, frame in self.frames.items() if key not in frames}
        self.ways = {
            way: part
            for way, part in self.ways.items()
            if way not in ways and not set(way) & set(phases)
        }
        self.unframe(phases)
        if self.entry in phases:
            self.settings["entry"] = None

    def bypass(self, phases: Collection[str], ways: Collection[Way] = ()) -> None:
        """Delete stages, and lead what led there on to the next one that stays."""

        def beyond(phase: str | None) -> str | None:
            passed = set()
            while phase in phases and phase not in passed:
                passed.add(phase)
                phase = self.next_of(phase or "")
            return None if phase in phases else phase

        led = [
            (way, beyond(way.target))
            for (source, target), way in sorted(self.ways.items(), key=lambda one: one[1].kind)
            if target in phases and source not in phases and (source, target) not in ways
        ]
        entry = beyond(self.entry)
        self.delete(phases, ways)
        for way, target in led:
            if target is None or target == way.source:
                continue
            if (way.source, target) not in self.ways:
                self.ways[way.source, target] = way.model_copy(update={"target": target})
            elif way.kind == "next":
                self.change("ways", (way.source, target), kind="next")
        self.settings["entry"] = entry

    def splice(self, phase: str, source: str, target: str) -> None:
        """Put a stage into a way."""
        leads_on = self.next_of(phase) is not None
        way = self.ways.pop((source, target))
        if (source, phase) not in self.ways:
            first = {"source": source, "target": phase, "kind": way.kind}
            said = {"description": way.description}
            self.ways[source, phase] = Transition.model_validate(first | said)
        elif way.kind == "next":
            self.change("ways", (source, phase), kind="next")
        second = {"source": phase, "kind": "return" if leads_on else "next", "description": ""}
        self.ways.setdefault((phase, target), way.model_copy(update=second))

    def replug(self, way: Way, end: str, phase: str) -> None:
        """Put one end of a way into another stage."""
        moved = self.ways.pop(way).model_copy(update={end: phase})
        if end == "source" and moved.kind == "next" and self.next_of(phase):
            moved = moved.model_copy(update={"kind": "return"})
        self.ways[moved.source, moved.target] = moved

    def lead(self, phase: str, onward: str | None, returns: Iterable[str]) -> None:
        """Let a stage lead to these and no others."""
        wanted = dict.fromkeys(returns, "return") | ({onward: "next"} if onward else {})
        known = {way: part for way, part in self.ways.items() if way[0] == phase}
        self.ways = {way: part for way, part in self.ways.items() if way not in known}
        for target, kind in wanted.items():
            part = known.get((phase, target)) or Transition(source=phase, target=target)
            self.ways[phase, target] = part.model_copy(update={"kind": kind})

    def make_next(self, way: Way) -> None:
        """Make a way its source's next; the one that was is a return now."""
        if (old := self.next_of(way[0])) is not None:
            self.change("ways", (way[0], old), kind="return")
        self.change("ways", way, kind="next")

    def serve(self, phase: str, agent_id: str) -> None:
        """Let an agent serve a stage; a group gets it as a member."""
        stage = self.stages[phase]
        if stage.kind != "group":
            self.change("stages", phase, kind="agent", agent_id=agent_id, group=None)
            return
        members = () if stage.group is None else stage.group.agents
        is_new = agent_id not in members
        self.regroup(phase, (*members, agent_id) if is_new else members)

    def regroup(self, phase: str, members: Iterable[str], parallel: bool | None = None) -> None:
        """Let a group have these members; without any there is none."""
        old = self.stages[phase].group
        asked = (old.parallel if old else True) if parallel is None else parallel
        there = tuple(members)
        self.change("stages", phase, group=Group(agents=there, parallel=asked) if there else None)

    # Notes and frames

    def put_in_frame(self, key: str | None, phases: Collection[str]) -> None:
        """Put stages into a frame, or in none; one that is left empty goes."""
        inside = () if key is None else self.frames[key].stages
        for other, frame in [*self.frames.items()]:
            if other != key:
                self._holds(other, set(frame.stages) - set(phases))
        if key is not None:
            self._holds(key, {*inside, *phases})

    def frame(self, key: str, phases: Collection[str]) -> None:
        self.unframe(phases)
        title = key.replace("-", " ").capitalize()
        self.frames[key] = Frame(id=key, title=title, stages=tuple(phases))

    def unframe(self, phases: Collection[str]) -> None:
        self.put_in_frame(None, phases)

    def _holds(self, key: str, phases: Collection[str]) -> None:
        if phases:
            self.change("frames", key, stages=tuple(sorted(phases)))
        else:
            del self.frames[key]

    # Agents and tools

    def add_agent(self, name: str = "") -> str:
        """Add an agent; its key."""
        stem = f"agent-{slugify(name)}" if name else "agent"
        key = stem if name and stem not in self.agents else free(stem, self.agents)
        self.agents[key] = Agent(id=key, name=name or f"Agent {key.removeprefix('agent-')}")
        self.hues[key] = min(HUES, key=[*self.hues.values()].count)
        return key

    def delete_agent(self, key: str) -> None:
        """Delete an agent with its rules; its stages stay, and its groups as far as there are."""
        del self.agents[key]
        self.hues.pop(key, None)
        self.rules = {name: rule for name, rule in self.rules.items() if rule.agent_id != key}
        for phase, stage in self.stages.items():
            if stage.agent_id == key:
                self.change("stages", phase, agent_id=None)
            elif stage.group and key in stage.group.agents:
                self.regroup(phase, [one for one in stage.group.agents if one != key])
                if self.stages[phase].group is None:
                    self.change("stages", phase, kind="agent")
        for name in ("default_agent_id", "supervisor_id"):
            if self.settings[name] == key:
                self.settings[name] = None

    def delete_tool(self, name: str) -> None:
        del self.tools[name]
        for key, agent in self.agents.items():
            self.change("agents", key, tools=tuple(one for one in agent.tools if one != name))

    # What everything is called

    def rename_stage(self, phase: str, name: str) -> None:
        new = _renaming(phase, name)
        self.stages = {
            new(key): part.model_copy(update={"phase": new(key)})
            for key, part in self.stages.items()
        }
        self.places = {new(key): at for key, at in self.places.items()}
        self.ways = {
            (new(s), new(t)): way.model_copy(update={"source": new(s), "target": new(t)})
            for (s, t), way in self.ways.items()
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
    """The first of `stem-1`, `stem-2`… that nothing has."""
    return next(key for number in count(1) if (key := f"{stem}-{number}") not in taken)


def _renaming(old: str, new: str) -> Callable[[str], str]:
    return lambda name: new if name == old else name
