"""Rules about groups: who is in one, and in which order its members answer (contract H-9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from orchestration import graph
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import removing, setting, take_out
from orchestration.validation.issues import Issue, error, json_path, listed
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import group_sketch, sketch


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


HELP: Mapping[str, RuleHelp] = {
    "group-stage-agent": RuleHelp(
        "A group stage with an agent of its own",
        "The members of a group answer together; an agent beside them would never be asked.",
        "Take the agent away, or make it a member of the group.",
        sketch(
            "intake > review",
            stages={"review": {"kind": "group", "group": {"agents": ["agent-review"]}}},
        ),
        setting("Leave it to the group", None),
    ),
    "group-misplaced": RuleHelp(
        "A group where none answers",
        "Only a stage of the kind group is served by a group; here it would be ignored.",
        "Make the stage a group, or take the group away.",
        sketch("intake > review", stages={"review": {"group": {"agents": ["agent-review"]}}}),
        setting("Take the group away", None),
    ),
    "group-agent-unknown": RuleHelp(
        "A member that does not exist",
        "The group names an agent that is not part of this pipeline: it could not answer.",
        "Take the name out of the group, or add the agent.",
        group_sketch(agents=["agent-law", "agent-money", "nobody"]),
        take_out,
    ),
    "group-dependency-unknown": RuleHelp(
        "Waiting for someone outside the group",
        "A member can only wait for members of the same group: others do not answer here.",
        "Take in who is missing, or let the member wait for members only.",
        group_sketch(dependencies={"agent-law": ["agent-intake"]}),
        take_out,
    ),
    "group-dependency-self": RuleHelp(
        "A member that waits for itself",
        "It would wait for its own answer, and so never begin.",
        "Take the dependency on itself away.",
        group_sketch(dependencies={"agent-law": ["agent-law"]}),
        take_out,
    ),
    "group-cycle": RuleHelp(
        "Members that wait for each other",
        "Each waits for the answer of the next, and round again: none of them can begin.",
        "Take one of the dependencies of the circle away.",
        group_sketch(dependencies={"agent-law": ["agent-money"], "agent-money": ["agent-law"]}),
        removing("Take one dependency away"),
    ),
}
"""Help of the rules, by the code of the issue."""
