"""Tools that are read from components of Agent Spec."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestration.interchange import read
from tests.orchestration.interchange.agent_spec.imported import changed
from tests.orchestration.interchange.agent_spec.rich import rich


def test_a_remote_tool_becomes_a_request() -> None:
    document = {
        "component_type": "Agent",
        "name": "A",
        "system_prompt": "",
        "tools": [
            {
                "component_type": "RemoteTool",
                "name": "pay now",
                "url": "https://shop.example/{{ order }}",
                "http_method": "post",
                "query_params": {"dry run": True, "by": "{{user}}"},
                "headers": {"X-Shop": "{{shop}}", "Content-Length": "3", "X-Long": "x" * 600},
                "data": ["{{order}}", 2],
                "inputs": [{"title": "order", "type": "string"}, {"type": "string"}],
                "retry_policy": {"max_attempts": 3},
            },
            {"component_type": "RemoteTool", "name": "odd", "url": 3, "http_method": "TRACE"},
        ],
    }
    result = read(json.dumps(document))
    first, second = (
        result.definition.tools_by_name["pay_now"],
        result.definition.tools_by_name["odd"],
    )
    assert first.http is not None
    assert first.http.model_dump(exclude_defaults=True) == {
        "method": "POST",
        "url": "https://shop.example/{order}?dry%20run=true&by={user}",
        "headers": {"X-Shop": "{shop}"},
        "body": '["{order}", 2]',
    }
    assert second.http is not None
    assert (second.http.method, second.http.url) == ("GET", "")
    assert {place for row in result.losses for place in row.places} == {
        "$.tools[0].headers.Content-Length",
        "$.tools[0].headers.X-Long",
        "$.tools[0].inputs",
        "$.tools[0].name",
        "$.tools[0].retry_policy",
        "$.tools[1].http_method",
        "$.tools[1].url",
    }


def test_a_form_of_a_remote_tool_stays_a_form() -> None:
    tool = {
        "component_type": "RemoteTool",
        "name": "send",
        "url": "https://a.example",
        "http_method": "POST",
        "headers": {"Content-Type": "application/x-www-form-urlencoded"},
        "data": {"city name": "{{city}}", "days": 3},
    }
    agent = {"component_type": "Agent", "name": "A", "system_prompt": "", "tools": [tool]}
    http = read(json.dumps(agent)).definition.tools[0].http
    assert http is not None
    assert http.body == "city%20name={city}&days=3"


@pytest.mark.parametrize("confirmed", [True, False])
def test_a_toolbox_that_needs_confirmation_has_tools_that_need_approval(*, confirmed: bool) -> None:
    box = {
        "component_type": "MCPToolBox",
        "requires_confirmation": confirmed,
        "tool_filter": ["search"],
    }
    agent = {"component_type": "Agent", "name": "A", "system_prompt": "", "toolboxes": [box]}
    assert read(json.dumps(agent)).definition.tools[0].approval is confirmed


def test_listed_tools_of_a_toolbox_are_read() -> None:
    box = {
        "component_type": "MCPToolBox",
        "name": "box",
        "client_transport": {"component_type": "SSETransport", "name": "Manual", "url": "x"},
        "tool_filter": ["search", {"name": "open", "requires_confirmation": True}, 3],
    }
    agent = {"component_type": "Agent", "name": "A", "system_prompt": "", "toolboxes": [box]}
    definition = read(json.dumps(agent)).definition
    assert definition.agents[0].tools == ("open", "search")
    tool = definition.tools_by_name["open"]
    assert tool.mcp is not None
    assert (tool.kind, tool.approval, tool.mcp.connection) == ("mcp", True, "manual")


def test_two_tools_with_one_name_stay_apart_unless_they_are_equal() -> None:
    def agent(name: str, description: str) -> dict[str, Any]:
        tool = {"component_type": "ServerTool", "name": "find", "description": description}
        return {"component_type": "Agent", "name": name, "system_prompt": "", "tools": [tool]}

    team = {
        "component_type": "ManagerWorkers",
        "group_manager": agent("a", "One"),
        "workers": [agent("b", "One"), agent("c", "Two")],
    }
    definition = read(json.dumps(team)).definition
    assert [each.tools for each in definition.agents] == [("find",), ("find",), ("find_2",)]


@pytest.mark.parametrize(
    ("key", "field", "value", "name", "expected"),
    [
        ("find", "description", "Looks", "description", "Looks"),
        ("find", "requires_confirmation", True, "approval", True),
        ("refund", "requires_confirmation", False, "approval", False),
        (
            "find",
            "inputs",
            [{"title": "a", "type": "string", "default": None}],
            "parameters",
            {"type": "object", "properties": {"a": {"type": "string", "default": None}}},
        ),
    ],
)
def test_a_changed_field_of_a_tool_wins(
    key: str, field: str, value: object, name: str, expected: object
) -> None:
    found = changed(rich(), **{f"tool.{key}": {field: value}}).definition
    assert getattr(found.tools_by_name[key], name) == expected
    assert found.tools_by_name[key].time_limit == rich().tools_by_name[key].time_limit


def test_a_renamed_tool_is_renamed_for_its_agents() -> None:
    found = changed(rich(), **{"tool.find": {"name": "look_up"}}).definition
    assert "look_up" in found.agents_by_id["billing"].tools
    assert found.tools_by_name["look_up"].examples == rich().tools_by_name["find"].examples


def test_a_changed_request_keeps_the_connection() -> None:
    call = {"method": "POST", "url": "/pay", "connection": "shop", "take": "/sum"}
    tools = [{"name": "refund", "kind": "http", "http": call}]
    found = changed(rich(tools=tools), **{"tool.refund": {"url": "/pay/{{order}}"}}).definition
    http = found.tools_by_name["refund"].http
    assert http is not None
    assert (http.url, http.connection, http.take) == ("/pay/{order}", "shop", "/sum")


def test_another_server_of_an_mcp_tool_is_another_connection() -> None:
    found = changed(rich(), **{"mcp.manual": {"name": "New Manual"}}).definition
    mcp = found.tools_by_name["pages"].mcp
    assert mcp is not None
    assert (mcp.connection, mcp.tool) == ("new-manual", "pages")


def test_invalid_data_of_a_tool_is_a_loss() -> None:
    data = {"metadata": {"baton": {"tool": {"name": "find", "http": 3}}}}
    result = changed(rich(), **{"tool.find": data})
    assert [each.places for each in result.losses if each.kept == "lost"] == [
        ("$.$referenced_components.tool.find.metadata",)
    ]
