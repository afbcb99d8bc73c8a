"""Schemas of an OpenAPI document without references."""

import json

from designer.connections.openapi import read_openapi
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
