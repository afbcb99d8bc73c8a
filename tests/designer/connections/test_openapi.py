"""Tools from OpenAPI documents."""

import json
from contextlib import aclosing

import pytest

from designer.connections.openapi import read_openapi
from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DocumentError
from orchestration.messages import ToolCall
from orchestration.network import AllowedAddresses
from orchestration.tools import RemoteTools, ToolHandler, WebClient
from orchestration.validation import validate
from tests.designer.connections.pets_document import PETS, tools
from tests.orchestration.web_server import Answer, WebServer


def test_each_operation_becomes_a_tool_with_its_name_and_description() -> None:
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


def test_values_in_place_of_names_are_ignored() -> None:
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


def test_unsupported_operations_are_skipped_with_a_reason() -> None:
    assert read_openapi(PETS).left_out == (
        "POST /upload: its body is 'multipart/form-data'; only JSON and forms are supported",
        "DELETE /lost/{nothing}: its path contains 'nothing', but no parameter has this name",
        "GET /away: it refers to 'other.yaml#/x', which is another document",
        "GET /gone: it refers to '#/components/parameters/gone', which does not exist",
    )


def test_parameters_are_in_path_query_and_headers() -> None:
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


def test_an_array_body_is_one_argument_and_a_form_stays_a_form() -> None:
    assert tools()["post_pets"].http.body == "{body}"
    login = tools()["_1_log_in"]
    assert login.http.body == "user%20name={user_name}"
    assert login.http.headers == {"Content-Type": "application/x-www-form-urlencoded"}
    assert login.parameters["required"] == ["user_name"]


def test_tools_of_a_connection_have_relative_addresses() -> None:
    tool = tools(connection="pets")["update_pet"]
    assert (tool.http.url, tool.http.connection) == ("/pets/{petId}", "pets")


def test_equal_names_of_arguments_get_numbers() -> None:
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


def test_the_tools_of_a_document_have_no_issues() -> None:
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


async def test_an_imported_tool_calls_the_api_of_the_document() -> None:
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
    ("text", "message"),
    [
        ("swagger: '2.0'", "It is Swagger 2.0"),
        ("a: 1", "This is not an OpenAPI 3 document"),
        ("a: '" + "1" * 1_000 + "'", "This is not an OpenAPI 3 document"),
    ],
)
def test_a_document_of_another_format_is_reported(text: str, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_openapi(text)
