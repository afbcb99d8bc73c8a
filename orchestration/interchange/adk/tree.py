"""The tree of agents: an agent transfers to its children, its siblings and its parent only.

The tree grows from the entry along the transitions, level by level, so that a stage hangs on the
first stage that leads to it. In a group only `next` follows, by itself, after all members.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from orchestration.definition import PipelineDefinition, Stage
from orchestration.graph import can_be_taken
from orchestration.interchange.python_code import identifiers

MAX_DEPTH: Final = 150
"""Depth of the tree; ADK loads a file within another by recursion, and fails below about 250."""

_TAKEN: Final = ("user", "root_agent", "workflow", "tools", "http_calls")
"""Names that ADK or other files have."""


@dataclass(frozen=True, slots=True)
class AgentTree:
    """Stages by their place in the tree, and the names of agents."""

    root: Stage | None
    names: Mapping[str, str]
    """Names of agents by phase, and by phase and member of a group: `checks/agent-linter`."""
    targets: Mapping[str, Sequence[str]]
    """Existing targets of the transitions that can be taken, by source."""
    depths: Mapping[str, int]
    """Distances of the phases to which transitions lead from the entry, in ascending order."""
    children: Mapping[str, Sequence[str]]
    """Children of the phases of the tree."""
    parents: Mapping[str, str]
    with_siblings: frozenset[str]
    """Phases with a transition to a sibling."""

    def chain(self) -> list[str]:
        """Return the phases of a workflow from the entry along `next`, up to a repetition."""
        found: dict[str, None] = {}
        phase = self.root.phase if self.root is not None else None
        while phase is not None and phase not in found:
            found[phase] = None
            phase = next(iter(self.targets[phase]), None)
        return list(found)

    def is_native(self, source: str, target: str) -> bool:
        """Report whether the tree has a transition."""
        parent = self.parents.get(source)
        if target in self.children.get(source, ()):
            return True
        return target == parent or (
            source in self.with_siblings and self.parents.get(target) == parent
        )


def agent_tree(definition: PipelineDefinition) -> AgentTree:
    """Return the tree of a definition."""
    stages = definition.stages_by_phase
    targets = {phase: _targets(definition, phase) for phase in stages}
    entry = definition.entry if definition.entry in stages else next(iter(stages), None)
    children: dict[str, list[str]] = {entry: []} if entry is not None else {}
    parents, depths = dict[str, str](), dict.fromkeys(children, 0)
    queue = list(children)
    for phase in queue:
        for target in targets[phase]:
            if target in depths:
                continue
            depths[target] = depths[phase] + 1
            queue.append(target)
            is_full = _is_group(stages[phase]) and children.get(phase)
            if phase in children and not is_full and depths[target] <= MAX_DEPTH:
                children[phase].append(target)
                children[target] = []
                parents[target] = phase
    transferring = {child for child, parent in parents.items() if not _is_group(stages[parent])}
    with_siblings = {
        phase
        for phase in transferring
        if any(parents.get(each) == parents[phase] for each in targets[phase] if each != phase)
    }
    upward = {child: parents[child] for child in transferring}
    members = [
        f"{stage.phase}/{name}"
        for stage in stages.values()
        if stage.group is not None and _is_group(stage)
        for name in stage.group.agents
    ]
    return AgentTree(
        stages.get(entry or ""),
        identifiers([*stages, *members], _TAKEN),
        targets,
        depths,
        children,
        upward,
        frozenset(with_siblings),
    )


def _targets(definition: PipelineDefinition, phase: str) -> list[str]:
    stages = definition.stages_by_phase
    found = [
        each.target
        for each in definition.transitions_from.get(phase, ())
        if each.target in stages and can_be_taken(definition, each)
    ]
    return list(dict.fromkeys(found))


def _is_group(stage: Stage) -> bool:
    return stage.kind == "group"
