"""A patch: the parts of a definition that one gesture touches, each as it is to be.

It is the one shape of change. An action makes one, `designer.definitions` writes it, undo writes
the one that was there before, an import is one onto an empty pipeline, and `designer.fragments`
draws just what one names. A part that is None is absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from orchestration.definition import (
    Agent,
    Frame,
    Frozen,
    Key,
    Layout,
    Limits,
    Name,
    Note,
    PipelineDefinition,
    Position,
    Rule,
    Stage,
    Text,
    Tool,
    ToolName,
    Topology,
    Transition,
)


class Settings(Frozen):
    """Settings of the pipeline as a whole. Only fields that are set are changed."""

    name: Name = ""
    description: Text = ""
    topology: Topology = "pipeline"
    limits: Limits = Limits()
    entry: Key | None = None
    default_agent_id: Key | None = None
    supervisor_id: Key | None = None
    aliases: dict[Key, Key] = Field(default_factory=dict)
    on_handoff: str = "continue"
    handoff_tool_name: ToolName | None = None
    allow_human: bool = True
    supervisor_position: Position | None = None

    @property
    def touched(self) -> dict[str, Any]:
        """The fields that are set, by name."""
        return {name: getattr(self, name) for name in sorted(self.model_fields_set)}


TransitionKey = str
"""`source>target`: phases hold no `>`."""


def transition_key(source: str, target: str) -> TransitionKey:
    """The key of the transition between two phases."""
    return f"{source}>{target}"


class Patch(Frozen):
    """Parts of a definition by their keys. None: the part is absent."""

    agents: dict[Key, Agent | None] = Field(default_factory=dict)
    stages: dict[Key, Stage | None] = Field(default_factory=dict)
    transitions: dict[TransitionKey, Transition | None] = Field(default_factory=dict)
    rules: dict[Key, Rule | None] = Field(default_factory=dict)
    tools: dict[ToolName, Tool | None] = Field(default_factory=dict)
    positions: dict[Key, Position | None] = Field(default_factory=dict)
    hues: dict[Key, int | None] = Field(default_factory=dict)
    notes: dict[Key, Note | None] = Field(default_factory=dict)
    frames: dict[Key, Frame | None] = Field(default_factory=dict)
    settings: Settings = Field(default_factory=Settings.model_construct)

    @classmethod
    def of(cls, definition: PipelineDefinition) -> Patch:
        """The patch that makes an empty pipeline into this one."""
        return cls(**_parts(definition), settings=Settings(**_settings(definition)))

    @classmethod
    def between(cls, old: PipelineDefinition, new: PipelineDefinition) -> Patch:
        """The patch that makes `old` into `new`: only what differs."""
        was, will = _parts(old), _parts(new)
        parts = {name: _changed(was[name], will[name]) for name in _PARTS}
        before, after = _settings(old), _settings(new)
        touched = {name: part for name, part in after.items() if part != before[name]}
        changed: dict[str, Any] = {name: part for name, part in parts.items() if part}
        if touched:
            changed["settings"] = Settings(**touched)
        return cls(**changed)

    @property
    def only_places(self) -> bool:
        """Report whether the patch changes positions only, which the rules ignore."""
        settings = self.settings.model_fields_set
        return self.model_fields_set <= _DRAWN and settings <= {"supervisor_position"}

    def definition(self) -> PipelineDefinition:
        """The definition that holds these parts and no others: the inverse of `of`."""
        whole = self.settings
        return PipelineDefinition(
            name=whole.name,
            description=whole.description,
            topology=whole.topology,
            agents=_present(self.agents),
            stages=_present(self.stages),
            transitions=_present(self.transitions),
            rules=_present(self.rules),
            tools=_present(self.tools),
            limits=whole.limits,
            entry=whole.entry,
            default_agent_id=whole.default_agent_id,
            supervisor_id=whole.supervisor_id,
            aliases=whole.aliases,
            on_handoff=whole.on_handoff,
            handoff_tool_name=whole.handoff_tool_name,
            allow_human=whole.allow_human,
            layout=Layout(
                stages={phase: at for phase, at in self.positions.items() if at is not None},
                hues={agent: hue for agent, hue in self.hues.items() if hue is not None},
                supervisor=whole.supervisor_position,
                notes=_present(self.notes),
                frames=_present(self.frames),
            ),
        )

    def dump(self) -> dict[str, Any]:
        """The patch as JSON values: only what it touches."""
        return self.model_dump(mode="json", exclude_unset=True)

    def __bool__(self) -> bool:
        """Report whether the patch changes anything."""
        return bool(self.dump())


_PARTS = (
    "agents", "stages", "transitions", "rules", "tools", "positions", "hues", "notes", "frames",
)  # fmt: skip
_DRAWN = {"positions", "notes", "frames", "settings"}


def _parts(definition: PipelineDefinition) -> dict[str, Mapping[str, Any]]:
    """The parts of a definition by their keys."""
    layout = definition.layout
    return {
        "agents": definition.agents_by_id,
        "stages": definition.stages_by_phase,
        "transitions": {f"{way.source}>{way.target}": way for way in definition.transitions},
        "rules": {rule.id: rule for rule in definition.rules},
        "tools": definition.tools_by_name,
        "positions": layout.stages,
        "hues": layout.hues,
        "notes": {note.id: note for note in layout.notes},
        "frames": {frame.id: frame for frame in layout.frames},
    }


def _settings(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the settings of the pipeline as a whole."""
    names = Settings.model_fields.keys() - {"supervisor_position"}
    return {
        **{name: getattr(definition, name) for name in names},
        "supervisor_position": definition.layout.supervisor,
    }


def _changed(was: Mapping[str, Any], will: Mapping[str, Any]) -> dict[str, Any]:
    """Return new and different values, and None for removed ones.

    Most parts of a definition that was made from another are the very same: these are not compared.
    """
    if was is will:
        return {}
    gone = {key: None for key in was if key not in will}
    return gone | {
        key: part
        for key, part in will.items()
        if key not in was or (was[key] is not part and was[key] != part)
    }


def _present(parts: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(part for part in parts.values() if part is not None)
