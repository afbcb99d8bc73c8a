"""Tools as components of Agent Spec."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pyagentspec.mcp import MCPTool, StreamableHTTPTransport
from pyagentspec.swarm import Swarm
from pyagentspec.tools import ClientTool, RemoteTool, ServerTool

from orchestration.definition import Tool
from orchestration.interchange import export, read
from orchestration.interchange.agent_spec.tools import tool_component
from tests.orchestration.interchange.agent_spec.loading import loaded
from tests.orchestration.interchange.agent_spec.rich import rich


def test_each_kind_of_tool_is_a_component_of_its_type() -> None:
    swarm = loaded(export(rich(), "agent-spec").files)
    assert isinstance(swarm, Swarm)
    billing = swarm.relationships[0][0]
    tools = {each.name: each for each in billing.tools}  # type: ignore[attr-defined]
    assert isinstance(tools["find"], ServerTool)
    assert isinstance(tools["ask"], ClientTool)
    assert isinstance(tools["research"], ServerTool)
    refund, pages = tools["refund"], tools["pages"]
    assert isinstance(refund, RemoteTool)
    assert (refund.url, refund.http_method) == ("https://shop.example/{{order}}", "POST")
    assert (refund.data, refund.requires_confirmation) == ({"of": "{{order}}"}, True)
    assert isinstance(pages, MCPTool)
    assert isinstance(pages.client_transport, StreamableHTTPTransport)
    assert pages.client_transport.url == "https://manual.example/mcp"
    assert [each.title for each in pages.inputs or ()] == ["order"]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ({"url": "/a/{order}"}, {"url": "/a/{{order}}", "data": {}}),
        ({"method": "POST", "url": "/a"}, {"data": {"order": "{{order}}", "sum": "{{sum}}"}}),
        ({"method": "POST", "url": "/{order}"}, {"data": {"sum": "{{sum}}"}}),
        ({"headers": {"X-Order": "{order}"}}, {"headers": {"X-Order": "{{order}}"}}),
        (
            {"body": '{"a": {order}, "b": "x {sum}"}'},
            {"data": {"a": "{{order}}", "b": "x {{sum}}"}},
        ),
        ({"body": "a={order}"}, {"data": "a={{order}}"}),
        ({"body": '{"a": "\\ud800"}'}, {"data": '{"a": "\\ud800"}'}),
        ({"body": '{"a": 1e999}'}, {"data": '{"a": 1e999}'}),
        ({"body": '{"$component_ref": "x"}'}, {"data": '{"$component_ref": "x"}'}),
    ],
)
def test_a_request_has_the_placeholders_of_agent_spec(
    call: dict[str, Any], expected: dict[str, Any]
) -> None:
    properties = {"order": {"type": "integer"}, "sum": {"type": "number"}}
    tool = Tool.model_validate(
        {"name": "a", "kind": "http", "http": call, "parameters": {"properties": properties}}
    )
    component = tool_component(tool)
    assert {key: component[key] for key in expected} == expected


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
