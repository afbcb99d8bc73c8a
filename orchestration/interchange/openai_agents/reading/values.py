"""Values of expressions that are constant; nothing is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from textwrap import dedent
from typing import Any

from orchestration.exceptions import DefinitionError, Fault
from orchestration.interchange.openai_agents.reading.source import dotted, function_name
from orchestration.loading import DEFINITION

MAX_DEPTH = 32
"""Depth of a value, as in our own files."""

MAX_SCHEMA_DEPTH = 12
"""Depth of annotations in a schema."""

MAX_LENGTH = 200_000
"""Length of a text that is put together."""

_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_ARRAYS = ("list", "List", "Sequence", "set", "tuple", "Iterable")


class NotConstantError(Exception):
    """An expression that only a run could evaluate."""

    def __init__(self, node: ast.AST) -> None:
        super().__init__()
        self.node = node


class Constants:
    """Constant values of names, and the fields of classes, in one module."""

    def __init__(self) -> None:
        self._remaining = DEFINITION.max_values
        self.names: dict[str, ast.expr] = {}
        self.classes: dict[str, ast.ClassDef] = {}

    def value(self, node: ast.expr, depth: int = 0) -> Any:
        """Return the JSON value of an expression, or raise `NotConstantError`."""
        self._count(node, depth)
        match node:
            case ast.Constant(value=str() | bool() | int() | float() | None as value):
                return value
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return -number
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self.value(each, depth + 1) for each in items]
            case ast.Dict():
                return dict(self._pairs(node, depth))
            case ast.Name(id=name) if name in self.names:
                return self.value(self.names[name], depth + 1)
            case ast.JoinedStr() | ast.BinOp(op=ast.Add()):
                return self._joined(node, depth)
            case ast.Call() if function_name(node) in ("dedent", "cleandoc") and node.args:
                text = self.text(node.args[0], depth + 1)
                return dedent(text) if function_name(node) == "dedent" else cleandoc(text)
            case ast.Call(func=ast.Attribute(value=inner, attr="strip"), args=[]):
                return self.text(inner, depth + 1).strip()
            case _:
                raise NotConstantError(node)

    def text(self, node: ast.expr, depth: int = 0) -> str:
        """Return the text of an expression, or raise `NotConstantError`."""
        value = self.value(node, depth)
        if not isinstance(value, str):
            raise NotConstantError(node)
        return value

    def fields(self, node: ast.Call) -> Mapping[str, ast.expr]:
        """Return the keyword arguments of a call."""
        return {each.arg: each.value for each in node.keywords if each.arg is not None}

    def _count(self, node: ast.expr, depth: int) -> None:
        """Count a value; repeated names could otherwise make a small file very large."""
        self._remaining -= 1
        if self._remaining < 0:
            raise DefinitionError([Fault("$", "This Python code has too many values.")])
        if depth > MAX_DEPTH:
            raise NotConstantError(node)

    def _joined(self, node: ast.expr, depth: int) -> str:
        texts: list[str] = []
        length = 0
        for each in self._texts(node, depth):
            length += len(each)
            if length > MAX_LENGTH:
                raise NotConstantError(node)
            texts.append(each)
        return "".join(texts)

    def _pairs(self, node: ast.Dict, depth: int) -> Iterator[tuple[str, Any]]:
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                raise NotConstantError(value)
            yield self.text(key, depth + 1), self.value(value, depth + 1)

    def _texts(self, node: ast.expr, depth: int) -> Iterator[str]:
        """Yield the parts of an f-string or a sum of texts; the SDK's own prefix is left out."""
        self._count(node, depth)
        match node:
            case ast.JoinedStr(values=parts):
                for each in parts:
                    yield from self._texts(each, depth + 1)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                yield from self._texts(left, depth + 1)
                yield from self._texts(right, depth + 1)
            case ast.FormattedValue(value=inner):
                yield from self._texts(inner, depth + 1)
            case ast.Name(id="RECOMMENDED_PROMPT_PREFIX"):
                return
            case _:
                yield self.text(node, depth + 1)

    # Schemas from annotations

    def class_schema(self, name: str, depth: int = 0) -> dict[str, Any] | None:
        """Return a JSON Schema of a class in the module, from its annotations."""
        found = self.classes.get(name)
        if found is None or depth > MAX_SCHEMA_DEPTH:
            return None
        fields = [each for each in found.body if isinstance(each, ast.AnnAssign)]
        properties = {
            each.target.id: self.annotation_schema(each.annotation, depth + 1)
            for each in fields
            if isinstance(each.target, ast.Name)
        }
        required = [
            each.target.id
            for each in fields
            if isinstance(each.target, ast.Name) and each.value is None
        ]
        return _object_schema(properties, required)

    def arguments_schema(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, Any]:
        """Return a JSON Schema of the parameters of a function, without the run's context."""
        arguments = [*node.args.posonlyargs, *node.args.args]
        optional = {each.arg for each in arguments[len(arguments) - len(node.args.defaults) :]}
        if not node.args.defaults:
            optional = set()
        arguments += node.args.kwonlyargs
        for each, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
            if default is not None:
                optional.add(each.arg)
        if arguments and "Context" in _annotation_name(arguments[0].annotation):
            arguments = arguments[1:]
        properties = {each.arg: self.annotation_schema(each.annotation, 0) for each in arguments}
        required = [each.arg for each in arguments if each.arg not in optional]
        return _object_schema(properties, required)

    def annotation_schema(self, node: ast.expr | None, depth: int) -> dict[str, Any]:
        """Return a JSON Schema of an annotation; an empty one allows any value."""
        if node is None or depth > MAX_SCHEMA_DEPTH:
            return {}
        self._count(node, 0)
        match node:
            case ast.Name(id=name) if name in _TYPES:
                return {"type": _TYPES[name]}
            case ast.Name(id=name):
                return self.class_schema(name, depth + 1) or {}
            case ast.Subscript(value=outer, slice=inner):
                return self._generic_schema(dotted(outer).rpartition(".")[2], inner, depth + 1)
            case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
                return self.annotation_schema(left, depth + 1)
            case _:
                return {}

    def _generic_schema(self, outer: str, inner: ast.expr, depth: int) -> dict[str, Any]:
        first = inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner
        if outer in ("Optional", "Annotated"):
            return self.annotation_schema(first, depth)
        if outer in _ARRAYS:
            return {"type": "array", "items": self.annotation_schema(first, depth)}
        if outer in ("dict", "Dict", "Mapping"):
            return {"type": "object"}
        if outer == "Literal":
            try:
                value = self.value(inner, depth)
            except NotConstantError:
                return {}
            return {"enum": value if isinstance(value, list) else [value]}
        return {}


def _annotation_name(node: ast.expr | None) -> str:
    return dotted(node.value if isinstance(node, ast.Subscript) else node)


def _object_schema(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return schema | ({"required": required} if required else {})
