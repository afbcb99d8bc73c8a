"""Checks for definitions that a file can express and rows cannot."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import Fault
from orchestration.validation import Draft, Rule, json_path
from orchestration.validation.rules import agents, groups, routing, stages, tools

STORAGE_RULES: tuple[Rule, ...] = (
    agents.agent_duplicate,
    stages.stage_duplicate,
    tools.tool_duplicate,
    routing.rule_duplicate,
    stages.transition_duplicate,
    stages.next_duplicate,
    stages.transition_unknown,
    stages.stage_agent_unknown,
    stages.human_stage_agent,
    groups.group_stage_agent,
    groups.group_misplaced,
    routing.rule_agent_unknown,
    agents.supervisor_unknown,
    agents.default_agent_unknown,
    stages.entry_unknown,
)
"""The rules that a database keeps as constraints: unique keys, foreign keys and checks."""


def storage_faults(definition: PipelineDefinition) -> tuple[Fault, ...]:
    """List the faults that a database cannot store: duplicate names and dangling references.

    The paths are those of the definition's own dump, which is in canonical order.
    """
    draft = Draft(definition)
    found = (
        Fault(issue.where.path, issue.message) for rule in STORAGE_RULES for issue in rule(draft)
    )
    return (*found, *_layout_faults(definition))


def paths_in_file(faults: Iterable[Fault], raw: Mapping[str, Any]) -> tuple[Fault, ...]:
    """The same faults with the places that things have in `raw`, a file in any order."""
    orders = {name: _order(_list(raw, name), key) for name, key in _CANONICAL.items()}

    def placed(path: str) -> str:
        found = _PLACE.match(path)
        if found is None or found[1] not in orders:
            return path
        return f"$.{found[1]}[{orders[found[1]][int(found[2])]}]{path[found.end() :]}"

    return tuple(Fault(placed(fault.path), fault.message) for fault in faults)


def _layout_faults(definition: PipelineDefinition) -> Iterator[Fault]:
    layout = definition.layout
    for phase in layout.stages:
        if phase not in definition.stages_by_phase:
            sentence = f"The layout places the stage {phase!r}, and there is no such stage."
            yield Fault(json_path("layout", "stages", phase), sentence)
    for agent_id in layout.hues:
        if agent_id not in definition.agents_by_id:
            sentence = f"The layout colours the agent {agent_id!r}, and there is no such agent."
            yield Fault(json_path("layout", "hues", agent_id), sentence)
    seen: set[str] = set()
    for index, note in enumerate(layout.notes):
        if note.id in seen:
            sentence = f"More than one note has the id {note.id!r}: give each its own."
            yield Fault(f"$.layout.notes[{index}].id", sentence)
        seen.add(note.id)
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
                sentence = f"The frame {frame.id!r} holds {phase!r}, and there is no such stage."
                yield Fault(f"{path}.stages", sentence)
            elif phase in framed:
                sentence = (
                    f"The stage {phase!r} is in the frames {framed[phase]!r} and {frame.id!r}: "
                    "a stage is in one at most."
                )
                yield Fault(f"{path}.stages", sentence)
            framed.setdefault(phase, frame.id)


_PLACE = re.compile(r"^\$\.([\w.]+)\[(\d+)\]")

_CANONICAL: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "agents": lambda agent: agent["id"],
    "stages": lambda stage: stage["phase"],
    "transitions": lambda way: (way["source"], way.get("kind", "next"), way["target"]),
    "rules": lambda rule: (rule.get("priority", 0), rule["id"]),
    "tools": lambda tool: tool["name"],
    "layout.notes": lambda note: note["id"],
    "layout.frames": lambda frame: frame["id"],
}
"""The canonical order of each list, as `PipelineDefinition` has it."""


def _list(raw: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The list at a dotted path in the file; an empty one where it is left out."""
    *outer, last = name.split(".")
    for step in outer:
        raw = raw.get(step, {})
    return list(raw.get(last, ()))


def _order(parts: list[Mapping[str, Any]], key: Callable[[Mapping[str, Any]], Any]) -> list[int]:
    """For each place in canonical order, the place in the file."""
    return sorted(range(len(parts)), key=lambda place: key(parts[place]))
