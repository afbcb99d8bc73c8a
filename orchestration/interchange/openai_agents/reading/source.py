"""Statements of Python source, parsed within the limits of our own files."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence

from orchestration.exceptions import DefinitionError, Fault

MAX_NESTING = 1_000
"""Maximum depth of the syntax tree; each version of Python has another, larger limit."""

_BODIES = ("body", "orelse", "handlers", "finalbody", "cases")


def parsed(text: str) -> ast.Module:
    """Return the module, or raise `DefinitionError` for source that cannot be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about the code are for its author
            module = ast.parse(text)
        if _is_deep(module):
            raise RecursionError
    except SyntaxError as error:
        line = error.lineno or 1
        message = f"This is not valid Python: {error.msg} (line {line})."
        raise DefinitionError([Fault("$", message, line)]) from None
    except (RecursionError, MemoryError):
        raise DefinitionError([Fault("$", "This Python code is nested too deep.")]) from None
    except ValueError as error:  # null bytes, lone surrogates
        raise DefinitionError([Fault("$", f"This is not valid Python: {error}.")]) from None
    return module


def _is_deep(module: ast.Module) -> bool:
    """Report whether the tree has more than the allowed levels; without recursion."""
    level: list[ast.AST] = [module]
    for _ in range(MAX_NESTING):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def statements(module: ast.Module) -> Iterator[ast.stmt]:
    """Yield all statements in order, those of functions and blocks too; those of classes not."""
    waiting: list[ast.AST] = list(reversed(module.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, ast.ClassDef):
            for name in reversed(_BODIES):
                inner = getattr(node, name, None)
                if isinstance(inner, Sequence):
                    waiting.extend(reversed(inner))


def dotted(node: ast.AST | None) -> str:
    """Return a name with its attributes, such as `runtime.to`; empty for another expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


def function_name(node: ast.AST | None) -> str:
    """Return the last part of the name of a called function: `agents.Agent[Context](…)` → `Agent`.

    The name is empty for another expression.
    """
    if not isinstance(node, ast.Call):
        return ""
    function = node.func.value if isinstance(node.func, ast.Subscript) else node.func
    return dotted(function).rpartition(".")[2]


def at(node: ast.AST) -> str:
    """Return the location of a node for a report."""
    return f"line {getattr(node, 'lineno', 1)}"
