"""Checks for definitions that a file can contain but a database cannot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import Fault
from orchestration.validation import REFERENCE_RULES, STORAGE_RULES, Draft, json_path


def storage_faults(
    definition: PipelineDefinition, *, keeps_unknown: bool = False
) -> tuple[Fault, ...]:
    """List the faults that a database cannot store: duplicate names and dangling references.

    With `keeps_unknown`, references to parts that do not exist are no faults. The paths refer to
    the definition's own dump, which is in canonical order.
    """
    draft = Draft(definition)
    rules = STORAGE_RULES if keeps_unknown else (*STORAGE_RULES, *REFERENCE_RULES)
    rule_faults = (
        Fault(issue.where.path, issue.message) for rule in rules for issue in rule(draft)
    )
    return (*rule_faults, *_layout_faults(definition))


def unknown_names(definition: PipelineDefinition) -> frozenset[str]:
    """Return the names of stages and agents that are referred to and do not exist."""
    stage_names = {end for each in definition.transitions for end in (each.source, each.target)}
    agent_names = {stage.agent_id for stage in definition.stages}
    agent_names |= {rule.agent_id for rule in definition.rules}
    agent_names |= {definition.default_agent_id, definition.supervisor_id}
    unknown = (stage_names | {definition.entry}) - definition.stages_by_phase.keys()
    unknown |= agent_names - definition.agents_by_id.keys()
    return frozenset(name for name in unknown if name is not None)


def without_unknown_layout(
    definition: PipelineDefinition,
) -> tuple[PipelineDefinition, tuple[str, ...]]:
    """Return a definition without the layout of parts that do not exist, and their names.

    A position or a colour without its part means nothing, so it is no problem of the pipeline.
    """
    layout, stages = definition.layout, definition.stages_by_phase
    framed = {phase for frame in layout.frames for phase in frame.stages}
    gone = {*layout.stages, *framed} - stages.keys()
    colourless = layout.hues.keys() - definition.agents_by_id.keys()
    if not gone and not colourless:
        return definition, ()
    frames = (
        frame.model_copy(update={"stages": tuple(each for each in frame.stages if each in stages)})
        for frame in layout.frames
    )
    changes = {
        "stages": {phase: at for phase, at in layout.stages.items() if phase in stages},
        "hues": {key: hue for key, hue in layout.hues.items() if key not in colourless},
        "frames": tuple(frame for frame in frames if frame.stages),
    }
    names = tuple(sorted({*gone, *colourless}))
    return definition.model_copy(update={"layout": layout.model_copy(update=changes)}), names


def paths_in_file(faults: Iterable[Fault], raw: Mapping[str, Any]) -> tuple[Fault, ...]:
    """Convert the paths of faults to the order of `raw`, the file."""
    orders = {name: _order(_list(raw, name), key) for name, key in _CANONICAL.items()}

    def path_in_file(path: str) -> str:
        match = _INDEXED.match(path)
        if match is None or match[1] not in orders:
            return path
        return f"$.{match[1]}[{orders[match[1]][int(match[2])]}]{path[match.end() :]}"

    return tuple(Fault(path_in_file(fault.path), fault.message) for fault in faults)


def _layout_faults(definition: PipelineDefinition) -> Iterator[Fault]:
    layout = definition.layout
    for phase in layout.stages:
        if phase not in definition.stages_by_phase:
            sentence = f"The layout has a position of the stage {phase!r}, which does not exist."
            yield Fault(json_path("layout", "stages", phase), sentence)
    for agent_id in layout.hues:
        if agent_id not in definition.agents_by_id:
            sentence = f"The layout has a colour of the agent {agent_id!r}, which does not exist."
            yield Fault(json_path("layout", "hues", agent_id), sentence)
    ids: set[str] = set()
    for index, note in enumerate(layout.notes):
        if note.id in ids:
            sentence = f"More than one note has the id {note.id!r}: give each its own."
            yield Fault(f"$.layout.notes[{index}].id", sentence)
        ids.add(note.id)
    yield from _frame_faults(definition)


def _frame_faults(definition: PipelineDefinition) -> Iterator[Fault]:
    ids: set[str] = set()
    framed: dict[str, str] = {}
    for index, frame in enumerate(definition.layout.frames):
        path = f"$.layout.frames[{index}]"
        if frame.id in ids:
            sentence = f"More than one frame has the id {frame.id!r}: give each its own."
            yield Fault(f"{path}.id", sentence)
        ids.add(frame.id)
        for phase in frame.stages:
            if phase not in definition.stages_by_phase:
                sentence = f"The frame {frame.id!r} has the stage {phase!r}, which does not exist."
                yield Fault(f"{path}.stages", sentence)
            elif phase in framed:
                sentence = (
                    f"The stage {phase!r} is in the frames {framed[phase]!r} and {frame.id!r}: "
                    "remove it from one of them."
                )
                yield Fault(f"{path}.stages", sentence)
            framed.setdefault(phase, frame.id)


_INDEXED = re.compile(r"^\$\.([\w.]+)\[(\d+)\]")

_CANONICAL: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "agents": lambda agent: agent["id"],
    "stages": lambda stage: stage["phase"],
    "transitions": lambda each: (each["source"], each.get("kind", "next"), each["target"]),
    "rules": lambda rule: (rule.get("priority", 0), rule["id"]),
    "tools": lambda tool: tool["name"],
    "layout.notes": lambda note: note["id"],
    "layout.frames": lambda frame: frame["id"],
}
"""Sort key of each list, the same as in `PipelineDefinition`."""


def _list(raw: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the list at a dotted path in the file, or an empty list."""
    *outer, last = name.split(".")
    for step in outer:
        raw = raw.get(step, {})
    return list(raw.get(last, ()))


def _order(parts: list[Mapping[str, Any]], key: Callable[[Mapping[str, Any]], Any]) -> list[int]:
    """Return the index in the file for each index in canonical order."""
    return sorted(range(len(parts)), key=lambda index: key(parts[index]))
