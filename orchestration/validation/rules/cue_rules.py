"""Rules about cues. They only warn: cues matter only with the scripted provider."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from orchestration.definition import HUMAN, Agent, Cue, CueHandoff
from orchestration.handoff import matching_targets, same_name
from orchestration.names import closest_names
from orchestration.validation.draft import Draft, server_of
from orchestration.validation.fix_steps import (
    Fix,
    agent_names,
    connect_stages,
    pointing,
    removing,
    setting,
)
from orchestration.validation.issues import Issue, listed, path_steps, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import cue_sketch


def cue_never(draft: Draft) -> Iterator[Issue]:
    """Require conditions of a cue that can be met, before any cue that always matches first."""
    known = {*draft.definition.agents_by_id, *draft.group_phases, HUMAN}
    for agent, cue, path in _cues(draft):
        sender = cue.after_handoff_from
        if sender is not None and sender not in known:
            yield warning(
                "cue-never",
                f"A cue of {draft.agent_label(agent.id)!r} waits for a handoff from {sender!r},"
                " and there is no such agent.",
                "agent",
                (agent.id,),
                f"{path}.after_handoff_from",
            )
        if cue.in_phase is not None and not _serves(draft, agent, cue.in_phase):
            yield warning(
                "cue-never",
                f"A cue of {draft.agent_label(agent.id)!r} waits for the stage {cue.in_phase!r},"
                " which the agent does not serve.",
                "agent",
                (agent.id,),
                f"{path}.in_phase",
            )
        if (first := _always_first(agent, cue)) is not None:
            yield warning(
                "cue-never",
                f"A cue of {draft.agent_label(agent.id)!r} is never played: cue {first + 1}, above"
                " it, matches every message.",
                "agent",
                (agent.id,),
                f"{path}.when",
            )


def _always_first(agent: Agent, cue: Cue) -> int | None:
    """Return the place of an earlier cue that matches whenever `cue` does, or None."""
    for place, earlier in enumerate(agent.cues):
        if earlier is cue:
            return None
        is_wider = earlier.in_phase is None or earlier.in_phase == cue.in_phase
        if not earlier.when and is_wider and earlier.after_handoff_from == cue.after_handoff_from:
            return place
    return None


def cue_tool_unknown(draft: Draft) -> Iterator[Issue]:
    """Require cues to call tools of their agent: its own, or for handoffs and delegation."""
    for agent, cue, path in _cues(draft):
        actions = _actions(draft, agent)
        if action := _missing_action(cue, actions):
            yield warning(
                "cue-tool-unknown",
                f"A cue of the supervisor {draft.agent_label(agent.id)!r} needs the action"
                f" {action!r}, which the supervision does not allow.",
                "agent",
                (agent.id,),
                f"{path}.hand_over",
            )
        if cue.call is None or cue.call.tool in agent.tools or cue.call.tool in (actions or ()):
            continue
        if not _has_handoff_tool(draft, agent, cue.call.tool):
            yield warning(
                "cue-tool-unknown",
                f"A cue of {draft.agent_label(agent.id)!r} calls {cue.call.tool!r},"
                " which is not one of the agent's tools.",
                "agent",
                (agent.id,),
                f"{path}.call.tool",
            )


def cue_target_unknown(draft: Draft) -> Iterator[Issue]:
    """Require cues to hand over to an agent, an alias, a stage or the human."""
    for agent, cue, path in _cues(draft):
        if cue.hand_over is not None and _target(draft, cue.hand_over) is None:
            matches = _matches(draft, cue.hand_over)
            why = "neither an agent, nor an alias, nor a stage."
            if matches:
                why = f"a name of {listed(matches)}: use the id of one of them."
            yield warning(
                "cue-target-unknown",
                f"A cue of {draft.agent_label(agent.id)!r} hands over to {cue.hand_over.target!r},"
                f" which is {why}",
                "agent",
                (agent.id,),
                f"{path}.hand_over.target",
            )


def cue_transition_missing(draft: Draft) -> Iterator[Issue]:
    """Require a transition from a stage of the agent to the target of its cue.

    In a workflow and in a team there are no handoffs. Agents that routing may select in any stage
    are not checked, and neither are members of groups, which take over and hand over as a whole.
    """
    for agent, cue, path in _cues(draft):
        phases = (cue.in_phase,) if cue.in_phase else draft.phases_of.get(agent.id, ())
        is_exempt = agent.id in draft.routed_agents or agent.id in draft.groups_of
        if cue.hand_over is None or _actions(draft, agent) is not None:
            continue
        if not draft.hands_over:
            yield warning(
                "cue-way-missing",
                f"A cue of {draft.agent_label(agent.id)!r} hands over to"
                f" {_label(draft, cue.hand_over)}, and a {draft.definition.topology} has no"
                " handoffs: remove the handoff.",
                "agent",
                (agent.id,),
                f"{path}.hand_over",
            )
            continue
        if is_exempt or not phases:
            continue
        target = _target(draft, cue.hand_over)
        if target is None or target[0] in draft.groups_of:
            continue
        if _leads_to_human(draft, target[0], phases):
            continue
        own = [phase for phase in phases if phase in draft.phases_of.get(agent.id, ())]
        if not draft.leads_to(own, *target):
            yield warning(
                "cue-way-missing",
                f"A cue of {draft.agent_label(agent.id)!r} hands over to"
                f" {_label(draft, cue.hand_over)}, and no transition leads there"
                f" from {listed(phases)}.",
                "agent",
                (agent.id,),
                f"{path}.hand_over",
            )


def _cues(draft: Draft) -> Iterator[tuple[Agent, Cue, str]]:
    for index, agent in draft.agents:
        for place, cue in enumerate(agent.cues):
            yield agent, cue, f"$.agents[{index}].cues[{place}]"


def _actions(draft: Draft, agent: Agent) -> Collection[str] | None:
    """Return the allowed actions of the supervisor; None for any other agent."""
    definition = draft.definition
    is_supervisor = agent.id == definition.supervisor_id and agent.id not in draft.phases_of
    supervision = definition.supervision if is_supervisor else None
    return None if supervision is None else supervision.may


def _missing_action(cue: Cue, actions: Collection[str] | None) -> str | None:
    """Return the action that a supervisor needs for the handoff of a cue, if it is not allowed."""
    if actions is None or cue.hand_over is None:
        return None
    action = "escalate" if same_name(cue.hand_over.target, HUMAN) else "redirect"
    return None if action in actions else action


def _has_handoff_tool(draft: Draft, agent: Agent, name: str) -> bool:
    """Report whether the agent has this handoff or delegation tool in any of its stages."""
    if agent.id in draft.routed_agents:
        return name in draft.all_handoff_tool_names
    tools = (draft.handoff_tools(phase) for phase in draft.phases_of.get(agent.id, ()))
    return any(name == tool for stage_tools in tools for tool, _ in stage_tools)


def _target(draft: Draft, hand_over: CueHandoff) -> tuple[str | None, str | None] | None:
    """Return the target and phase (None: any) of a handoff; None if it is invalid.

    The target is None for a stage without an agent.
    """
    definition, matches = draft.definition, _matches(draft, hand_over)
    if len(matches) != 1:
        return None
    target = matches[0]
    if target == HUMAN or target in definition.agents_by_id:
        return target, hand_over.phase
    stage = definition.stages_by_phase.get(target)
    if stage is None:
        return None
    return server_of(stage), hand_over.phase or stage.phase


def _matches(draft: Draft, hand_over: CueHandoff) -> tuple[str, ...]:
    """Return the agents and stages that the target of a handoff can mean."""
    definition = draft.definition
    return matching_targets(
        hand_over.target,
        definition.agents_by_id,
        draft.agent_names,
        definition.aliases,
        definition.stages_by_phase,
    )


def target_of(draft: Draft, cue: Cue) -> tuple[str | None, str | None] | None:
    """Return the target and its phase (None: any) of a cue; None for an invalid target.

    The target is None for a stage without an agent.
    """
    return _target(draft, cue.hand_over) if cue.hand_over else None


def names_in_cues(agent: Agent) -> set[str]:
    """Return all agents and stages that an agent's cues name."""
    names = {name for cue in agent.cues for name in (cue.after_handoff_from, cue.in_phase)}
    for cue in agent.cues:
        if cue.hand_over is not None:
            names |= {cue.hand_over.target, cue.hand_over.phase}
    return {name for name in names if name is not None}


def _leads_to_human(draft: Draft, target: str | None, phases: Iterable[str]) -> bool:
    """Report whether the target is the human and can be reached from a non-terminal stage."""
    if target != HUMAN or not draft.definition.allow_human:
        return False
    return any(draft.graph.succ.get(phase) for phase in phases)


def _label(draft: Draft, hand_over: CueHandoff) -> str:
    target = draft.agent_label(hand_over.target)
    return repr(target) if hand_over.phase is None else f"{target!r} in {hand_over.phase!r}"


def _serves(draft: Draft, agent: Agent, phase: str) -> bool:
    """Report whether the agent may answer in a phase; routed agents may answer in any."""
    if agent.id in draft.routed_agents or _actions(draft, agent) is not None:
        return phase in draft.definition.stages_by_phase
    phases = draft.phases_of.get(agent.id, ())
    return phase in phases or phase in draft.groups_of.get(agent.id, ())


def _connect_for_cue(draft: Draft, issue: Issue) -> Fix | None:
    if not draft.hands_over:
        return None
    definition = draft.definition
    _, agent, _, place, *_ = path_steps(issue.where.path)
    owner = definition.agents[int(agent)]
    cue = owner.cues[int(place)]
    server, phase = target_of(draft, cue) or (None, None)
    sources = [cue.in_phase] if cue.in_phase else draft.phases_of.get(owner.id, ())
    target = phase or next(iter(draft.phases_of.get(server or "", ())), None)
    known = definition.stages_by_phase
    if not target or target not in known or not sources or sources[0] not in known:
        return None
    return connect_stages(definition, sources[0], target)


def _target_names(draft: Draft, _: Issue) -> dict[str, str]:
    """Return the agents, aliases and stages that a cue can hand over to, by id and name."""
    definition = draft.definition
    names = {name: name for name in (*definition.aliases, *definition.stages_by_phase)}
    names |= {agent.name: agent.id for agent in definition.agents}
    names |= {agent.id: agent.id for agent in definition.agents}
    return {
        name: value
        for name, value in names.items()
        if _target(draft, CueHandoff(target=value)) is not None
    }


def _repair_target(draft: Draft, issue: Issue) -> Fix | None:
    """Use the id of an agent whose name is ambiguous, or the most similar name."""
    cue, path = _cue_at(draft, issue)
    matches = _matches(draft, cue.hand_over) if cue.hand_over else ()
    for match in matches:
        if _target(draft, CueHandoff(target=match)) is not None:
            return Fix(f"Use “{match}”", (("set", f"{path}.hand_over.target", match),))
    return pointing(_target_names, _delete_cue)(draft, issue)


def _repair_call(draft: Draft, issue: Issue) -> Fix | None:
    """Allow the action, call a similar tool, give the agent the tool, or remove the call."""
    cue, path = _cue_at(draft, issue)
    agent, agent_path = _agent_at(draft, issue)
    actions = _actions(draft, agent)
    if action := _missing_action(cue, actions):
        return Fix(f"Allow “{action}”", (("append", "$.supervision.may", action),))
    if cue.call is None:
        return None
    tool, defined = cue.call.tool, draft.definition.tools_by_name
    phases = draft.phases_of.get(agent.id, ())
    passing = [name for phase in phases for name, _ in draft.handoff_tools(phase)]
    if similar := closest_names(tool, [*(actions or ()), *agent.tools, *passing]):
        return Fix(f"Call “{similar[0]}”", (("set", issue.where.path, similar[0]),))
    if actions is None and tool in defined:
        return Fix("Give the agent the tool", (("append", f"{agent_path}.tools", tool),))
    if cue.say or cue.hand_over:
        return Fix("Remove the call", (("set", f"{path}.call", None),))
    return _delete_cue(draft, issue)


def _repair_condition(draft: Draft, issue: Issue) -> Fix | None:
    """Wait for the most similar agent or stage, or for none; move a cue before one like it."""
    agent, agent_path = _agent_at(draft, issue)
    if issue.where.path.endswith(".when"):
        cue, _ = _cue_at(draft, issue)
        first = _always_first(agent, cue)
        if first is None:
            return None
        others = [each for each in agent.cues if each is not cue]
        moved = [each.model_dump(mode="json") for each in (*others[:first], cue, *others[first:])]
        return Fix(f"Move it above cue {first + 1}", (("set", f"{agent_path}.cues", moved),))
    if issue.where.path.endswith(".in_phase"):
        stages = draft.definition.stages_by_phase
        names = {phase: phase for phase in stages if _serves(draft, agent, phase)}
    else:
        names = agent_names(draft, issue) | {phase: phase for phase in draft.group_phases}
    without = setting("Remove the condition", None)
    return pointing(lambda _draft, _issue: names, without)(draft, issue)


def _agent_at(draft: Draft, issue: Issue) -> tuple[Agent, str]:
    """Return the agent of an issue, and its path."""
    _, index, *_ = path_steps(issue.where.path)
    return draft.definition.agents[int(index)], f"$.agents[{index}]"


def _cue_at(draft: Draft, issue: Issue) -> tuple[Cue, str]:
    """Return the cue of an issue, and its path."""
    agent, path = _agent_at(draft, issue)
    _, _, _, place, *_ = path_steps(issue.where.path)
    return agent.cues[int(place)], f"{path}.cues[{place}]"


_delete_cue = removing("Delete the cue", 4)


HELP: Mapping[str, RuleHelp] = {
    "cue-never": RuleHelp(
        "A cue that never plays",
        "It waits for a handoff from an unknown agent, or for a stage that its agent does not"
        " serve, or a cue above it matches every message.",
        "Correct the condition, move the cue up, or delete it. Cues matter only in offline"
        " rehearsals.",
        cue_sketch(say="Welcome back.", after_handoff_from="unknown"),
        _repair_condition,
        can_fix_all=True,
    ),
    "cue-tool-unknown": RuleHelp(
        "A cue that calls a tool its agent does not have",
        "The call of the scripted agent would fail.",
        "Give the agent the tool, or change the cue.",
        cue_sketch(when=["order"], call={"tool": "look_up"}),
        _repair_call,
        can_fix_all=True,
    ),
    "cue-target-unknown": RuleHelp(
        "A cue with an unknown target",
        "Its target is neither an agent nor an alias nor a stage.",
        "Choose another target, or delete the cue.",
        cue_sketch(when=["bill"], hand_over={"target": "unknown"}),
        _repair_target,
        can_fix_all=True,
    ),
    "cue-way-missing": RuleHelp(
        "A cue that hands over without a transition",
        "No transition leads to the target, so the handoff would be rejected.",
        "Draw the transition, or change the cue.",
        cue_sketch(when=["bill"], hand_over={"target": "agent-reply"}),
        _connect_for_cue,
    ),
}
"""Help of the rules, by the code of the issue."""
