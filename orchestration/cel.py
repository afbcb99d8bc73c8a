"""Conditions as CEL expressions: compiled once, bounded, and never Python.

Variables: `event` (the inbound message), `conversation` (what the session knows of itself) and
`state` (phase, active_agent_id, handoff_count, channel). The compiler checks types and names the
column of a fault. The evaluator's iteration budget bounds steps, not what one step copies, so the
text is bounded besides: nothing in it may feed a list, a pattern or a sum back into another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from cel_expr_python import cel

from orchestration.exceptions import ConditionError

MAX_LENGTH = 1_000
"""Characters of one expression."""

MAX_DEPTH = 32
"""Brackets within brackets."""

MAX_SUMS = 8
"""Plus signs: each may copy the whole message."""

VARIABLES = ("event", "conversation", "state")

Predicate = Callable[[Mapping[str, object]], bool]
"""Takes the variables by name. Raises `ConditionError` where the expression fails on them."""


def compile_expression(text: str) -> Predicate:
    """Compile a condition, or raise `ConditionError` with the column of the fault."""
    _bound(text)
    try:
        expression = _environment().compile(text)
    except Exception as error:  # noqa: BLE001 - whatever the binding raises is a wrong condition
        raise _fault(str(error)) from None
    kind = expression.return_type()
    if kind not in (cel.Type.BOOL, cel.Type.DYN):
        raise ConditionError(f"A condition must be true or false; this one gives {kind.name()}.")

    def holds(variables: Mapping[str, object]) -> bool:
        try:
            value = expression.eval(data=dict(variables))
        except Exception as error:  # noqa: BLE001 - whatever the binding raises is its failure
            raise ConditionError(f"The condition failed: {error}") from None
        if value.type() == cel.Type.BOOL:
            return bool(value.value())
        raise ConditionError(f"The condition gave no true or false: {_plain(value)}")

    return holds


@cache
def _environment() -> cel.Env:
    shape = cel.Type.Map(cel.Type.STRING, cel.Type.DYN)
    return cel.NewEnv(variables=dict.fromkeys(VARIABLES, shape))


def _bound(text: str) -> None:
    if not text.strip():
        raise ConditionError("The condition is empty.", 1)
    if len(text) > MAX_LENGTH:
        raise ConditionError(f"The condition is longer than {MAX_LENGTH} characters.", MAX_LENGTH)
    depth = 0
    for column, character in enumerate(text, start=1):
        depth += (character in "([{?") - (character in ")]}")
        if depth > MAX_DEPTH:
            raise ConditionError(f"The condition nests deeper than {MAX_DEPTH}.", column)
    if text.count("+") > MAX_SUMS:
        raise ConditionError(f"The condition has more than {MAX_SUMS} plus signs.")
    if len(walks := list(_WALK.finditer(text))) > 1:
        raise ConditionError(
            "A condition may go through one list or match one pattern: only one of all, exists, "
            "exists_one, filter, map and matches, once.",
            walks[1].start() + 1,
        )


_WALK = re.compile(r"\b(?:all|exists|exists_one|filter|map|matches)(?:\s|//[^\n]*(?:\n|$))*\(")
"""Each costs a round for every element, or for every character of the message."""


_AT = re.compile(r"<input>:(\d+):(\d+):\s*(.*)")


def _fault(message: str) -> ConditionError:
    """Read the compiler's first complaint: `ERROR: <input>:1:5: …`, then the source drawn."""
    if found := _AT.search(message):
        return ConditionError(found[3].strip(), int(found[2]))
    return ConditionError(message.splitlines()[0] if message else "The condition is wrong.")


def _plain(value: cel.Value) -> str:
    return str(value.value())[:200]
