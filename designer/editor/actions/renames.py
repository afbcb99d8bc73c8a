"""Renaming: a definition in which everything that named a part names it anew.

These are functions from value to value; the actions write what is different.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestration.definition import (
    HUMAN,
    Agent,
    ComparedField,
    Comparison,
    Cue,
    Group,
    PipelineDefinition,
    Rule,
    Stage,
    Transition,
)


def with_phase(definition: PipelineDefinition, old: str, new: str) -> PipelineDefinition:
    """The definition with the stage `old` called `new`.

    A stage may stand for who serves it: a cue hands over to it, and a group goes by its stage's
    phase. An agent or alias of that name comes first, and is none of the stage's.
    """
    name = _renaming(old, new)
    others = {*definition.agents_by_id, *definition.aliases, HUMAN}
    who = name if old not in others else _renaming(old, old)

    def way(transition: Transition) -> Transition:
        if transition.source != old and transition.target != old:
            return transition
        ends = {"source": name(transition.source), "target": name(transition.target)}
        return transition.model_copy(update=ends)

    def rule(given: Rule) -> Rule:
        compared = _comparing(given, "state.phase", name)
        compared = _comparing(compared, "state.active_agent_id", who)
        phases = given.conditions.phases
        if phases is None or old not in phases:
            return compared
        named = tuple(sorted({name(phase) for phase in phases}))
        conditions = compared.conditions.model_copy(update={"phases": named})
        return compared.model_copy(update={"conditions": conditions})

    def cue(given: Cue) -> Cue:
        hand_over = given.hand_over
        if hand_over:
            goal = {"target": who(hand_over.target), "phase": _maybe(name, hand_over.phase)}
            hand_over = hand_over.model_copy(update=goal)
        update = {
            "in_phase": _maybe(name, given.in_phase),
            "after_handoff_from": _maybe(who, given.after_handoff_from),
            "hand_over": hand_over,
        }
        return given.model_copy(update=update)

    layout = definition.layout
    places = {name(phase): at for phase, at in layout.stages.items()}
    frames = tuple(
        frame.model_copy(update={"stages": tuple(sorted(map(name, frame.stages)))})
        if old in frame.stages
        else frame
        for frame in layout.frames
    )
    stages = (
        stage.model_copy(update={"phase": new}) if stage.phase == old else stage
        for stage in definition.stages
    )
    return _changed(
        definition,
        stages=tuple(stages),
        transitions=tuple(map(way, definition.transitions)),
        rules=tuple(map(rule, definition.rules)),
        agents=tuple(_with_cues(agent, cue) for agent in definition.agents),
        entry=_maybe(name, definition.entry),
        layout=layout.model_copy(update={"stages": places, "frames": frames}),
    )


def with_agent_id(definition: PipelineDefinition, old: str, new: str) -> PipelineDefinition:
    """The definition with the agent `old` called `new`."""
    name = _renaming(old, new)

    def rule(given: Rule) -> Rule:
        compared = _comparing(given, "state.active_agent_id", name)
        return compared.model_copy(update={"agent_id": name(given.agent_id)})

    def cue(given: Cue) -> Cue:
        hand_over = given.hand_over
        if hand_over:
            hand_over = hand_over.model_copy(update={"target": name(hand_over.target)})
        source = _maybe(name, given.after_handoff_from)
        return given.model_copy(update={"after_handoff_from": source, "hand_over": hand_over})

    layout = definition.layout
    return _changed(
        definition,
        agents=tuple(
            _with_cues(agent, cue).model_copy(update={"id": name(agent.id)})
            for agent in definition.agents
        ),
        stages=tuple(_served(stage, old, name) for stage in definition.stages),
        rules=tuple(map(rule, definition.rules)),
        aliases={alias: name(target) for alias, target in definition.aliases.items()},
        default_agent_id=_maybe(name, definition.default_agent_id),
        supervisor_id=_maybe(name, definition.supervisor_id),
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


def _maybe(name: Callable[[str], str], key: str | None) -> str | None:
    return None if key is None else name(key)


def _comparing(rule: Rule, field: ComparedField, name: Callable[[str], str]) -> Rule:
    """The rule with what its comparisons of a field name named anew.

    Parts of names (`contains`) stay as they are, and so does what is no name.
    """
    if not rule.conditions.rows:
        return rule

    def row(given: Comparison) -> Comparison:
        if given.field != field or given.operator not in ("is", "is_not", "one_of"):
            return given
        value = given.value
        if isinstance(value, str):
            return given.model_copy(update={"value": name(value)})
        if isinstance(value, tuple):
            return given.model_copy(update={"value": tuple(sorted({*map(name, value)}))})
        return given

    rows = tuple(map(row, rule.conditions.rows))
    conditions = rule.conditions.model_copy(update={"rows": rows})
    return rule.model_copy(update={"conditions": conditions})


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
    if not agent.cues:
        return agent
    return agent.model_copy(update={"cues": tuple(map(cue, agent.cues))})


def _changed(definition: PipelineDefinition, **parts: Any) -> PipelineDefinition:
    return definition.model_copy(update=parts)
