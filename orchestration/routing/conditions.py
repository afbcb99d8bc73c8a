"""Conditions of a routing rule: rows of comparisons, and CEL for everything else (contract O-4).

Everything that can be known beforehand is worked out once, so that asking touches nothing but the
fields that a condition names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import eq, ge, le, ne
from typing import Any

import msgspec

from orchestration.definition import NUMERIC_FIELDS, Comparison, Conditions
from orchestration.exceptions import ConditionError
from orchestration.messages import InboundMessage
from orchestration.routing.cel import compile_expression
from orchestration.state import ConversationState


class RoutingContext(msgspec.Struct, frozen=True):
    """Facts about a conversation, beside its state, that a condition can use."""

    session_id: str = ""
    messages: int = 0
    """Number of earlier messages."""


CustomCondition = Callable[[InboundMessage, RoutingContext, ConversationState], bool]


@dataclass(frozen=True, slots=True)
class CompiledConditions:
    """The rows and the expression of a definition as one predicate, and each by itself."""

    parts: tuple[tuple[str, CustomCondition], ...]
    """By their paths: `rows[0]`, `rows[1]`…, `custom`."""
    _hold: CustomCondition

    def __call__(
        self, event: InboundMessage, context: RoutingContext, state: ConversationState
    ) -> bool:
        """Report whether enough rows hold, and the expression holds."""
        return self._hold(event, context, state)


def compile_conditions(conditions: Conditions) -> CompiledConditions | None:
    """The rows and the expression of a definition as one predicate; None: they ask nothing.

    Where they are wrong, the predicate raises `ConditionError` when it is asked, so that a draft
    loses its rule and never a message.
    """
    faults: list[ConditionError] = []
    rows = [_compiled(partial(compile_row, row), faults) for row in conditions.rows]
    named = [(f"rows[{place}]", row) for place, row in enumerate(rows)]
    asked = [_matching(conditions.match, rows)] if rows else []
    if conditions.custom is not None:
        custom = _compiled(partial(cel_condition, conditions.custom), faults)
        named.append(("custom", custom))
        asked.append(custom)
    if not asked:
        return None
    hold = _failing(faults[0]) if faults else asked[0] if len(asked) == 1 else _both(*asked)
    return CompiledConditions(tuple(named), hold)


def _compiled(
    compiling: Callable[[], CustomCondition], faults: list[ConditionError]
) -> CustomCondition:
    """Compile a condition; an invalid one raises when asked, and its error is added."""
    try:
        return compiling()
    except ConditionError as error:
        faults.append(error)
        return _failing(error)


def _both(rows: CustomCondition, custom: CustomCondition) -> CustomCondition:
    return lambda event, context, state: (
        rows(event, context, state) and custom(event, context, state)
    )


def compile_row(row: Comparison) -> CustomCondition:
    """One comparison as a predicate, or `ConditionError`.

    What is not there (no intent, nobody active) is as an empty text. Case never matters.
    """
    read = _READ[row.field]
    if row.field in NUMERIC_FIELDS:
        return _compare_number(read, row)
    return _compare_text(read, row)


def cel_condition(text: str) -> CustomCondition:
    """A condition from a CEL expression over `event`, `conversation` and `state`.

    Raises `ConditionError` where it does not compile, and when it is asked and fails.
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
    return _READ[field](event, context, state)


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
}
"""Function that reads each variable of a condition."""


def _matching(match: str, compiled: Sequence[CustomCondition]) -> CustomCondition:
    if match == "all":
        return lambda event, context, state: all(row(event, context, state) for row in compiled)
    wanted = match == "any"
    return lambda event, context, state: (
        any(row(event, context, state) for row in compiled) is wanted
    )


_NUMERIC = {"is": eq, "is_not": ne, "at_least": ge, "at_most": le}


def _compare_number(read: _Read, row: Comparison) -> CustomCondition:
    if row.operator == "one_of":
        numbers = frozenset(_number(row, one) for one in _listed(row))
        return lambda event, context, state: read(event, context, state) in numbers
    compare = _NUMERIC.get(row.operator)
    if compare is None:
        raise ConditionError(f"{row.field} is a number: {row.operator!r} asks about texts.")
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
    "contains": lambda text, wanted: wanted in text,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
}


def _compare_text(read: _Read, row: Comparison) -> CustomCondition:
    def text(event: InboundMessage, context: RoutingContext, state: ConversationState) -> str:
        return (read(event, context, state) or "").casefold()

    if row.operator == "one_of":
        words = frozenset(str(one).casefold() for one in _listed(row))
        return lambda event, context, state: text(event, context, state) in words
    compare = _TEXTUAL.get(row.operator)
    if compare is None:
        raise ConditionError(f"{row.field} is a text: {row.operator!r} asks about numbers.")
    if isinstance(row.value, tuple):
        raise ConditionError(f"{row.operator!r} compares with one text: a list is for 'one_of'.")
    wanted = str(row.value).casefold()
    return lambda event, context, state: compare(text(event, context, state), wanted)


def _listed(row: Comparison) -> Sequence[object]:
    return row.value if isinstance(row.value, tuple) else (row.value,)


def _failing(error: ConditionError) -> CustomCondition:
    def fails(*_: object) -> bool:
        raise error

    return fails
