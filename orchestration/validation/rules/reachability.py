"""Rules about the ways through the pipeline: what can be reached, and what can be left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration import graph
from orchestration.validation.draft import Draft, about_stages
from orchestration.validation.fix_steps import Fix, connect_from_entry, delete_transition, setting
from orchestration.validation.issues import Issue, listed, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch


def stage_unreachable(draft: Draft) -> Iterator[Issue]:
    """Every stage can be reached: from the entry, or from where routing puts its agents.

    An agent that a routing rule picks (or that answers where no rule does) enters its own stage.
    In a team a stage that is not reached is `team-stage-unasked`.
    """
    if draft.entry is None or draft.definition.topology == "team":
        return
    chosen = (phase for agent_id in draft.roving for phase in draft.phases_of.get(agent_id, ()))
    cut_off = draft.graph.nodes - graph.reachable(draft.graph, {draft.entry, *chosen})
    if cut_off:
        nothing = (
            "Neither the entry {entry!r} nor a routing rule leads"
            if draft.hands_over
            else "The entry {entry!r} does not lead"
        )
        yield about_stages(
            draft,
            "warning",
            "stage-unreachable",
            cut_off,
            nothing + " to the stage {phases}.",
            nothing + " to the stages {phases}.",
        )


def transition_unused(draft: Draft) -> Iterator[Issue]:
    """Every transition can be taken: where nobody chooses the way, there is only one."""
    definition = draft.definition
    if definition.topology == "team" and draft.entry is None:
        return
    for index, transition in draft.transitions:
        if graph.can_be_taken(definition, transition):
            continue
        match definition.topology:
            case "workflow":
                why = "in a workflow a stage leads to its next alone: make it the next"
            case "team":
                why = f"in a team only the entry {draft.entry!r} delegates: let that lead there"
            case "pipeline" | "swarm":
                why = "a group moves on to its next alone: make it the next"
        yield warning(
            "transition-unused",
            f"The transition from {transition.source!r} to {transition.target!r} is never taken,"
            f" because {why}, or take it away.",
            "transition",
            (transition.source, transition.target),
            f"$.transitions[{index}]",
        )


def loop_endless(draft: Draft) -> Iterator[Issue]:
    """Require stages that follow one another automatically to end."""
    for loop in draft.endless_loops:
        yield about_stages(
            draft,
            "error",
            "loop-endless",
            set(loop),
            "The stage {phases} follows itself, so that a run never ends:"
            " take the transition to itself away.",
            "The stages {phases} follow one another in a circle, so that a run never ends:"
            " take one of the transitions between them away.",
        )


def loop_closed(draft: Draft) -> Iterator[Issue]:
    """Something leads out of every loop, or a human answers in it.

    Loops are normal in conversations (a reviewer sends work back); only those that never end are
    worth a word. A stage that leads only to itself is one of them. In a swarm every peer may have
    the last word, and one that goes round by itself is `loop-endless`.
    """
    if draft.definition.topology != "pipeline":
        return
    endless = frozenset(draft.endless_loops)
    for loop in draft.closed_loops:
        if loop in endless:
            continue
        yield about_stages(
            draft,
            "warning",
            "loop-closed",
            set(loop),
            "The stage {phases} leads only to itself, so that a conversation in it never ends.",
            "Nothing leads out of the loop of {phases}, so that a conversation in it never ends.",
        )


def dead_end(draft: Draft) -> Iterator[Issue]:
    """From every stage an end can be reached: a stage with no way on, or one the human serves.

    A stage with no way on is itself an end, so a dead end is one that has ways on, all of which
    lead into closed loops. The loops themselves are `loop-closed` or `loop-endless`.
    """
    if draft.definition.topology != "pipeline":
        return
    looping = {phase for loop in draft.closed_loops for phase in loop}
    lost = draft.lost - looping
    if lost:
        yield about_stages(
            draft,
            "warning",
            "dead-end",
            lost,
            "From the stage {phases} no end can be reached: every way on leads into a loop.",
            "From the stages {phases} no end can be reached: every way on leads into a loop.",
        )


def ping_pong(draft: Draft) -> Iterator[Issue]:
    """Two stages do not name each other as their next: the main way leads somewhere.

    Sending work back is what returns are for. A pair that nothing leads out of is `loop-closed`,
    and one that goes round by itself `loop-endless`.
    """
    if draft.definition.topology != "pipeline":
        return
    following = {
        way.source: (way.target, index)
        for index, way in enumerate(draft.definition.transitions)
        if way.kind == "next" and way.target in draft.definition.stages_by_phase
    }
    looping = {phase for loop in (*draft.closed_loops, *draft.endless_loops) for phase in loop}
    for source, (target, _) in following.items():
        back, index = following.get(target, ("", 0))
        if back == source and source < target and not looping.intersection((source, target)):
            first, second = _in_order(draft, source, target)
            if second == source:
                index = following[source][1]
            yield warning(
                "ping-pong",
                f"The stages {first!r} and {second!r} name each other as next, so that the main way"
                f" goes back and forth: make the way from {second!r} to {first!r} a return.",
                "transition",
                (second, first),
                f"$.transitions[{index}].kind",
            )


def _in_order(draft: Draft, one: str, other: str) -> tuple[str, str]:
    """Two phases, the one that is nearer to the entry first."""
    away = draft.distances
    far = len(away)
    return (one, other) if away.get(one, far) <= away.get(other, far) else (other, one)


def human_unreachable(draft: Draft) -> Iterator[Issue]:
    """Require every non-terminal stage to reach a human's stage if agents cannot call one directly.

    Stages with no way on are ends: a conversation that rests there needs nobody.
    """
    definition = draft.definition
    if definition.allow_human or definition.topology != "pipeline":
        return
    staffed = {stage.phase for stage in definition.stages if stage.kind == "human"}
    lost = draft.graph.nodes - graph.leading_to(draft.graph, staffed) - draft.ends
    if staffed and lost:
        yield about_stages(
            draft,
            "warning",
            "human-unreachable",
            lost,
            "From the stage {phases} no way leads to a human, and no agent may call one.",
            "From the stages {phases} no way leads to a human, and no agent may call one.",
        )


def agent_twice(draft: Draft) -> Iterator[Issue]:
    """A stage leads to one stage of an agent, or each has a tool of its own (contract O-9).

    A handoff names an agent. Where that one serves two of the stages that come next, the model has
    to name the stage as well, or is refused.
    """
    if not draft.hands_over:
        return
    stages = draft.definition.stages_by_phase
    for place, stage in draft.stages:
        ways = draft.definition.transitions_from.get(stage.phase, ())
        served: dict[str, dict[str, None]] = {}
        for way in ways if stage.kind == "agent" and len(ways) > 1 else ():
            target = stages.get(way.target)
            if target and target.kind == "agent" and target.agent_id and not way.input_schema:
                served.setdefault(target.agent_id, {})[way.target] = None
        for agent_id, phases in served.items():
            if len(phases) > 1:
                yield warning(
                    "agent-twice",
                    f"The stage {stage.phase!r} leads to {listed(phases)}, all served by"
                    f" {draft.called(agent_id)!r}: a handoff that names only the agent is refused,"
                    " so give each stage its own agent, or the handoffs a schema.",
                    "stage",
                    (stage.phase,),
                    f"$.stages[{place}]",
                )


def max_handoffs_low(draft: Draft) -> Iterator[Issue]:
    """One run may make the handoffs that the shortest way from the entry to an end takes."""
    if draft.entry is None or draft.definition.topology != "pipeline":
        return
    needed = draft.handoffs_needed
    allowed = draft.definition.limits.max_handoffs
    if needed is not None and needed > allowed:
        yield warning(
            "max-handoffs-low",
            f"The shortest way from {draft.entry!r} to an end takes {needed} handoffs,"
            f" and a run may make {allowed}.",
            "pipeline",
            (),
            "$.limits.max_handoffs",
        )


def _allow_handoffs(draft: Draft, issue: Issue) -> Fix:
    needed = draft.handoffs_needed or 1
    return Fix(f"Allow {needed} handoffs", (("set", issue.where.path, needed),))


HELP: Mapping[str, RuleHelp] = {
    "loop-endless": RuleHelp(
        "A circle that never ends",
        "These stages follow one another by themselves, without anybody choosing. A run that"
        " comes here would go on for ever.",
        "Take one of the transitions of the circle away.",
        sketch("write > check, check > write", topology="workflow"),
    ),
    "stage-unreachable": RuleHelp(
        "A stage that nothing leads to",
        "No conversation ever comes there: neither from the entry nor by a routing rule.",
        "Connect it from a stage that is reached, add a routing rule, or delete it.",
        sketch("intake > review, attic > review"),
        connect_from_entry,
    ),
    "transition-unused": RuleHelp(
        "A transition that is never taken",
        "In this topology nobody takes it: in a workflow only the next is followed, in a team"
        " only the entry delegates, and a group moves on to its next alone.",
        "Make it the next, or delete it.",
        sketch("write > check, check ~ write", topology="workflow"),
        delete_transition,
    ),
    "loop-closed": RuleHelp(
        "A loop that nothing leads out of",
        "A conversation in it is passed round and round, and never comes to an end or a human."
        " Loops as such are fine: a reviewer sends work back.",
        "Lead out of the loop from one of its stages.",
        sketch("intake > review, review > intake"),
    ),
    "dead-end": RuleHelp(
        "No end can be reached",
        "Every way on leads into a loop that nothing leads out of.",
        "Lead out of the loop, or on to another stage.",
        sketch("intake > write, write > check, check > write"),
    ),
    "ping-pong": RuleHelp(
        "Two stages that name each other as next",
        "The main way goes back and forth, though both lead elsewhere too. Models follow the main"
        " way, and so would pass the conversation to and fro until the limit.",
        "Make the way back a return.",
        sketch("intake > review, review > intake, review ~ reply"),
        setting("Make it a return", "return"),
    ),
    "human-unreachable": RuleHelp(
        "No way to a human",
        "A human answers in this pipeline, but from here no transition leads there, and agents"
        " may not call one.",
        "Draw a way to the human's stage, or let agents call a human in the settings.",
        sketch(
            "intake > review, intake ~ desk, review > reply",
            allow_human=False,
            stages={"desk": {"kind": "human", "agent_id": None}},
        ),
        lambda *_: Fix("Let agents call a human", (("set", "$.allow_human", True),)),
    ),
    "agent-twice": RuleHelp(
        "One agent in two of the next stages",
        "A handoff names an agent. Where it serves two of the stages that come next, the model"
        " has to name the stage too; if it forgets, the handoff is refused.",
        "Give each stage an agent of its own, or one of the handoffs a schema: then it has a tool"
        " of its own.",
        sketch(
            "intake > bill, intake ~ refund",
            stages={"bill": {"agent_id": "agent-money"}, "refund": {"agent_id": "agent-money"}},
            agents={"agent-money": {"name": "Money"}},
        ),
    ),
    "max-handoffs-low": RuleHelp(
        "Too few handoffs to come to an end",
        "A run ends when it has made its handoffs. Even the shortest way takes more.",
        "Allow more handoffs in the pipeline's settings, or shorten the way.",
        sketch("intake > write, write > check, check > reply", limits={"max_handoffs": 2}),
        _allow_handoffs,
    ),
}
"""Help of the rules, by the code of the issue."""
