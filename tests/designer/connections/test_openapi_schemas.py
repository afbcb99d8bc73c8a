"""Schemas of an OpenAPI document without references."""

import json
from typing import Any

import pytest

from designer.connections.openapi import read_openapi
from designer.connections.openapi_schemas import MAX_SIZE
from tests.designer.connections.pets_document import tools


def test_a_recursive_schema_accepts_any_value_below_its_repetition() -> None:
    tool = tools()["update_pet"]
    assert (tool.http.method, tool.http.body) == ("PUT", "")
    assert tool.parameters["required"] == ["petId", "name"]
    properties = tool.parameters["properties"]
    assert list(properties) == ["petId", "name", "tag", "friends"]
    assert properties["tag"] == {"type": ["string", "null"]}
    assert properties["friends"] == {"type": "array", "items": {}}


def test_the_size_of_resolved_schemas_is_limited() -> None:
    wide = {f"p{number}": {"$ref": "#/components/schemas/A"} for number in range(50)}
    deep = {"type": "object", "properties": wide}
    schemas = {
        chr(65 + level): deep
        | {"properties": {key: {"$ref": f"#/components/schemas/{chr(66 + level)}"} for key in wide}}
        for level in range(20)
    }
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}
    document = {
        "openapi": "3.1.0",
        "paths": {"/a": {"post": {"requestBody": body}}},
        "components": {"schemas": schemas},
    }
    (tool,) = tools(json.dumps(document)).values()
    assert len(json.dumps(tool.parameters)) < 50_000
    cycle = {"$ref": "#/components/schemas/A"}
    document["components"] = {"schemas": {"A": cycle}}
    assert "form a cycle" in read_openapi(json.dumps(document)).left_out[0]


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": ["a long text"] * 10_000},
        {"properties": {f"p{number}": {} for number in range(5_000)}},
        {"oneOf": [{}] * 10_000},
        {"allOf": [{}] * 10_000},
        {"pattern": "x" * 90_000},
    ],
)
def test_a_schema_that_many_operations_share_does_not_multiply(schema: dict[str, Any]) -> None:
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}
    document = {
        "openapi": "3.1.0",
        "paths": {f"/{number}": {"post": {"requestBody": body}} for number in range(500)},
        "components": {"schemas": {"A": {"type": "object", **schema}}},
    }
    api = read_openapi(json.dumps(document))
    size = sum(len(operation.tool.model_dump_json()) for operation in api.operations)
    assert size < 2 * MAX_SIZE
    assert "the document's tools are larger than 1 MiB" in api.left_out[-1]


def test_many_parameters_that_operations_share_do_not_multiply() -> None:
    item = {"parameters": [{"name": "a" * 100, "in": "query"}] * 5_000, "get": {}}
    document = {
        "openapi": "3.1.0",
        "paths": {f"/{number}": {"$ref": "#/components/item"} for number in range(500)},
        "components": {"item": item},
    }
    api = read_openapi(json.dumps(document))
    assert len(api.operations) < 10
    assert "the document's tools are larger than 1 MiB" in api.left_out[-1]
