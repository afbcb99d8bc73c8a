"""Conditions of a routing rule: rows of comparisons and CEL expressions (contract O-4).

Conditions are compiled once, so an evaluation only reads the fields that they use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import eq, ge, le, ne
from typing import Any

import msgspec

from orchestration.definition import (
    NUMERIC_FIELDS,
    VARIABLES,
    Comparison,
    Conditions,
    nested_variables,
)
from orchestration.exceptions import ConditionError
from orchestration.messages import InboundMessage
from orchestration.routing.cel import compile_expression
from orchestration.state import ConversationState


class RoutingContext(msgspec.Struct, frozen=True):
    """Data about a conversation, beside its state, that a condition can use."""

    session_id: str = ""
    messages: int = 0
    """Number of earlier messages."""


CustomCondition = Callable[[InboundMessage, RoutingContext, ConversationState], bool]


@dataclass(frozen=True, slots=True)
class CompiledConditions:
    """Rows and expression of a definition, as one predicate and one by one."""

    parts: tuple[tuple[str, CustomCondition], ...]
    """Predicates with their paths: `rows[0]`, `rows[1]`…, `custom`."""
    _hold: CustomCondition

    def __call__(
        self, event: InboundMessage, context: RoutingContext, state: ConversationState
    ) -> bool:
        """Report whether the required rows and the expression hold."""
        return self._hold(event, context, state)


def compile_conditions(conditions: Conditions) -> CompiledConditions | None:
    """Compile the rows and the expression of a definition to one predicate; None without any.

    If they are invalid, the predicate raises `ConditionError` when it is evaluated: the rule is
    skipped, and no message is lost.
    """
    errors: list[ConditionError] = []
    rows = [_compiled(partial(compile_row, row), errors) for row in conditions.rows]
    parts = [(f"rows[{index}]", row) for index, row in enumerate(rows)]
    predicates = [_matching(conditions.match, rows)] if rows else []
    if conditions.custom is not None:
        custom = _compiled(partial(cel_condition, conditions.custom), errors)
        parts.append(("custom", custom))
        predicates.append(custom)
    if not predicates:
        return None
    combined = predicates[0] if len(predicates) == 1 else _both(*predicates)
    return CompiledConditions(tuple(parts), _failing(errors[0]) if errors else combined)


def _compiled(
    compile_part: Callable[[], CustomCondition], errors: list[ConditionError]
) -> CustomCondition:
    """Compile a condition. Add the error of an invalid one, which raises when evaluated."""
    try:
        return compile_part()
    except ConditionError as error:
        errors.append(error)
        return _failing(error)


def _both(rows: CustomCondition, custom: CustomCondition) -> CustomCondition:
    return lambda event, context, state: (
        rows(event, context, state) and custom(event, context, state)
    )


def compile_row(row: Comparison) -> CustomCondition:
    """Compile one comparison to a predicate; raise `ConditionError` if it is invalid.

    A missing value (no intent, no active agent) counts as an empty text. Case does not matter.
    """
    read = _reader(row.field)
    if row.field in NUMERIC_FIELDS:
        return _compare_number(read, row)
    return _compare_text(read, row)


def cel_condition(text: str) -> CustomCondition:
    """Compile a CEL expression over `event`, `conversation` and `state` to a predicate.

    Raise `ConditionError` if it does not compile; the predicate raises it if the evaluation fails.
    """
    holds = compile_expression(text)
    reads = [(name, _READ[name]) for name in sorted(holds.variables)]
    return lambda event, context, state: holds(
        {name: read(event, context, state) for name, read in reads}
    )


def value_of(
    field: str, event: InboundMessage, context: RoutingContext, state: ConversationState
) -> object:
    """Return the value of a condition's `field` (`event.intent`, `state.phase`…)."""
    return _reader(field)(event, context, state)


def _reader(field: str) -> _Read:
    """Return the function that reads a field of a comparison; an undeclared variable is empty."""
    if field.startswith(VARIABLES):
        name = field.removeprefix(VARIABLES)
        return lambda event, context, state: state.variables.get(name, "")
    return _READ[field]


_Read = Callable[[InboundMessage, RoutingContext, ConversationState], Any]

_READ: dict[str, _Read] = {
    "event.id": lambda event, context, state: event.id,
    "event.text": lambda event, context, state: event.text,
    "event.channel_type": lambda event, context, state: event.channel_type,
    "event.intent": lambda event, context, state: event.intent,
    "event.source_channel_id": lambda event, context, state: event.source_channel_id,
    "event.from_agent": lambda event, context, state: event.from_agent,
    "event.metadata": lambda event, context, state: event.metadata,
    "conversation.id": lambda event, context, state: context.session_id,
    "conversation.messages": lambda event, context, state: context.messages,
    "state.phase": lambda event, context, state: state.phase,
    "state.active_agent_id": lambda event, context, state: state.active_agent_id,
    "state.handoff_count": lambda event, context, state: state.handoff_count,
    "state.channel": lambda event, context, state: state.channel,
    "variables": lambda event, context, state: nested_variables(state.variables),
}
"""Function that reads each variable of a condition."""


def _matching(match: str, compiled: Sequence[CustomCondition]) -> CustomCondition:
    if match == "all":
        return lambda event, context, state: all(row(event, context, state) for row in compiled)
    any_holds = match == "any"
    return lambda event, context, state: (
        any(row(event, context, state) for row in compiled) is any_holds
    )


_NUMERIC = {"is": eq, "is_not": ne, "at_least": ge, "at_most": le}


def _compare_number(read: _Read, row: Comparison) -> CustomCondition:
    if row.operator == "one_of":
        numbers = frozenset(_number(row, value) for value in _values(row))
        return lambda event, context, state: read(event, context, state) in numbers
    compare = _NUMERIC.get(row.operator)
    if compare is None:
        raise ConditionError(f"{row.field} is a number: {row.operator!r} is for texts.")
    number = _number(row, row.value)
    return lambda event, context, state: compare(read(event, context, state), number)


def _number(row: Comparison, value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        raise ConditionError(
            f"{row.field} is a number: it cannot be compared with {value!r}."
        ) from None


_TEXTUAL: dict[str, Callable[[str, str], bool]] = {
    "is": eq,
    "is_not": ne,
    "contains": lambda text, part: part in text,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
}


def _compare_text(read: _Read, row: Comparison) -> CustomCondition:
    def text(event: InboundMessage, context: RoutingContext, state: ConversationState) -> str:
        return (read(event, context, state) or "").casefold()

    if row.operator == "one_of":
        words = frozenset(str(value).casefold() for value in _values(row))
        return lambda event, context, state: text(event, context, state) in words
    compare = _TEXTUAL.get(row.operator)
    if compare is None:
        raise ConditionError(f"{row.field} is a text: {row.operator!r} is for numbers.")
    if isinstance(row.value, tuple):
        raise ConditionError(f"{row.operator!r} compares with one text: a list is for 'one_of'.")
    operand = str(row.value).casefold()
    return lambda event, context, state: compare(text(event, context, state), operand)


def _values(row: Comparison) -> Sequence[object]:
    return row.value if isinstance(row.value, tuple) else (row.value,)


def _failing(error: ConditionError) -> CustomCondition:
    def fails(*_: object) -> bool:
        raise error

    return fails
