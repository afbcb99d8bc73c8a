"""Conditions and filters as CEL expressions: compiled once, bounded, and never Python.

What an expression may ask about is declared with its type. So a name that is not there
(`event.textt`) and a comparison that can never hold (`state.handoff_count == 'x'`) are faults when
it is compiled, with the column. Only `event.metadata` and `payload` are free.

The evaluator's iteration budget bounds steps, not what one step costs, so the text is bounded
besides: nothing in it may feed a list, a pattern or a sum back into another, and a pattern is
written out, so that its size is known.
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
"""Characters of one expression."""

MAX_DEPTH = 32
"""Brackets within brackets."""

MAX_SUMS = 8
"""Plus signs: each may copy the whole message."""

MAX_STATES = 256
"""States of a pattern, with its repetitions written out: each is asked at every character."""


class Variable(NamedTuple):
    """Something that an expression may ask about."""

    name: str
    kind: Literal["text", "text or null", "number", "object"]
    about: str


_STATE = (
    Variable("state.phase", "text", "The stage that the conversation is in."),
    Variable("state.active_agent_id", "text or null", "Who has the conversation."),
    Variable("state.handoff_count", "number", "How many handoffs there were."),
    Variable("state.channel", "text", "The channel that a handoff asked to go on in, or 'same'."),
)

CONDITION_VARIABLES = (
    Variable("event.id", "text", "The sender's own id of the message."),
    Variable("event.text", "text", "What is said."),
    Variable("event.channel_type", "text", "web, sms, email, voice, or another word."),
    Variable("event.intent", "text or null", "What the user wants, where the channel knows."),
    Variable("event.source_channel_id", "text or null", "Which channel it came by."),
    Variable("event.from_agent", "text or null", "The agent that sent it, where one did."),
    Variable("event.metadata", "object", "What else the channel knows."),
    Variable("conversation.id", "text", "The id of the conversation."),
    Variable("conversation.messages", "number", "How many messages were said before this one."),
    *_STATE,
)
"""Variables of a routing rule's condition (contract O-4)."""

FILTER_VARIABLES = (
    Variable("message.role", "text", "user, assistant or tool."),
    Variable("message.text", "text", "What was said, or what a tool gave back."),
    Variable("message.agent_id", "text or null", "Whose words they are; null: the user's."),
    Variable("payload", "object", "What the handoff told the target; empty where it has no form."),
    *_STATE,
)
"""Variables of a transition's message filter (contract S-4)."""


class Function(NamedTuple):
    """Something that an expression may do with what it asks about."""

    name: str
    of: Literal["text", "object", ""]
    """Type of the value before the dot; metadata and payload accept every function. Empty: a
    function without a receiver.
    """
    written: str
    gives: str
    about: str
    example: str
    """An expression with it that is true or false, over what every expression may ask about."""


FUNCTIONS = tuple(
    Function(*row)
    for row in (
        ("contains", "text", "contains('…')", "true or false",
         "Whether the text stands in it, as it is written.", "state.phase.contains('take')"),
        ("startsWith", "text", "startsWith('…')", "true or false",
         "Whether it begins with the text.", "state.phase.startsWith('in')"),
        ("endsWith", "text", "endsWith('…')", "true or false",
         "Whether it ends with the text.", "state.channel.endsWith('l')"),
        ("matches", "text", "matches('…')", "true or false",
         "Whether the pattern is found in it; (?i) before it: without case.",
         "state.phase.matches('(?i)^INT')"),
        ("size", "text", "size()", "number",
         "How many characters it has.", "state.phase.size() < 9"),
        ("exists", "object", "exists(one, …)", "true or false",
         "Whether something holds for one of a list, or of an object's names.",
         "['a', 'b'].exists(one, one == state.phase)"),
        ("all", "object", "all(one, …)", "true or false",
         "Whether something holds for all of a list, or of an object's names.",
         "['a', 'b'].all(one, one != state.phase)"),
        ("size", "", "size(…)", "number",
         "How long a text, a list or an object is.", "size(state.phase) < 9"),
        ("has", "", "has(…)", "true or false",
         "Whether metadata or a payload has a field: has(event.metadata.vip).",
         "has({'vip': true}.vip)"),
        ("int", "", "int(…)", "number",
         "A text or a decimal number as a whole number.", "int('3') > state.handoff_count"),
        ("string", "", "string(…)", "text",
         "A number as a text.", "string(state.handoff_count) == '3'"),
    )
)  # fmt: skip
"""Functions offered to authors of expressions; CEL has more."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A compiled expression, asked with the values of its variables by name."""

    variables: frozenset[str]
    """The variables that it needs."""
    _expression: Any

    def __call__(self, values: Mapping[str, object]) -> bool:
        """Evaluate the expression. Raise `ConditionError` if it fails on these values."""
        try:
            found = self._expression.eval(data=values)
        except Exception as error:  # noqa: BLE001 - whatever the binding raises is its failure
            raise ConditionError(f"The expression failed: {_reason(error)}") from None
        if found.type() == cel.Type.BOOL:
            return bool(found.value())
        if found.type() == cel.Type.ERROR:
            raise ConditionError(f"The expression failed: {_reason(found.value())}")
        raise ConditionError(f"The expression gave no true or false: {str(found.value())[:200]}")


def compile_expression(text: str) -> Predicate:
    """Compile a condition, or raise `ConditionError` with the column of the fault.

    >>> holds = compile_expression("event.text.startsWith('help') && state.handoff_count < 3")
    >>> holds({"event.text": "help me", "state.handoff_count": 0})
    True
    """
    return _compile(text, CONDITION_VARIABLES)


def compile_filter(text: str) -> Predicate:
    """Compile the filter of a transition, or raise `ConditionError` with the fault's column.

    >>> holds = compile_filter("message.text.contains(payload.topic)")
    >>> holds({"message.text": "About refunds", "payload": {"topic": "refund"}})
    True
    """
    return _compile(text, FILTER_VARIABLES)


def _compile(text: str, variables: tuple[Variable, ...]) -> Predicate:
    _bound(text)
    _check_presence(text, variables)
    try:
        kind = _environment(variables, checked=True).compile(text).return_type()
        expression = _environment(variables, checked=False).compile(text)
    except Exception as error:  # noqa: BLE001 - whatever the binding raises is a wrong expression
        raise _fault(str(error), text, variables) from None
    if kind not in (cel.Type.BOOL, cel.Type.DYN):
        raise ConditionError(f"It must be true or false, and gives {_type(kind.name())}.", 1)
    _check_pattern(text)
    named = (variable.name for variable in variables)
    return Predicate(
        frozenset(name for name in named if name.rpartition(".")[2] in text), expression
    )


@cache
def _environment(variables: tuple[Variable, ...], *, checked: bool) -> cel.Env:
    """Return the CEL environment with the variables. At run time, nullable variables are dynamic.

    The binding has a type for text or null, and no way to give a value of it.
    """
    types = {
        "text": cel.Type.STRING,
        "text or null": cel.Type("google.protobuf.StringValue") if checked else cel.Type.DYN,
        "number": cel.Type.INT,
        "object": cel.Type.Map(cel.Type.STRING, cel.Type.DYN),
    }
    return cel.NewEnv(variables={variable.name: types[variable.kind] for variable in variables})


def _bound(text: str) -> None:
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
    if len(walks := list(_WALK.finditer(text))) > 1:
        raise ConditionError(
            "An expression may go through one list or match one pattern: only one of all, exists, "
            "exists_one, filter, map and matches, once.",
            walks[1].start() + 1,
        )


_GAP = r"(?:\s|//[^\n]*(?:\n|$))*"
_WALK = re.compile(rf"\b(?:all|exists|exists_one|filter|map|matches){_GAP}\(")
"""Each costs a round for every element, or for every character of the message."""


def _check_presence(text: str, variables: tuple[Variable, ...]) -> None:
    """Refuse to ask whether a declared variable is there: the compiler would take its value."""
    for asked in _PRESENCE.finditer(text):
        name = f"{asked[1]}.{asked[2]}"
        if any(variable.name == name for variable in variables):
            raise ConditionError(
                f"{name} is always there: compare it, with null where it may be nothing.",
                asked.start() + 1,
            )


_PRESENCE = re.compile(r"\bhas\s*\(\s*(\w+)\s*\.\s*(\w+)\s*\)")


def _check_pattern(text: str) -> None:
    """Refuse a pattern that is wrong, too large, or not to be seen here."""
    asked = _MATCHES.search(text)
    if asked is None:
        return
    written = _WRITTEN.match(text, asked.end())
    if written is None:
        raise ConditionError("matches takes a pattern that is written out.", asked.start() + 1)
    column = written.start(1) + 1
    environment = _environment((), checked=True)
    found = environment.compile(f"''.matches({written[1]})").eval()
    if found.type() == cel.Type.ERROR:
        raise ConditionError(f"{_reason(found.value())}.", column)
    if _states(environment.compile(written[1]).eval().value()) > MAX_STATES:
        raise ConditionError("The pattern is too large: repeat less, or less often.", column)


_MATCHES = re.compile(rf"\bmatches{_GAP}\(")
_WRITTEN = re.compile(
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


def _fault(message: str, text: str, variables: tuple[Variable, ...]) -> ConditionError:
    """Read the compiler's first complaint: `ERROR: <input>:1:5: …`, then the source drawn."""
    found = _AT.search(message)
    if found is None:
        return ConditionError(message.splitlines()[0] if message else "The expression is wrong.")
    before = text.split("\n")[: int(found[1]) - 1]
    column = sum(len(line) + 1 for line in before) + int(found[2])
    return ConditionError(_words(found[3].strip(), variables), column)


def _words(complaint: str, variables: Collection[Variable]) -> str:
    """The compiler's complaint in words for who wrote the expression."""
    if unknown := _UNKNOWN.match(complaint):
        return _unknown(unknown[1], [variable.name for variable in variables])
    if mismatch := _MISMATCH.match(complaint):
        operator = mismatch[1].strip("_@").replace("_", "")
        return f"{operator} cannot be applied to ({_type(mismatch[2])})."
    if unread := _UNREAD.match(complaint):
        return _unread(unread["given"].strip(), unread["missing"])
    return f"{complaint.rstrip('.')}."


def _unread(given: str, missing: str | None) -> str:
    """Describe the name that the compiler cannot resolve, and suggest a similar one."""
    if missing:
        return f"A “{missing}” is missing."
    if given == "<EOF>":
        return "The expression ends too early."
    if given[:1] in ("'", '"'):
        return "A quote is not closed."
    meant = _MEANT.get(given)
    return f"“{given}” cannot be read here" + (f": write “{meant}”." if meant else ".")


_UNREAD = re.compile(
    r"Syntax error: (?:mismatched input|extraneous input|no viable alternative at input"
    r"|token recognition error at:|missing '(?P<missing>[^']+)' at) '(?P<given>.*?)'"
    r"(?: expecting .*)?\.?$",
    re.DOTALL,
)
_MEANT = {"=": "==", "and": "&&", "or": "||", "not": "!", "&": "&&", "|": "||"}
_UNKNOWN = re.compile(r"undeclared reference to '([^']*)'")
_MISMATCH = re.compile(r"found no matching overload for '([^']*)' applied to '\((.*)\)'")


def _unknown(name: str, known: Collection[str]) -> str:
    root, _, member = name.partition(".")
    members = sorted(other.partition(".")[2] for other in known if other.startswith(f"{root}."))
    if not members:
        roots = ", ".join(dict.fromkeys(other.partition(".")[0] for other in known))
        return f"There is nothing called {name!r}. An expression may ask about {roots}."
    has = f"{root} has {', '.join(members)}"
    return f"There is no {name!r}: {has}." if member else f"Say what of it: {has}."


def _type(name: str) -> str:
    """A type, or several, in words."""
    return _TYPE.sub(lambda found: _TYPES[found[0]], name.lower())


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
    """An error of the binding's without its code."""
    return re.sub(r"^[A-Z_]+: ", "", str(error))[:200]
