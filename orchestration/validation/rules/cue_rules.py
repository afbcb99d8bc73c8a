"""Rules about cues: they matter in rehearsals with the scripted provider only, so they warn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from orchestration.definition import HUMAN, Agent, Cue, CueHandoff
from orchestration.validation.draft import Draft, answering
from orchestration.validation.fix_steps import Fix, connect_stages, removing
from orchestration.validation.issues import Issue, listed, path_steps, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import cue_sketch


def cue_never(draft: Draft) -> Iterator[Issue]:
    """Require a cue's handoff to be possible: the target exists, and the stage is served by it."""
    known = {*draft.definition.agents_by_id, *draft.group_phases, HUMAN}
    for agent, cue, path in _cues(draft):
        before = cue.after_handoff_from
        if before is not None and before not in known:
            yield warning(
                "cue-never",
                f"A cue of {draft.called(agent.id)!r} waits for a handoff from {before!r},"
                " and there is no such agent.",
                "agent",
                (agent.id,),
                f"{path}.after_handoff_from",
            )
        if cue.in_phase is not None and not _serves(draft, agent, cue.in_phase):
            yield warning(
                "cue-never",
                f"A cue of {draft.called(agent.id)!r} waits for the stage {cue.in_phase!r},"
                " which the agent does not serve.",
                "agent",
                (agent.id,),
                f"{path}.in_phase",
            )


def cue_tool_unknown(draft: Draft) -> Iterator[Issue]:
    """A cue calls a tool that its agent has, its own or one by which it passes on."""
    for agent, cue, path in _cues(draft):
        if cue.call is None or cue.call.tool in agent.tools:
            continue
        if not _passes_on_by(draft, agent, cue.call.tool):
            yield warning(
                "cue-tool-unknown",
                f"A cue of {draft.called(agent.id)!r} calls {cue.call.tool!r},"
                " which is not among the agent's tools.",
                "agent",
                (agent.id,),
                f"{path}.call.tool",
            )


def cue_target_unknown(draft: Draft) -> Iterator[Issue]:
    """A cue hands over to an agent of this pipeline, an alias, a stage, or the human."""
    for agent, cue, path in _cues(draft):
        if cue.hand_over is not None and _goal(draft, cue.hand_over) is None:
            yield warning(
                "cue-target-unknown",
                f"A cue of {draft.called(agent.id)!r} hands over to {cue.hand_over.target!r},"
                " which is neither an agent, nor an alias, nor a stage.",
                "agent",
                (agent.id,),
                f"{path}.hand_over.target",
            )


def cue_way_missing(draft: Draft) -> Iterator[Issue]:
    """A transition leads from a stage of the agent to the one its cue hands over to.

    In a workflow and in a team nobody hands over at all. Agents that a routing rule picks, or that
    answer where no rule does, may stand in any stage: of them nothing is said. Nor of members of
    groups: a group takes over and hands over as one.
    """
    for agent, cue, path in _cues(draft):
        phases = (cue.in_phase,) if cue.in_phase else draft.phases_of.get(agent.id, ())
        spared = agent.id in draft.roving or agent.id in draft.groups_of
        if cue.hand_over is None:
            continue
        if not draft.hands_over:
            yield warning(
                "cue-way-missing",
                f"A cue of {draft.called(agent.id)!r} hands over to {_named(draft, cue.hand_over)},"
                f" and in a {draft.definition.topology} nobody hands over: let it only answer.",
                "agent",
                (agent.id,),
                f"{path}.hand_over",
            )
            continue
        if spared or not phases:
            continue
        goal = _goal(draft, cue.hand_over)
        if goal is None or goal[0] in draft.groups_of or _leads_to_human(draft, goal[0], phases):
            continue
        own = [phase for phase in phases if phase in draft.phases_of.get(agent.id, ())]
        if not draft.leads(own, *goal):
            yield warning(
                "cue-way-missing",
                f"A cue of {draft.called(agent.id)!r} hands over to {_named(draft, cue.hand_over)},"
                f" and no transition leads there from {listed(phases)}.",
                "agent",
                (agent.id,),
                f"{path}.hand_over",
            )


def _cues(draft: Draft) -> Iterator[tuple[Agent, Cue, str]]:
    for index, agent in draft.agents:
        for place, cue in enumerate(agent.cues):
            yield agent, cue, f"$.agents[{index}].cues[{place}]"


def _passes_on_by(draft: Draft, agent: Agent, name: str) -> bool:
    """Report whether the agent hands over or delegates by a tool in any of its stages."""
    if agent.id in draft.roving:
        return name in draft.passing_names
    tools = (draft.passing_tools(phase) for phase in draft.phases_of.get(agent.id, ()))
    return any(name == tool for some in tools for tool, _ in some)


def _goal(draft: Draft, hand_over: CueHandoff) -> tuple[str, str | None] | None:
    """Return the target and phase (None: any) of a handoff; None if it is invalid."""
    definition = draft.definition
    target = definition.aliases.get(hand_over.target, hand_over.target)
    if target == HUMAN or target in definition.agents_by_id:
        return target, hand_over.phase
    stage = definition.stages_by_phase.get(target)
    if stage is None:
        return None
    return answering(stage) or "", hand_over.phase or stage.phase


def goal_of(draft: Draft, cue: Cue) -> tuple[str, str | None] | None:
    """Return the target and its phase (None: any) of a cue; None for an invalid target."""
    return _goal(draft, cue.hand_over) if cue.hand_over else None


def names_in_cues(agent: Agent) -> set[str | None]:
    """Everyone and everything that an agent's cues name, but for tools; and perhaps None."""
    found = {name for cue in agent.cues for name in (cue.after_handoff_from, cue.in_phase)}
    for cue in agent.cues:
        if cue.hand_over is not None:
            found |= {cue.hand_over.target, cue.hand_over.phase}
    return found


def _leads_to_human(draft: Draft, target: str, phases: Iterable[str]) -> bool:
    """Report whether the target is the human, whom every non-terminal stage can reach."""
    if target != HUMAN or not draft.definition.allow_human:
        return False
    return any(draft.graph.succ.get(phase) for phase in phases)


def _named(draft: Draft, hand_over: CueHandoff) -> str:
    target = draft.called(hand_over.target)
    return repr(target) if hand_over.phase is None else f"{target!r} in {hand_over.phase!r}"


def _serves(draft: Draft, agent: Agent, phase: str) -> bool:
    """Report whether the agent may answer in `phase`: in any stage if routing can select it."""
    if agent.id in draft.roving:
        return phase in draft.definition.stages_by_phase
    phases = draft.phases_of.get(agent.id, ())
    return phase in phases or phase in draft.groups_of.get(agent.id, ())


def _connect_for_cue(draft: Draft, issue: Issue) -> Fix | None:
    if not draft.hands_over:
        return None
    definition = draft.definition
    _, agent, _, place, *_ = path_steps(issue.where.path)
    who = definition.agents[int(agent)]
    cue = who.cues[int(place)]
    goal = goal_of(draft, cue)
    sources = [cue.in_phase] if cue.in_phase else draft.phases_of.get(who.id, ())
    targets = draft.phases_of.get(goal[0], ()) if goal else ()
    target = goal[1] if goal and goal[1] else targets[0] if targets else None
    known = definition.stages_by_phase
    if not target or target not in known or not sources or sources[0] not in known:
        return None
    return connect_stages(definition, sources[0], target)


_delete_cue = removing("Delete the cue", 4)


HELP: Mapping[str, RuleHelp] = {
    "cue-never": RuleHelp(
        "A cue that never plays",
        "It waits for what cannot happen: a handoff from nobody, or a stage that is not its"
        " agent's.",
        "Correct what the cue waits for, or delete it. Cues matter in offline rehearsals only.",
        cue_sketch(say="Welcome back.", after_handoff_from="nobody"),
        _delete_cue,
    ),
    "cue-tool-unknown": RuleHelp(
        "A cue that calls a tool its agent does not have",
        "The scripted agent would call it, and be told that there is none.",
        "Give the agent the tool, or change the cue.",
        cue_sketch(when=["order"], call={"tool": "look_up"}),
        _delete_cue,
    ),
    "cue-target-unknown": RuleHelp(
        "A cue that hands over to nobody",
        "Its target is neither an agent nor an alias nor a stage.",
        "Choose another target, or delete the cue.",
        cue_sketch(when=["bill"], hand_over={"target": "nobody"}),
        _delete_cue,
    ),
    "cue-way-missing": RuleHelp(
        "A cue that hands over without a way",
        "No transition leads there, so that the handoff would be refused in the rehearsal.",
        "Draw the transition, or change the cue.",
        cue_sketch(when=["bill"], hand_over={"target": "agent-reply"}),
        _connect_for_cue,
    ),
}
"""Help of the rules, by the code of the issue."""
