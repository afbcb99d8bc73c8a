"""Rules about paths: unreachable stages, loops and dead ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration import graph
from orchestration.validation.draft import Draft, about_stages
from orchestration.validation.fix_steps import (
    Fix,
    Step,
    connect_from_entry,
    delete_transition,
    setting,
)
from orchestration.validation.issues import Issue, listed, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch


def stage_unreachable(draft: Draft) -> Iterator[Issue]:
    """Require every stage to be reachable from the entry or from a stage of a routed agent.

    An agent that a routing rule selects, and the default agent, enter their own stages. In a team
    an unreachable stage is `team-stage-unasked`.
    """
    if draft.entry is None or draft.definition.topology == "team":
        return
    chosen = (
        phase for agent_id in draft.routed_agents for phase in draft.phases_of.get(agent_id, ())
    )
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
    """Require transitions that can be taken: automatic handoffs follow only the next."""
    definition = draft.definition
    if definition.topology == "team" and draft.entry is None:
        return
    for index, transition in draft.transitions:
        if graph.can_be_taken(definition, transition):
            continue
        match definition.topology:
            case "workflow":
                reason = "a workflow follows only the next transition: make it the next"
            case "team":
                reason = (
                    f"in a team only the entry {draft.entry!r} delegates: connect it from there"
                )
            case "pipeline" | "swarm":
                reason = "a group follows only its next transition: make it the next"
        yield warning(
            "transition-unused",
            f"The transition from {transition.source!r} to {transition.target!r} is never taken,"
            f" because {reason}, or delete it.",
            "transition",
            (transition.source, transition.target),
            f"$.transitions[{index}]",
        )


def loop_endless(draft: Draft) -> Iterator[Issue]:
    """Require automatic transitions to lead to an end."""
    for loop in draft.endless_loops:
        yield about_stages(
            draft,
            "error",
            "loop-endless",
            set(loop),
            "The stage {phases} follows itself, so a run never ends:"
            " delete the transition to itself.",
            "The stages {phases} follow one another in a cycle, so a run never ends:"
            " delete one of the transitions between them.",
        )


def loop_closed(draft: Draft) -> Iterator[Issue]:
    """Require a transition out of each loop, or a human in it.

    Loops are normal in conversations (a reviewer sends work back); only loops without an end are
    reported, including a stage that leads only to itself. In a swarm every agent may end the
    conversation. An automatic loop is `loop-endless`.
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
            "The stage {phases} leads only to itself, so a conversation in it never ends.",
            "No transition leads out of the loop of {phases}, so a conversation in it never ends.",
        )


def dead_end(draft: Draft) -> Iterator[Issue]:
    """Require every stage to reach an end: a terminal stage, or a stage of the human.

    All transitions from a dead end lead into closed loops. The loops themselves are `loop-closed`
    or `loop-endless`.
    """
    if draft.definition.topology != "pipeline":
        return
    looping = {phase for loop in draft.closed_loops for phase in loop}
    lost = draft.stages_without_end - looping
    if lost:
        yield about_stages(
            draft,
            "warning",
            "dead-end",
            lost,
            "From the stage {phases} no end can be reached: every transition leads into a loop.",
            "From the stages {phases} no end can be reached: every transition leads into a loop.",
        )


def ping_pong(draft: Draft) -> Iterator[Issue]:
    """Forbid pairs of stages that name each other as next.

    A return sends work back. A pair without a transition out of it is `loop-closed`, and an
    automatic one `loop-endless`.
    """
    if draft.definition.topology != "pipeline":
        return
    following = {
        transition.source: (transition.target, index)
        for index, transition in enumerate(draft.definition.transitions)
        if transition.kind == "next" and transition.target in draft.definition.stages_by_phase
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
                f"The stages {first!r} and {second!r} name each other as next, so the main path"
                f" goes back and forth: make the transition from {second!r} to {first!r} a return.",
                "transition",
                (second, first),
                f"$.transitions[{index}].kind",
            )


def _in_order(draft: Draft, phase: str, other: str) -> tuple[str, str]:
    """Return two phases, first the one nearer to the entry."""
    distances = draft.distances
    far = len(distances)
    is_nearer = distances.get(phase, far) <= distances.get(other, far)
    return (phase, other) if is_nearer else (other, phase)


def human_unreachable(draft: Draft) -> Iterator[Issue]:
    """Require every non-terminal stage to reach a human's stage if agents cannot call one directly.

    A terminal stage is an end: no human is needed there.
    """
    definition = draft.definition
    if definition.allow_human or definition.topology != "pipeline":
        return
    staffed = {stage.phase for stage in definition.stages if stage.kind == "human"}
    cut_off = draft.graph.nodes - graph.leading_to(draft.graph, staffed) - draft.ends
    if staffed and cut_off:
        yield about_stages(
            draft,
            "warning",
            "human-unreachable",
            cut_off,
            "From the stage {phases} no path leads to a human, and agents cannot call a human.",
            "From the stages {phases} no path leads to a human, and agents cannot call a human.",
        )


def agent_twice(draft: Draft) -> Iterator[Issue]:
    """Require different agents in the next stages, or separate handoff tools (contract O-9).

    A handoff names an agent. If the agent serves two of the next stages, the model must also name
    the stage, or the handoff is rejected.
    """
    if not draft.hands_over:
        return
    stages = draft.definition.stages_by_phase
    for place, stage in draft.stages:
        transitions = draft.definition.transitions_from.get(stage.phase, ())
        served: dict[str, dict[str, None]] = {}
        for transition in transitions if stage.kind == "agent" and len(transitions) > 1 else ():
            target = stages.get(transition.target)
            server = target.agent_id if target and target.kind == "agent" else None
            if server and not transition.input_schema:
                served.setdefault(server, {})[transition.target] = None
        for agent_id, phases in served.items():
            if len(phases) > 1:
                yield warning(
                    "agent-twice",
                    f"The stage {stage.phase!r} leads to {listed(phases)}, all served by"
                    f" {draft.agent_label(agent_id)!r}: a handoff that names only the agent is"
                    " rejected, so give each stage its own agent, or the handoffs a schema.",
                    "stage",
                    (stage.phase,),
                    f"$.stages[{place}]",
                )


def max_handoffs_low(draft: Draft) -> Iterator[Issue]:
    """Require a limit that allows the shortest path from the entry to an end."""
    if draft.entry is None or draft.definition.topology != "pipeline":
        return
    needed = draft.handoffs_needed
    allowed = draft.definition.limits.max_handoffs
    if needed is not None and needed > allowed:
        yield warning(
            "max-handoffs-low",
            f"The shortest path from {draft.entry!r} to an end needs {needed} handoffs,"
            f" and a run allows {allowed}: increase the limit.",
            "pipeline",
            (),
            "$.limits.max_handoffs",
        )


def _allow_handoffs(draft: Draft, issue: Issue) -> Fix:
    """Allow the handoffs, and a turn of each agent on the path."""
    needed = draft.handoffs_needed or 1
    title = f"Allow {needed} handoffs"
    steps: list[Step] = [("set", issue.where.path, needed)]
    if needed >= draft.definition.limits.max_turns:
        title = f"{title} and {needed + 1} turns"
        steps += [("set", "$.limits.max_turns", needed + 1)]
    return Fix(title, tuple(steps))


HELP: Mapping[str, RuleHelp] = {
    "loop-endless": RuleHelp(
        "A cycle that never ends",
        "These stages follow one another automatically. A run that reaches them would never end.",
        "Delete one of the transitions in the cycle.",
        sketch("write > check, check > write", topology="workflow"),
    ),
    "stage-unreachable": RuleHelp(
        "A stage that cannot be reached",
        "No conversation reaches it, neither from the entry nor by a routing rule.",
        "Connect it from a reachable stage, add a routing rule, or delete it.",
        sketch("intake > review, attic > review"),
        connect_from_entry,
    ),
    "transition-unused": RuleHelp(
        "A transition that is never taken",
        "In this topology it has no effect: a workflow and a group follow only the next transition,"
        " and in a team only the entry delegates.",
        "Make it the next, or delete it.",
        sketch("write > check, check ~ write", topology="workflow"),
        delete_transition,
    ),
    "loop-closed": RuleHelp(
        "A loop without a transition out of it",
        "A conversation in it never reaches an end or a human. Other loops are fine: a reviewer"
        " sends work back.",
        "Draw a transition out of the loop from one of its stages.",
        sketch("intake > review, review > intake"),
    ),
    "dead-end": RuleHelp(
        "No end can be reached",
        "Every transition leads into a loop without a transition out of it.",
        "Draw a transition out of the loop, or to another stage.",
        sketch("intake > write, write > check, check > write"),
    ),
    "ping-pong": RuleHelp(
        "Two stages that name each other as next",
        "The main path goes back and forth, although both lead to other stages too. Models follow"
        " the main path and would hand over until the limit is reached.",
        "Make the transition back a return.",
        sketch("intake > review, review > intake, review ~ reply"),
        setting("Make it a return", "return"),
    ),
    "human-unreachable": RuleHelp(
        "No path to a human",
        "A human answers in this pipeline, but no path leads there from this stage, and agents"
        " cannot call a human.",
        "Draw a transition to the human's stage, or allow agents to call a human in the settings.",
        sketch(
            "intake > review, intake ~ desk, review > reply",
            allow_human=False,
            stages={"desk": {"kind": "human", "agent_id": None}},
        ),
        lambda *_: Fix("Allow agents to call a human", (("set", "$.allow_human", True),)),
    ),
    "agent-twice": RuleHelp(
        "One agent in two of the next stages",
        "A handoff names an agent. If it serves two of the next stages, the model must also name"
        " the stage, or the handoff is rejected.",
        "Give each stage its own agent, or give one of the handoffs a schema: it then has its own"
        " tool.",
        sketch(
            "intake > bill, intake ~ refund",
            stages={"bill": {"agent_id": "agent-money"}, "refund": {"agent_id": "agent-money"}},
            agents={"agent-money": {"name": "Money"}},
        ),
    ),
    "max-handoffs-low": RuleHelp(
        "Too few handoffs to reach an end",
        "A run ends when it reaches the limit of handoffs. Even the shortest path needs more.",
        "Allow more handoffs in the pipeline's settings, or shorten the path.",
        sketch("intake > write, write > check, check > reply", limits={"max_handoffs": 2}),
        _allow_handoffs,
    ),
}
"""Help of the rules, by the code of the issue."""
