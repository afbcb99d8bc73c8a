"""Rules about groups: who is in one, and in which order its members answer (contract H-9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from orchestration import graph
from orchestration.validation.draft import Draft
from orchestration.validation.issues import Issue, error, json_path, listed


def group_stage_agent(draft: Draft) -> Iterator[Issue]:
    """A group serves a group stage, and no agent does so alone."""
    for index, stage in draft.stages:
        if stage.kind == "group" and stage.agent_id is not None:
            yield error(
                "group-stage-agent",
                f"A group serves the stage {stage.phase!r}, so that it cannot have"
                f" the agent {draft.called(stage.agent_id)!r} as well:"
                " make the agent one of the group.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].agent_id",
            )


def group_misplaced(draft: Draft) -> Iterator[Issue]:
    """Only a group stage has a group."""
    for index, stage in draft.stages:
        if stage.kind != "group" and stage.group is not None:
            yield error(
                "group-misplaced",
                f"The stage {stage.phase!r} has a group, and is of the kind {stage.kind!r}:"
                " make it of the kind 'group', or take the group away.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].group",
            )


def group_agent_unknown(draft: Draft) -> Iterator[Issue]:
    """The members of a group are agents of this pipeline."""
    known = draft.definition.agents_by_id
    for index, phase, group in draft.groups:
        strange = [agent_id for agent_id in group.agents if agent_id not in known]
        if strange:
            none = "is no such agent" if len(strange) == 1 else "are no such agents"
            yield error(
                "group-agent-unknown",
                f"The group of the stage {phase!r} names {listed(strange)}, and there"
                f" {none}: add what is missing, or take it out of the group.",
                "stage",
                (phase,),
                f"$.stages[{index}].group.agents[{group.agents.index(strange[0])}]",
            )


def group_dependency_unknown(draft: Draft) -> Iterator[Issue]:
    """Members of a group depend on members of the same group."""
    for index, phase, group in draft.groups:
        members = frozenset(group.agents)
        named = [
            (name, path)
            for member, wanted in group.dependencies.items()
            for name, path in _names(index, member, wanted)
            if name not in members
        ]
        if named:
            strange = dict.fromkeys(draft.called(name) for name, _ in named)
            are = "is no member" if len(strange) == 1 else "are no members"
            yield error(
                "group-dependency-unknown",
                f"The dependencies in the group of the stage {phase!r} name {listed(strange)},"
                f" which {are} of it: take in who is missing, or name members only.",
                "stage",
                (phase,),
                named[0][1],
            )


def group_dependency_self(draft: Draft) -> Iterator[Issue]:
    """No member of a group waits for itself."""
    for index, phase, group in draft.groups:
        own = [member for member, wanted in group.dependencies.items() if member in wanted]
        if own:
            waits = "depends on itself" if len(own) == 1 else "depend on themselves"
            yield error(
                "group-dependency-self",
                f"In the group of the stage {phase!r}, {listed([*map(draft.called, own)])} {waits}:"
                " an agent cannot wait for its own output, so take that away.",
                "stage",
                (phase,),
                _path(index, own[0], group.dependencies[own[0]].index(own[0])),
            )


def group_cycle(draft: Draft) -> Iterator[Issue]:
    """The members of a group can be put in an order in which each has what it depends on."""
    for index, phase, group in draft.groups:
        for cycle in graph.loops(graph.group_graph(group)) if group.dependencies else ():
            wanted = group.dependencies[cycle[0]]
            place = next(place for place, name in enumerate(wanted) if name in cycle[1:])
            yield error(
                "group-cycle",
                f"In the group of the stage {phase!r}, {listed([*map(draft.called, cycle)])}"
                " wait for each other, so that none can begin:"
                " take away one of their dependencies.",
                "stage",
                (phase,),
                _path(index, cycle[0], place),
            )


def _names(index: int, member: str, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the members that a dependency entry names, each with its path."""
    yield member, _path(index, member)
    for place, name in enumerate(wanted):
        yield name, _path(index, member, place)


def _path(index: int, member: str, *place: int) -> str:
    return json_path("stages", index, "group", "dependencies", member, *place)
