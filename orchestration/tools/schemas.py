"""JSON Schemas of a model's output: a tool's arguments or a handoff's payload (contract S-3).

Both the schema and the value are untrusted: the schema is part of a definition, and a model writes
the value. The validator (jsonschema-rs) loads nothing: a reference must lead to a part of the
schema. Patterns are matched in linear time, without look-around and back-references. One danger
remains: many parts of a schema that check the same value, each through other parts. These checks
are counted before the schema is compiled, and the size of the value is limited.

Every schema is read as draft 2020-12, even if its `$schema` names another draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

from orchestration.exceptions import SchemaError, SchemaTooComplexError

MAX_DEPTH = 32
"""Maximum nesting of lists and objects in a value."""

MAX_SCHEMA_DEPTH = 64
"""Maximum nesting in a schema, which needs several levels to describe one level of a value."""

MAX_VALUES = 2_000
"""Maximum number of values in a value, or in a schema."""

MAX_CHARACTERS = 64_000
"""Maximum characters of all texts in a value, or in a schema."""

MAX_CHECKS = 50
"""Maximum number of a schema's parts that check the same value."""

MAX_FAULTS = 10
"""Maximum number of listed faults of a value; further faults are only counted."""

MAX_FAULT = 300
"""Maximum characters of one fault."""

Faults = Callable[[Any], list[str]]
"""Returns the faults of a value, as sentences for the model; empty for a valid value."""


def schema_fault(schema: Mapping[str, Any], *, checks: bool = True) -> str | None:
    """Return a sentence about the error in a JSON Schema of an object; None if it is valid.

    Pass `checks=False` for a schema that no value is checked against: it may be too complex.

    >>> schema_fault({"type": "object", "properties": {"name": {"type": "text"}}})
    "properties.name.type: no type is called 'text'."
    """
    try:
        _compile(schema)
    except SchemaTooComplexError as error:
        return str(error) if checks else None
    except SchemaError as error:
        return str(error)
    return None


def compile_schema(schema: Mapping[str, Any], root: str = "arguments") -> Faults:
    """Return a function that lists the errors of a value, or raise `SchemaError`.

    `root` is the name of the value in messages about the value as a whole.

    >>> faults = compile_schema({"type": "object", "properties": {"age": {"type": "integer"}}})
    >>> faults({"age": 7})
    []
    >>> faults({"age": "seven"})
    ['age: it is not of type "integer".']
    """
    validator = _compile(schema)

    def faults(value: Any) -> list[str]:
        if excess := _excess(value, MAX_DEPTH):
            return [f"{root}: {excess}"]
        try:
            if validator.is_valid(value):
                return []
            errors = list(validator.iter_errors(value))
        except ValueError as error:
            return [_sentence(root, f"they are not JSON: {error}")]
        listed = [_sentence(_place(error, root), _message(error)) for error in errors]
        listed = list(dict.fromkeys(listed))
        if (more := len(listed) - MAX_FAULTS) > 0:
            listed[MAX_FAULTS:] = [f"There are {more} more faults."]
        return listed

    return faults


def _compile(schema: Mapping[str, Any]) -> jsonschema_rs.Validator:
    if excess := _excess(schema, MAX_SCHEMA_DEPTH):
        raise SchemaTooComplexError(excess.capitalize())
    _CheckCounter(schema).check()
    try:
        return jsonschema_rs.Draft202012Validator(
            dict(schema),
            mask="it",
            offline=True,
            pattern_options=_PATTERNS,
            validate_formats=True,
        )
    except jsonschema_rs.ValidationError as error:
        kind = SchemaTooComplexError if _is_pattern(error) else SchemaError
        raise kind(_sentence(_place(error, "schema"), _schema_message(error))) from None
    except ValueError as error:
        raise SchemaError(_sentence("schema", f"it is not JSON: {error}")) from None


_PATTERNS = jsonschema_rs.RegexOptions(size_limit=1 << 16, dfa_size_limit=1 << 16)
"""Options for matching in linear time. A pattern above the size limit is a fault. The slowest
pattern below it takes half a second for a text of 64,000 characters.
"""


def _excess(value: object, depth: int) -> str | None:
    """Describe the exceeded limit of a value, if any."""
    values = characters = 0
    pending = [(value, depth)]
    while pending:
        value, depth = pending.pop()
        values += 1
        match value:
            case str():
                characters += len(value)
            case dict():
                characters += sum(len(key) for key in value if isinstance(key, str))
                pending += [(entry, depth - 1) for entry in value.values()]
            case list() | tuple():
                pending += [(entry, depth - 1) for entry in value]
        if depth < 0:
            return "it nests too many lists and objects in each other."
        if values + len(pending) > MAX_VALUES:
            return f"it holds more than {MAX_VALUES:,} values."
        if characters > MAX_CHARACTERS:
            return f"it holds more than {MAX_CHARACTERS:,} characters."
    return None


class _CheckCounter:
    """Number of a schema's parts that check the same value.

    A part applies other parts to its own value (`anyOf`, `$ref` …) and to the values in it
    (`properties` …). Parts that apply each other multiply the checks: two levels of two make four,
    and further levels soon a million. The checks are therefore added up for each level of a value
    of the maximum depth, along the path with the most checks.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._counted: dict[tuple[int, int], int] = {}
        self._open: dict[tuple[int, int], None] = {}

    def check(self) -> None:
        """Raise `SchemaError` if a value would be checked too often, or without end."""
        if self._type() != "object":
            raise SchemaError('It must describe an object: give it "type": "object".')
        for level in range(MAX_DEPTH):
            count = self._count(self._schema, level)
            if count > MAX_CHECKS:
                raise SchemaTooComplexError(
                    f"More than {MAX_CHECKS} of its parts would check the same value: make it"
                    " simpler."
                )
            if not count:
                return

    def _type(self) -> object:
        """Return the type at the root; a recursive schema may only have a reference there."""
        kind = self._schema.get("type")
        if kind is None and isinstance(reference := self._schema.get("$ref"), str):
            return self._resolve(reference).get("type")
        return kind

    def _count(self, part: Mapping[str, Any], level: int) -> int:
        """Count the checks of one value, `level` levels below the value of `part`."""
        step = (id(part), level)
        if step in self._counted:
            return self._counted[step]
        if step in self._open:
            raise SchemaError(f"It refers to itself without end: {part.get('$ref')!r}.")
        if len(self._open) > _MAX_STEPS:
            raise SchemaTooComplexError("It leads from part to part too often: make it simpler.")
        self._open[step] = None
        count = self._own_checks(part) if level == 0 else self._checks_below(part, level)
        for other, weight in self._applied_parts(part):
            count += weight * self._count(other, level)
        del self._open[step]
        self._counted[step] = count
        return count

    def _own_checks(self, part: Mapping[str, Any]) -> int:
        if part is not self._schema and "$id" in part:
            raise SchemaTooComplexError("Only the whole schema may have an $id.")
        patterns = part.get("patternProperties")
        matched = ("pattern" in part) + (len(patterns) if isinstance(patterns, dict) else 0)
        return 1 + _PATTERN_WEIGHT * matched

    def _checks_below(self, part: Mapping[str, Any], level: int) -> int:
        count = 0
        for keyword in part.keys() & _CHILD_KEYWORDS.keys():
            counts = [self._count(other, level - 1) for other in _parts(part, keyword)]
            combine = max if keyword in ("properties", "prefixItems") else sum
            count += _CHILD_KEYWORDS[keyword] * combine(counts or [0])
        return count

    def _applied_parts(self, part: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], int]]:
        """Yield the parts applied to the same value, each with its number of checks."""
        twice = 1 + ("unevaluatedProperties" in part or "unevaluatedItems" in part)
        for keyword in part.keys() & _SAME_VALUE_KEYWORDS.keys():
            for other in _parts(part, keyword):
                yield other, _SAME_VALUE_KEYWORDS[keyword] * twice
        if isinstance(reference := part.get("$ref"), str):
            yield self._resolve(reference), twice
        for keyword in ("$dynamicRef", "$recursiveRef"):
            if keyword in part:
                raise SchemaTooComplexError(f"It refers by {keyword}: refer by $ref.")

    def _resolve(self, reference: str) -> Mapping[str, Any]:
        """Return the part of the schema at a reference."""
        if reference != "#" and not reference.startswith("#/"):
            raise SchemaError(
                f"It refers to {reference[:100]!r}: a reference may only lead to a part of the"
                " schema itself, as '#/$defs/name' does."
            )
        part: Any = self._schema
        for step in reference.split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(part, list) and key.isdecimal() and int(key) < len(part):
                part = part[int(key)]
            elif isinstance(part, dict) and key in part:
                part = part[key]
            else:
                raise SchemaError(f"It refers to {reference[:100]!r}, which does not exist.")
        return part if isinstance(part, dict) else _ANYTHING


_ANYTHING: dict[str, Any] = {}

_MAX_STEPS = 256
"""Maximum length of a chain of parts that apply each other."""

_PATTERN_WEIGHT = 16
"""Checks counted for a pattern, which reads every character."""

_SAME_VALUE_KEYWORDS = {
    "allOf": 1,
    "anyOf": 1,
    "oneOf": 1,
    "not": 1,
    "if": 2,
    "then": 1,
    "else": 1,
    "dependentSchemas": 1,
    "dependencies": 1,
}
"""Keywords with parts for the same value, and the validator's number of checks for each."""

_CHILD_KEYWORDS = {
    "properties": 1,
    "patternProperties": 1,
    "additionalProperties": 1,
    "unevaluatedProperties": 1,
    "propertyNames": 2,
    "items": 1,
    "prefixItems": 1,
    "additionalItems": 1,
    "unevaluatedItems": 1,
    "contains": 2,
}
"""Keywords with parts for the values in a value."""

_NAMED = {"properties", "patternProperties", "dependentSchemas", "dependencies"}


def _parts(part: Mapping[str, Any], keyword: str) -> list[Mapping[str, Any]]:
    """Return the schemas of a keyword: its value is a schema, a list, or a mapping of names."""
    value = part.get(keyword)
    if keyword in _NAMED and isinstance(value, dict):
        value = list(value.values())
    values = value if isinstance(value, list) else [value]
    return [part for part in values if isinstance(part, dict)]


def _place(error: jsonschema_rs.ValidationError, root: str) -> str:
    """Return the path of an error in the value: `items[2].name`."""
    place = ""
    for step in error.instance_path:
        place += f"[{step}]" if isinstance(step, int) else f".{step}"
    return place.removeprefix(".") or root


def _message(error: jsonschema_rs.ValidationError) -> str:
    """Return the validator's message; for failed alternatives, the message of each."""
    kind = error.kind
    if not isinstance(
        kind,
        jsonschema_rs.ValidationErrorKind.AnyOf | jsonschema_rs.ValidationErrorKind.OneOfNotValid,
    ):
        return error.message
    reasons = [
        f"{_place(branch[0], 'it')}: {branch[0].message}"
        if branch[0].instance_path != error.instance_path
        else branch[0].message
        for branch in kind.context
        if branch
    ]
    return "it matches none of the alternatives: " + "; or ".join(dict.fromkeys(reasons))


def _is_pattern(error: jsonschema_rs.ValidationError) -> bool:
    """Report whether a schema's error is an unsupported pattern."""
    path = error.instance_path
    return path[-1:] == ["pattern"] or path[-2:-1] == ["patternProperties"]


def _schema_message(error: jsonschema_rs.ValidationError) -> str:
    """Return a message for an invalid schema that is clearer than the validator's."""
    path = error.instance_path
    if path[-1:] == ["type"]:
        return f"no type is called {error.instance!r}"
    if _is_pattern(error):
        return "it is not a supported pattern (no look-around, no back-references, nothing huge)"
    return _message(error)


def _sentence(place: str, message: str) -> str:
    sentence = f"{place}: {message}".removesuffix(".")
    return sentence[: MAX_FAULT - 1] + "…" if len(sentence) >= MAX_FAULT else f"{sentence}."
