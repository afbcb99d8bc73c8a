"""Tools of agents in Python code."""

from __future__ import annotations

from typing import Any

from orchestration.interchange.openai_agents.reading.tools import AgentToolReader
from tests.orchestration.interchange.openai_agents.reading.foreign_code import lost, parts_of


def read_tools(*lines: str, **beside: str) -> tuple[list[str], dict[str, Any], list[Any]]:
    """The names of the tools of the agent `a`, all tools by name, and the losses."""
    parts = parts_of(*lines, **beside)
    reader, agent = AgentToolReader(parts), parts.by_variable["a"]
    names = reader.names(agent.tools) + reader.servers(agent.fields.get("mcp_servers"))
    tools = {each["name"]: each for each in parts.reading.fields["tools"]}
    return names, tools, lost(parts.reading)


def test_a_tool_in_place_has_the_parameters_of_its_function() -> None:
    names, tools, losses = read_tools(
        "def find(order: int, note: str = ''):",
        "    '''Find an order.",
        "",
        "    More.'''",
        "a = Agent(tools=[function_tool(find), FunctionTool(name='stop', needs_approval=check)])",
    )
    assert names == ["find", "stop"]
    assert tools["find"]["description"] == "Find an order."
    assert tools["find"]["parameters"] == {
        "type": "object",
        "properties": {"order": {"type": "integer"}, "note": {"type": "string"}},
        "required": ["order"],
    }
    assert (tools["find"]["approval"], tools["stop"]["approval"]) == (False, True)
    assert "parameters" not in tools["stop"]
    assert losses == []


def test_a_tool_of_several_agents_is_added_once_and_one_of_the_same_name_is_renamed() -> None:
    names, tools, losses = read_tools(
        "own = FunctionTool(name='find', on_invoke_tool=invoker(tools.own, kind='strange'))",
        "a = Agent(tools=[own, own, shop.find])",
    )
    assert names == ["find", "find", "find_2"]
    assert {name: each["kind"] for name, each in tools.items()} == {
        "find": "function",
        "find_2": "function",
    }
    assert losses == [
        ("Tool", "line 2", "only its name is read"),
        ("Tool", "line 2", "now named find_2"),
    ]


def test_tools_that_are_added_by_an_export_or_stand_for_agents_are_no_tools() -> None:
    names, tools, losses = read_tools(
        "a = Agent(tools=[runtime.ask_person, b.as_tool(), WebSearchTool(), 3])"
    )
    assert (names, tools) == ([], {})
    assert losses == [
        ("Tool", "line 1", "WebSearchTool left out"),
        ("Tool", "line 1", "A tool left out"),
    ]


def test_only_a_server_of_an_export_has_known_tools() -> None:
    names, tools, losses = read_tools(
        "a = Agent(mcp_servers=[McpServer('WEB_DOCS', {'search': 'search', 'get': 'fetch'},",
        "    approval=['get']), MCPServerStdio(), McpServer(name, table)])",
    )
    assert names == ["search", "get"]
    assert tools["search"]["mcp"] == {"connection": "web-docs", "tool": ""}
    assert tools["get"]["mcp"] == {"connection": "web-docs", "tool": "fetch"}
    assert (tools["search"]["approval"], tools["get"]["approval"]) == (False, True)
    assert losses == [("MCP server", "line 2", "left out")] * 2


def test_a_tool_of_an_export_has_the_request_in_the_module_beside_it() -> None:
    lines = (
        "find = FunctionTool(name='find', on_invoke_tool=invoker(tools.find_it, kind='http'))",
        "a = Agent(tools=[find])",
    )
    request = "async def find_it(**arguments):\n    return await call(arguments, url='/x')"
    _, tools, losses = read_tools(*lines, tools=request)
    assert (tools["find"]["kind"], tools["find"]["http"]) == ("http", {"url": "/x"})
    assert losses == []
    _, tools, losses = read_tools(*lines)
    assert "http" not in tools["find"]
    assert losses == [("HTTP request", "tools.py, find", "left out")]
