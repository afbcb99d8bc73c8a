"""Rules about the supervision of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.definition import NEW_SUPERVISION
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import Fix, setting
from orchestration.validation.issues import Issue, listed, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch


def supervision_unused(draft: Draft) -> Iterator[Issue]:
    """Require a supervisor for a supervision, and moments at which it is called."""
    definition = draft.definition
    supervision = definition.supervision
    if supervision is None:
        return
    if definition.supervisor_id is None:
        yield warning(
            "supervision-unused",
            "The supervision has no effect, because the pipeline has no supervisor.",
            "pipeline",
            (),
            "$.supervision",
        )
    elif not supervision.ask_at:
        yield warning(
            "supervision-unused",
            "The supervision names no moment, so the supervisor is never called.",
            "pipeline",
            (),
            "$.supervision.ask_at",
        )


def supervision_without_action(draft: Draft) -> Iterator[Issue]:
    """Require at least one action of a supervisor that is called."""
    supervision = draft.definition.supervision
    if supervision is not None and supervision.ask_at and not supervision.may:
        yield warning(
            "supervision-without-action",
            "The supervisor is called, but it may do nothing: its calls only cost.",
            "pipeline",
            (),
            "$.supervision.may",
        )


def supervision_limit_high(draft: Draft) -> Iterator[Issue]:
    """Require the supervisor's own limit to be within the budget of the run."""
    supervision, budget = draft.definition.supervision, draft.definition.limits.max_calls
    if supervision is not None and supervision.max_calls > budget:
        yield warning(
            "supervision-limit-high",
            f"The supervisor may make {supervision.max_calls:,} model calls, and the budget of a"
            f" whole run allows {budget:,}.",
            "pipeline",
            (),
            "$.supervision.max_calls",
        )


def supervisor_serves_stage(draft: Draft) -> Iterator[Issue]:
    """Require a supervisor that is called to answer in no stage: it would supervise itself."""
    definition = draft.definition
    supervisor, supervision = definition.supervisor_id, definition.supervision
    if supervisor is None or supervision is None or not supervision.ask_at:
        return
    phases = [*draft.phases_of.get(supervisor, ()), *draft.groups_of.get(supervisor, ())]
    if phases:
        yield warning(
            "supervisor-serves-stage",
            f"The supervisor {draft.agent_label(supervisor)!r} also answers in"
            f" {listed(phases)}, so it supervises itself.",
            "pipeline",
            (),
            "$.supervisor_id",
        )


def _complete(draft: Draft, issue: Issue) -> Fix:
    """Remove a supervision without a supervisor, or choose the usual moments."""
    if draft.definition.supervisor_id is None:
        return Fix("Remove the supervision", (("set", "$.supervision", None),))
    moments = list(NEW_SUPERVISION.ask_at)
    title = "Call it after each handoff and at the end"
    return Fix(title, (("set", "$.supervision.ask_at", moments),))


def _lower_limit(draft: Draft, issue: Issue) -> Fix:
    budget = draft.definition.limits.max_calls
    return Fix(f"Set the limit to {budget:,}", (("set", issue.where.path, budget),))


_AGENTS = {"agent-watcher": {"name": "Watcher"}}

HELP: Mapping[str, RuleHelp] = {
    "supervision-unused": RuleHelp(
        "A supervision without effect",
        "No supervisor is chosen, or no moment at which it is called.",
        "Choose a supervisor and at least one moment, or remove the supervision.",
        sketch("intake > review", supervision={"ask_at": ["run_end"], "may": ["note"]}),
        _complete,
    ),
    "supervision-without-action": RuleHelp(
        "A supervisor without actions",
        "Its model is called, and can neither send notes nor change the conversation.",
        "Allow at least one action, such as notes.",
        sketch(
            "intake > review",
            agents=_AGENTS,
            supervisor_id="agent-watcher",
            supervision={"ask_at": ["run_end"]},
        ),
        setting("Allow notes", ["note"]),
    ),
    "supervision-limit-high": RuleHelp(
        "A limit of the supervisor above the budget",
        "The budget of the run ends it before the supervisor reaches its own limit.",
        "Lower the supervisor's limit, or raise the budget of model calls.",
        sketch(
            "intake > review",
            agents=_AGENTS,
            supervisor_id="agent-watcher",
            supervision={"ask_at": ["run_end"], "may": ["note"], "max_calls": 900},
        ),
        _lower_limit,
    ),
    "supervisor-serves-stage": RuleHelp(
        "A supervisor that answers users",
        "The supervisor is also the agent of a stage, so it judges its own answers.",
        "Choose an agent that serves no stage as the supervisor.",
        sketch(
            "intake > review",
            supervisor_id="agent-review",
            supervision={"ask_at": ["run_end"], "may": ["note"]},
        ),
    ),
}
"""Help of the rules, by the code of the issue."""
