"""Parsing of unambiguous JSON within limits.

Python's parser accepts duplicate keys, NaN, infinities and lone surrogates, which other programs
read differently or not at all. They are refused here, each with its path.
"""

from __future__ import annotations

import json
import math
import re
from functools import partial

from orchestration.exceptions import DefinitionError, Fault
from orchestration.loading.limits import DEFINITION, MAX_DIGITS, DocumentLimits
from orchestration.loading.value_check import (
    InvalidValue,
    invalid_number,
    object_of,
    too_deep,
    too_many_values,
    value_faults,
)


def decode(data: bytes | str, limits: DocumentLimits = DEFINITION) -> str:
    """Return the text of a document in UTF-8, or raise `DefinitionError`."""
    try:
        encoded = data.encode() if isinstance(data, str) else data
        if len(encoded) > limits.max_bytes:
            message = f"The file is larger than {limits.max_bytes:,} bytes."
            raise DefinitionError([Fault("$", message)])
        return encoded.decode().removeprefix("\ufeff")
    except UnicodeError:
        raise DefinitionError([Fault("$", "The file is not text in UTF-8.")]) from None


def parse(text: str, limits: DocumentLimits = DEFINITION) -> object:
    """Return the value of a JSON text, or raise `DefinitionError` with up to 100 faults."""
    if has_too_many_values(text, limits):
        raise DefinitionError([too_many_values(limits)])
    try:
        value = json.loads(
            text,
            object_pairs_hook=object_of,
            parse_constant=invalid_number,
            parse_float=_read_float,
            parse_int=partial(_read_int, maximum=limits.max_integer),
        )
    except RecursionError:
        raise DefinitionError([Fault("$", too_deep(limits))]) from None
    except json.JSONDecodeError as error:
        location = f"line {error.lineno}, column {error.colno}"
        reason = error.msg.removesuffix(" at").removesuffix(" starting")
        message = f"This is not JSON: {reason} ({location})."
        raise DefinitionError([Fault("$", message, error.lineno)]) from None
    if faults := value_faults(value, limits):
        raise DefinitionError(faults)
    return value


def read_json(data: bytes | str, limits: DocumentLimits = DEFINITION) -> object:
    """Return the value of a JSON document, or raise `DefinitionError` with up to 100 faults."""
    return parse(decode(data, limits), limits)


def check_value(value: object, limits: DocumentLimits = DEFINITION) -> None:
    """Raise `DefinitionError` for a decoded value that JSON cannot express within the limits."""
    try:
        text = json.dumps(value)
    except RecursionError:
        raise DefinitionError([Fault("$", too_deep(limits))]) from None
    except (TypeError, ValueError):
        raise DefinitionError([Fault("$", "The value cannot be written as JSON.")]) from None
    read_json(text, limits)


_STRING = re.compile(r'"(?:[^"\\]++|\\.?)*+(?:"|\Z)', re.DOTALL)
"""A text of JSON; the last one may have no end, so that the search never starts again inside."""


def has_too_many_values(text: str, limits: DocumentLimits) -> bool:
    """Report whether JSON, or JSON lines, contain too many values, without building any.

    Each value follows a comma or the start of a list or an object. An empty list or object counts
    for two, so that a document is never underestimated.
    """
    if _count_starts(text) <= limits.max_values:
        return False
    return _count_starts(_STRING.sub("", text)) > limits.max_values


def _count_starts(text: str) -> int:
    return text.count(",") + text.count("[") + text.count("{")


def _read_float(text: str) -> float | InvalidValue:
    number = float(text)
    return number if math.isfinite(number) else invalid_number(text)


def _read_int(text: str, *, maximum: int) -> int | InvalidValue:
    if len(text) > MAX_DIGITS:
        return invalid_number(text)
    number = int(text)
    return number if -maximum <= number <= maximum else invalid_number(text)
