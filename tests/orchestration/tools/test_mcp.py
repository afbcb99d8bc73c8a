"""Tools that MCP servers answer, against a real server of the official SDK over both transports."""

import asyncio
import gzip
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import aclosing

import pytest

from orchestration.definition import McpCall, Tool
from orchestration.exceptions import ToolError
from orchestration.messages import ToolCall
from orchestration.network import AllowedAddresses, ConnectionSettings
from orchestration.tools import MAX_MCP_BYTES, McpServers, McpSession, McpTool, ToolHandler
from tests.orchestration.web_server import Answer, WebServer, redirect
from tests.serving import ROOT

pytestmark = pytest.mark.server

PROGRAM = (sys.executable, str(ROOT / "tests" / "orchestration" / "mcp_server.py"))
LOOPBACK = AllowedAddresses.parse(["127.0.0.1"])
KEY = "sk-canary-0123456789"
STDIO = ConnectionSettings("files", "mcp_stdio", command=(*PROGRAM, "stdio"))

TRANSPORTS = ["stdio", "http", "json"]


class Served:
    """A server over HTTP, in a process of its own."""

    def __init__(self, kind):
        self.process = subprocess.Popen([*PROGRAM, kind], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.said = self.process.stdout
        self.url = self.said.readline().strip()

    def end(self):
        self.process.kill()
        self.process.wait()
        self.said.close()


@pytest.fixture(scope="module")
def served():
    """The servers over HTTP that the tests of this file share."""
    running = {kind: Served(kind) for kind in ("http", "json")}
    yield running
    for one in running.values():
        one.end()


@pytest.fixture(params=TRANSPORTS)
def connection(request, served):
    if request.param == "stdio":
        return STDIO
    return ConnectionSettings("files", "mcp", served[request.param].url, key=KEY)


def found(connection):
    async def find(name):
        return connection if connection is not None and connection.name == name else None

    return find


async def call(servers, connection, tool, arguments=None, *, seconds=30.0, named="files"):
    """The result of a tool as the handler gives it to a model."""
    described = Tool(name="ask", kind="mcp", mcp=McpCall(connection=named, tool=tool))
    running = McpTool.of(described, found(connection), servers)
    handler = ToolHandler(tools={"ask": running}, timeout=seconds)
    made = ToolCall(id="1", name="ask", arguments=json.dumps(arguments or {}))
    (result,) = await handler.run([made])
    return result


async def process_at(mark, calling):
    """The process that a call has come to, once it has."""
    while not (mark.exists() and mark.read_text()):
        assert not calling.done(), calling.result()
        await asyncio.sleep(0.01)
    return int(mark.read_text())


async def test_the_tools_of_a_server_are_listed(connection):
    async with aclosing(McpServers(LOOPBACK)) as servers:
        tools = {tool.name: tool for tool in await servers.tools(connection)}
    assert {"look_up", "add", "fail", "wait"} <= tools.keys()
    looking = tools["look_up"]
    assert looking.description == "Look an order up."
    assert looking.parameters["required"] == ["order"]
    assert (looking.is_read_only, looking.is_idempotent) == (True, True)
    assert not tools["add"].is_read_only


async def test_a_server_answers_with_text_numbers_and_parts(connection):
    async with aclosing(McpServers(LOOPBACK)) as servers:
        result = await call(servers, connection, "look_up", {"order": 7, "verbose": True})
        assert (result.content, result.error) == ("Order 7 is on its way. It is blue.", None)
        assert (await call(servers, connection, "add", {"first": 2, "second": 3})).content == "5"
        said = (await call(servers, connection, "parts")).content
        assert said == "One\n(image/png: no text)\nA memo."


async def test_what_a_server_refuses_is_an_error_that_the_model_can_act_on(connection):
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
        (counted,) = {result.content.partition(" of ")[2] for result in results}
        assert sorted(result.content for result in results) == [
            f"{number} of {counted}" for number in range(1, 6)
        ]


async def test_nobody_shares_a_session_of_somebody_else(connection):
    other = ConnectionSettings(**{**vars(connection), "owner": "2"})
    async with aclosing(McpServers(LOOPBACK)) as servers:
        first = (await call(servers, connection, "count")).content
        second = (await call(servers, other, "count")).content
    assert first.startswith("1 of")
    assert second.startswith("1 of")


@pytest.mark.parametrize("kind", TRANSPORTS)
async def test_a_server_that_is_killed_in_the_middle_of_a_call_is_told_at_once(kind, tmp_path):
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


async def test_a_call_that_takes_too_long_leaves_the_session_to_others(connection, tmp_path):
    async with aclosing(McpServers(LOOPBACK)) as servers:
        await servers.tools(connection)
        arguments = {"mark": str(tmp_path / "called")}
        result = await call(servers, connection, "wait", arguments, seconds=0.2)
        assert result.error == "ask did not answer within 0.2 seconds."
        assert (await call(servers, connection, "look_up", {"order": 7})).error is None


async def test_a_server_is_told_that_nobody_waits_for_a_call_any_more(connection, tmp_path):
    mark, given_up = tmp_path / "called", tmp_path / "called-given-up"
    async with aclosing(McpServers(LOOPBACK)) as servers, asyncio.timeout(20):
        counted = (await call(servers, connection, "count")).content.split()[0]
        calling = asyncio.create_task(
            call(servers, connection, "wait", {"mark": str(mark)}, seconds=None)
        )
        await process_at(mark, calling)
        assert not given_up.exists()
        calling.cancel()
        while not given_up.exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.01)
        again = await call(servers, connection, "count")
        assert again.content.split()[0] == str(int(counted) + 1), again.error


async def test_what_becomes_of_a_call_that_was_given_up_harms_no_other_call():
    told, done = threading.Event(), threading.Event()

    def answer(asked):
        sent = asked.json if asked.body else {}
        if sent.get("method") == "notifications/cancelled":
            told.set()
            return Answer(status=400)
        name = sent.get("params", {}).get("name")
        if name == "slow":
            assert told.wait(20)
            return Answer("", headers={"Content-Type": "text/event-stream"})
        if name == "other":
            assert done.wait(20)
        content = [{"type": "text", "text": "Here."}]
        answers = {"tools_call": {"content": content}, "tools_list": {"tools": []}}
        return greeting(asked, **{name: {"result": one} for name, one in answers.items()})

    with WebServer(answer) as web:
        connection = ConnectionSettings("files", "mcp", web.url)
        async with aclosing(McpServers(LOOPBACK)) as servers:
            other = asyncio.create_task(call(servers, connection, "other"))
            assert (await call(servers, connection, "quick")).content == "Here."
            assert "did not answer" in (await call(servers, connection, "slow", seconds=0.2)).error
            assert await asyncio.to_thread(told.wait, 20)
            for _ in range(3):
                assert (await call(servers, connection, "quick")).content == "Here."
            done.set()
            assert (await other).content == "Here."
        greeted = [one for one in web.asked if one.body and one.json["method"] == "initialize"]
        assert len(greeted) == 1


async def test_of_too_many_sessions_one_that_nobody_uses_gives_way(tmp_path):
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


async def test_who_has_the_most_sessions_crowds_nobody_else_out(served, tmp_path):
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


async def test_a_session_that_nobody_uses_is_closed_and_one_in_use_is_not(served):
    connection = ConnectionSettings("files", "mcp", served["http"].url)
    session = McpSession(connection, LOOPBACK, idle=0.01)
    assert (await session.send(lambda session: session.list_tools())).tools
    async with asyncio.timeout(30):
        await session._task
    assert not session.is_open


async def test_a_key_goes_to_the_server_as_a_bearers(served):
    connection = ConnectionSettings(
        "files", "mcp", served["http"].url, key=KEY, headers={"X-Own": "canary-header"}
    )
    async with aclosing(McpServers(LOOPBACK)) as servers:
        said = await call(servers, connection, "header", {"name": "Authorization"})
        assert said.content == "Bearer [key]"  # the server has it, and the answer does not
        assert (await call(servers, connection, "header", {"name": "X-Own"})).content == "[key]"


async def test_an_address_that_is_not_public_is_refused(served):
    connection = ConnectionSettings("files", "mcp", served["http"].url)
    async with aclosing(McpServers(AllowedAddresses())) as servers:
        result = await call(servers, connection, "look_up", {"order": 7})
    assert "BATON_ALLOWED_ADDRESSES" in result.error


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
async def test_what_is_no_mcp_server_is_told(answer, sentence):
    with WebServer(lambda asked: answer) as web:
        connection = ConnectionSettings("files", "mcp", web.url, key=KEY)
        async with aclosing(McpServers(LOOPBACK)) as servers:
            with pytest.raises(ToolError) as refused:
                await servers.tools(connection)
    assert str(refused.value).startswith("The MCP server 'files'")
    assert sentence in str(refused.value)
    assert KEY not in str(refused.value)


def greeting(asked, **answers):
    """What a server answers that greets and then has answers of its own; None: as it should be."""
    sent = asked.json if asked.body else {}
    if asked.method != "POST" or "id" not in sent:
        return Answer(status=202 if asked.method == "POST" else 405)
    info = {"name": "odd", "version": "1"}
    result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    said = answers.get(sent["method"].replace("/", "_"), {"result": result})
    if isinstance(said, Answer):
        return said
    return Answer(as_json={"jsonrpc": "2.0", "id": sent["id"], **said})


async def refusal_of(*, listing=30.0, **answers):
    """Why the tools of such a server cannot be listed."""
    with WebServer(lambda asked: greeting(asked, **answers)) as web:
        connection = ConnectionSettings("files", "mcp", web.url, key=KEY)
        async with aclosing(McpServers(LOOPBACK, list_seconds=listing)) as servers:
            with pytest.raises(ToolError) as refused:
                await servers.tools(connection)
    return str(refused.value)


async def test_a_key_that_a_server_repeats_in_an_error_is_struck_out():
    error = {"code": -32000, "message": f"Who is {KEY}?"}
    assert await refusal_of(tools_list={"error": error}) == "The MCP server says: Who is [key]?"


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_an_answer_without_an_end_is_not_taken_in(kind):
    endless = Answer(b"data: " + bytes(MAX_MCP_BYTES), headers={"Content-Type": kind})
    said = await refusal_of(tools_list=endless)
    assert said == "The MCP server 'files' sent a response of more than 16 MB during the call."


async def test_an_answer_is_asked_for_as_it_is_and_one_that_is_packed_is_not_unfolded():
    packed = Answer(gzip.compress(b"{}"), headers={"Content-Encoding": "gzip, gzip"})
    said = await refusal_of(tools_list=packed)
    assert "sent a compressed response, which was not requested, during the call." in said


async def test_a_list_that_has_no_end_is_given_up():
    page = {"result": {"tools": [], "nextCursor": "more"}}
    said = await refusal_of(listing=0.3, tools_list=page)
    assert said == "The MCP server 'files' did not list its tools within 0.3 seconds."


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ((), "must list it in BATON_MCP_STDIO"),
        (("/no/such/program",), "cannot be started: its command was not found."),
        ((sys.executable, "-c", "pass"), "disconnected during the handshake."),
    ],
)
async def test_a_command_that_is_no_server_is_told(command, sentence):
    connection = ConnectionSettings("files", "mcp_stdio", command=command)
    async with aclosing(McpServers(LOOPBACK)) as servers:
        result = await call(servers, connection, "look_up")
    assert sentence in result.error


async def test_a_connection_that_is_not_there_or_no_mcp_server_is_told():
    async with aclosing(McpServers(LOOPBACK)) as servers:
        result = await call(servers, None, "look_up")
        assert "'files', which does not exist" in result.error
        result = await call(servers, ConnectionSettings("files", "http"), "look_up")
        assert "has the kind http" in result.error
        result = await call(servers, ConnectionSettings("files", "mcp", fault="Sealed."), "look_up")
        assert result.error == "Sealed."
