"""Rules about the comparisons in routing rules' conditions (contract O-4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from orchestration.definition import NUMERIC_FIELDS, Comparison, Conditions, Operator, Rule
from orchestration.validation.draft import Draft
from orchestration.validation.issues import Issue, error, listed, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import ROW, rule_sketch

_FOR_NUMBERS: tuple[Operator, ...] = ("is", "is_not", "one_of", "at_least", "at_most")
_FOR_TEXTS: tuple[Operator, ...] = tuple(
    operator for operator in get_args(Operator) if operator not in ("at_least", "at_most")
)


def comparison_invalid(draft: Draft) -> Iterator[Issue]:
    """Require values that fit the field and the operator of a row."""
    for rule, place, row, path in _rows(draft):
        if (fault := _fault(row)) is not None:
            yield error(
                "comparison-invalid",
                f"Row {place + 1} of the routing rule {rule.id!r} is wrong: {fault}.",
                "rule",
                (rule.id,),
                path,
            )


def comparison_unknown(draft: Draft) -> Iterator[Issue]:
    """Require existing stages and agents in rows that compare whole names."""
    definition = draft.definition
    known = {
        "state.phase": ("stage", definition.stages_by_phase.keys()),
        "state.active_agent_id": ("agent", {*definition.agents_by_id, *draft.group_phases, ""}),
    }
    for rule, place, row, path in _rows(draft):
        if row.field not in known or row.operator not in ("is", "is_not", "one_of"):
            continue
        kind, names = known[row.field]
        unknown = [name for name in map(str, _values(row)) if name.casefold() not in names]
        if unknown:
            none = "is no such" if len(unknown) == 1 else "are no such"
            plural = kind if len(unknown) == 1 else f"{kind}s"
            yield error(
                "comparison-unknown",
                f"Row {place + 1} of the routing rule {rule.id!r} compares with the {plural}"
                f" {listed(unknown)}, and there {none} {plural}.",
                "rule",
                (rule.id,),
                path,
            )


def comparison_never(draft: Draft) -> Iterator[Issue]:
    """Require rows that can be true at the same time."""
    for index, rule in draft.rules:
        if reason := _contradiction(rule.conditions):
            yield warning(
                "rule-never",
                f"The routing rule {rule.id!r} can never match, because {reason}.",
                "rule",
                (rule.id,),
                f"$.rules[{index}].conditions.rows",
            )


def _rows(draft: Draft) -> Iterator[tuple[Rule, int, Comparison, str]]:
    """Yield each row: its rule, its index and the path of its value."""
    for index, rule in draft.rules:
        for place, row in enumerate(rule.conditions.rows):
            yield rule, place, row, f"$.rules[{index}].conditions.rows[{place}].value"


def _fault(row: Comparison) -> str | None:
    numeric = row.field in NUMERIC_FIELDS
    allowed = _FOR_NUMBERS if numeric else _FOR_TEXTS
    if row.operator not in allowed:
        kind = "a number" if numeric else "a text"
        return f"{row.field} is {kind} and cannot use {row.operator!r}: use {_any_of(allowed)}"
    if row.operator == "one_of" and not isinstance(row.value, tuple):
        return "'one_of' needs a list of values: enter a list, or use 'is'"
    if row.operator != "one_of" and isinstance(row.value, tuple):
        return f"{row.operator!r} needs a single value: enter only one, or use 'one_of'"
    wrong = [str(value) for value in _values(row) if numeric and _number(value) is None]
    if wrong:
        verb = "is" if len(wrong) == 1 else "are"
        return f"{row.field} is a whole number, and {listed(wrong)} {verb} not"
    return None


def _any_of(operators: Sequence[str]) -> str:
    return f"{', '.join(map(repr, operators[:-1]))} or {operators[-1]!r}"


def _contradiction(conditions: Conditions) -> str | None:
    """Return the reason for rows that cannot be true; None if they can, or are invalid."""
    rows = conditions.rows
    if not rows or any(_fault(row) for row in rows):
        return None
    impossible = [place for place, row in enumerate(rows, start=1) if _is_never_true(row)]
    match conditions.match:
        case "all" if impossible:
            return f"row {impossible[0]} is never true"
        case "any" if len(impossible) == len(rows):
            return "none of its rows is ever true"
        case "all":
            values: dict[str, str] = {}
            for row in rows:
                value = str(row.value).casefold()
                if row.operator == "is" and values.setdefault(row.field, value) != value:
                    return f"{row.field} cannot have two values at once"
    return None


def _is_never_true(row: Comparison) -> bool:
    """Report whether a valid row is never true: an empty list, or a count below zero."""
    if row.operator == "one_of":
        return not row.value
    if row.field not in NUMERIC_FIELDS or row.operator not in ("is", "at_most"):
        return False
    number = _number(row.value)
    return number is not None and number < 0


def _values(row: Comparison) -> Sequence[str | int]:
    return row.value if isinstance(row.value, tuple) else (row.value,)


def _number(value: object) -> int | None:
    try:
        return int(str(value))
    except ValueError:
        return None


HELP: Mapping[str, RuleHelp] = {
    "comparison-invalid": RuleHelp(
        "A comparison that does not fit",
        "Numbers are compared with numbers, texts with texts, and only 'one of' accepts a list.",
        "Choose another operator, or another value.",
        rule_sketch(rows=[{"field": "state.handoff_count", "operator": "contains", "value": 3}]),
    ),
    "comparison-unknown": RuleHelp(
        "A comparison with an unknown name",
        "The row compares with a stage or an agent that does not exist, so it is never true.",
        "Choose a name of this pipeline.",
        rule_sketch(rows=[ROW | {"value": "attic"}]),
    ),
}
"""Help of the rules, by the code of the issue."""
