"""A patch: the new state of the parts of a definition that one gesture touches.

Every change is a patch. An action builds it, `designer.definitions` writes it, undo writes a patch
with the earlier state, an import applies one to an empty pipeline, and `designer.editor.fragments`
renders only the parts in it. None stands for an absent part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from orchestration.definition import (
    Agent,
    DefaultValue,
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
    Supervision,
    Text,
    Tool,
    ToolName,
    Topology,
    Transition,
    VariableName,
)


class Settings(Frozen):
    """Settings of the pipeline in a patch. Only fields that are set are changed."""

    name: Name = ""
    description: Text = ""
    topology: Topology = "pipeline"
    limits: Limits = Limits()
    entry: Key | None = None
    default_agent_id: Key | None = None
    supervisor_id: Key | None = None
    supervision: Supervision | None = None
    aliases: dict[Key, Key] = Field(default_factory=dict)
    variables: dict[VariableName, DefaultValue] = Field(default_factory=dict)
    on_handoff: str = "continue"
    handoff_tool_name: ToolName | None = None
    allow_human: bool = True
    supervisor_position: Position | None = None

    @property
    def touched(self) -> dict[str, Any]:
        """Return the fields that are set, by name."""
        return {name: getattr(self, name) for name in sorted(self.model_fields_set)}


TransitionKey = str
"""`source>target`. A phase cannot contain `>`."""


def transition_key(source: str, target: str) -> TransitionKey:
    """Return the key of the transition between two phases."""
    return f"{source}>{target}"


class Patch(Frozen):
    """Parts of a definition by their keys; None for an absent part."""

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
        """Return the patch that turns an empty pipeline into this definition."""
        return cls(**_parts(definition), settings=Settings(**_settings(definition)))

    @classmethod
    def between(cls, old: PipelineDefinition, new: PipelineDefinition) -> Patch:
        """Return the patch that turns `old` into `new`, with the differences only."""
        old_parts, new_parts = _parts(old), _parts(new)
        parts = {name: _differences(old_parts[name], new_parts[name]) for name in _PARTS}
        changes: dict[str, Any] = {name: part for name, part in parts.items() if part}
        old_settings, new_settings = _settings(old), _settings(new)
        settings = {name: v for name, v in new_settings.items() if v != old_settings[name]}
        if settings:
            changes["settings"] = Settings(**settings)
        return cls(**changes)

    @property
    def only_positions(self) -> bool:
        """Report whether the patch changes only positions, notes and frames.

        The validation rules ignore these.
        """
        settings = self.settings.model_fields_set
        return self.model_fields_set <= _DRAWN and settings <= {"supervisor_position"}

    def definition(self) -> PipelineDefinition:
        """Return the definition that consists of these parts: the inverse of `of`."""
        settings = self.settings
        return PipelineDefinition(
            name=settings.name,
            description=settings.description,
            topology=settings.topology,
            agents=_present(self.agents),
            stages=_present(self.stages),
            transitions=_present(self.transitions),
            rules=_present(self.rules),
            tools=_present(self.tools),
            limits=settings.limits,
            entry=settings.entry,
            default_agent_id=settings.default_agent_id,
            supervisor_id=settings.supervisor_id,
            supervision=settings.supervision,
            aliases=settings.aliases,
            variables=settings.variables,
            on_handoff=settings.on_handoff,
            handoff_tool_name=settings.handoff_tool_name,
            allow_human=settings.allow_human,
            layout=Layout(
                stages={phase: at for phase, at in self.positions.items() if at is not None},
                hues={agent: hue for agent, hue in self.hues.items() if hue is not None},
                supervisor=settings.supervisor_position,
                notes=_present(self.notes),
                frames=_present(self.frames),
            ),
        )

    def dump(self) -> dict[str, Any]:
        """Return the fields that are set, as JSON values."""
        return self.model_dump(mode="json", exclude_unset=True)

    def __bool__(self) -> bool:
        """Report whether the patch changes anything."""
        return bool(self.dump())


_PARTS = (
    "agents", "stages", "transitions", "rules", "tools", "positions", "hues", "notes", "frames",
)  # fmt: skip
_DRAWN = {"positions", "notes", "frames", "settings"}


def _parts(definition: PipelineDefinition) -> dict[str, Mapping[str, Any]]:
    """Return the parts of a definition by their keys."""
    layout = definition.layout
    return {
        "agents": definition.agents_by_id,
        "stages": definition.stages_by_phase,
        "transitions": {transition_key(t.source, t.target): t for t in definition.transitions},
        "rules": {rule.id: rule for rule in definition.rules},
        "tools": definition.tools_by_name,
        "positions": layout.stages,
        "hues": layout.hues,
        "notes": {note.id: note for note in layout.notes},
        "frames": {frame.id: frame for frame in layout.frames},
    }


def _settings(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the settings of the pipeline as a settings."""
    names = Settings.model_fields.keys() - {"supervisor_position"}
    return {
        **{name: getattr(definition, name) for name in names},
        "supervisor_position": definition.layout.supervisor,
    }


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return new and different values, and None for removed ones."""
    if old is new:
        return {}
    removed = {key: None for key in old if key not in new}
    # A definition shares most objects with the one it was derived from: compare identities first.
    return removed | {
        key: part
        for key, part in new.items()
        if key not in old or (old[key] is not part and old[key] != part)
    }


def _present(parts: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(part for part in parts.values() if part is not None)
