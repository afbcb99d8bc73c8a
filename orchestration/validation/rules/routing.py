"""Rules about routing rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from orchestration.exceptions import ConditionError
from orchestration.routing import compile_expression
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import (
    agent_names,
    choose_none,
    delete_rule,
    pointing,
    remove_value,
)
from orchestration.validation.issues import Issue, error, listed, path_steps, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import rule_sketch, sketch


def rule_duplicate(draft: Draft) -> Iterator[Issue]:
    """Require unique ids of routing rules."""
    seen: set[str] = set()
    for index, rule in draft.rules:
        if rule.id in seen:
            yield error(
                "rule-duplicate",
                f"More than one routing rule has the id {rule.id!r}: give each its own.",
                "rule",
                (rule.id,),
                f"$.rules[{index}].id",
            )
        seen.add(rule.id)


def rule_agent_unknown(draft: Draft) -> Iterator[Issue]:
    """Require routing rules to select an agent of the pipeline."""
    known = draft.definition.agents_by_id
    for index, rule in draft.rules:
        if rule.agent_id not in known:
            yield error(
                "rule-agent-unknown",
                f"The routing rule {rule.id!r} selects {rule.agent_id!r},"
                " and there is no such agent.",
                "rule",
                (rule.id,),
                f"$.rules[{index}].agent_id",
            )


def rule_phase_unknown(draft: Draft) -> Iterator[Issue]:
    """Require existing stages in the conditions of routing rules."""
    known = draft.definition.stages_by_phase
    for index, rule in draft.rules:
        for place, phase in enumerate(rule.conditions.phases or ()):
            if phase not in known:
                yield error(
                    "rule-phase-unknown",
                    f"The routing rule {rule.id!r} requires the stage {phase!r},"
                    " and there is no such stage.",
                    "rule",
                    (rule.id,),
                    f"$.rules[{index}].conditions.phases[{place}]",
                )


def rule_never(draft: Draft) -> Iterator[Issue]:
    """Require conditions that can match: no empty choice (contract O-4)."""
    for index, rule in draft.rules:
        conditions = rule.conditions
        empty = [
            name
            for name, choice in (
                ("phases", conditions.phases),
                ("channel_types", conditions.channel_types),
                ("intents", conditions.intents),
                ("source_channel_ids", conditions.source_channel_ids),
            )
            if choice == ()
        ]
        if empty:
            yield warning(
                "rule-never",
                f"The routing rule {rule.id!r} can never match,"
                f" because {listed(empty)} is empty: choose values, or remove the condition.",
                "rule",
                (rule.id,),
                f"$.rules[{index}].conditions.{empty[0]}",
            )


def rule_unused(draft: Draft) -> Iterator[Issue]:
    """Report routing rules that are never used because every message begins at the entry."""
    definition = draft.definition
    if draft.hands_over:
        return
    reason = f"In a {definition.topology} every message begins at the entry"
    for index, rule in enumerate(definition.rules):
        yield warning(
            "rule-unused",
            f"{reason}, so the routing rule {rule.id!r} is never used: delete it.",
            "rule",
            (rule.id,),
            f"$.rules[{index}]",
        )
    if definition.default_agent_id is not None:
        yield warning(
            "default-agent-unused",
            f"{reason}, so the default agent {draft.agent_label(definition.default_agent_id)!r}"
            " is never used: choose none.",
            "pipeline",
            (),
            "$.default_agent_id",
        )


def condition_invalid(draft: Draft) -> Iterator[Issue]:
    """Require an expression with a boolean result as the condition of a rule (contract O-4)."""
    for index, rule in draft.rules:
        text = rule.conditions.custom
        fault = None if text is None else _fault(text)
        if fault is not None:
            yield error(
                "condition-invalid",
                f"The condition of the routing rule {rule.id!r} is wrong{fault}",
                "rule",
                (rule.id,),
                f"$.rules[{index}].conditions.custom",
            )


@lru_cache(maxsize=4_096)
def _fault(text: str) -> str | None:
    try:
        compile_expression(text)
    except ConditionError as fault:
        return f"{'' if fault.column is None else f' at column {fault.column}'}: {fault}"
    return None


def _other_stages(draft: Draft, issue: Issue) -> dict[str, str]:
    """Return the stages that the rule does not require yet."""
    _, index, *_ = path_steps(issue.where.path)
    required = draft.definition.rules[int(index)].conditions.phases or ()
    return {phase: phase for phase in draft.definition.stages_by_phase if phase not in required}


HELP: Mapping[str, RuleHelp] = {
    "rule-duplicate": RuleHelp(
        "Two routing rules with one id",
        "The trace names the rule that selected an agent. Two rules with the same id cannot be"
        " distinguished.",
        "Give each rule its own id.",
        sketch(
            "intake > review",
            rules=[
                {"id": "bills", "agent_id": "agent-review", "conditions": {"intents": [word]}}
                for word in ("bill", "invoice")
            ],
        ),
    ),
    "rule-agent-unknown": RuleHelp(
        "A routing rule without an agent",
        "The rule selects an agent that is not part of this pipeline, so it is skipped.",
        "Choose another agent, or delete the rule.",
        sketch("intake", rules=[{"id": "bills", "agent_id": "unknown"}]),
        pointing(agent_names, delete_rule),
    ),
    "rule-phase-unknown": RuleHelp(
        "A routing rule with an unknown stage",
        "The rule requires a stage that does not exist.",
        "Remove the stage from the rule.",
        rule_sketch(phases=["attic", "intake"]),
        pointing(_other_stages, remove_value),
    ),
    "condition-invalid": RuleHelp(
        "An invalid condition",
        "The expression has an error, so the rule is skipped and the error is reported.",
        "Correct the expression at the column in the message. It is CEL with event, conversation"
        " and state.",
        rule_sketch(custom="event.text ="),
    ),
    "rule-never": RuleHelp(
        "A routing rule that can never match",
        "Its conditions contradict each other, or contain an empty choice.",
        "Correct the conditions, or delete the rule.",
        rule_sketch(intents=[]),
        delete_rule,
    ),
    "rule-unused": RuleHelp(
        "Routing where every message begins at the entry",
        "A workflow and a team have no routing, so the rule is never used.",
        "Delete the rule, or choose another topology.",
        sketch(
            "intake > review",
            topology="workflow",
            rules=[{"id": "all", "agent_id": "agent-review"}],
        ),
        delete_rule,
    ),
    "default-agent-unused": RuleHelp(
        "A default agent that is never used",
        "In a workflow and in a team every message begins at the entry.",
        "Choose no default agent, or another topology.",
        sketch("intake > review", topology="workflow", default_agent_id="agent-review"),
        choose_none,
    ),
}
"""Help of the rules, by the code of the issue."""
