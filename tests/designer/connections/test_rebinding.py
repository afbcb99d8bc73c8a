"""Names that resolve to other addresses at a second look-up, on each path to another server."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace

import pytest
from django.conf import settings as django_settings

from designer.connections.connection_tests import find_models, try_connection
from designer.core.owner_connections import client_of
from orchestration.definition import HttpCall, McpCall, PipelineDefinition, Tool
from orchestration.exceptions import ProviderError
from orchestration.network import AllowedAddresses, ConnectionSettings, TimeLimits
from orchestration.providers import VENDORS
from orchestration.tools import CallContext, McpServers, RemoteTools, WebClient
from tests.orchestration.providers.completions_server import ASKED
from tests.orchestration.web_server import Answer, NamingLoop, WebServer

NAMES = {"rebind.example": [["127.0.0.2"], ["127.0.0.1"]]}
"""At first an allowed address where no server answers, then loopback."""

LIMITS = TimeLimits(connect=2.0, first_byte=2.0, tries=2)

Path = Callable[[ConnectionSettings], Awaitable[str]]


@pytest.fixture
def server(settings) -> Iterator[WebServer]:
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.2"])
    with WebServer(lambda asked: Answer("secret of an internal server")) as running:
        yield running


async def trial(connection: ConnectionSettings) -> str:
    return (await try_connection(connection)).sentence


async def model_list(connection: ConnectionSettings) -> str:
    return (await find_models(connection)).sentence


async def turn(connection: ConnectionSettings) -> str:
    client = client_of(replace(connection, model="small"))
    try:
        async for _ in client.stream(ASKED):
            pass
    except ProviderError as error:
        return str(error)
    finally:
        await client.aclose()
    return ""


async def tool(connection: ConnectionSettings) -> str:
    """Call a tool twice, over HTTP or MCP."""

    async def find(name: str) -> ConnectionSettings:
        return connection

    allowed = django_settings.ALLOWED_ADDRESSES
    web, servers = WebClient(allowed), McpServers(allowed)
    call = (
        Tool(name="t", kind="http", http=HttpCall(connection="c", url="x"))
        if connection.kind == "http"
        else Tool(name="t", kind="mcp", mcp=McpCall(connection="c"))
    )
    definition = PipelineDefinition(name="Tools", tools=(call,))
    remote = RemoteTools(web=web, servers=servers, find=find).tools(definition)["t"]
    texts = []
    for _ in range(2):
        try:
            texts.append(str(await remote.run({}, CallContext("key"))))
        except Exception as error:  # noqa: BLE001 - its text is compared
            texts.append(str(error))
    await servers.aclose()
    await web.aclose()
    return " ".join(texts)


PATHS: dict[str, tuple[Path, str]] = {
    **{f"turn of {kind}": (turn, kind) for kind in VENDORS},
    **{f"test of {kind}": (trial, kind) for kind in VENDORS},
    **{f"models of {kind}": (model_list, kind) for kind in VENDORS},
    "test of http": (trial, "http"),
    "test of mcp": (trial, "mcp"),
    "http tool": (tool, "http"),
    "mcp tool": (tool, "mcp"),
}


@pytest.mark.parametrize("path", PATHS)
def test_a_changing_name_reaches_no_internal_server_and_reveals_no_port(server, path):
    run, kind = PATHS[path]
    connections = []
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        for port in (server.port, unused.getsockname()[1]):
            url = f"http://rebind.example:{port}/v1"
            connections.append(
                ConnectionSettings("work", kind, url, key="sk-12345678", limits=LIMITS)
            )
        texts = {
            text_in_loop(run, connection).replace(connection.base_url[22:-3], "PORT")
            for connection in connections
        }
    assert len(texts) == 1
    assert "secret" not in texts.pop()
    assert server.asked == []


def text_in_loop(run: Path, connection: ConnectionSettings) -> str:
    loop = NamingLoop(NAMES)
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(run(connection))
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        asyncio.set_event_loop(None)
        loop.close()
