"""Parameters of a function tool, from its source; the source is parsed, never run."""

from __future__ import annotations

import ast
from typing import Any

from orchestration.interchange.foreign_tools import schema_of

_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}
_MAX_SOURCE = 20_000
"""Length of a source; nested parts of a longer one could exceed the stack of the parser."""


def parameters_of_source(source: object) -> dict[str, Any] | None:
    """Return the JSON Schema of the parameters of the only function, or None.

    >>> parameters_of_source("async def find(number: str, year: int = 2026): ...")["required"]
    ['number']
    """
    function = _function(source)
    if function is None:
        return None
    given = [*function.args.posonlyargs, *function.args.args]
    with_default = given[len(given) - len(function.args.defaults) :]
    keyword = function.args.kwonlyargs
    with_default += [
        each
        for each, value in zip(keyword, function.args.kw_defaults, strict=True)
        if value is not None
    ]
    named = [each for each in (*given, *keyword) if not _is_token(each)]
    properties = {each.arg: _schema(each.annotation) for each in named}
    return schema_of(properties, [each.arg for each in named if each not in with_default])


def _function(source: object) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    if not isinstance(source, str) or len(source) > _MAX_SOURCE:
        return None
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    functions = [each for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    return functions[0] if len(functions) == 1 else None


def _is_token(argument: ast.arg) -> bool:
    """Report whether AutoGen passes the argument itself: its token to cancel the call."""
    return (
        isinstance(argument.annotation, ast.Name) and argument.annotation.id == "CancellationToken"
    )


def _schema(annotation: ast.expr | None) -> dict[str, Any]:
    """Return the schema for an annotation: a simple type, `list[…]`, `Annotated[…, "…"]`."""
    match annotation:
        case ast.Name(id=name) if name in _TYPES:
            return {"type": _TYPES[name]}
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return {"type": "array", "items": _schema(item)}
        case ast.Subscript(value=ast.Name(id="dict")):
            return {"type": "object"}
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[inner, *rest])):
            texts = [each.value for each in rest if isinstance(each, ast.Constant)]
            text = next((each for each in texts if isinstance(each, str)), None)
            return _schema(inner) | ({"description": text} if text else {})
        case _:
            return {}
