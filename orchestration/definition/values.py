"""Types of values in a definition and their limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
)

HUMAN = "human"
"""Handoff target for the human (contract O-9); reserved, so no agent may have this key."""

KEY_PATTERN = r"^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$"
VARIABLE_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$"
TOOL_NAME_PATTERN = r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$"

MAX_AGENTS = 500
MAX_STAGES = 2_000
MAX_TRANSITIONS = 8_000
MAX_RULES = 500
MAX_TOOLS = 500
MAX_CUES = 100
MAX_GROUP = 50
MAX_NOTES = 500
MAX_FRAMES = 500
MAX_COMPARISONS = 50
MAX_VARIABLES = 50
MAX_VARIABLE_NAME = 64
MAX_TEXT = 32_000

Key = Annotated[str, StringConstraints(pattern=KEY_PATTERN)]
"""A readable key (`agent-triage`, `intake`): 1 to 64 characters of a-z, 0-9, `-` and `_`."""

ToolName = Annotated[str, StringConstraints(pattern=TOOL_NAME_PATTERN)]
"""A tool name that models accept: 1 to 64 letters, digits, `_` and `-`."""

VariableName = Annotated[
    str, StringConstraints(pattern=VARIABLE_PATTERN, max_length=MAX_VARIABLE_NAME)
]
"""Name of a variable in one or several parts (`plan`, `customer.name`)."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=120)]
Line = Annotated[str, StringConstraints(max_length=500)]


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


DefaultValue = Annotated[str, StringConstraints(max_length=500), AfterValidator(_on_one_line)]
"""Default value of a variable, on one line."""

Text = Annotated[str, StringConstraints(max_length=MAX_TEXT)]


def _plain_number(number: float) -> float | int:
    return int(number) if number.is_integer() else number


Coordinate = Annotated[
    float,
    Field(ge=-1_000_000, le=1_000_000, allow_inf_nan=False),
    PlainSerializer(_plain_number, return_type=float | int, when_used="json"),
]
"""CSS pixels; whole numbers are written as integers (`60`, not `60.0`)."""

Hue = Annotated[int, Field(ge=0, lt=360)]
"""A colour as hue angle in degrees."""

NoteWidth = Annotated[
    float,
    Field(ge=40, le=2_000, allow_inf_nan=False),
    PlainSerializer(_plain_number, return_type=float | int, when_used="json"),
]

Part = TypeVar("Part")


def in_order(key: Callable[[Any], Any]) -> AfterValidator:
    """Create a validator that sorts a tuple by `key`."""

    def sort(parts: tuple[Part, ...]) -> tuple[Part, ...]:
        return tuple(sorted(parts, key=key))

    return AfterValidator(sort)


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct names in alphabetical order."""
    return tuple(sorted(set(names)))


def unique(names: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct names in their original order."""
    return tuple(dict.fromkeys(names))


def by_key(entries: dict[str, Part]) -> dict[str, Part]:
    """Return the entries in the order of their keys."""
    return dict(sorted(entries.items()))


Keys = Annotated[tuple[Key, ...], Field(max_length=500), AfterValidator(distinct)]
Words = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1, max_length=120)], ...],
    Field(max_length=200),
    AfterValidator(distinct),
]


class Frozen(BaseModel):
    """An immutable value that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
