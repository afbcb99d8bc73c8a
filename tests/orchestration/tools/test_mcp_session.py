"""Sessions with MCP servers: handshake, cancellation and end."""

import asyncio
import os
import signal
import sys
import threading
from contextlib import aclosing

import pytest

from orchestration.exceptions import ToolError
from orchestration.network import ConnectionSettings
from orchestration.tools import McpServers
from tests.orchestration.tools.mcp_calls import (
    KEY,
    LOOPBACK,
    STDIO,
    TRANSPORTS,
    Served,
    call,
    greeting,
    process_at,
)
from tests.orchestration.web_server import Answer, WebServer, redirect

pytestmark = pytest.mark.server


@pytest.mark.parametrize("kind", TRANSPORTS)
async def test_a_killed_server_ends_its_call_at_once(kind, tmp_path):
    server = None if kind == "stdio" else await asyncio.to_thread(Served, kind)
    connection = ConnectionSettings("files", "mcp", server.url) if server else STDIO
    mark = tmp_path / "called"
    async with aclosing(McpServers(LOOPBACK)) as servers:
        calling = asyncio.create_task(
            call(servers, connection, "wait", {"mark": str(mark)}, seconds=None)
        )
        os.kill(await process_at(mark, calling), signal.SIGKILL)
        async with asyncio.timeout(30):
            result = await calling
        assert result.error == "The MCP server 'files' disconnected during the call."
        result = await call(servers, connection, "look_up", {"order": 7})
    if server is None:  # it was started anew
        assert result.content == "Order 7 is on its way."
    else:
        assert result.error == "The MCP server 'files' cannot be reached."
        server.end()


async def test_the_outcome_of_a_cancelled_call_affects_no_other_call():
    notified, done = threading.Event(), threading.Event()

    def answer(request):
        sent = request.json if request.body else {}
        if sent.get("method") == "notifications/cancelled":
            notified.set()
            return Answer(status=400)
        name = sent.get("params", {}).get("name")
        if name == "slow":
            assert notified.wait(20)
            return Answer("", headers={"Content-Type": "text/event-stream"})
        if name == "other":
            assert done.wait(20)
        content = [{"type": "text", "text": "Here."}]
        answers = {"tools_call": {"content": content}, "tools_list": {"tools": []}}
        return greeting(request, **{name: {"result": one} for name, one in answers.items()})

    with WebServer(answer) as web:
        connection = ConnectionSettings("files", "mcp", web.url)
        async with aclosing(McpServers(LOOPBACK)) as servers:
            other = asyncio.create_task(call(servers, connection, "other"))
            assert (await call(servers, connection, "quick")).content == "Here."
            assert "did not answer" in (await call(servers, connection, "slow", seconds=0.2)).error
            assert await asyncio.to_thread(notified.wait, 20)
            for _ in range(3):
                assert (await call(servers, connection, "quick")).content == "Here."
            done.set()
            assert (await other).content == "Here."
        greeted = [one for one in web.asked if one.body and one.json["method"] == "initialize"]
        assert len(greeted) == 1


async def test_closing_ends_the_process_and_the_task(tmp_path):
    before = asyncio.all_tasks()
    servers = McpServers(LOOPBACK)
    mark = tmp_path / "called"
    calling = asyncio.create_task(call(servers, STDIO, "wait", {"mark": str(mark)}, seconds=None))
    process = await process_at(mark, calling)
    await servers.aclose()
    assert "disconnected during the call" in (await calling).error
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer(status=401), "answered with status 401: check its key."),
        (Answer(status=500), "answered with status 500."),
        (redirect("http://127.0.0.2/mcp", 307), "answered with status 307."),
        (Answer("<html>", headers={"Content-Type": "text/html"}), "sent an invalid response"),
        (Answer("{}"), "sent an invalid response during the handshake."),
        (Answer("", headers={"Content-Type": "text/event-stream"}), "disconnected during"),
    ],
)  # fmt: skip
async def test_an_invalid_server_is_an_error(answer, sentence):
    with WebServer(lambda request: answer) as web:
        connection = ConnectionSettings("files", "mcp", web.url, key=KEY)
        async with aclosing(McpServers(LOOPBACK)) as servers:
            with pytest.raises(ToolError) as refused:
                await servers.tools(connection)
    assert str(refused.value).startswith("The MCP server 'files'")
    assert sentence in str(refused.value)
    assert KEY not in str(refused.value)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ((), "must list it in BATON_MCP_STDIO"),
        (("/no/such/program",), "cannot be started: its command was not found."),
        ((sys.executable, "-c", "pass"), "disconnected during the handshake."),
    ],
)
async def test_a_command_without_a_server_is_an_error(command, sentence):
    connection = ConnectionSettings("files", "mcp_stdio", command=command)
    async with aclosing(McpServers(LOOPBACK)) as servers:
        result = await call(servers, connection, "look_up")
    assert sentence in result.error
