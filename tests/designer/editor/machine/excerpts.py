"""Copies of parts of a model, and their addition to another model."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from orchestration.definition import Group, Position
from tests.designer.editor.machine.model import PipelineModel


def excerpt(
    model: PipelineModel, phases: Collection[str], notes: Collection[str], frames: Collection[str]
) -> PipelineModel:
    """Return stages with all that they use, notes, and frames with all of their stages."""
    framed = {phase for key in frames for phase in model.frames[key].stages}
    stages = {key: part for key, part in model.stages.items() if key in {*phases, *framed}}
    agents = {key for phase in stages for key in model.agents_of(phase)}
    tools = {name for key in agents for name in model.agents[key].tools}
    return PipelineModel(
        stages=stages,
        places={key: model.places[key] for key in stages},
        transitions={
            edge: part for edge, part in model.transitions.items() if {*edge} <= stages.keys()
        },
        agents={key: model.agents[key] for key in agents},
        hues={key: hue for key, hue in model.hues.items() if key in agents},
        tools={name: model.tools[name] for name in tools},
        notes={key: model.notes[key] for key in notes},
        frames={
            key: frame for key, frame in model.frames.items() if {*frame.stages} <= stages.keys()
        },
        settings={"entry": model.entry if model.entry in stages else None},
    )


@dataclass
class Names:
    """New keys of the parts in the model to which they are added."""

    stages: dict[str, str]
    notes: dict[str, str]
    frames: dict[str, str]
    agents: dict[str, str]
    tools: dict[str, str]


def new_names(model: PipelineModel, clip: PipelineModel) -> Names:
    """Return free names; equal agents and tools of the model are reused."""
    tools = _fitting(model.tools, clip.tools, lambda tool, name: _with(tool, name=name))

    def agent(part: Any, key: str) -> Any:
        names = tuple(sorted(tools[name] for name in part.tools))
        return _with(part, id=key, tools=names)

    return Names(
        stages=_free(model.stages, clip.stages),
        notes=_free(model.notes, clip.notes),
        frames=_free(model.frames, clip.frames),
        agents=_fitting(model.agents, clip.agents, agent),
        tools=tools,
    )


def add_parts(
    model: PipelineModel, clip: PipelineModel, names: Names, shift: tuple[float, float]
) -> None:
    """Add the parts to the model, shifted and under their new names."""
    across, down = shift
    for name, tool in clip.tools.items():
        model.tools.setdefault(names.tools[name], _with(tool, name=names.tools[name]))
    for key, agent in clip.agents.items():
        new = names.agents[key]
        if new not in model.agents:
            tools = tuple(sorted(names.tools[name] for name in agent.tools))
            model.agents[new] = _with(agent, id=new, tools=tools)
            if key in clip.hues:
                model.hues[new] = clip.hues[key]
    for phase, stage in clip.stages.items():
        new, at = names.stages[phase], clip.places[phase]
        model.stages[new] = _with(
            stage,
            phase=new,
            agent_id=stage.agent_id and names.agents[stage.agent_id],
            group=stage.group and _members(stage.group, names),
        )
        model.places[new] = Position(x=at.x + across, y=at.y + down)
    for edge in clip.transitions.values():
        source, target = names.stages[edge.source], names.stages[edge.target]
        model.transitions[source, target] = _with(edge, source=source, target=target)
    for key, note in clip.notes.items():
        new = names.notes[key]
        model.notes[new] = _with(note, id=new, x=note.x + across, y=note.y + down)
    for key, frame in clip.frames.items():
        new = names.frames[key]
        stages = tuple(sorted(names.stages[phase] for phase in frame.stages))
        model.frames[new] = _with(frame, id=new, stages=stages)
    entry = clip.entry
    if model.entry is None and entry is not None:
        model.settings["entry"] = names.stages[entry]


def _with(part: Any, **names: Any) -> Any:
    return part.model_copy(update=names)


def _members(group: Group, names: Names) -> Group:
    return Group(agents=tuple(names.agents[key] for key in group.agents), parallel=group.parallel)


def _free(here: Collection[str], coming: Collection[str]) -> dict[str, str]:
    """Return each key itself if it is free, else with the next free number."""
    names: dict[str, str] = {}
    for key in sorted(coming):
        stem, number = _parts(key)
        mark = "_" if "_" in key and "-" not in key else "-"
        others = (f"{stem}{mark}{n}" for n in count(number + 1))
        taken = {*here, *coming, *names.values()}
        names[key] = next(new for new in others if new not in taken) if key in here else key
    return names


def _fitting(
    here: Mapping[str, Any], coming: Mapping[str, Any], renamed: Callable[[Any, str], Any]
) -> dict[str, str]:
    """Return for each part the name of an equal part here, or a free name."""
    names: dict[str, str] = {}
    for key, part in sorted(coming.items()):
        others = {*coming, *names.values()} - {key}
        similar = [key, *(name for name in sorted(here) if _parts(name)[0] == _parts(key)[0])]
        same = (
            name
            for name in similar
            if key in here
            and name not in others
            and name in here
            and here[name] == renamed(part, name)
        )
        if (equal := next(same, None)) is not None:
            names[key] = equal
    new = [key for key in coming if key not in names]
    return names | _free({*here, *names.values()}, new)


def _parts(key: str) -> tuple[str, int]:
    match = re.fullmatch(r"(.+?)[-_]([1-9][0-9]*)", key)
    return (match[1], int(match[2])) if match else (key, 1)
