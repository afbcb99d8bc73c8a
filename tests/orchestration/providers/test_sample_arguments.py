"""Sample arguments for a schema, taken from the user's message."""

from __future__ import annotations

import pytest

from orchestration.providers.sample_arguments import sample_arguments

ORDER = "Where is my order A-77, for 3 people?"


@pytest.mark.parametrize(
    ("name", "part", "value"),
    [
        ("order_number", {"type": "string"}, "A-77"),
        ("orderId", {"type": "string"}, "A-77"),
        ("order", {"type": "string", "description": "The number of the order"}, "A-77"),
        ("order_number", {"type": "string", "examples": ["A-1043"]}, "A-77"),
        ("code", {"type": "string", "maxLength": 2}, "3"),
        ("people", {"type": "integer", "maximum": 9}, 3),
        ("people", {"type": "integer", "maximum": 2}, 0),
        ("weight", {"type": "number"}, 77),
        ("question", {"type": "string"}, ORDER),
        ("question", {"type": "string", "maxLength": 8}, ORDER[:8]),
        ("provider", {"type": "string", "examples": ["DHL"]}, "DHL"),
        ("size", {"enum": ["one", "order"]}, "order"),
        ("urgent", {"type": "boolean"}, False),
    ],
)
def test_a_field_gets_the_matching_part_of_the_message(name, part, value):
    """Contract S-3."""
    schema = {"type": "object", "properties": {name: part}, "required": [name]}
    assert sample_arguments(schema, {"reason": "theirs"}, ORDER) == {name: value}


def test_a_missing_number_is_replaced_by_the_example_or_the_message():
    """Contract S-3."""
    properties = {"order_id": {"type": "string", "examples": ["A-1"]}, "code": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    assert sample_arguments(schema, {}, "Where is it?") == {
        "order_id": "A-1",
        "code": "Where is it?",
    }


def test_an_ordinal_is_not_a_number():
    """Contract S-3."""
    properties = {
        "account_number": {"type": "string", "examples": ["7731"]},
        "amount": {"type": "number", "examples": [29.9]},
    }
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    arguments = sample_arguments(schema, {}, "I cancelled it on the 2nd of March.")
    assert arguments == {"account_number": "7731", "amount": 29.9}


@pytest.mark.parametrize("schema", [{}, {"properties": 3}, {"properties": {"a": 1}, "required": 5}])
def test_an_invalid_schema_has_no_arguments(schema):
    assert sample_arguments(schema, {}, ORDER) == {}


def test_a_nested_object_is_filled_like_its_parent():
    part = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
    schema = {"properties": {"order": part, "note": {"type": "string"}}, "required": ["order"]}
    assert sample_arguments(schema, {}, ORDER) == {"order": {"code": "A-77"}}
