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
"""The parameter that is the call's own context, and none of its arguments."""

_DESCRIPTION = 500


def spec_of(name: str, function: Callable[..., Any]) -> ToolSpec:
    """Return the specification of a callable: the first lines of its docstring, and its arguments.

    >>> def look_up(order: int, urgent: bool = False) -> str:
    ...     '''Look an order up.'''
    >>> spec = spec_of("look_up", look_up)
    >>> spec.description, list(spec.parameters["properties"]), spec.parameters["required"]
    ('Look an order up.', ['order', 'urgent'], ['order'])
    """
    text = inspect.getdoc(_routine(function)) or ""
    description = " ".join(text.split("\n\n")[0].split())[:_DESCRIPTION]
    schema = _untitled(_reader(function).json_schema(), _described(text))
    return ToolSpec(name, description, schema)


def reading(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The callable, which gets its arguments as its annotations have them: a date, a model.

    What does not fit them raises `ToolError`, in words the model can act on.
    """
    reader = _reader(function)

    @wraps(function)
    def read(**arguments: Any) -> Any:
        context = {CONTEXT: arguments.pop(CONTEXT)} if CONTEXT in arguments else {}
        try:
            fitting: Mapping[str, Any] = reader.validate_python(ArgsKwargs((), arguments))
        except ValidationError as error:
            raise ToolError(
                f"The arguments of {name} are wrong: {describe_faults(error)}"
            ) from None
        return function(**fitting, **context)

    return read


def _reader(function: Callable[..., Any]) -> TypeAdapter[Any]:
    """Reads the arguments that the callable can be called with by name, and gives them back."""

    def arguments(**given: Any) -> dict[str, Any]:
        return given

    try:
        hints = get_type_hints(_routine(function), include_extras=True)
    except NameError:  # it names what only its own function knows
        hints = {}
    taken = [
        parameter.replace(kind=_kind(parameter.kind), annotation=hints.get(parameter.name, Any))
        for parameter in _parameters(function)
        if parameter.name != CONTEXT and parameter.kind in _BY_NAME
    ]
    signed: Any = arguments
    signed.__signature__ = inspect.Signature(taken)
    signed.__annotations__ = {one.name: one.annotation for one in taken}
    return TypeAdapter(signed)


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
    """By name, each of them; what takes all other names stays what it is."""
    return kind if kind is inspect.Parameter.VAR_KEYWORD else inspect.Parameter.KEYWORD_ONLY


def _routine(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself, or what an object has for calling it."""
    return function if inspect.isroutine(function) else type(function).__call__


def _described(text: str) -> dict[str, str]:
    """Return the argument descriptions of a docstring in Google, NumPy, Sphinx or Epydoc style."""
    import docstring_parser  # only where it is wanted: it takes a while

    try:
        found = docstring_parser.parse(text).params
    except docstring_parser.ParseError:
        return {}
    words = {one.arg_name.lstrip("*"): " ".join((one.description or "").split()) for one in found}
    return {name: said[:_DESCRIPTION] for name, said in words.items() if said}


def _untitled(schema: Mapping[str, Any], described: Mapping[str, str]) -> dict[str, Any]:
    """The schema without the titles of its arguments, which say nothing new; with what is said.

    What an annotation says of an argument comes before what the docstring does.
    """
    properties = {
        name: ({"description": described[name]} if name in described else {})
        | {key: value for key, value in part.items() if key != "title"}
        for name, part in schema.get("properties", {}).items()
    }
    return {**schema, "properties": properties}
