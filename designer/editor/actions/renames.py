"""Renaming of parts, with all references to them, as functions from value to value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestration.definition import (
    HUMAN,
    SUPERVISOR_ACTIONS,
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
from orchestration.handoff import matching_targets


def with_phase(definition: PipelineDefinition, old: str, new: str) -> PipelineDefinition:
    """Return the definition with the stage `old` renamed to `new`.

    A phase can also be the target of a handoff or the name of a group. A phase that equals the name
    of an agent or alias refers to these, so such references stay.
    """
    name = _renaming(old, new)
    others = {*definition.agents_by_id, *definition.aliases, HUMAN}
    target_name = name if old not in others else _renaming(old, old)

    def rename_transition(transition: Transition) -> Transition:
        if transition.source != old and transition.target != old:
            return transition
        ends = {"source": name(transition.source), "target": name(transition.target)}
        return transition.model_copy(update=ends)

    def rename_rule(rule: Rule) -> Rule:
        phases = rule.conditions.phases
        rule = _rename_compared(rule, "state.phase", name)
        rule = _rename_compared(rule, "state.active_agent_id", target_name)
        if phases is None or old not in phases:
            return rule
        new_phases = tuple(sorted({name(phase) for phase in phases}))
        conditions = rule.conditions.model_copy(update={"phases": new_phases})
        return rule.model_copy(update={"conditions": conditions})

    def rename_cue(cue: Cue) -> Cue:
        hand_over = cue.hand_over
        if hand_over:
            phase = _rename_optional(name, hand_over.phase)
            update = {"target": target_name(hand_over.target), "phase": phase}
            hand_over = hand_over.model_copy(update=update)
        return cue.model_copy(
            update={
                "in_phase": _rename_optional(name, cue.in_phase),
                "after_handoff_from": _rename_optional(target_name, cue.after_handoff_from),
                "hand_over": hand_over,
            }
        )

    layout = definition.layout
    positions = {name(phase): at for phase, at in layout.stages.items()}
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
    return _updated(
        definition,
        stages=tuple(stages),
        transitions=tuple(map(rename_transition, definition.transitions)),
        rules=tuple(map(rename_rule, definition.rules)),
        agents=tuple(_map_cues(agent, rename_cue) for agent in definition.agents),
        entry=_rename_optional(name, definition.entry),
        layout=layout.model_copy(update={"stages": positions, "frames": frames}),
    )


def with_agent_id(definition: PipelineDefinition, old: str, new: str) -> PipelineDefinition:
    """Return the definition with the id of the agent `old` changed to `new`."""
    name = _renaming(old, new)

    def rename_rule(rule: Rule) -> Rule:
        rule = _rename_compared(rule, "state.active_agent_id", name)
        return rule.model_copy(update={"agent_id": name(rule.agent_id)})

    def rename_cue(cue: Cue) -> Cue:
        hand_over = cue.hand_over
        if hand_over:
            hand_over = hand_over.model_copy(update={"target": name(hand_over.target)})
        source = _rename_optional(name, cue.after_handoff_from)
        return cue.model_copy(update={"after_handoff_from": source, "hand_over": hand_over})

    def rename_agent(agent: Agent) -> Agent:
        agent = _map_cues(agent, rename_cue)
        if agent.id == definition.supervisor_id:
            agent = _map_cues(agent, lambda cue: _rename_command(cue, name))
        return agent.model_copy(update={"id": name(agent.id)})

    layout = definition.layout
    return _updated(
        definition,
        agents=tuple(map(rename_agent, definition.agents)),
        stages=tuple(_rename_agents(stage, old, name) for stage in definition.stages),
        rules=tuple(map(rename_rule, definition.rules)),
        aliases={alias: name(target) for alias, target in definition.aliases.items()},
        default_agent_id=_rename_optional(name, definition.default_agent_id),
        supervisor_id=_rename_optional(name, definition.supervisor_id),
        layout=layout.model_copy(
            update={"hues": {name(agent): hue for agent, hue in layout.hues.items()}}
        ),
    )


def with_agent_name(definition: PipelineDefinition, agent_id: str, new: str) -> PipelineDefinition:
    """Return the definition with the agent named `new`, also in cues that hand over to its name."""
    agents, aliases = definition.agents_by_id, definition.aliases
    phases = definition.stages_by_phase
    names = {agent.id: agent.name for agent in definition.agents}
    keys = {*agents, *aliases, *phases, HUMAN}

    def rename_cue(cue: Cue) -> Cue:
        hand_over = cue.hand_over
        if hand_over is None or hand_over.target in keys:
            return cue
        if matching_targets(hand_over.target, agents, names, aliases, phases) != (agent_id,):
            return cue
        hand_over = hand_over.model_copy(update={"target": new})
        return cue.model_copy(update={"hand_over": hand_over})

    def rename_agent(agent: Agent) -> Agent:
        agent = _map_cues(agent, rename_cue)
        return agent.model_copy(update={"name": new}) if agent.id == agent_id else agent

    return _updated(definition, agents=tuple(map(rename_agent, definition.agents)))


def with_tool_name(definition: PipelineDefinition, old: str, new: str) -> PipelineDefinition:
    """Return the definition with the tool `old` renamed to `new`."""
    name = _renaming(old, new)

    supervisor = definition.supervisor_id if old in SUPERVISOR_ACTIONS else None

    def rename_cue(cue: Cue) -> Cue:
        if cue.call is None or cue.call.tool != old:
            return cue
        return cue.model_copy(update={"call": cue.call.model_copy(update={"tool": new})})

    def rename_in(agent: Agent) -> Agent:
        # The supervisor's cues call the tools of its actions.
        agent = agent if agent.id == supervisor else _map_cues(agent, rename_cue)
        return agent.model_copy(
            update={"tools": tuple(sorted({name(tool) for tool in agent.tools}))}
        )

    return _updated(
        definition,
        tools=tuple(tool.model_copy(update={"name": name(tool.name)}) for tool in definition.tools),
        agents=tuple(map(rename_in, definition.agents)),
    )


def _renaming(old: str, new: str) -> Callable[[str], str]:
    return lambda name: new if name == old else name


def _rename_optional(name: Callable[[str], str], key: str | None) -> str | None:
    return None if key is None else name(key)


def _rename_compared(rule: Rule, field: ComparedField, name: Callable[[str], str]) -> Rule:
    """Rename the values that a rule compares a field with.

    Only operators that compare the complete name are affected, so `contains` is not.
    """
    if not rule.conditions.rows:
        return rule

    def rename_row(row: Comparison) -> Comparison:
        if row.field != field or row.operator not in ("is", "is_not", "one_of"):
            return row
        if isinstance(row.value, str):
            return row.model_copy(update={"value": name(row.value)})
        if isinstance(row.value, tuple):
            return row.model_copy(update={"value": tuple(sorted({*map(name, row.value)}))})
        return row

    rows = tuple(map(rename_row, rule.conditions.rows))
    conditions = rule.conditions.model_copy(update={"rows": rows})
    return rule.model_copy(update={"conditions": conditions})


def _rename_command(cue: Cue, name: Callable[[str], str]) -> Cue:
    """Rename the agent in the arguments of a supervisor's note or redirection."""
    field = _COMMAND_FIELDS.get(cue.call.tool) if cue.call else None
    if cue.call is None or not isinstance(key := cue.call.arguments.get(field or ""), str):
        return cue
    arguments = cue.call.arguments | {field: name(key)}
    return cue.model_copy(update={"call": cue.call.model_copy(update={"arguments": arguments})})


_COMMAND_FIELDS = {"note": "to_agent", "redirect": "target"}


def _rename_agents(stage: Stage, old: str, name: Callable[[str], str]) -> Stage:
    """Rename the agent of a stage, or the members of its group."""
    if stage.agent_id == old:
        return stage.model_copy(update={"agent_id": name(old)})
    return stage.model_copy(update={"group": stage.group and _rename_members(stage.group, name)})


def _rename_members(group: Group, name: Callable[[str], str]) -> Group:
    """Rename the members of a group. Two members with the same new name become one."""
    dependencies: dict[str, tuple[str, ...]] = {}
    for member, required in group.dependencies.items():
        others = dependencies.get(name(member), ())
        dependencies[name(member)] = (*others, *map(name, required))
    agents = tuple(map(name, group.agents))
    return Group(agents=agents, parallel=group.parallel, dependencies=dependencies)


def _map_cues(agent: Agent, change: Callable[[Cue], Cue]) -> Agent:
    if not agent.cues:
        return agent
    return agent.model_copy(update={"cues": tuple(map(change, agent.cues))})


def _updated(definition: PipelineDefinition, **parts: Any) -> PipelineDefinition:
    return definition.model_copy(update=parts)
