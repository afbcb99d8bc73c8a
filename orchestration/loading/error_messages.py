"""Messages for invalid fields in plain words, and JSON paths to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic_core import ErrorDetails

from orchestration.definition import (
    FORMAT,
    KEY_PATTERN,
    VARIABLE_FIELD_PATTERN,
    VARIABLE_PATTERN,
    VERSION,
    PipelineDefinition,
)
from orchestration.exceptions import Fault
from orchestration.loading.known_fields import known_fields
from orchestration.names import did_you_mean
from orchestration.validation import json_path

Steps = tuple[str | int, ...]
"""Keys and indexes from the root of a JSON text to a value."""

MAX_QUOTED = 60
"""Maximum number of characters of the file's texts in a message."""

MAX_NAMED = 3
"""Maximum number of the file's fields in a message."""


def at(steps: Steps) -> str:
    """Return the JSON path of `steps`, with long keys shortened."""
    return json_path(*(step if isinstance(step, int) else _short(step) for step in steps))


def quoted(value: object) -> str:
    """Return a value for a message: shortened, without line breaks and unprintable characters."""
    return repr(_short(value) if isinstance(value, str) else value)[: MAX_QUOTED * 2]


def fault_from(error: ErrorDetails) -> Fault:
    """Convert an error of pydantic to a fault."""
    steps = _steps(error["loc"])
    if len(steps) > 1 and steps[-1] == "[key]":
        steps = steps[:-1]
    if steps == ("format",):
        return Fault("$.format", f"The format is {quoted(error['input'])}, not {FORMAT!r}.")
    if steps == ("version",):
        sentence = f"The file's version is {quoted(error['input'])}; this Baton reads {VERSION}."
        return Fault("$.version", sentence)
    return Fault(at(steps), _sentence(error))


_COMMON = frozenset(("name", "version", "description"))


def is_foreign(raw: Mapping[str, Any]) -> bool:
    """Report whether a file belongs to another program: it has no field of a pipeline."""
    known = PipelineDefinition.model_fields.keys()
    return bool(raw.keys() - known) and not raw.keys() & (known - _COMMON)


def foreign_fault(raw: Mapping[str, Any]) -> Fault:
    """Return the fault for a file of another program, with some of its field names."""
    keys = [quoted(key) for key in raw if key not in _COMMON]
    listed = ", ".join(keys[:MAX_NAMED]) + (" and more" if len(keys) > MAX_NAMED else "")
    sentence = f"This is no Baton pipeline: it has {listed}, but no agents or stages."
    return Fault("$", sentence)


_KINDS = {"value": ("text", "number", "list"), "field": ("known", "variable")}


def _steps(location: Steps) -> Steps:
    """Remove the kind that pydantic adds after some fields: only keys and indexes remain."""
    before = (None, *location)
    return tuple(
        step
        for outer, step in zip(before, location, strict=False)
        if step not in _KINDS.get(str(outer), ())
    )


_VARIABLE_PATTERNS = (VARIABLE_PATTERN, VARIABLE_FIELD_PATTERN)


def _sentence(error: ErrorDetails) -> str:
    kind, value, bounds = error["type"], error["input"], error.get("ctx", {})
    match kind:
        case "missing":
            return "This field is missing."
        case "extra_forbidden":
            return _unknown_field(_steps(error["loc"]))
        case "compared_value":
            return f"{error['msg']}, not {_described(value)}."
        case "literal_error":
            return f"{quoted(value)} is not one of {bounds['expected']}." + _similar(value, bounds)
        case "string_pattern_mismatch" if bounds["pattern"] == KEY_PATTERN:
            return (
                f"{quoted(value)} is no key: 1 to 64 of a-z, 0-9, '-' and '_',"
                " with a letter or digit at both ends."
            )
        case "string_pattern_mismatch" if bounds["pattern"] in _VARIABLE_PATTERNS:
            return (
                f"{quoted(value)} is no variable name: letters, digits and '_' in parts with a dot"
                " between them, such as customer.name."
            )
        case "string_pattern_mismatch":
            return (
                f"{quoted(value)} is no tool name: 1 to 64 letters, digits, '_' and '-',"
                " and no digit or '-' first."
            )
        case _:
            return _size_message(kind, bounds) or _type_message(kind, value) or f"{error['msg']}."


def _unknown_field(steps: Steps) -> str:
    name = str(steps[-1])
    return f"There is no field {quoted(name)} here.{did_you_mean(name, known_fields(steps[:-1]))}"


def _similar(value: object, bounds: Mapping[str, Any]) -> str:
    """Return a question with the choices most similar to an unknown value."""
    choices = re.findall(r"'([^']*)'", bounds["expected"])
    return did_you_mean(value, choices) if isinstance(value, str) else ""


def _size_message(kind: str, bounds: dict[str, Any]) -> str | None:
    match kind:
        case "string_too_short" | "too_short":
            return "This must not be empty."
        case "string_too_long":
            return f"The text is longer than {bounds['max_length']:,} characters."
        case "too_long":
            return f"There are more than {bounds['max_length']:,} entries."
        case "greater_than_equal":
            return f"The number must be at least {_plain(bounds['ge'])}."
        case "less_than_equal":
            return f"The number must be at most {_plain(bounds['le'])}."
        case "less_than":
            return f"The number must be less than {_plain(bounds['lt'])}."
        case _:
            return None


def _plain(number: float) -> str:
    """Format a bound, which is a whole number in every field of the format."""
    return f"{int(number):,}"


_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}


def _type_message(kind: str, value: object) -> str | None:
    expected = _EXPECTED.get(kind)
    return expected and f"This must be {expected}, not {_described(value)}."


def _described(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return f"the text {quoted(value)}"
        case int() | float():
            return f"the number {quoted(value)}"
        case list() | tuple():
            return "a list"
        case _:
            return "an object"


def _short(text: str) -> str:
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}…"
