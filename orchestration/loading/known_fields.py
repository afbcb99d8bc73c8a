"""Names of the fields that a definition may have at a location."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from orchestration.definition import PipelineDefinition

Steps = tuple[str | int, ...]
Schema = Mapping[str, Any]


def known_fields(steps: Steps) -> tuple[str, ...]:
    """Return the names of the fields of the object at a location of a definition.

    >>> known_fields(("layout",))
    ('stages', 'hues', 'supervisor', 'notes', 'frames')
    """
    schemas = [_definition_schema()]
    for step in steps:
        schemas = [inner for schema in schemas for inner in _inside(schema, step)]
    fields = (name for schema in schemas for each in _resolved(schema) for name in _fields(each))
    return tuple(dict.fromkeys(fields))


@cache
def _definition_schema() -> Schema:
    return PipelineDefinition.model_json_schema(mode="validation")


def _fields(schema: Schema) -> Iterator[str]:
    yield from schema.get("properties", {})


def _inside(schema: Schema, step: str | int) -> Iterator[Schema]:
    """Yield the schemas of an item of a list, of a field, or of an entry of an object."""
    for each in _resolved(schema):
        inner = each.get("items") if isinstance(step, int) else _value_of(each, step)
        if isinstance(inner, dict):
            yield inner


def _value_of(schema: Schema, name: str) -> object:
    """Return the schema of a field, or of the entries of an object that may have any names."""
    entries = schema.get("patternProperties", {}).values()
    field = schema.get("properties", {}).get(name)
    return field or next(iter(entries), None) or schema.get("additionalProperties")


def _resolved(schema: Schema) -> Iterator[Schema]:
    """Yield the schema without a reference, or its alternatives."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield from _resolved(_definition_schema()["$defs"][name])
        return
    alternatives = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if not alternatives:
        yield schema
    for each in alternatives:
        yield from _resolved(each)
