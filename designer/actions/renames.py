"""Renaming: a definition in which everything that named a part names it anew.

These are functions from value to value; the actions write what is different.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestration.definition import Agent, Cue, Group, PipelineDefinition, Rule, Stage, Transition


def with_phase(definition: PipelineDefinition, old: str, new: str) -> PipelineDefinition:
    """The definition with the stage `old` called `new`."""
    name = _renaming(old, new)

    def way(transition: Transition) -> Transition:
        ends = {"source": name(transition.source), "target": name(transition.target)}
        return transition.model_copy(update=ends)

    def rule(given: Rule) -> Rule:
        phases = given.conditions.phases
        if phases is None or old not in phases:
            return given
        named = tuple(sorted({name(phase) for phase in phases}))
        conditions = given.conditions.model_copy(update={"phases": named})
        return given.model_copy(update={"conditions": conditions})

    def cue(given: Cue) -> Cue:
        hand_over = given.hand_over
        if hand_over and hand_over.phase == old:
            hand_over = hand_over.model_copy(update={"phase": new})
        phase = new if given.in_phase == old else given.in_phase
        return given.model_copy(update={"in_phase": phase, "hand_over": hand_over})

    layout = definition.layout
    places = {name(phase): at for phase, at in layout.stages.items()}
    stages = (stage.model_copy(update={"phase": name(stage.phase)}) for stage in definition.stages)
    return _changed(
        definition,
        stages=tuple(stages),
        transitions=tuple(map(way, definition.transitions)),
        rules=tuple(map(rule, definition.rules)),
        agents=tuple(_with_cues(agent, cue) for agent in definition.agents),
        entry=new if definition.entry == old else definition.entry,
        layout=layout.model_copy(update={"stages": places}),
    )


def with_agent_id(definition: PipelineDefinition, old: str, new: str) -> PipelineDefinition:
    """The definition with the agent `old` called `new`."""
    name = _renaming(old, new)

    def cue(given: Cue) -> Cue:
        hand_over = given.hand_over
        if hand_over and hand_over.target == old:
            hand_over = hand_over.model_copy(update={"target": new})
        source = new if given.after_handoff_from == old else given.after_handoff_from
        return given.model_copy(update={"after_handoff_from": source, "hand_over": hand_over})

    layout = definition.layout
    return _changed(
        definition,
        agents=tuple(
            _with_cues(agent, cue).model_copy(update={"id": name(agent.id)})
            for agent in definition.agents
        ),
        stages=tuple(_served(stage, old, name) for stage in definition.stages),
        rules=tuple(
            rule.model_copy(update={"agent_id": name(rule.agent_id)}) for rule in definition.rules
        ),
        aliases={alias: name(target) for alias, target in definition.aliases.items()},
        default_agent_id=definition.default_agent_id and name(definition.default_agent_id),
        supervisor_id=definition.supervisor_id and name(definition.supervisor_id),
        layout=layout.model_copy(
            update={"hues": {name(agent): hue for agent, hue in layout.hues.items()}}
        ),
    )


def with_tool_name(definition: PipelineDefinition, old: str, new: str) -> PipelineDefinition:
    """The definition with the tool `old` called `new`."""
    name = _renaming(old, new)

    def cue(given: Cue) -> Cue:
        if given.call is None or given.call.tool != old:
            return given
        return given.model_copy(update={"call": given.call.model_copy(update={"tool": new})})

    return _changed(
        definition,
        tools=tuple(tool.model_copy(update={"name": name(tool.name)}) for tool in definition.tools),
        agents=tuple(
            _with_cues(agent, cue).model_copy(
                update={"tools": tuple(sorted({name(tool) for tool in agent.tools}))}
            )
            for agent in definition.agents
        ),
    )


def _renaming(old: str, new: str) -> Callable[[str], str]:
    return lambda name: new if name == old else name


def _served(stage: Stage, old: str, name: Callable[[str], str]) -> Stage:
    """The stage with its agent, or the members of its group, named anew."""
    if stage.agent_id == old:
        return stage.model_copy(update={"agent_id": name(old)})
    return stage.model_copy(update={"group": stage.group and _with_members(stage.group, name)})


def _with_members(group: Group, name: Callable[[str], str]) -> Group:
    """The group with its members named anew; two that now go by one name are one."""
    wanted: dict[str, tuple[str, ...]] = {}
    for member, needed in group.dependencies.items():
        others = wanted.get(name(member), ())
        wanted[name(member)] = (*others, *map(name, needed))
    return Group(
        agents=tuple(map(name, group.agents)), parallel=group.parallel, dependencies=wanted
    )


def _with_cues(agent: Agent, cue: Callable[[Cue], Cue]) -> Agent:
    return agent.model_copy(update={"cues": tuple(map(cue, agent.cues))})


def _changed(definition: PipelineDefinition, **parts: Any) -> PipelineDefinition:
    return definition.model_copy(update=parts)
