"""Order in which the members of a group answer, and their inputs (contract H-9)."""

from __future__ import annotations

from collections.abc import Mapping

from orchestration.definition import Group


def next_members(group: Group, outputs: Mapping[str, str]) -> tuple[str, ...]:
    """Return the members to ask next, given the existing outputs; empty when all have answered.

    All who can begin, where the group is parallel; else the first of them in order of
    registration. Nobody too where members wait for each other: that is an issue of the rules.

    >>> group = Group(agents=("a", "b", "c"), parallel=False, dependencies={"a": ("c",)})
    >>> next_members(group, {})
    ('b',)
    >>> next_members(group, {"b": "…", "c": "…"})
    ('a',)
    """
    ready = tuple(
        name
        for name in group.agents
        if name not in outputs
        and all(wanted in outputs for wanted in group.dependencies.get(name, ()))
    )
    return ready if group.parallel else ready[:1]


def input_of(group: Group, name: str, told: str, outputs: Mapping[str, str]) -> str:
    """Return the input of a member: the original input and the outputs of all its dependencies.

    In a group that is one after the other and names no dependencies, each is told the output of
    the one before.
    """
    if not group.parallel and not group.dependencies:
        at = group.agents.index(name)
        return outputs[group.agents[at - 1]] if at else told
    wanted = group.dependencies.get(name, ())
    given = (f"[{other}]: {outputs[other]}" for other in group.agents if other in wanted)
    return "\n\n".join([told, *given])


def joined(outputs: Mapping[str, str]) -> str:
    """The outputs of a group as one text; a single one as it stands."""
    if len(outputs) == 1:
        return next(iter(outputs.values()))
    return "\n\n".join(f"[{name}]: {output}" for name, output in outputs.items())
