"""Tools that are read from components of AutoGen."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange.autogen.tool_reading import AutoGenTools
from orchestration.interchange.foreign import ForeignDocument
from orchestration.interchange.reading import Reading
from tests.orchestration.interchange.autogen.imported import imported, lost


def test_the_source_of_a_function_gives_its_parameters_and_is_not_run() -> None:
    (tool,) = imported("swarm").definition.tools
    assert tool.description == "Looks an invoice up."
    assert tool.parameters == {
        "type": "object",
        "properties": {"number": {"type": "string"}, "year": {"type": "integer"}},
        "required": ["number"],
    }


def test_http_and_mcp_tools_and_an_answer_in_a_schema_are_read() -> None:
    result = imported("tools")
    (agent,) = result.definition.agents
    tools = result.definition.tools_by_name
    assert agent.tools == ("find_order", "search")
    assert agent.response_schema is not None
    assert agent.response_schema["required"] == ["amount"]
    assert tools["find_order"].http is not None
    assert tools["find_order"].http.url == "https://shop.example/orders/{id}"
    assert tools["find_order"].time_limit == 5
    assert tools["search"].mcp is not None
    assert tools["search"].mcp.connection == "docs-example"
    base = "$.config.workbench[0].config.tools[1].config"
    assert set(lost(result)) == {"$.config.model_client.config.base_url", f"{base}.server_params"}


def test_the_tools_of_an_mcp_server_are_a_loss() -> None:
    result = imported("mcp")
    assert (
        lost(result)["$.config.workbench[0]"] == "Connect the server as uvx and choose its tools."
    )


def read_tools(*tools: dict[str, Any]) -> tuple[list[dict[str, Any]], set[str]]:
    """Return the tools of an agent, and the paths of losses."""
    reading = Reading("autogen")
    AutoGenTools(ForeignDocument(reading)).names({"tools": list(tools)}, ())
    return reading.fields["tools"], {place for row in reading.rows for place in row.places}


def http(**config: Any) -> dict[str, Any]:
    parts = {"name": "find", "scheme": "https", "host": "shop.example", **config}
    return {"provider": "autogen_ext.tools.http.HttpTool", "config": parts}


@pytest.mark.parametrize(
    ("config", "url"),
    [
        ({}, "https://shop.example/"),
        ({"port": 443, "path": "orders"}, "https://shop.example/orders"),
        ({"port": 8443, "path": "/orders"}, "https://shop.example:8443/orders"),
        ({"scheme": "http", "port": 80}, "http://shop.example/"),
        ({"scheme": "http", "port": 443}, "http://shop.example:443/"),
    ],
)
def test_the_address_of_a_request_names_only_an_unusual_port(
    config: dict[str, Any], url: str
) -> None:
    (tool,), lost_paths = read_tools(http(**config))
    assert (tool["http"]["url"], tool["http"]["method"]) == (url, "GET")
    assert lost_paths == set()


@pytest.mark.parametrize(
    "config", [{"scheme": "ftp"}, {"host": None}, {"name": 3}, {"path": "x" * 2_000}]
)
def test_a_request_without_a_name_or_a_usable_address_is_a_loss(config: dict[str, Any]) -> None:
    assert read_tools(http(**config)) == ([], {"$.tools[0].config"})


@pytest.mark.parametrize(
    ("tool", "paths"),
    [
        ({"provider": "x.FunctionTool", "config": {"source_code": "x"}}, {"$.tools[0].config"}),
        ({"provider": "x.CodeTool", "config": {"name": "run"}}, {"$.tools[0]"}),
        ({"provider": 3}, {"$.tools[0]"}),
        (
            {"provider": "x.SseMcpToolAdapter", "config": {"tool": {}}},
            {"$.tools[0].config.tool", "$.tools[0].config.server_params"},
        ),
    ],
)
def test_a_tool_without_a_name_or_of_another_kind_is_a_loss(
    tool: dict[str, Any], paths: set[str]
) -> None:
    assert read_tools(tool) == ([], paths)


def test_equal_tools_of_an_agent_are_one_tool() -> None:
    tools, _ = read_tools(http(), http(), http(description="Another"))
    assert [each["name"] for each in tools] == ["find", "find_2"]
