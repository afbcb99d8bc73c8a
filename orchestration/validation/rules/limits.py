"""Rules about the limits of conversations and the budget of a run (contract D-9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import Fix
from orchestration.validation.issues import Issue, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch


def budget_exceeded(draft: Draft) -> Iterator[Issue]:
    """Require a budget that allows all turns of a run's conversations.

    Delegates, members of groups and subtasks have conversations with limits of their own, so the
    limit of turns multiplies.
    """
    conversations = _conversations(draft)
    limits = draft.definition.limits
    calls = conversations * limits.max_turns
    if conversations > 1 and calls > limits.max_calls:
        yield warning(
            "budget-exceeded",
            f"A run allows {limits.max_turns} turns in each of {conversations} conversations, the"
            f" main one and its subtasks: {calls:,} model calls. Its budget is"
            f" {limits.max_calls:,} calls, so it may end early: decrease the limit of turns, or"
            " increase the budget.",
            "pipeline",
            (),
            "$.limits.max_turns",
        )


def _conversations(draft: Draft) -> int:
    """Return the number of conversations in a run in which each subtask starts once."""
    definition = draft.definition
    workers = 0
    if definition.topology == "team" and draft.entry is not None:
        workers = len(draft.graph.succ[draft.entry])
    members = sum(len(stage.group.agents) for stage in definition.stages if stage.group)
    subtasks = sum(tool.kind == "subtask" for tool in definition.tools)
    return 1 + workers + members + subtasks


def _fit_budget(draft: Draft, issue: Issue) -> Fix:
    conversations, limits = _conversations(draft), draft.definition.limits
    if turns := limits.max_calls // conversations:
        return Fix(f"Allow {turns} turns", (("set", issue.where.path, turns),))
    calls = min(conversations * limits.max_turns, 100_000)
    return Fix(f"Allow {calls:,} calls", (("set", "$.limits.max_calls", calls),))


HELP: Mapping[str, RuleHelp] = {
    "budget-exceeded": RuleHelp(
        "Limits that multiply past the budget",
        "Each delegate, group member and subtask has a conversation with a limit of turns of its"
        " own. Together they allow more model calls than the budget of a run, which then ends"
        " before its answer.",
        "Allow fewer turns, or more model calls, in the pipeline's settings.",
        sketch("lead > law, lead ~ money", topology="team", limits={"max_turns": 90}),
        _fit_budget,
    ),
}
"""Help of the rules, by the code of the issue."""
