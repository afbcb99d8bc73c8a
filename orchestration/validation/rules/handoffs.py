"""Rules about the settings of handoffs: payload, tool and message filter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from orchestration import graph
from orchestration.definition import Transition
from orchestration.exceptions import ConditionError
from orchestration.routing import compile_filter
from orchestration.tools import schema_fault
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import removing
from orchestration.validation.issues import Issue, error, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import one_transition, sketch


def input_schema_invalid(draft: Draft) -> Iterator[Issue]:
    """Require a payload schema to be a JSON Schema of an object (contract S-3)."""
    for index, transition in draft.transitions:
        schema = transition.input_schema
        if schema is None or _reason_unused(draft, transition, "input_schema"):
            continue
        fault = schema_fault(schema)
        if fault is not None:
            yield error(
                "input-schema-invalid",
                f"The schema of the handoff {_ends(transition)} is wrong: {fault}",
                "transition",
                (transition.source, transition.target),
                f"$.transitions[{index}].input_schema",
            )


def filter_invalid(draft: Draft) -> Iterator[Issue]:
    """Require a valid expression in a filter by expression (contract S-4)."""
    for index, transition in draft.transitions:
        if transition.input_filter.keep != "matching":
            continue
        if _reason_unused(draft, transition, "input_filter"):
            continue
        fault = _filter_fault(transition.input_filter.expression or "")
        if fault is not None:
            yield error(
                "filter-invalid",
                f"The filter of the handoff {_ends(transition)} {fault}",
                "transition",
                (transition.source, transition.target),
                f"$.transitions[{index}].input_filter.expression",
            )


def handoff_setting_unused(draft: Draft) -> Iterator[Issue]:
    """Require the settings of a handoff to take effect."""
    for index, transition in draft.transitions:
        unused = {
            name: reason
            for name in _settings(transition)
            if (reason := _reason_unused(draft, transition, name)) is not None
        }
        if unused and graph.can_be_taken(draft.definition, transition):
            name, reason = next(iter(unused.items()))
            labels = [_LABELS[setting] for setting in unused if unused[setting] == reason]
            yield warning(
                "handoff-setting-unused",
                f"The transition {_ends(transition)} has {' and '.join(labels)} without effect,"
                f" because {reason}: remove it.",
                "transition",
                (transition.source, transition.target),
                f"$.transitions[{index}].{name}",
            )


_LABELS = {
    "input_schema": "a schema",
    "tool_name": "a tool's name",
    "input_filter": "a filter",
}


def _settings(transition: Transition) -> Iterator[str]:
    """Yield the names of the handoff settings of a transition."""
    if transition.input_schema is not None:
        yield "input_schema"
    if transition.tool_name is not None:
        yield "tool_name"
    if transition.input_filter.keep != "full":
        yield "input_filter"


def _reason_unused(draft: Draft, transition: Transition, name: str) -> str | None:
    """Return the reason for a setting without effect; None if it has one."""
    if not draft.hands_over:
        return f"a {draft.definition.topology} has no handoffs"
    stages = draft.definition.stages_by_phase
    source, target = stages.get(transition.source), stages.get(transition.target)
    if source is not None and source.kind != "agent":
        return f"the {source.kind} in {source.phase!r} hands over without a tool"
    if target is not None and target.kind == "human":
        return "the human sees the whole conversation, and takes over without a payload"
    if name == "tool_name" and transition.input_schema is None:
        return "only a handoff with a schema has a tool of its own"
    return None


@lru_cache(maxsize=4_096)
def _filter_fault(text: str) -> str | None:
    if not text.strip():
        return "shows the matching messages, but has no expression: enter one."
    try:
        compile_filter(text)
    except ConditionError as fault:
        place = "" if fault.column is None else f" at column {fault.column}"
        return f"is wrong{place}: {fault}"
    return None


def _ends(transition: Transition) -> str:
    return f"from {transition.source!r} to {transition.target!r}"


HELP: Mapping[str, RuleHelp] = {
    "input-schema-invalid": RuleHelp(
        "An invalid payload schema",
        "The payload of the handoff is checked against this JSON Schema. A wrong schema would"
        " reject every handoff, or none.",
        "Correct the schema at the place in the message.",
        sketch(
            "intake > review",
            transitions=one_transition(input_schema={"type": "object", "properties": 3}),
        ),
    ),
    "filter-invalid": RuleHelp(
        "An invalid filter",
        "The expression selects the messages that the target sees. It has an error.",
        "Correct the expression at the column in the message, or choose another filter.",
        sketch(
            "intake > review",
            transitions=one_transition(input_filter={"keep": "matching", "expression": "message."}),
        ),
    ),
    "handoff-setting-unused": RuleHelp(
        "A setting of a handoff without effect",
        "A schema, a tool name or a filter has an effect only if a model hands over with a tool.",
        "Remove the setting, or change the transition so that it applies.",
        sketch("intake > review", transitions=one_transition(tool_name="pass_on")),
        removing("Remove it"),
    ),
}
"""Help of the rules, by the code of the issue."""
