"""Functions of the tools, their names and their environment variables."""

from __future__ import annotations

import ast

from hypothesis import given

from orchestration.definition import PipelineDefinition, Tool
from orchestration.interchange.project import (
    environment_variables,
    plain_functions,
    tool_functions,
    tool_names,
)
from orchestration.interchange.python_code import Call, Code
from tests.orchestration.strategies import definitions


def functions(definition: PipelineDefinition) -> str:
    return tool_functions(
        definition,
        lambda tool, names: Call("Tool", (), {"name": tool.name, "run": Code(names.function)}),
        tool_names(definition),
    )


def test_a_function_raises_its_name_and_an_http_tool_makes_its_request() -> None:
    definition = PipelineDefinition.model_validate(
        {
            "name": "Shop",
            "tools": [
                {"name": "class", "parameters": {"type": "object", "properties": {}}},
                {
                    "name": "find-order",
                    "kind": "http",
                    "http": {
                        "url": "/orders/{id}?page={page}",
                        "connection": "web-shop",
                        "take": "/0",
                    },
                },
            ],
        }
    )
    assert functions(definition) == (
        'CLASS__SCHEMA = {"type": "object", "properties": {}}\n\n\n'
        'async def class_(**arguments: Any) -> str:\n    raise NotImplementedError("class")\n\n\n'
        'class__tool = Tool(name="class", run=class_)\n\n\n'
        'FIND_ORDER_SCHEMA = {"type": "object", "properties": {}}\n\n\n'
        "async def find_order(**arguments: Any) -> str:\n"
        "    return await call(\n"
        "        arguments,\n"
        '        method="GET",\n'
        '        url="/orders/{id}?page={page}",\n'
        '        take="/0",\n'
        '        connection="WEB_SHOP",\n'
        "    )\n\n\n"
        'find_order_tool = Tool(name="find-order", run=find_order)'
    )
    assert environment_variables(definition) == ["WEB_SHOP_URL", "WEB_SHOP_AUTHORIZATION"]


@given(definitions())
def test_any_tools_become_distinct_names_in_valid_source(definition: PipelineDefinition) -> None:
    tree = ast.parse(functions(definition))
    assert sum(isinstance(each, ast.AsyncFunctionDef) for each in tree.body) == len(
        definition.tools_by_name
    )
    names = [
        name
        for each in tool_names(definition).values()
        for name in (each.function, each.schema, each.tool)
    ]
    assert len(set(names)) == len(names)


def test_a_tool_can_have_another_body_or_no_function() -> None:
    definition = PipelineDefinition(name="Any", tools=(Tool(name="a"), Tool(name="b")))
    source = tool_functions(
        definition,
        lambda tool, names: Call("Tool") if tool.name == "a" else None,
        tool_names(definition),
        lambda tool: "    return 1",
    )
    assert "return 1" in source
    assert "async def b" not in source


def test_the_names_of_a_tool_are_not_those_of_the_module() -> None:
    definition = PipelineDefinition(name="Any", tools=(Tool(name="json"), Tool(name="find")))
    names = tool_names(definition, ["find", "find_tool"])
    assert names["json"].function == "json_2"
    assert (names["find"].function, names["find"].tool) == ("find_2", "find_2_tool")


def test_a_schema_and_a_tool_have_names_that_no_function_has() -> None:
    tools = (Tool(name="find"), Tool(name="find_schema"), Tool(name="find_tool"))
    names = tool_names(PipelineDefinition(name="Any", tools=tools))
    assert (names["find"].schema, names["find"].tool) == ("FIND_SCHEMA_", "find_tool_")
    assert names["find_schema"].function == "find_schema"


def test_each_connection_that_a_tool_uses_has_its_variables_once() -> None:
    tools = [
        {"name": "a", "kind": "http", "http": {"url": "/a", "connection": "shop"}},
        {"name": "b", "kind": "mcp", "mcp": {"connection": "shop"}},
        {"name": "c", "kind": "mcp", "mcp": {"connection": "2nd"}},
        {"name": "d", "kind": "http", "http": {"url": "https://a.example"}},
        {"name": "e", "http": {"url": "/a", "connection": "unused"}},
    ]
    definition = PipelineDefinition.model_validate({"name": "Any", "tools": tools})
    assert environment_variables(definition) == [
        "SHOP_URL",
        "SHOP_AUTHORIZATION",
        "CONNECTION_2ND_URL",
        "CONNECTION_2ND_AUTHORIZATION",
    ]


def test_plain_functions_have_no_schema_and_no_tool_of_a_server() -> None:
    tools = [{"name": "find"}, {"name": "search", "kind": "mcp", "mcp": {"connection": "docs"}}]
    definition = PipelineDefinition.model_validate({"name": "Any", "tools": tools})
    assert plain_functions(definition, tool_names(definition)) == (
        'async def find(**arguments: Any) -> str:\n    raise NotImplementedError("find")'
    )
