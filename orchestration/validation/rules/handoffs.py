"""Rules about what a handoff carries: its payload, its tool, and what its target is shown."""

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
        if schema is None or _why_unused(draft, transition, "input_schema"):
            continue
        fault = schema_fault(schema)
        if fault is not None:
            yield error(
                "input-schema-invalid",
                f"The schema of the handoff {_way(transition)} is wrong: {fault}",
                "transition",
                (transition.source, transition.target),
                f"$.transitions[{index}].input_schema",
            )


def filter_invalid(draft: Draft) -> Iterator[Issue]:
    """A filter that shows what matches says what that is (contract S-4)."""
    for index, transition in draft.transitions:
        if transition.input_filter.keep != "matching":
            continue
        if _why_unused(draft, transition, "input_filter"):
            continue
        fault = _filter_fault(transition.input_filter.expression or "")
        if fault is not None:
            yield error(
                "filter-invalid",
                f"The filter of the handoff {_way(transition)} {fault}",
                "transition",
                (transition.source, transition.target),
                f"$.transitions[{index}].input_filter.expression",
            )


def handoff_setting_unused(draft: Draft) -> Iterator[Issue]:
    """Require the settings of a handoff to take effect."""
    for index, transition in draft.transitions:
        unused = {
            name: why
            for name in _given(transition)
            if (why := _why_unused(draft, transition, name)) is not None
        }
        if unused and graph.can_be_taken(draft.definition, transition):
            name, why = next(iter(unused.items()))
            words = [_WORDS[given] for given in unused if unused[given] == why]
            yield warning(
                "handoff-setting-unused",
                f"The transition {_way(transition)} has {' and '.join(words)}, which nobody uses,"
                f" because {why}: take that away.",
                "transition",
                (transition.source, transition.target),
                f"$.transitions[{index}].{name}",
            )


_WORDS = {
    "input_schema": "a schema",
    "tool_name": "a tool's name",
    "input_filter": "a filter",
}


def _given(transition: Transition) -> Iterator[str]:
    """Yield the settings of a transition beside its ends and description."""
    if transition.input_schema is not None:
        yield "input_schema"
    if transition.tool_name is not None:
        yield "tool_name"
    if transition.input_filter.keep != "full":
        yield "input_filter"


def _why_unused(draft: Draft, transition: Transition, name: str) -> str | None:
    """Why something said of a handoff makes no difference; None: it makes one."""
    if not draft.hands_over:
        return f"in a {draft.definition.topology} nobody hands over"
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
        return "shows the messages that match, and does not say which: give an expression."
    try:
        compile_filter(text)
    except ConditionError as fault:
        place = "" if fault.column is None else f" at column {fault.column}"
        return f"is wrong{place}: {fault}"
    return None


def _way(transition: Transition) -> str:
    return f"from {transition.source!r} to {transition.target!r}"


HELP: Mapping[str, RuleHelp] = {
    "input-schema-invalid": RuleHelp(
        "A schema that is none",
        "What the target needs to be told is checked against this JSON Schema. A wrong one would"
        " refuse every handoff, or none.",
        "Correct the schema at the place that the sentence names.",
        sketch(
            "intake > review",
            transitions=one_transition(input_schema={"type": "object", "properties": 3}),
        ),
    ),
    "filter-invalid": RuleHelp(
        "A filter that cannot be asked",
        "The expression says which messages the target is shown. It cannot be read as it is.",
        "Correct the expression at the column named, or choose another filter.",
        sketch(
            "intake > review",
            transitions=one_transition(input_filter={"keep": "matching", "expression": "message."}),
        ),
    ),
    "handoff-setting-unused": RuleHelp(
        "A setting of a handoff that nobody uses",
        "A schema, a tool's name or a filter matters only where a model hands over by a tool.",
        "Take the setting away, or make the transition one that it applies to.",
        sketch("intake > review", transitions=one_transition(tool_name="pass_on")),
        removing("Take it away"),
    ),
}
"""Help of the rules, by the code of the issue."""
