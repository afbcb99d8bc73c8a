"""Order of a group's members, and their inputs (contract H-9)."""

from __future__ import annotations

from collections.abc import Mapping

from orchestration.definition import Group


def next_members(group: Group, outputs: Mapping[str, str]) -> tuple[str, ...]:
    """Return the members that can start, given the existing outputs.

    A parallel group returns all of them, any other group the first in order of registration. The
    result is empty if all have answered, or if members wait for each other (a validation issue).

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
        and all(needed in outputs for needed in group.dependencies.get(name, ()))
    )
    return ready if group.parallel else ready[:1]


def input_of(group: Group, name: str, task: str, outputs: Mapping[str, str]) -> str:
    """Return the input of a member: the task and the outputs of its dependencies.

    In a sequential group without dependencies each member gets the output of the previous one.
    """
    if not group.parallel and not group.dependencies:
        position = group.agents.index(name)
        return outputs[group.agents[position - 1]] if position else task
    dependencies = group.dependencies.get(name, ())
    inputs = (f"[{other}]: {outputs[other]}" for other in group.agents if other in dependencies)
    return "\n\n".join([task, *inputs])


def join_outputs(outputs: Mapping[str, str]) -> str:
    """Join the outputs of a group; a single output stays unchanged."""
    if len(outputs) == 1:
        return next(iter(outputs.values()))
    return "\n\n".join(f"[{name}]: {output}" for name, output in outputs.items())
