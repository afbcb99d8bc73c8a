"""Source of the remote tools of a definition."""

from contextlib import aclosing

import pytest

from orchestration.definition import HttpCall, McpCall, PipelineDefinition, Tool
from orchestration.exceptions import ToolError
from orchestration.network import AllowedAddresses
from orchestration.tools import CallContext, HttpTool, McpServers, McpTool, RemoteTools, WebClient
from tests.orchestration.conversations import with_tools

NOWHERE = AllowedAddresses()


@pytest.fixture
def definition() -> PipelineDefinition:
    return with_tools(
        Tool(name="plain"),
        Tool(name="web", kind="http", http=HttpCall(connection="shop", url="/orders")),
        Tool(name="played", kind="http", http=HttpCall(url="https://a.example/"), stand_in=True),
        Tool(name="files", kind="mcp", mcp=McpCall(connection="files", tool="look_up")),
    )


async def test_http_and_mcp_tools_are_remote_unless_examples_replace_them(definition):
    async with aclosing(WebClient(NOWHERE)) as web, aclosing(McpServers(NOWHERE)) as servers:
        tools = RemoteTools(web=web, servers=servers).tools(definition)
    assert {name: type(tool) for name, tool in tools.items()} == {"web": HttpTool, "files": McpTool}
    files = tools["files"]
    assert isinstance(files, McpTool)
    assert (files.connection, files.remote_name) == ("files", "look_up")


async def test_without_mcp_servers_only_http_tools_are_remote(definition):
    async with aclosing(WebClient(NOWHERE)) as web:
        assert list(RemoteTools(web=web).tools(definition)) == ["web"]


async def test_without_a_source_of_connections_none_exists(definition):
    async with aclosing(WebClient(NOWHERE)) as web:
        tool = RemoteTools(web=web).tools(definition)["web"]
        with pytest.raises(ToolError, match="'shop', which does not exist"):
            await tool.run({}, CallContext("s1/run/1/c1"))
