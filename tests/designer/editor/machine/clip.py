"""What is copied out of a sketch, and what becomes of it in another."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from orchestration.definition import Group, Position
from tests.designer.editor.machine.sketch import Sketch


def excerpt(
    sketch: Sketch, phases: Collection[str], notes: Collection[str], frames: Collection[str]
) -> Sketch:
    """Stages with all that is needed for them, notes, and frames with all of their stages."""
    framed = {phase for key in frames for phase in sketch.frames[key].stages}
    stages = {key: part for key, part in sketch.stages.items() if key in {*phases, *framed}}
    agents = {key for phase in stages for key in sketch.agents_of(phase)}
    tools = {name for key in agents for name in sketch.agents[key].tools}
    return Sketch(
        stages=stages,
        places={key: sketch.places[key] for key in stages},
        ways={way: part for way, part in sketch.ways.items() if {*way} <= stages.keys()},
        agents={key: sketch.agents[key] for key in agents},
        hues={key: hue for key, hue in sketch.hues.items() if key in agents},
        tools={name: sketch.tools[name] for name in tools},
        notes={key: sketch.notes[key] for key in notes},
        frames={
            key: frame for key, frame in sketch.frames.items() if {*frame.stages} <= stages.keys()
        },
        settings={"entry": sketch.entry if sketch.entry in stages else None},
    )


@dataclass
class Names:
    """What the parts of a clip are called in the sketch that takes it in."""

    stages: dict[str, str]
    notes: dict[str, str]
    frames: dict[str, str]
    agents: dict[str, str]
    tools: dict[str, str]


def named(sketch: Sketch, clip: Sketch) -> Names:
    """The names: those that are free, and of an agent or tool that is here the same, its own."""
    tools = _fitting(sketch.tools, clip.tools, lambda tool, name: _called(tool, name=name))

    def agent(part: Any, key: str) -> Any:
        names = tuple(sorted(tools[name] for name in part.tools))
        return _called(part, id=key, tools=names)

    return Names(
        stages=_free(sketch.stages, clip.stages),
        notes=_free(sketch.notes, clip.notes),
        frames=_free(sketch.frames, clip.frames),
        agents=_fitting(sketch.agents, clip.agents, agent),
        tools=tools,
    )


def take_in(sketch: Sketch, clip: Sketch, names: Names, shift: tuple[float, float]) -> None:
    """Add the clip to the sketch, each part a step aside and under its new name."""
    across, down = shift
    for name, tool in clip.tools.items():
        sketch.tools.setdefault(names.tools[name], _called(tool, name=names.tools[name]))
    for key, agent in clip.agents.items():
        new = names.agents[key]
        if new not in sketch.agents:
            tools = tuple(sorted(names.tools[name] for name in agent.tools))
            sketch.agents[new] = _called(agent, id=new, tools=tools)
            if key in clip.hues:
                sketch.hues[new] = clip.hues[key]
    for phase, stage in clip.stages.items():
        new, at = names.stages[phase], clip.places[phase]
        sketch.stages[new] = _called(
            stage,
            phase=new,
            agent_id=stage.agent_id and names.agents[stage.agent_id],
            group=stage.group and _members(stage.group, names),
        )
        sketch.places[new] = Position(x=at.x + across, y=at.y + down)
    for way in clip.ways.values():
        source, target = names.stages[way.source], names.stages[way.target]
        sketch.ways[source, target] = _called(way, source=source, target=target)
    for key, note in clip.notes.items():
        new = names.notes[key]
        sketch.notes[new] = _called(note, id=new, x=note.x + across, y=note.y + down)
    for key, frame in clip.frames.items():
        new = names.frames[key]
        stages = tuple(sorted(names.stages[phase] for phase in frame.stages))
        sketch.frames[new] = _called(frame, id=new, stages=stages)
    entry = clip.entry
    if sketch.entry is None and entry is not None:
        sketch.settings["entry"] = names.stages[entry]


def _called(part: Any, **names: Any) -> Any:
    return part.model_copy(update=names)


def _members(group: Group, names: Names) -> Group:
    return Group(agents=tuple(names.agents[key] for key in group.agents), parallel=group.parallel)


def _free(here: Collection[str], coming: Collection[str]) -> dict[str, str]:
    """For each key itself where it is free, else the next number after it that is."""
    names: dict[str, str] = {}
    for key in sorted(coming):
        stem, number = _parts(key)
        mark = "_" if "_" in key and "-" not in key else "-"
        others = (f"{stem}{mark}{n}" for n in count(number + 1))
        taken = {*here, *coming, *names.values()}
        names[key] = next(new for new in others if new not in taken) if key in here else key
    return names


def _fitting(
    here: Mapping[str, Any], coming: Mapping[str, Any], called: Callable[[Any, str], Any]
) -> dict[str, str]:
    """For each part the name of one that is the same here but for its number, or a free one."""
    names: dict[str, str] = {}
    for key, part in sorted(coming.items()):
        others = {*coming, *names.values()} - {key}
        kin = [key, *(one for one in sorted(here) if _parts(one)[0] == _parts(key)[0])]
        same = (
            one
            for one in kin
            if key in here and one not in others and one in here and here[one] == called(part, one)
        )
        if (found := next(same, None)) is not None:
            names[key] = found
    new = [key for key in coming if key not in names]
    return names | _free({*here, *names.values()}, new)


def _parts(key: str) -> tuple[str, int]:
    found = re.fullmatch(r"(.+?)[-_]([1-9][0-9]*)", key)
    return (found[1], int(found[2])) if found else (key, 1)
