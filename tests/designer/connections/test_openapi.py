"""Tools from OpenAPI documents."""

import json
from contextlib import aclosing
from typing import Any

import pytest

from designer.connections.openapi import read_openapi
from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DocumentError
from orchestration.messages import ToolCall
from orchestration.network import AllowedAddresses
from orchestration.tools import RemoteTools, ToolHandler, WebClient
from orchestration.validation import validate
from tests.orchestration.web_server import Answer, WebServer

PETS = """
openapi: 3.0.3
info: {title: Pet store, version: "1"}
servers:
  - url: https://{region}.pets.example/v1/
    variables: {region: {default: eu}}
security: [{key: []}]
paths:
  /pets/{petId}:
    parameters:
      - {name: petId, in: path, required: true, schema: {type: integer}, description: Which one}
    get:
      operationId: getPet
      summary: Find a pet.
      description: "Find a pet"
      security: []
      parameters:
        - {name: "filter[tag]", in: query, schema: {type: array, items: {type: string}}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: Accept, in: header, schema: {type: string}}
        - {$ref: "#/components/parameters/page"}
    put:
      operationId: updatePet
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Pet"}
  /pets:
    post:
      summary: Add pets
      requestBody:
        content:
          application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}
  /login:
    post:
      operationId: 1-log in!
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {user name: {type: string}}, required: [user name]}
  /upload:
    post:
      requestBody: {content: {multipart/form-data: {schema: {type: object}}}}
  /lost/{nothing}:
    delete: {operationId: getPet}
  /away:
    get: {parameters: [{$ref: "other.yaml#/x"}]}
  /gone:
    get: {parameters: [{$ref: "#/components/parameters/gone"}]}
components:
  parameters:
    page: {name: page, in: query, schema: {type: integer, minimum: 0, exclusiveMinimum: true}}
  schemas:
    Named: {type: object, required: [name], properties: {name: {type: string, maxLength: 50}}}
    Pet:
      description: A pet.
      allOf:
        - {$ref: "#/components/schemas/Named"}
        - type: object
          required: [id]
          properties:
            id: {type: integer, readOnly: true}
            tag: {type: string, nullable: true, x-ours: 1, example: dog}
            friends: {type: array, items: {$ref: "#/components/schemas/Pet"}}
"""


def tools(text: Any = PETS, **options: Any) -> dict[str, Any]:
    return {one.tool.name: one.tool for one in read_openapi(text, **options).operations}


def test_each_operation_is_a_tool_with_the_names_and_words_of_the_document() -> None:
    api = read_openapi(PETS)
    assert (api.title, api.server) == ("Pet store", "https://eu.pets.example/v1")
    assert [(one.method, one.path, one.tool.name) for one in api.operations] == [
        ("GET", "/pets/{petId}", "get_pet"),
        ("PUT", "/pets/{petId}", "update_pet"),
        ("POST", "/pets", "post_pets"),
        ("POST", "/login", "_1_log_in"),
    ]
    assert [one.needs_key for one in api.operations] == [False, True, True, True]
    assert api.operations[0].tool.description == "Find a pet."
    assert [one.tool.idempotent for one in api.operations] == [True, True, False, False]


def test_what_stands_where_names_should_makes_no_trouble() -> None:
    text = """
openapi: 3.0.0
paths:
  /odd:
    post:
      requestBody: {content: {404: {schema: {type: object}}}}
    put:
      requestBody:
        content:
          application/json:
            schema: {type: object, required: [{}, [], a], properties: {a: {type: string}}}
"""
    api = read_openapi(text)
    assert [one.tool.parameters for one in api.operations] == [
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    ]
    assert api.left_out == ("POST /odd: its body is '404'; only JSON and forms are supported",)


def test_what_cannot_be_a_tool_is_left_out_and_says_why() -> None:
    assert read_openapi(PETS).left_out == (
        "POST /upload: its body is 'multipart/form-data'; only JSON and forms are supported",
        "DELETE /lost/{nothing}: its path contains 'nothing', but no parameter has this name",
        "GET /away: it refers to 'other.yaml#/x', which is another document",
        "GET /gone: it refers to '#/components/parameters/gone', which does not exist",
    )


def test_parameters_have_places_in_path_query_and_headers() -> None:
    tool = tools()["get_pet"]
    assert tool.http.url == (
        "https://eu.pets.example/v1/pets/{petId}?filter%5Btag%5D={filter_tag_}&page={page}"
    )
    assert tool.http.headers == {"X-Trace": "{X-Trace}"}
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "petId": {"description": "Which one", "type": "integer"},
            "filter_tag_": {"type": "array", "items": {"type": "string"}},
            "X-Trace": {"type": "string"},
            "page": {"type": "integer", "exclusiveMinimum": 0},
        },
        "required": ["petId"],
    }


def test_a_body_is_unfolded_into_arguments_and_what_goes_on_for_ever_may_be_anything() -> None:
    tool = tools()["update_pet"]
    assert (tool.http.method, tool.http.body) == ("PUT", "")
    assert tool.parameters["required"] == ["petId", "name"]
    properties = tool.parameters["properties"]
    assert list(properties) == ["petId", "name", "tag", "friends"]
    assert properties["tag"] == {"type": ["string", "null"]}
    assert properties["friends"] == {"type": "array", "items": {}}


def test_a_body_that_is_no_object_is_one_argument_and_a_form_is_a_form() -> None:
    assert tools()["post_pets"].http.body == "{body}"
    login = tools()["_1_log_in"]
    assert login.http.body == "user%20name={user_name}"
    assert login.http.headers == {"Content-Type": "application/x-www-form-urlencoded"}
    assert login.parameters["required"] == ["user_name"]


def test_with_a_connection_the_tools_go_below_its_address() -> None:
    tool = tools(connection="pets")["update_pet"]
    assert (tool.http.url, tool.http.connection) == ("/pets/{petId}", "pets")


def test_arguments_of_one_name_in_several_places_are_told_apart() -> None:
    document = {
        "openapi": "3.1.0",
        "paths": {
            "/a/{id}": {
                "put": {
                    "parameters": [
                        {"name": "id", "in": "path", "schema": {"type": "string"}},
                        {"name": "id", "in": "query", "schema": {"type": "string"}},
                    ],
                    "requestBody": {
                        "content": {
                            "application/merge-patch+json": {
                                "schema": {"properties": {"id": {"type": "integer"}}}
                            }
                        }
                    },
                }
            }
        },
    }
    (tool,) = tools(json.dumps(document)).values()
    assert tool.http.url == "/a/{id}?id={id_2}"
    assert tool.http.body == '{"id": {id_3}}'
    assert tool.http.headers == {"Content-Type": "application/merge-patch+json"}


def test_the_tools_of_a_document_are_sound() -> None:
    found = tuple(tools().values())
    names = tuple(tool.name for tool in found)
    definition = PipelineDefinition.model_validate(
        {
            "name": "Pets",
            "agents": [{"id": "a", "name": "A", "tools": names}],
            "stages": [{"phase": "a", "agent_id": "a"}],
            "entry": "a",
            "tools": [tool.model_dump() for tool in found],
        }
    )
    assert validate(definition) == ()


async def test_an_imported_tool_asks_the_api_that_the_document_describes() -> None:
    with WebServer(lambda asked: Answer(as_json={"seen": asked.target})) as server:
        text = PETS.replace("https://{region}.pets.example", server.url)
        definition = PipelineDefinition(name="Pets", tools=tuple(tools(text).values()))
        async with aclosing(WebClient(AllowedAddresses.parse(["127.0.0.1"]))) as web:
            handler = ToolHandler(tools=RemoteTools(web=web).tools(definition))
            calls = [
                ToolCall(
                    id="1", name="get_pet", arguments='{"petId": 7, "filter_tag_": ["a","b"]}'
                ),
                ToolCall(id="2", name="update_pet", arguments='{"petId": 7, "name": "Rex"}'),
            ]
            results = await handler.run(calls)
    assert [result.error for result in results] == [None, None]
    assert {asked.target for asked in server.asked} == {
        "/v1/pets/7?filter%5Btag%5D=a&filter%5Btag%5D=b",
        "/v1/pets/7",
    }
    assert [asked.json for asked in server.asked if asked.method == "PUT"] == [{"name": "Rex"}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a JSON or YAML object"),
        ("[]", "not a JSON or YAML object"),
        ("- a", "not a JSON or YAML object"),
        ("{", "not JSON"),
        ("a: b: c", "neither JSON nor YAML"),
        ("a: \x00", "neither JSON nor YAML"),
        (b"\xff", "not text in UTF-8"),
        ("swagger: '2.0'", "It is Swagger 2.0"),
        ("a: 1", "This is not an OpenAPI 3 document"),
        ("a: &a [1]\nb: *a", "Line 2 uses a YAML alias"),
        ("!!python/object/apply:os.system ['true']", "neither JSON nor YAML"),
        ("a: " + "[" * 65 + "]" * 65, "nested too deeply"),
        ("{" + '"a":{' * 100_000, "nested too deeply"),
        ("a: [" + "1," * 400_000 + "]", "too many values"),
        ("#" * (2 * 1024 * 1024 + 1), "larger than 2 MiB"),
        ("a: 9999-99-99", "neither JSON nor YAML"),
        ("a: b\nc: 1" + ":1" * 1_000_000, "Line 2 contains a number that is too long"),
        ("a: !!int '1" + ":1" * 1_000 + "'", "Line 1 contains a number that is too long"),
        ("a: '" + "1" * 1_000 + "'", "This is not an OpenAPI 3 document"),
    ],
)
def test_a_document_that_cannot_be_read_says_why(text: Any, said: str) -> None:
    with pytest.raises(DocumentError, match=said):
        read_openapi(text)


def test_a_document_that_unfolds_without_end_stays_small() -> None:
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
    round_and_round = {"$ref": "#/components/schemas/A"}
    document["components"] = {"schemas": {"A": round_and_round}}
    assert "form a cycle" in read_openapi(json.dumps(document)).left_out[0]
