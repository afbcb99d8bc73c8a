"""Rules about teams: the lead and its workers (contract H-5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.validation.draft import Draft, about_stages
from orchestration.validation.fix_steps import connect_from_entry
from orchestration.validation.issues import Issue, error
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch


def team_leaderless(draft: Draft) -> Iterator[Issue]:
    """Require an agent at the entry of a team, as its lead."""
    if draft.definition.topology != "team" or draft.entry is None:
        return
    for index, stage in draft.stages:
        if stage.phase == draft.entry and stage.kind != "agent":
            yield error(
                "team-leaderless",
                f"The {stage.kind} serves the entry {stage.phase!r}, but in a team the agent of the"
                " entry leads: choose an agent for it.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].kind",
            )


def team_worker_human(draft: Draft) -> Iterator[Issue]:
    """Require workers that are agents or groups: the lead waits for their answers."""
    if draft.definition.topology != "team" or draft.entry is None:
        return
    workers = set(draft.graph.succ[draft.entry])
    for index, stage in draft.stages:
        if stage.phase in workers and stage.kind == "human":
            yield error(
                "team-worker-human",
                f"The human serves the stage {stage.phase!r}, but the lead of a team delegates only"
                " to agents: choose an agent, or use a tool that asks the user.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].kind",
            )


def team_stage_unasked(draft: Draft) -> Iterator[Issue]:
    """Require a transition from the entry of a team to every other stage."""
    if draft.definition.topology != "team" or draft.entry is None:
        return
    unused = draft.graph.nodes - {draft.entry, *draft.graph.succ[draft.entry]}
    if unused:
        yield about_stages(
            draft,
            "warning",
            "team-stage-unasked",
            unused,
            "The entry {entry!r} does not lead to the stage {phases}, so the lead never delegates"
            " to it: draw a transition from the entry.",
            "The entry {entry!r} does not lead to the stages {phases}, so the lead never delegates"
            " to them: draw transitions from the entry.",
        )


HELP: Mapping[str, RuleHelp] = {
    "team-leaderless": RuleHelp(
        "A team without a lead",
        "In a team the agent of the entry leads and delegates to the others. This entry has none.",
        "Choose an agent for the entry, or another entry.",
        sketch(
            "desk > review", topology="team", stages={"desk": {"kind": "human", "agent_id": None}}
        ),
    ),
    "team-worker-human": RuleHelp(
        "A human as a worker",
        "The lead waits for the answers of its workers; a human may take hours.",
        "Choose an agent for the stage, or give the lead a tool that asks the user.",
        sketch(
            "lead > desk", topology="team", stages={"desk": {"kind": "human", "agent_id": None}}
        ),
    ),
    "team-stage-unasked": RuleHelp(
        "A worker without a transition from the lead",
        "In a team only the entry delegates, but it does not lead to this stage.",
        "Draw a transition from the entry to the stage, or delete it.",
        sketch("lead > law, law > money", topology="team"),
        connect_from_entry,
    ),
}
"""Help of the rules, by the code of the issue."""
