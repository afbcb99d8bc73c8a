"""JSON Schemas of a model's output."""

import doctest

import pytest

from orchestration.exceptions import SchemaError
from orchestration.tools import (
    MAX_CHARACTERS,
    MAX_FAULT,
    MAX_FAULTS,
    MAX_VALUES,
    compile_schema,
    schema_fault,
    schemas,
)

CUSTOMER = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "age": {"type": "integer", "minimum": 0},
        "tier": {"enum": ["gold", "silver"]},
        "address": {"$ref": "#/$defs/address"},
        "orders": {"type": "array", "items": {"$ref": "#/$defs/order"}},
        "email": {"type": "string", "format": "email"},
    },
    "required": ["name"],
    "additionalProperties": False,
    "$defs": {
        "address": {"type": "object", "properties": {"city": {"type": "string"}}},
        "order": {"anyOf": [{"type": "integer"}, {"type": "object", "required": ["id"]}]},
    },
}

TREE = {
    "$ref": "#/$defs/tree",
    "$defs": {
        "tree": {
            "type": "object",
            "properties": {
                "left": {"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "null"}]},
                "right": {"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "null"}]},
                "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
            },
        }
    },
}


def having(**part: object) -> dict[str, object]:
    return {"type": "object", "properties": {"a": part}}


def nested(wrap: str, times: int, **beside: object) -> dict[str, object]:
    part: dict[str, object] = {"type": "string"}
    for _ in range(times):
        part = {wrap: [part] if wrap.endswith("Of") else part, **beside}
    return having(**part)


def optional(times: int) -> dict[str, object]:
    """Return a schema whose alternatives are checked again at each level."""
    part: dict[str, object] = {"properties": {"a": {"type": "string"}}}
    for _ in range(times):
        part = {"anyOf": [part, {"properties": {"b": True}}], "unevaluatedProperties": False}
    return {"type": "object", **part}


def doubling(keyword: str) -> dict[str, object]:
    """Return a schema of twenty parts; each applies the previous part twice."""
    parts: dict[str, object] = {"p0": {"type": "string"}}
    for index in range(1, 20):
        parts[f"p{index}"] = {keyword: [{"$ref": f"#/$defs/p{index - 1}"}] * 2}
    return {**having(**{"$ref": "#/$defs/p19"}), "$defs": parts}


def test_the_examples_run():
    assert doctest.testmod(schemas).failed == 0


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {}},
        CUSTOMER,
        TREE,
        {**CUSTOMER, "$schema": "http://json-schema.org/draft-07/schema#", "$id": "urn:customer"},
        having(pattern=r"^\d{4}-\d{2}$"),
        having(oneOf=[{"const": number} for number in range(30)]),
        optional(2),
        {**having(**{"$ref": "#/$defs/a~1b~0c%20d"}), "$defs": {"a/b~c d": {"type": "null"}}},
        {**having(**{"$ref": "#/allOf/0"}), "allOf": [{"minProperties": 1}]},
    ],
)
def test_a_valid_schema_has_no_fault(schema):
    """Contract S-3."""
    assert schema_fault(schema) is None


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({}, 'give it "type": "object"'),
        ({"type": "string"}, 'give it "type": "object"'),
        (having(type="text"), "properties.a.type: no type is called 'text'."),
        ({"type": "object", "properties": ["a"]}, 'properties: it is not of type "object".'),
        ({"type": "object", "required": "a"}, 'required: it is not of type "array".'),
        (having(pattern="(a"), "properties.a.pattern: it is not a supported pattern"),
        (having(minimum="low"), "properties.a.minimum"),
        (having(**{"$ref": "#/$defs/none"}), "refers to '#/$defs/none', which does not exist"),
    ],
)
def test_the_fault_of_a_schema_contains_its_place(schema, words):
    """Contract S-3."""
    assert words in (schema_fault(schema) or "")


@pytest.mark.parametrize(
    "reference",
    [
        "http://127.0.0.1:9/schema.json",
        "https://example.com/schema.json#/$defs/a",
        "file:///etc/hostname",
        "other.json",
        "#anchor",
    ],
)
def test_an_external_reference_is_a_fault(reference):
    fault = schema_fault({**having(**{"$ref": reference}), "$anchor": "anchor"}) or ""
    assert reference in fault
    assert "only lead to a part of the schema itself" in fault


@pytest.mark.parametrize("keyword", ["$dynamicRef", "$recursiveRef"])
def test_a_dynamic_reference_is_a_fault(keyword):
    assert keyword in (schema_fault(having(**{keyword: "#"})) or "")


def test_a_part_with_an_id_is_a_fault():
    """An id changes the target of the references below it."""
    assert "$id" in (schema_fault(having(**{"$id": "urn:x"})) or "")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "allOf": [{"$ref": "#"}]},
        having(**{"$ref": "#/properties/a"}),
        {
            **having(**{"$ref": "#/$defs/a"}),
            "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}},
        },
    ],
)
def test_a_cycle_without_progress_is_a_fault(schema):
    assert "without end" in (schema_fault(schema) or "")


@pytest.mark.parametrize(
    "pattern", [r"^(?=.*a)b", r"(a)\1", "((a{100}){100}){100}", "(([ab]{0,30}a){0,10}b){0,10}c"]
)
def test_an_unsupported_pattern_is_a_fault(pattern):
    assert "it is not a supported pattern" in (schema_fault(having(pattern=pattern)) or "")


def test_a_pattern_is_matched_without_backtracking():
    faults = compile_schema(having(type="string", pattern="^(a+)+$"))
    assert faults({"a": "a" * 60_000}) == []
    assert faults({"a": "a" * 60_000 + "!"}) == ['a: it does not match "^(a+)+$".']


@pytest.mark.parametrize(
    "schema",
    [
        doubling("allOf"),
        doubling("anyOf"),
        doubling("oneOf"),
        nested("contains", 12),
        nested("propertyNames", 12),
        nested("if", 12, unevaluatedProperties=False),
        optional(12),
        {
            "type": "object",
            "properties": {"a": {"$ref": "#"}},
            "anyOf": [{"properties": {"a": {"$ref": "#"}}}, {}],
        },
        having(allOf=[{"pattern": f"^[ab]*a[ab]{{{number}}}c"} for number in range(800, 804)]),
    ],
)
def test_a_schema_whose_cost_multiplies_is_a_fault(schema):
    """Twenty parts that apply the previous one twice took the validator 27 seconds."""
    assert "check the same value" in (schema_fault(schema) or "")


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (having(enum=list(range(MAX_VALUES))), "more than 2,000 values"),
        (having(description="x" * (MAX_CHARACTERS + 1)), "more than 64,000 characters"),
        (nested("not", 70), "nests too many"),
        (nested("items", 100), "nests too many"),
    ],
)
def test_a_huge_schema_is_a_fault(schema, words):
    assert words in (schema_fault(schema) or "")


def test_a_schema_with_a_fault_is_not_compiled():
    with pytest.raises(SchemaError, match="give it"):
        compile_schema({})


ALTERNATIVES = (
    "orders[1]: it matches none of the alternatives:"
    ' it is not of type "integer"; or it is not of type "object".'
)


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        ({"name": "Ann", "age": 7, "orders": [1, {"id": 2}]}, []),
        ({}, ['arguments: "name" is a required property.']),
        ([], ['arguments: it is not of type "object".']),
        ({"name": "Ann", "tier": "tin"}, ['tier: it is not one of "gold" or "silver".']),
        ({"name": "Ann", "address": {"city": 1}}, ['address.city: it is not of type "string".']),
        ({"name": "Ann", "email": "ann"}, ['email: it is not a "email".']),
        (
            {"name": "Ann", "orders": [1, "x"]},
            [ALTERNATIVES],
        ),
        (
            {"name": "Ann", "surname": "Lee"},
            ["arguments: Additional properties are not allowed ('surname' was unexpected)."],
        ),
    ],
)
def test_every_fault_of_a_value_names_its_place(value, faults):
    """Contract S-3: an invalid payload goes back to the model as an error it can correct."""
    assert compile_schema(CUSTOMER)(value) == faults


def test_all_faults_are_listed_together():
    """Contract S-3."""
    faults = compile_schema(CUSTOMER)({"name": "", "age": -1.5, "tier": None})
    assert [fault.split(":")[0] for fault in sorted(faults)] == ["age", "age", "name", "tier"]


def test_a_recursive_schema_describes_a_tree():
    """Contract S-3: nested models included."""
    faults = compile_schema(TREE)
    assert faults({"left": {"right": None, "children": [{}, {"left": {}}]}}) == []
    assert faults({"children": [{"children": [1]}]}) == [
        'children[0].children[0]: it is not of type "object".'
    ]


def test_many_faults_are_counted_and_long_ones_are_shortened():
    """Contract S-3."""
    faults = compile_schema(having(items={"const": "x" * 1_000}))
    listed = faults({"a": ["wrong"] * 100})
    assert len(listed) == MAX_FAULTS + 1
    assert listed[-1] == "There are 90 more faults."
    assert [len(fault) for fault in listed[:-1]] == [MAX_FAULT] * MAX_FAULTS


def test_a_fault_does_not_quote_a_long_value():
    assert compile_schema(having(type="integer"))({"a": "x" * 5_000}) == [
        'a: it is not of type "integer".'
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": [1] * MAX_VALUES}, "more than 2,000 values"),
        ({"a": "x" * (MAX_CHARACTERS + 1)}, "more than 64,000 characters"),
        ({"x" * (MAX_CHARACTERS + 1): 1}, "more than 64,000 characters"),
    ],
)
def test_a_huge_value_is_a_fault(value, words):
    [fault] = compile_schema({"type": "object"})(value)
    assert words in fault


def test_a_deeply_nested_value_is_a_fault():
    value: dict[str, object] = {}
    value["a"] = value
    [fault] = compile_schema({"type": "object"})(value)
    assert "nests too many" in fault


@pytest.mark.parametrize("value", [{"a": "\ud800"}, {"a": b"x"}, {1: 2}, {"a": object()}])
def test_a_value_outside_json_is_a_fault(value):
    [fault] = compile_schema({"type": "object", "additionalProperties": {"type": "null"}})(value)
    assert fault.startswith("arguments: they are not JSON")
