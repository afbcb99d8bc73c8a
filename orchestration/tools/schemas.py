"""JSON Schemas of what a model writes: a tool's arguments, a handoff's payload (contract S-3).

A schema is part of a definition, so it may be anybody's, and the value is a model's. The validator
(jsonschema-rs) fetches nothing: a reference leads somewhere within the schema, or is a fault. Its
patterns are matched in linear time, without look-around and back-references. What is left is a
schema that sends many of its parts to look at one and the same value, each of them through others:
that is counted before anything is compiled, and the value is bounded besides.

Every schema is read as draft 2020-12, whatever `$schema` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

from orchestration.exceptions import SchemaError, SchemaTooMuchError

MAX_DEPTH = 32
"""Lists and objects within each other, in a value."""

MAX_SCHEMA_DEPTH = 64
"""The same in a schema, which describes an object within an object by four of its own."""

MAX_VALUES = 2_000
"""Values in a value, or in a schema."""

MAX_CHARACTERS = 64_000
"""Characters of all texts in a value, or in a schema."""

MAX_LOOKS = 50
"""Parts of a schema that may look at one and the same value."""

MAX_FAULTS = 10
"""Faults of one value that are listed; of more, how many there are."""

MAX_FAULT = 300
"""Characters of one fault."""

Faults = Callable[[Any], list[str]]
"""Takes a value; gives its faults, each a sentence a model can act on. None: the value is sound."""


def schema_fault(schema: Mapping[str, Any], *, checks: bool = True) -> str | None:
    """Return a sentence about the error in a JSON Schema of an object; None if it is valid.

    One by which nothing is to be checked (`checks`) may be more than is safe to check by.

    >>> schema_fault({"type": "object", "properties": {"name": {"type": "text"}}})
    "properties.name.type: no type is called 'text'."
    """
    try:
        _compile(schema)
    except SchemaTooMuchError as error:
        return str(error) if checks else None
    except SchemaError as error:
        return str(error)
    return None


def compile_schema(schema: Mapping[str, Any], what: str = "arguments") -> Faults:
    """Return a function that lists the errors of a value, or raise `SchemaError`.

    `what` is what the value is called where the whole of it is at fault.

    >>> faults = compile_schema({"type": "object", "properties": {"age": {"type": "integer"}}})
    >>> faults({"age": 7})
    []
    >>> faults({"age": "seven"})
    ['age: it is not of type "integer".']
    """
    validator = _compile(schema)

    def faults(value: Any) -> list[str]:
        if too_much := _excess(value, MAX_DEPTH):
            return [f"{what}: {too_much}"]
        try:
            if validator.is_valid(value):
                return []
            found = list(validator.iter_errors(value))
        except ValueError as error:
            return [_sentence(what, f"they are no JSON: {error}")]
        listed = [_sentence(_place(error, what), _words(error)) for error in found]
        listed = list(dict.fromkeys(listed))
        if (more := len(listed) - MAX_FAULTS) > 0:
            listed[MAX_FAULTS:] = [f"There are {more} more faults."]
        return listed

    return faults


def _compile(schema: Mapping[str, Any]) -> jsonschema_rs.Validator:
    if too_much := _excess(schema, MAX_SCHEMA_DEPTH):
        raise SchemaTooMuchError(too_much.capitalize())
    _Looks(schema).check()
    try:
        return jsonschema_rs.Draft202012Validator(
            dict(schema),
            mask="it",
            offline=True,
            pattern_options=_PATTERNS,
            validate_formats=True,
        )
    except jsonschema_rs.ValidationError as error:
        kind = SchemaTooMuchError if _is_pattern(error) else SchemaError
        raise kind(_sentence(_place(error, "schema"), _schema_words(error))) from None
    except ValueError as error:
        raise SchemaError(_sentence("schema", f"it is no JSON: {error}")) from None


_PATTERNS = jsonschema_rs.RegexOptions(size_limit=1 << 16, dfa_size_limit=1 << 16)
"""The linear engine. A pattern that takes more bytes is a fault; the worst that fits takes half a
second for a text of 64,000 characters."""


def _excess(value: object, depth: int) -> str | None:
    """Describe the exceeded limit of a value, if any."""
    values = characters = 0
    left = [(value, depth)]
    while left:
        value, depth = left.pop()
        values += 1
        match value:
            case str():
                characters += len(value)
            case dict():
                characters += sum(len(key) for key in value if isinstance(key, str))
                left += [(entry, depth - 1) for entry in value.values()]
            case list() | tuple():
                left += [(entry, depth - 1) for entry in value]
        if depth < 0:
            return "it nests too many lists and objects in each other."
        if values + len(left) > MAX_VALUES:
            return f"it holds more than {MAX_VALUES:,} values."
        if characters > MAX_CHARACTERS:
            return f"it holds more than {MAX_CHARACTERS:,} characters."
    return None


class _Looks:
    """Number of a schema's parts that check the same value.

    A part sends others to look at the value it looks at itself (`anyOf`, `$ref` …), and others at
    what the value holds (`properties` …). Where parts send each other, twice two is four, and soon
    a million. So the looks are added up here, level by level of a value that is as deep as values
    may be, along the way on which they are most.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._counted: dict[tuple[int, int], int] = {}
        self._open: dict[tuple[int, int], None] = {}

    def check(self) -> None:
        """Raise `SchemaError` where a value is looked at too often, or for ever."""
        if self._kind() != "object":
            raise SchemaError('It must describe an object: give it "type": "object".')
        for level in range(MAX_DEPTH):
            looks = self._count(self._schema, level)
            if looks > MAX_LOOKS:
                raise SchemaTooMuchError(
                    f"More than {MAX_LOOKS} of its parts would look at one and the same value:"
                    " make it simpler."
                )
            if not looks:
                return

    def _kind(self) -> object:
        """The type at the root, where a recursive schema has but a reference to itself."""
        kind = self._schema.get("type")
        if kind is None and isinstance(reference := self._schema.get("$ref"), str):
            return self._referred(reference).get("type")
        return kind

    def _count(self, part: Mapping[str, Any], level: int) -> int:
        """The looks at one value, `level` levels below the one that `part` looks at."""
        step = (id(part), level)
        if step in self._counted:
            return self._counted[step]
        if step in self._open:
            raise SchemaError(f"It refers to itself without end: {part.get('$ref')!r}.")
        if len(self._open) > _MAX_STEPS:
            raise SchemaTooMuchError("It leads from part to part too often: make it simpler.")
        self._open[step] = None
        looks = self._looks_of(part) if level == 0 else self._looks_below(part, level)
        for one, weight in self._beside(part):
            looks += weight * self._count(one, level)
        del self._open[step]
        self._counted[step] = looks
        return looks

    def _looks_of(self, part: Mapping[str, Any]) -> int:
        if part is not self._schema and "$id" in part:
            raise SchemaTooMuchError("Only the whole schema may have an $id.")
        patterns = part.get("patternProperties")
        matched = ("pattern" in part) + (len(patterns) if isinstance(patterns, dict) else 0)
        return 1 + _PATTERN_WEIGHT * matched

    def _looks_below(self, part: Mapping[str, Any], level: int) -> int:
        looks = 0
        for keyword in part.keys() & _BELOW.keys():
            counts = [self._count(one, level - 1) for one in _parts(part, keyword)]
            several = max if keyword in ("properties", "prefixItems") else sum
            looks += _BELOW[keyword] * several(counts or [0])
        return looks

    def _beside(self, part: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], int]]:
        """The parts that look at the same value, and how often each does."""
        twice = 1 + ("unevaluatedProperties" in part or "unevaluatedItems" in part)
        for keyword in part.keys() & _BESIDE.keys():
            for one in _parts(part, keyword):
                yield one, _BESIDE[keyword] * twice
        if isinstance(reference := part.get("$ref"), str):
            yield self._referred(reference), twice
        for keyword in ("$dynamicRef", "$recursiveRef"):
            if keyword in part:
                raise SchemaTooMuchError(f"It refers by {keyword}: refer by $ref.")

    def _referred(self, reference: str) -> Mapping[str, Any]:
        """The part that a reference within the schema leads to."""
        if reference != "#" and not reference.startswith("#/"):
            raise SchemaError(
                f"It refers to {reference[:100]!r}: a reference may only lead to a part of the"
                " schema itself, as '#/$defs/name' does."
            )
        found: Any = self._schema
        for step in reference.split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and key.isdecimal() and int(key) < len(found):
                found = found[int(key)]
            elif isinstance(found, dict) and key in found:
                found = found[key]
            else:
                raise SchemaError(f"It refers to {reference[:100]!r}, which is not there.")
        return found if isinstance(found, dict) else _ANYTHING


_ANYTHING: dict[str, Any] = {}

_MAX_STEPS = 256
"""Parts that send one another, one after the other."""

_PATTERN_WEIGHT = 16
"""A pattern looks at every character."""

_BESIDE = {
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
"""Keywords whose parts look at the same value, and how often the validator makes them look."""

_BELOW = {
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
"""Keywords whose parts look at what the value holds."""

_NAMED = {"properties", "patternProperties", "dependentSchemas", "dependencies"}


def _parts(part: Mapping[str, Any], keyword: str) -> list[Mapping[str, Any]]:
    """The schemas under a keyword: one, a list of them, or each under a name."""
    held = part.get(keyword)
    if keyword in _NAMED and isinstance(held, dict):
        held = list(held.values())
    each = held if isinstance(held, list) else [held]
    return [one for one in each if isinstance(one, dict)]


def _place(error: jsonschema_rs.ValidationError, root: str) -> str:
    """Return the path of an error in the value: `items[2].name`."""
    place = ""
    for step in error.instance_path:
        place += f"[{step}]" if isinstance(step, int) else f".{step}"
    return place.removeprefix(".") or root


def _words(error: jsonschema_rs.ValidationError) -> str:
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
    return "it fits none of its alternatives: " + "; or ".join(dict.fromkeys(reasons))


def _is_pattern(error: jsonschema_rs.ValidationError) -> bool:
    """Report whether a schema's error is a pattern that this library does not support."""
    path = error.instance_path
    return path[-1:] == ["pattern"] or path[-2:-1] == ["patternProperties"]


def _schema_words(error: jsonschema_rs.ValidationError) -> str:
    """Return a message for an invalid schema that is clearer than the validator's."""
    path = error.instance_path
    if path[-1:] == ["type"]:
        return f"no type is called {error.instance!r}"
    if _is_pattern(error):
        return "it is no pattern here (no look-around, no back-references, nothing huge)"
    return _words(error)


def _sentence(place: str, words: str) -> str:
    sentence = f"{place}: {words}".removesuffix(".")
    return sentence[: MAX_FAULT - 1] + "…" if len(sentence) >= MAX_FAULT else f"{sentence}."
