"""Effect of a difference on conversations, computed from the graph, the rules and the prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from orchestration.conversation import offer
from orchestration.definition import PipelineDefinition
from orchestration.graph import StageGraph, ends, reachable, stage_graph
from orchestration.tools import ToolSpec
from orchestration.validation import Issue, validate

MAX_PATHS = 200
"""Maximum number of paths of a definition; if there are more, the shortest ones are compared."""

Path = tuple[str, ...]
"""Phases from the entry to an end, each once."""

_PASSING = frozenset(("handoff", "transfer", "delegate"))
"""Kinds of the tools that pass the conversation or a task on."""


@dataclass(frozen=True, slots=True)
class ToolChange:
    """The tools for handoffs that a model gets in a stage, before and after."""

    phase: str
    before: tuple[ToolSpec, ...]
    after: tuple[ToolSpec, ...]


@dataclass(frozen=True, slots=True)
class Effect:
    """Consequences of a difference for conversations."""

    paths_gained: tuple[Path, ...] = ()
    paths_lost: tuple[Path, ...] = ()
    all_paths: bool = True
    """False if one definition has too many paths: only the shortest to each end are compared."""
    unreachable: tuple[str, ...] = ()
    """Stages that no conversation reaches any more."""
    newly_reachable: tuple[str, ...] = ()
    """Stages of both definitions that conversations reach now."""
    to_end: tuple[Path | None, Path | None] = (None, None)
    """Shortest path from the entry to an end, before and after."""
    to_human: tuple[Path | None, Path | None] = (None, None)
    """Shortest path from the entry to a stage of the human, before and after."""
    new_issues: tuple[Issue, ...] = ()
    resolved_issues: tuple[Issue, ...] = ()
    tools: tuple[ToolChange, ...] = ()


def effect(before: PipelineDefinition, after: PipelineDefinition) -> Effect:
    """Return the effect of the change from `before` to `after`."""
    old, new = _Routes.of(before), _Routes.of(after)
    gained, lost, is_complete = _changed_paths(old, new)
    both = before.stages_by_phase.keys() & after.stages_by_phase.keys()
    old_issues, new_issues = _issues(before), _issues(after)
    return Effect(
        paths_gained=gained,
        paths_lost=lost,
        all_paths=is_complete,
        unreachable=tuple(sorted(both & (old.reached - new.reached))),
        newly_reachable=tuple(sorted(both & (new.reached - old.reached))),
        to_end=(old.shortest(old.ends), new.shortest(new.ends)),
        to_human=(old.shortest(old.humans), new.shortest(new.humans)),
        new_issues=tuple(issue for key, issue in new_issues.items() if key not in old_issues),
        resolved_issues=tuple(issue for key, issue in old_issues.items() if key not in new_issues),
        tools=tuple(_changed_tools(before, after)),
    )


@dataclass(frozen=True, slots=True)
class _Routes:
    """Reachable stages of a definition, its ends, and the shortest path to each stage."""

    graph: StageGraph
    entry: str | None
    reached: frozenset[str]
    ends: frozenset[str]
    humans: frozenset[str]
    came_from: Mapping[str, str | None]

    @classmethod
    def of(cls, definition: PipelineDefinition) -> _Routes:
        graph, entry = stage_graph(definition), definition.entry
        known = entry if entry in graph.nodes else None
        reached = reachable(graph, [known] if known is not None else [])
        humans = {phase for phase in reached if definition.stages_by_phase[phase].kind == "human"}
        return cls(
            graph,
            known,
            reached,
            ends(definition, graph) & reached,
            frozenset(humans),
            _predecessors(graph, known),
        )

    def shortest(self, goals: frozenset[str]) -> Path | None:
        """Return the shortest path to any of the goals; the first of several by name."""
        paths = [self.path_to(goal) for goal in sorted(goals)]
        return min(paths, key=len, default=None)

    def path_to(self, goal: str) -> Path:
        """Return the shortest path to a reachable stage."""
        path, step = [goal], self.came_from[goal]
        while step is not None:
            path.append(step)
            step = self.came_from[step]
        return tuple(reversed(path))

    def paths(self) -> tuple[Path, ...] | None:
        """Return all paths to an end in order; None if there are more than `MAX_PATHS`."""
        if self.entry is None:
            return ()
        found: list[Path] = []
        open_paths: list[Path] = [(self.entry,)]
        steps = 0
        while open_paths:
            path = open_paths.pop()
            if path[-1] in self.ends:
                found.append(path)
            steps += 1
            if len(found) > MAX_PATHS or steps > MAX_PATHS * 50:
                return None
            seen = set(path)
            open_paths += [
                (*path, target)
                for target in reversed(self.graph.succ[path[-1]])
                if target not in seen
            ]
        return tuple(found)


def _predecessors(graph: StageGraph, entry: str | None) -> dict[str, str | None]:
    """Return the predecessor of each reachable stage on a shortest path; breadth first."""
    came_from: dict[str, str | None] = {} if entry is None else {entry: None}
    layer = list(came_from)
    while layer:
        following: list[str] = []
        for phase in layer:
            for target in graph.succ[phase]:
                if target not in came_from:
                    came_from[target] = phase
                    following.append(target)
        layer = following
    return came_from


def _changed_paths(old: _Routes, new: _Routes) -> tuple[tuple[Path, ...], tuple[Path, ...], bool]:
    """Return the paths gained and lost, and True if all paths were compared."""
    was, now = old.paths(), new.paths()
    is_complete = was is not None and now is not None
    if was is None or now is None:
        was = tuple(old.path_to(end) for end in sorted(old.ends))
        now = tuple(new.path_to(end) for end in sorted(new.ends))
    before, after = set(was), set(now)
    gained = tuple(path for path in now if path not in before)
    lost = tuple(path for path in was if path not in after)
    return gained, lost, is_complete


def _issues(definition: PipelineDefinition) -> dict[tuple[str, ...], Issue]:
    """Return the issues by code and parts: the position of a part in a file is no difference."""
    return {
        (issue.code, issue.where.kind, *issue.where.keys, issue.message): issue
        for issue in validate(definition)
    }


def _changed_tools(before: PipelineDefinition, after: PipelineDefinition) -> Iterator[ToolChange]:
    """Yield the stages whose models get other tools for handoffs."""
    for phase in sorted(before.stages_by_phase.keys() | after.stages_by_phase.keys()):
        was, now = _passing_tools(before, phase), _passing_tools(after, phase)
        if was != now:
            yield ToolChange(phase, was, now)


def _passing_tools(definition: PipelineDefinition, phase: str) -> tuple[ToolSpec, ...]:
    """Return the tools with which the agent of a stage passes the conversation or a task on."""
    if phase not in definition.stages_by_phase:
        return ()
    return tuple(tool for tool in offer(definition, phase).tools if tool.kind in _PASSING)
