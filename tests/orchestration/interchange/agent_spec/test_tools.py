"""Tools as components of Agent Spec."""

from __future__ import annotations

from typing import Any

import pytest
from pyagentspec.mcp import MCPTool, StreamableHTTPTransport
from pyagentspec.swarm import Swarm
from pyagentspec.tools import ClientTool, RemoteTool, ServerTool

from orchestration.definition import Tool
from orchestration.interchange import export
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
