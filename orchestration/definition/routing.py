"""Routing rules and their conditions."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Discriminator, Field, StringConstraints, Tag

from orchestration.definition.values import (
    MAX_COMPARISONS,
    VARIABLE_PATTERN,
    Frozen,
    Key,
    Keys,
    Line,
    Words,
)

ComparedField = Literal[
    "event.text",
    "event.channel_type",
    "event.intent",
    "event.source_channel_id",
    "conversation.messages",
    "state.phase",
    "state.active_agent_id",
    "state.handoff_count",
    "state.channel",
]
"""Fields of a comparison. Those in `NUMERIC_FIELDS` are integers, the others texts."""

VARIABLES = "variables."
"""Prefix of a field that is a variable: `variables.customer.name`."""

VARIABLE_FIELD_PATTERN = VARIABLE_PATTERN.replace("^", r"^variables\.", 1)


def _field_kind(value: object) -> str:
    is_variable = isinstance(value, str) and value.startswith(VARIABLES)
    return "variable" if is_variable else "known"


AnyField = Annotated[
    Annotated[ComparedField, Tag("known")]
    | Annotated[
        str, StringConstraints(pattern=VARIABLE_FIELD_PATTERN, max_length=80), Tag("variable")
    ],
    Discriminator(_field_kind),
]
"""A field of a comparison or a variable, selected by its prefix, so that an error is a single
one."""

Operator = Literal[
    "is", "is_not", "contains", "starts_with", "ends_with", "one_of", "at_least", "at_most"
]


NUMERIC_FIELDS: Final[frozenset[ComparedField]] = frozenset(
    ("conversation.messages", "state.handoff_count")
)


def _kind(value: object) -> str | None:
    match value:
        case bool():
            return None
        case str():
            return "text"
        case int():
            return "number"
        case list() | tuple():
            return "list"
        case _:
            return None


Whole = Annotated[int, Field(ge=-1_000_000_000, le=1_000_000_000)]

ComparedValue = Annotated[
    Annotated[Line, Tag("text")] | Annotated[Whole, Tag("number")] | Annotated[Words, Tag("list")],
    Discriminator(
        _kind,
        custom_error_type="compared_value",
        custom_error_message="This must be text, a whole number or a list of texts",
    ),
]
"""Selected by the type of the value, so that an invalid value is a single error."""


class Comparison(Frozen):
    """One row of a condition: a field, an operator, a value."""

    field: AnyField
    operator: Operator = "is"
    value: ComparedValue = ""
    """A text, a whole number for the numeric fields, or for `one_of` a list of texts. Case does not
    matter."""


class Conditions(Frozen):
    """Conditions of a routing rule, ANDed (contract O-4). None matches any value, empty none."""

    phases: Keys | None = None
    channel_types: Words | None = None
    intents: Words | None = None
    source_channel_ids: Words | None = None
    match: Literal["all", "any", "not"] = "all"
    """Number of rows that must hold: all, any, or none."""
    rows: Annotated[tuple[Comparison, ...], Field(max_length=MAX_COMPARISONS)] = ()
    """Comparisons of fields with values."""
    custom: Annotated[str, StringConstraints(max_length=1_000)] | None = None
    """A CEL expression over `event`, `conversation`, `state` and `variables`, evaluated last."""


class Rule(Frozen):
    """A routing rule: the agent that answers if the conditions hold. Lowest priority first."""

    id: Key
    agent_id: Key
    priority: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] = 0
    conditions: Conditions = Conditions()
