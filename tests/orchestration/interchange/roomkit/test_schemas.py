"""JSON Schemas that RoomKit takes for answers."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange.roomkit.schemas import is_portable
from tests.orchestration.interchange.roomkit.exported import STRICT, kept, source
from tests.orchestration.sound_pipeline import sound


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "object", "properties": {}},
        STRICT | {"required": ["kind"]},
        STRICT | {"minProperties": 1},
        STRICT | {"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
        STRICT | {"properties": {"a": {"type": "string", "enum": []}}, "required": ["a"]},
        STRICT | {"properties": {"a": {"type": "array"}}, "required": ["a"]},
    ],
)
def test_a_schema_that_room_kit_refuses_is_lost(schema: dict[str, Any]) -> None:
    definition = sound(agents=[{"id": "triage", "name": "T", "response_schema": schema}])
    assert kept(definition)["Answer in a schema", "triage"] == "lost"
    assert "response_schema" not in source(definition)


def nested(part: object) -> dict[str, Any]:
    """A schema that is valid but for one property."""
    return STRICT | {"properties": {"part": part}, "required": ["part"]}


@pytest.mark.parametrize(
    "schema",
    [
        STRICT,
        nested(STRICT),
        nested({"type": "array", "items": STRICT}),
        STRICT | {"required": ["lines", "kind", "amount"], "title": "Invoice"},
    ],
)
def test_a_schema_with_all_properties_required_is_taken(schema: dict[str, Any]) -> None:
    assert is_portable(schema)


@pytest.mark.parametrize(
    "schema",
    [
        None,
        [],
        nested("string"),
        nested({"type": []}),
        nested({"type": "null"}),
        nested({"type": "number", "enum": [1]}),
        nested({"type": "string", "enum": "ab"}),
        nested({"type": "string", "enum": ["a", "a"]}),
        nested({"type": "string", "enum": ["a", 1]}),
        nested({"type": "string", "title": 3}),
        nested({"type": "array", "items": {"type": "object"}}),
        STRICT | {"additionalProperties": True},
        STRICT | {"required": ["amount", "kind", 3]},
        STRICT | {"required": "amount"},
        STRICT | {"properties": ["amount"]},
    ],
)
def test_a_malformed_schema_is_no_error_and_not_taken(schema: object) -> None:
    assert not is_portable(schema)
