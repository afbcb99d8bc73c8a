"""Rules about paths: unreachable stages, unused transitions, and too low limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration import graph
from orchestration.validation.draft import Draft, about_stages
from orchestration.validation.fix_steps import (
    Fix,
    Step,
    connect_from_entry,
    delete_transition,
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
