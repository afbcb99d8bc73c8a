"""Rules about groups: their members and the order of their answers (contract H-9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from orchestration import graph
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import remove_value, removing, setting
from orchestration.validation.issues import Issue, error, json_path, listed
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import group_sketch, sketch


def group_stage_agent(draft: Draft) -> Iterator[Issue]:
    """Require group stages to have no single agent."""
    for index, stage in draft.stages:
        if stage.kind == "group" and stage.agent_id is not None:
            yield error(
                "group-stage-agent",
                f"A group serves the stage {stage.phase!r}, so it cannot also have"
                f" the agent {draft.agent_label(stage.agent_id)!r}: add the agent to the group.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].agent_id",
            )


def group_misplaced(draft: Draft) -> Iterator[Issue]:
    """Require groups to be on group stages."""
    for index, stage in draft.stages:
        if stage.kind != "group" and stage.group is not None:
            yield error(
                "group-misplaced",
                f"The stage {stage.phase!r} has a group, but its kind is {stage.kind!r}:"
                " change the kind to 'group', or remove the group.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].group",
            )


def group_agent_unknown(draft: Draft) -> Iterator[Issue]:
    """Require the members of a group to be agents of the pipeline."""
    known = draft.definition.agents_by_id
    for index, phase, group in draft.groups:
        unknown = [agent_id for agent_id in group.agents if agent_id not in known]
        if unknown:
            none = "is no such agent" if len(unknown) == 1 else "are no such agents"
            yield error(
                "group-agent-unknown",
                f"The group of the stage {phase!r} names {listed(unknown)}, and there"
                f" {none}: add the agent, or remove it from the group.",
                "stage",
                (phase,),
                f"$.stages[{index}].group.agents[{group.agents.index(unknown[0])}]",
            )


def group_dependency_unknown(draft: Draft) -> Iterator[Issue]:
    """Require dependencies between members of the same group."""
    for index, phase, group in draft.groups:
        members = frozenset(group.agents)
        outsiders = [
            (name, path)
            for member, needed in group.dependencies.items()
            for name, path in _names(index, member, needed)
            if name not in members
        ]
        if outsiders:
            names = dict.fromkeys(draft.agent_label(name) for name, _ in outsiders)
            are = "is not a member" if len(names) == 1 else "are not members"
            yield error(
                "group-dependency-unknown",
                f"The dependencies in the group of the stage {phase!r} name {listed(names)},"
                f" which {are} of it: add the missing members, or choose members only.",
                "stage",
                (phase,),
                outsiders[0][1],
            )


def group_dependency_self(draft: Draft) -> Iterator[Issue]:
    """Forbid dependencies of a member on itself."""
    for index, phase, group in draft.groups:
        own = [member for member, needed in group.dependencies.items() if member in needed]
        if own:
            waits = "depends on itself" if len(own) == 1 else "depend on themselves"
            yield error(
                "group-dependency-self",
                f"In the group of the stage {phase!r},"
                f" {listed([*map(draft.agent_label, own)])} {waits}:"
                " an agent cannot wait for its own answer, so remove the dependency.",
                "stage",
                (phase,),
                _path(index, own[0], group.dependencies[own[0]].index(own[0])),
            )


def group_cycle(draft: Draft) -> Iterator[Issue]:
    """Require dependencies without cycles."""
    for index, phase, group in draft.groups:
        for cycle in graph.loops(graph.group_graph(group)) if group.dependencies else ():
            needed = group.dependencies[cycle[0]]
            place = next(place for place, name in enumerate(needed) if name in cycle[1:])
            yield error(
                "group-cycle",
                f"In the group of the stage {phase!r}, {listed([*map(draft.agent_label, cycle)])}"
                " wait for each other, so none can begin:"
                " remove one of their dependencies.",
                "stage",
                (phase,),
                _path(index, cycle[0], place),
            )


def _names(index: int, member: str, needed: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the names in a dependency entry, each with its path."""
    yield member, _path(index, member)
    for place, name in enumerate(needed):
        yield name, _path(index, member, place)


def _path(index: int, member: str, *place: int) -> str:
    return json_path("stages", index, "group", "dependencies", member, *place)


HELP: Mapping[str, RuleHelp] = {
    "group-stage-agent": RuleHelp(
        "A group stage with a single agent",
        "The members of a group answer together; an additional agent would never answer.",
        "Remove the agent, or add it to the group.",
        sketch(
            "intake > review",
            stages={"review": {"kind": "group", "group": {"agents": ["agent-review"]}}},
        ),
        setting("Remove the agent", None),
    ),
    "group-misplaced": RuleHelp(
        "A group on another kind of stage",
        "Only a stage of the kind group uses its group; here it would be ignored.",
        "Change the kind of the stage to group, or remove the group.",
        sketch("intake > review", stages={"review": {"group": {"agents": ["agent-review"]}}}),
        setting("Remove the group", None),
    ),
    "group-agent-unknown": RuleHelp(
        "A member that does not exist",
        "The group contains an agent that is not part of this pipeline and cannot answer.",
        "Remove it from the group, or add the agent.",
        group_sketch(agents=["agent-law", "agent-money", "unknown"]),
        remove_value,
    ),
    "group-dependency-unknown": RuleHelp(
        "A dependency outside the group",
        "A member can wait only for members of the same group: others do not answer here.",
        "Add the missing member, or choose members only.",
        group_sketch(dependencies={"agent-law": ["agent-intake"]}),
        remove_value,
    ),
    "group-dependency-self": RuleHelp(
        "A member that waits for itself",
        "It would wait for its own answer and never begin.",
        "Remove the dependency on itself.",
        group_sketch(dependencies={"agent-law": ["agent-law"]}),
        remove_value,
    ),
    "group-cycle": RuleHelp(
        "Members that wait for each other",
        "Each waits for the answer of the next in a cycle: none of them can begin.",
        "Remove one of the dependencies in the cycle.",
        group_sketch(dependencies={"agent-law": ["agent-money"], "agent-money": ["agent-law"]}),
        removing("Remove one dependency"),
    ),
}
"""Help of the rules, by the code of the issue."""
