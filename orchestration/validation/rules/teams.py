"""Rules about teams: who leads, who is asked, and who never is (contract H-5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.validation.draft import Draft, about_stages
from orchestration.validation.fix_steps import connect_from_entry
from orchestration.validation.issues import Issue, error
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch


def team_leaderless(draft: Draft) -> Iterator[Issue]:
    """An agent serves the entry of a team, and leads it."""
    if draft.definition.topology != "team" or draft.entry is None:
        return
    for index, stage in draft.stages:
        if stage.phase == draft.entry and stage.kind != "agent":
            yield error(
                "team-leaderless",
                f"The {stage.kind} serves the entry {stage.phase!r}, and in a team the agent of the"
                " entry leads: choose one agent for it.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].kind",
            )


def team_worker_human(draft: Draft) -> Iterator[Issue]:
    """The lead of a team delegates to agents and groups, which answer while it waits."""
    if draft.definition.topology != "team" or draft.entry is None:
        return
    workers = set(draft.graph.succ[draft.entry])
    for index, stage in draft.stages:
        if stage.phase in workers and stage.kind == "human":
            yield error(
                "team-worker-human",
                f"The human serves the stage {stage.phase!r}, and the lead of a team delegates to"
                " agents only: choose one for it, or ask the user by a tool.",
                "stage",
                (stage.phase,),
                f"$.stages[{index}].kind",
            )


def team_stage_unasked(draft: Draft) -> Iterator[Issue]:
    """The entry of a team leads to every other stage."""
    if draft.definition.topology != "team" or draft.entry is None:
        return
    unasked = draft.graph.nodes - {draft.entry, *draft.graph.succ[draft.entry]}
    if unasked:
        yield about_stages(
            draft,
            "warning",
            "team-stage-unasked",
            unasked,
            "The entry {entry!r} does not lead to the stage {phases}, so that the lead never asks"
            " who serves it: draw a transition from the entry.",
            "The entry {entry!r} does not lead to the stages {phases}, so that the lead never asks"
            " who serves them: draw transitions from the entry.",
        )


HELP: Mapping[str, RuleHelp] = {
    "team-leaderless": RuleHelp(
        "A team without a lead",
        "In a team the agent of the entry leads, and delegates to the others. Here is none.",
        "Choose one agent for the entry, or another entry.",
        sketch(
            "desk > review", topology="team", stages={"desk": {"kind": "human", "agent_id": None}}
        ),
    ),
    "team-worker-human": RuleHelp(
        "A human that the lead delegates to",
        "The lead waits for the answer of whom it delegates to; a human may take hours.",
        "Choose an agent for the stage, or let the lead ask the user by a tool.",
        sketch(
            "lead > desk", topology="team", stages={"desk": {"kind": "human", "agent_id": None}}
        ),
    ),
    "team-stage-unasked": RuleHelp(
        "A worker that the lead never asks",
        "In a team only the entry delegates, and it does not lead to this stage.",
        "Draw a transition from the entry to the stage, or delete it.",
        sketch("lead > law, law > money", topology="team"),
        connect_from_entry,
    ),
}
"""Help of the rules, by the code of the issue."""
