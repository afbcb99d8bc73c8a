"""Conditions and filters as CEL expressions, compiled once and limited in cost.

All variables are declared with a type. An unknown name (`event.textt`) and a comparison of
different types (`state.handoff_count == 'x'`) are compile errors with a column. Only
`event.metadata` and `payload` have no fixed type.

The evaluator limits the number of steps, but not the cost of a step. So the expression itself is
limited: lists, patterns and sums must not be nested, and a pattern must be a literal of known size.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

from cel_expr_python import cel

from orchestration.exceptions import ConditionError

MAX_LENGTH = 1_000
"""Maximum length of an expression in characters."""

MAX_DEPTH = 32
"""Maximum depth of nested brackets."""

MAX_SUMS = 8
"""Maximum number of plus signs: each may copy the whole message."""

MAX_STATES = 256
"""Maximum number of states of a pattern with its repetitions; each costs time per character."""


class Variable(NamedTuple):
    """A variable of an expression."""

    name: str
    kind: Literal["text", "text or null", "number", "object"]
    description: str


_STATE = (
    Variable("state.phase", "text", "The current stage of the conversation."),
    Variable("state.active_agent_id", "text or null", "The active agent."),
    Variable("state.handoff_count", "number", "Number of handoffs so far."),
    Variable("state.channel", "text", "The channel that a handoff requested, or 'same'."),
    Variable("variables", "object", "Variables of the pipeline: variables.customer.name."),
)

CONDITION_VARIABLES = (
    Variable("event.id", "text", "The sender's id of the message."),
    Variable("event.text", "text", "The text of the message."),
    Variable("event.channel_type", "text", "web, sms, email, voice, or another channel."),
    Variable("event.intent", "text or null", "The intent of the user, if the channel knows it."),
    Variable("event.source_channel_id", "text or null", "The channel of the message."),
    Variable("event.from_agent", "text or null", "The agent that sent the message, if any."),
    Variable("event.metadata", "object", "Further data of the channel."),
    Variable("conversation.id", "text", "The id of the conversation."),
    Variable("conversation.messages", "number", "Number of earlier messages."),
    *_STATE,
)
"""Variables of a routing rule's condition (contract O-4)."""

FILTER_VARIABLES = (
    Variable("message.role", "text", "user, assistant or tool."),
    Variable("message.text", "text", "The text of the message or the result of a tool."),
    Variable("message.agent_id", "text or null", "The author of the message; null for the user."),
    Variable("payload", "object", "The payload of the handoff; empty if it has no schema."),
    *_STATE,
)
"""Variables of a transition's message filter (contract S-4)."""


class Function(NamedTuple):
    """A function of an expression."""

    name: str
    receiver: Literal["text", "object", ""]
    """Type of the value before the dot, empty for none; metadata and payload accept every function.
    """
    signature: str
    returns: str
    description: str
    example: str
    """A condition with the function over variables that every expression has."""


FUNCTIONS = tuple(
    Function(*row)
    for row in (
        ("contains", "text", "contains('…')", "true or false",
         "True if it contains the text, with the same case.", "state.phase.contains('take')"),
        ("startsWith", "text", "startsWith('…')", "true or false",
         "True if it begins with the text.", "state.phase.startsWith('in')"),
        ("endsWith", "text", "endsWith('…')", "true or false",
         "True if it ends with the text.", "state.channel.endsWith('l')"),
        ("matches", "text", "matches('…')", "true or false",
         "True if the pattern matches a part of it; (?i) in front ignores case.",
         "state.phase.matches('(?i)^INT')"),
        ("size", "text", "size()", "number",
         "Number of characters.", "state.phase.size() < 9"),
        ("exists", "object", "exists(item, …)", "true or false",
         "True if the condition holds for one item of a list or one name of an object.",
         "['a', 'b'].exists(item, item == state.phase)"),
        ("all", "object", "all(item, …)", "true or false",
         "True if the condition holds for all items of a list or all names of an object.",
         "['a', 'b'].all(item, item != state.phase)"),
        ("size", "", "size(…)", "number",
         "Length of a text, a list or an object.", "size(state.phase) < 9"),
        ("has", "", "has(…)", "true or false",
         "True if metadata or a payload has the field: has(event.metadata.vip).",
         "has({'vip': true}.vip)"),
        ("int", "", "int(…)", "number",
         "Convert a text or a decimal number to a whole number.", "int('3') > state.handoff_count"),
        ("string", "", "string(…)", "text",
         "Convert a number to a text.", "string(state.handoff_count) == '3'"),
    )
)  # fmt: skip
"""Functions that the editor suggests; CEL has more."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A compiled expression, evaluated with the values of its variables by name."""

    variables: frozenset[str]
    """Variables of the expression."""
    _expression: Any

    def __call__(self, values: Mapping[str, object]) -> bool:
        """Evaluate the expression. Raise `ConditionError` if it fails on these values."""
        try:
            result = self._expression.eval(data=values)
        except Exception as error:  # noqa: BLE001 - the binding may raise anything
            raise ConditionError(f"The expression failed: {_reason(error)}") from None
        if result.type() == cel.Type.BOOL:
            return bool(result.value())
        if result.type() == cel.Type.ERROR:
            raise ConditionError(f"The expression failed: {_reason(result.value())}")
        text = str(result.value())[:200]
        raise ConditionError(f"The result is {text}: it must be true or false.")


def compile_expression(text: str) -> Predicate:
    """Compile a condition, or raise `ConditionError` with the column of the error.

    >>> holds = compile_expression("event.text.startsWith('help') && state.handoff_count < 3")
    >>> holds({"event.text": "help me", "state.handoff_count": 0})
    True
    """
    return _compile(text, CONDITION_VARIABLES)


def compile_filter(text: str) -> Predicate:
    """Compile the filter of a transition, or raise `ConditionError` with the error's column.

    >>> holds = compile_filter("message.text.contains(payload.topic)")
    >>> holds({"message.text": "About refunds", "payload": {"topic": "refund"}})
    True
    """
    return _compile(text, FILTER_VARIABLES)


def _compile(text: str, variables: tuple[Variable, ...]) -> Predicate:
    _check_size(text)
    _check_has(text, variables)
    try:
        kind = _environment(variables, checked=True).compile(text).return_type()
        expression = _environment(variables, checked=False).compile(text)
    except Exception as error:  # noqa: BLE001 - the binding may raise anything
        raise _compile_error(str(error), text, variables) from None
    if kind not in (cel.Type.BOOL, cel.Type.DYN):
        name = _type(kind.name())
        raise ConditionError(f"The result is of type {name}: it must be true or false.", 1)
    _check_pattern(text)
    names = (variable.name for variable in variables)
    return Predicate(
        frozenset(name for name in names if name.rpartition(".")[2] in text), expression
    )


@cache
def _environment(variables: tuple[Variable, ...], *, checked: bool) -> cel.Env:
    """Return the CEL environment with the variables. At run time, nullable variables are dynamic.

    The binding has a type for text or null, but cannot create a value of that type.
    """
    types = {
        "text": cel.Type.STRING,
        "text or null": cel.Type("google.protobuf.StringValue") if checked else cel.Type.DYN,
        "number": cel.Type.INT,
        "object": cel.Type.Map(cel.Type.STRING, cel.Type.DYN),
    }
    return cel.NewEnv(variables={variable.name: types[variable.kind] for variable in variables})


def _check_size(text: str) -> None:
    if not text.strip():
        raise ConditionError("The expression is empty.", 1)
    if len(text) > MAX_LENGTH:
        raise ConditionError(f"The expression is longer than {MAX_LENGTH} characters.", MAX_LENGTH)
    depth = 0
    for column, character in enumerate(text, start=1):
        depth += (character in "([{?") - (character in ")]}")
        if depth > MAX_DEPTH:
            raise ConditionError(f"The expression nests deeper than {MAX_DEPTH}.", column)
    sums = [column for column, character in enumerate(text, start=1) if character == "+"]
    if len(sums) > MAX_SUMS:
        raise ConditionError(f"The expression has more than {MAX_SUMS} plus signs.", sums[MAX_SUMS])
    if len(loops := list(_LOOP.finditer(text))) > 1:
        raise ConditionError(
            "An expression can use only one of all, exists, exists_one, filter, map and matches, "
            "and only once.",
            loops[1].start() + 1,
        )


_GAP = r"(?:\s|//[^\n]*(?:\n|$))*"
_LOOP = re.compile(rf"\b(?:all|exists|exists_one|filter|map|matches){_GAP}\(")
"""Each of these costs a step per element, or per character of the message."""


def _check_has(text: str, variables: tuple[Variable, ...]) -> None:
    """Refuse `has` for a declared variable: the compiler would use the variable's value."""
    for call in _HAS.finditer(text):
        name = f"{call[1]}.{call[2]}"
        if any(variable.name == name for variable in variables):
            raise ConditionError(
                f"{name} always exists: compare it with a value or with null.",
                call.start() + 1,
            )


_HAS = re.compile(r"\bhas\s*\(\s*(\w+)\s*\.\s*(\w+)\s*\)")


def _check_pattern(text: str) -> None:
    """Refuse a pattern that is invalid, too large or not a literal."""
    call = _MATCHES.search(text)
    if call is None:
        return
    literal = _LITERAL.match(text, call.end())
    if literal is None:
        raise ConditionError("The pattern of matches must be a quoted text.", call.start() + 1)
    column = literal.start(1) + 1
    environment = _environment((), checked=True)
    result = environment.compile(f"''.matches({literal[1]})").eval()
    if result.type() == cel.Type.ERROR:
        raise ConditionError(f"{_reason(result.value())}.", column)
    if _states(environment.compile(literal[1]).eval().value()) > MAX_STATES:
        raise ConditionError("The pattern is too large: use fewer or smaller repetitions.", column)


_MATCHES = re.compile(rf"\bmatches{_GAP}\(")
_LITERAL = re.compile(
    r"""(?:[^()'"]*,)?\s*([rR]'[^'\n]*'|[rR]"[^"\n]*"|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")\s*\)"""
)


def _states(pattern: str) -> float:
    """Return the maximum number of states of a pattern; infinity for an unsupported pattern."""
    open_groups, last = [0], 0
    for token in _TOKEN.finditer(pattern):
        match token[0][0]:
            case "(":
                open_groups.append(0)
            case ")" if len(open_groups) == 1:
                return math.inf
            case ")":
                last = open_groups.pop()
                open_groups[-1] += last
            case "{" if token[1]:
                repeated = last * int(token[2] or token[1])
                open_groups[-1] += repeated - last
                last = repeated
            case _:
                last = _UNICODE if "\\p" in token[0].lower() else 1
                open_groups[-1] += last
    return open_groups[0] if len(open_groups) == 1 and "\\Q" not in pattern else math.inf


_TOKEN = re.compile(
    r"\\[pP]\{\^?\w+\}|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{(\d+),?(\d*)\}|.", re.DOTALL
)

_UNICODE = 64
"""States of a class such as `\\p{L}`, which has many ranges."""


_AT = re.compile(r"<input>:(\d+):(\d+):\s*(.*)")


def _compile_error(message: str, text: str, variables: tuple[Variable, ...]) -> ConditionError:
    """Convert the compiler's first error: `ERROR: <input>:1:5: …` and an excerpt."""
    location = _AT.search(message)
    if location is None:
        return ConditionError(message.splitlines()[0] if message else "The expression is invalid.")
    before = text.split("\n")[: int(location[1]) - 1]
    column = sum(len(line) + 1 for line in before) + int(location[2])
    return ConditionError(_explain(location[3].strip(), variables), column)


def _explain(message: str, variables: Collection[Variable]) -> str:
    """Convert an error message of the compiler to a sentence for the author."""
    if unknown := _UNKNOWN.match(message):
        return _unknown(unknown[1], [variable.name for variable in variables])
    if mismatch := _MISMATCH.match(message):
        operator = mismatch[1].strip("_@").replace("_", "")
        return f"{operator} cannot be applied to ({_type(mismatch[2])})."
    if unexpected := _SYNTAX.match(message):
        return _unexpected(unexpected["symbol"].strip(), unexpected["missing"])
    return f"{message.rstrip('.')}."


def _unexpected(symbol: str, missing: str | None) -> str:
    """Describe a syntax error, and suggest the correct operator."""
    if missing:
        return f"A “{missing}” is missing."
    if symbol == "<EOF>":
        return "The expression ends too early."
    if symbol[:1] in ("'", '"'):
        return "A quote is not closed."
    operator = _OPERATORS.get(symbol)
    return f"“{symbol}” is not allowed here" + (f": use “{operator}”." if operator else ".")


_SYNTAX = re.compile(
    r"Syntax error: (?:mismatched input|extraneous input|no viable alternative at input"
    r"|token recognition error at:|missing '(?P<missing>[^']+)' at) '(?P<symbol>.*?)'"
    r"(?: expecting .*)?\.?$",
    re.DOTALL,
)
_OPERATORS = {"=": "==", "and": "&&", "or": "||", "not": "!", "&": "&&", "|": "||"}
_UNKNOWN = re.compile(r"undeclared reference to '([^']*)'")
_MISMATCH = re.compile(r"found no matching overload for '([^']*)' applied to '\((.*)\)'")


def _unknown(name: str, known: Collection[str]) -> str:
    root, _, member = name.partition(".")
    members = sorted(other.partition(".")[2] for other in known if other.startswith(f"{root}."))
    if not members:
        roots = ", ".join(dict.fromkeys(other.partition(".")[0] for other in known))
        return f"There is nothing called {name!r}. An expression can use {roots}."
    has = f"{root} has {', '.join(members)}"
    return f"There is no {name!r}: {has}." if member else f"Choose a field: {has}."


def _type(name: str) -> str:
    """Return one or several types in words."""
    return _TYPE.sub(lambda match: _TYPES[match[0]], name.lower())


_TYPES = {
    "wrapper(string)": "text or null",
    "map(string, dyn)": "object",
    "string": "text",
    "bool": "true or false",
    "int": "whole number",
    "uint": "unsigned number",
    "double": "decimal number",
}
_TYPE = re.compile("|".join(map(re.escape, _TYPES)))


def _reason(error: object) -> str:
    """Return an error of the binding without its code."""
    return re.sub(r"^[A-Z_]+: ", "", str(error))[:200]
