"""Parsing of the arguments that a model wrote for a call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
from pydantic import ValidationError

from orchestration.messages import ToolCall


def read_arguments(call: ToolCall) -> dict[str, Any] | str:
    """Return the arguments of a call, or a sentence about their error for the model.

    Values that an event or a database cannot store are errors: NaN, a lone surrogate and nesting
    without end. An empty text means no arguments.

    >>> read_arguments(ToolCall(id="1", name="look_up", arguments='{"order": 7}'))
    {'order': 7}
    >>> read_arguments(ToolCall(id="1", name="look_up", arguments="[7]"))
    'The arguments of look_up must be a JSON object.'
    >>> read_arguments(ToolCall(id="1", name="look_up", arguments='{"order": 5'))
    "The arguments of look_up are not JSON: Expecting ',' delimiter (line 1, column 12)"
    """
    try:
        return msgspec.json.decode(call.arguments or "{}", type=dict[str, Any])
    except msgspec.ValidationError as error:
        if "Expected `object`" in str(error):
            return f"The arguments of {call.name} must be a JSON object."
        return f"The arguments of {call.name} are wrong: {error}"
    except (ValueError, RecursionError) as error:
        return f"The arguments of {call.name} are not JSON: {_fault_of(call.arguments) or error}"


def read_call(call_id: str, entry: Any) -> ToolCall | str:
    """Return a call from `{"name", "arguments"}`, or a sentence about its error.

    Arguments are JSON text, or values that JSON can express; without arguments they are empty.

    >>> read_call("1", {"name": "look_up", "arguments": {"order": 7}}).arguments
    '{"order": 7}'
    >>> read_call("1", {"arguments": {}})
    'The call has no name: set `name` to the name of a tool.'
    """
    if not isinstance(entry, Mapping):
        return "The call is not an object: use `name` and `arguments`."
    name, arguments = entry.get("name"), entry.get("arguments")
    if not isinstance(name, str) or not name:
        return "The call has no name: set `name` to the name of a tool."
    try:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    except (TypeError, ValueError, RecursionError) as error:
        return f"The arguments of {name} are not JSON: {error}"
    return ToolCall(id=call_id, name=name, arguments=text)


def _fault_of(text: str) -> str:
    """Return the position and cause of a JSON error; "" if only the parser objects."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"{error.msg} (line {error.lineno}, column {error.colno})"
    except (ValueError, RecursionError):
        pass
    return ""


def describe_faults(error: ValidationError) -> str:
    """Return pydantic's errors in one line that a model can act on."""
    faults = (
        f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_input=False, include_context=False)
    )
    return "; ".join(faults)
