"""Tool specifications from the signatures of Python callables."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ArgsKwargs

from orchestration.exceptions import ToolError
from orchestration.tools.arguments import describe_faults
from orchestration.tools.spec import ToolSpec

CONTEXT = "context"
"""The parameter for the context of the call; not an argument for the model."""

_DESCRIPTION = 500


def spec_of(name: str, function: Callable[..., Any]) -> ToolSpec:
    """Return the specification of a callable, from its docstring and its signature.

    >>> def look_up(order: int, urgent: bool = False) -> str:
    ...     '''Look an order up.'''
    >>> spec = spec_of("look_up", look_up)
    >>> spec.description, list(spec.parameters["properties"]), spec.parameters["required"]
    ('Look an order up.', ['order', 'urgent'], ['order'])
    """
    text = inspect.getdoc(_routine(function)) or ""
    description = " ".join(text.split("\n\n")[0].split())[:_DESCRIPTION]
    schema = _untitled(_reader(function).json_schema(), _descriptions(text))
    return ToolSpec(name, description, schema)


def validate_call(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the callable with arguments converted to its annotations, such as a date or a model.

    Invalid arguments raise `ToolError` with a message for the model.
    """
    reader = _reader(function)

    @wraps(function)
    def validated(**arguments: Any) -> Any:
        context = {CONTEXT: arguments.pop(CONTEXT)} if CONTEXT in arguments else {}
        try:
            values: Mapping[str, Any] = reader.validate_python(ArgsKwargs((), arguments))
        except ValidationError as error:
            raise ToolError(
                f"The arguments of {name} are wrong: {describe_faults(error)}"
            ) from None
        return function(**values, **context)

    return validated


def _reader(function: Callable[..., Any]) -> TypeAdapter[Any]:
    """Return a validator of a callable's keyword arguments."""

    def collect(**arguments: Any) -> dict[str, Any]:
        return arguments

    try:
        hints = get_type_hints(_routine(function), include_extras=True)
    except NameError:  # an annotation names a local class
        hints = {}
    parameters = [
        parameter.replace(kind=_kind(parameter.kind), annotation=hints.get(parameter.name, Any))
        for parameter in _parameters(function)
        if parameter.name != CONTEXT and parameter.kind in _BY_NAME
    ]
    annotated: Any = collect
    annotated.__signature__ = inspect.Signature(parameters)
    annotated.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return TypeAdapter(annotated)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a callable; a builtin without a signature accepts anything."""
    try:
        return list(inspect.signature(function).parameters.values())
    except ValueError:
        return [inspect.Parameter("anything", inspect.Parameter.VAR_KEYWORD)]


_BY_NAME = (
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.KEYWORD_ONLY,
    inspect.Parameter.VAR_KEYWORD,
)


def _kind(kind: Any) -> Any:
    """Return the kind for a call by name only; `**kwargs` stays unchanged."""
    return kind if kind is inspect.Parameter.VAR_KEYWORD else inspect.Parameter.KEYWORD_ONLY


def _routine(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function itself, or the `__call__` of an object."""
    return function if inspect.isroutine(function) else type(function).__call__


def _descriptions(text: str) -> dict[str, str]:
    """Return the argument descriptions of a docstring in Google, NumPy, Sphinx or Epydoc style."""
    import docstring_parser  # here because the import is slow

    try:
        parameters = docstring_parser.parse(text).params
    except docstring_parser.ParseError:
        return {}
    descriptions = {
        parameter.arg_name.lstrip("*"): " ".join((parameter.description or "").split())
        for parameter in parameters
    }
    return {name: text[:_DESCRIPTION] for name, text in descriptions.items() if text}


def _untitled(schema: Mapping[str, Any], descriptions: Mapping[str, str]) -> dict[str, Any]:
    """Return the schema with the docstring's descriptions and without titles.

    Titles only repeat the names. The description in an annotation overrides the docstring's.
    """
    properties = {
        name: ({"description": descriptions[name]} if name in descriptions else {})
        | {key: value for key, value in part.items() if key != "title"}
        for name, part in schema.get("properties", {}).items()
    }
    return {**schema, "properties": properties}
