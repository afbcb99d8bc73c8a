"""Tools of MCP servers, with a real server of the official SDK over both transports."""

import asyncio
from contextlib import aclosing

import pytest

from orchestration.network import AllowedAddresses, ConnectionSettings
from orchestration.tools import McpServers, McpSession
from tests.orchestration.tools.mcp_calls import (
    KEY,
    LOOPBACK,
    STDIO,
    TRANSPORTS,
    Served,
    call,
    listing_error,
    process_at,
)

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def served():
    """Servers over HTTP, shared by the tests of this file."""
    running = {kind: Served(kind) for kind in ("http", "json")}
    yield running
    for one in running.values():
        one.end()


@pytest.fixture(params=TRANSPORTS)
def connection(request, served):
    if request.param == "stdio":
        return STDIO
    return ConnectionSettings("files", "mcp", served[request.param].url, key=KEY)


async def test_the_tools_of_a_server_are_listed(connection):
    async with aclosing(McpServers(LOOPBACK)) as servers:
        tools = {tool.name: tool for tool in await servers.tools(connection)}
    assert {"look_up", "add", "fail", "wait"} <= tools.keys()
    looking = tools["look_up"]
    assert looking.description == "Look an order up."
    assert looking.parameters["required"] == ["order"]
    assert (looking.is_read_only, looking.is_idempotent) == (True, True)
    assert not tools["add"].is_read_only


async def test_text_numbers_and_parts_are_returned(connection):
    async with aclosing(McpServers(LOOPBACK)) as servers:
        result = await call(servers, connection, "look_up", {"order": 7, "verbose": True})
        assert (result.content, result.error) == ("Order 7 is on its way. It is blue.", None)
        assert (await call(servers, connection, "add", {"first": 2, "second": 3})).content == "5"
        parts = (await call(servers, connection, "parts")).content
        assert parts == "One\n(image/png: no text)\nA memo."


async def test_a_rejected_call_is_an_error_for_the_model(connection):
    async with aclosing(McpServers(LOOPBACK)) as servers:
        result = await call(servers, connection, "fail", {"why": f"No such order, {KEY}."})
        assert "No such order" in result.error
        assert (KEY in result.error) is (connection is STDIO)  # it is no secret of that connection
        result = await call(servers, connection, "look_up", {"order": "seven"})
        assert "order" in result.error
        result = await call(servers, connection, "no_such_tool")
        assert "no_such_tool" in result.error


async def test_all_calls_of_a_connection_share_one_session(connection):
    async with aclosing(McpServers(LOOPBACK)) as servers:
        results = await asyncio.gather(*[call(servers, connection, "count") for _ in range(5)])
        (total,) = {result.content.partition(" of ")[2] for result in results}
        assert sorted(result.content for result in results) == [
            f"{number} of {total}" for number in range(1, 6)
        ]


async def test_sessions_are_not_shared_between_owners(connection):
    other = ConnectionSettings(**{**vars(connection), "owner": "2"})
    async with aclosing(McpServers(LOOPBACK)) as servers:
        first = (await call(servers, connection, "count")).content
        second = (await call(servers, other, "count")).content
    assert first.startswith("1 of")
    assert second.startswith("1 of")


async def test_a_call_beyond_its_time_limit_leaves_the_session_open(connection, tmp_path):
    async with aclosing(McpServers(LOOPBACK)) as servers:
        await servers.tools(connection)
        arguments = {"mark": str(tmp_path / "called")}
        result = await call(servers, connection, "wait", arguments, seconds=0.2)
        assert result.error == "ask did not answer within 0.2 seconds."
        assert (await call(servers, connection, "look_up", {"order": 7})).error is None


async def test_a_server_receives_the_cancellation_of_a_call(connection, tmp_path):
    mark, given_up = tmp_path / "called", tmp_path / "called-given-up"
    async with aclosing(McpServers(LOOPBACK)) as servers, asyncio.timeout(20):
        total = (await call(servers, connection, "count")).content.split()[0]
        calling = asyncio.create_task(
            call(servers, connection, "wait", {"mark": str(mark)}, seconds=None)
        )
        await process_at(mark, calling)
        assert not given_up.exists()
        calling.cancel()
        while not given_up.exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.01)
        again = await call(servers, connection, "count")
        assert again.content.split()[0] == str(int(total) + 1), again.error


async def test_an_unused_session_is_closed_for_a_new_one(tmp_path):
    mark = tmp_path / "called"
    busy, idle, new = (ConnectionSettings(**{**vars(STDIO), "owner": owner}) for owner in "123")
    async with aclosing(McpServers(LOOPBACK, max_sessions=2)) as servers:
        arguments = {"mark": str(mark)}
        calling = asyncio.create_task(call(servers, busy, "wait", arguments, seconds=None))
        await process_at(mark, calling)
        for connection in (idle, new):
            assert (await call(servers, connection, "count")).content.startswith("1 of")
        assert not calling.done()
        assert (await call(servers, new, "count")).content.startswith("2 of")
        assert (await call(servers, idle, "count")).content.startswith("1 of")  # it began anew
        assert not calling.done()
    assert "disconnected" in (await calling).error


async def test_the_owner_with_the_most_sessions_loses_one(served, tmp_path):
    def owned(owner, name):
        return ConnectionSettings(name, "mcp", served["json"].url, owner=owner)

    async with aclosing(McpServers(LOOPBACK, max_sessions=2)) as servers:
        calling = {}
        for owner, name in (("ada", "files"), ("bob", "files"), ("bob", "more")):
            mark = tmp_path / f"{owner}-{name}"
            calling[owner, name] = asyncio.create_task(
                call(
                    servers,
                    owned(owner, name),
                    "wait",
                    {"mark": str(mark)},
                    seconds=None,
                    named=name,
                )
            )
            await process_at(mark, calling[owner, name])
        assert "disconnected" in (await calling["bob", "files"]).error
        assert not calling["ada", "files"].done()
    await asyncio.gather(*calling.values())


async def test_an_idle_session_is_closed(served):
    connection = ConnectionSettings("files", "mcp", served["http"].url)
    session = McpSession(connection, LOOPBACK, idle=0.01)
    assert (await session.send(lambda session: session.list_tools())).tools
    async with asyncio.timeout(30):
        await session._task
    assert not session.is_open


async def test_the_key_is_sent_as_a_bearer_token(served):
    connection = ConnectionSettings(
        "files", "mcp", served["http"].url, key=KEY, headers={"X-Own": "canary-header"}
    )
    async with aclosing(McpServers(LOOPBACK)) as servers:
        result = await call(servers, connection, "header", {"name": "Authorization"})
        assert result.content == "Bearer [redacted]"  # the server has it, and the answer does not
        assert (
            await call(servers, connection, "header", {"name": "X-Own"})
        ).content == "[redacted]"


async def test_a_private_address_is_an_error(served):
    connection = ConnectionSettings("files", "mcp", served["http"].url)
    async with aclosing(McpServers(AllowedAddresses())) as servers:
        result = await call(servers, connection, "look_up", {"order": 7})
    assert "BATON_ALLOWED_ADDRESSES" in result.error


async def test_a_key_is_redacted_in_an_error():
    error = {"code": -32000, "message": f"Who is {KEY}?"}
    assert (
        await listing_error(tools_list={"error": error})
        == "The MCP server says: Who is [redacted]?"
    )


async def test_an_endless_list_of_tools_is_a_timeout():
    page = {"result": {"tools": [], "nextCursor": "more"}}
    error = await listing_error(listing=0.3, tools_list=page)
    assert error == "The MCP server 'files' did not list its tools within 0.3 seconds."


async def test_a_missing_or_wrong_mcp_connection_is_an_error():
    async with aclosing(McpServers(LOOPBACK)) as servers:
        result = await call(servers, None, "look_up")
        assert "'files', which does not exist" in result.error
        result = await call(servers, ConnectionSettings("files", "http"), "look_up")
        assert "has the kind http" in result.error
        result = await call(servers, ConnectionSettings("files", "mcp", fault="Sealed."), "look_up")
        assert result.error == "Sealed."
