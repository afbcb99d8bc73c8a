"""Connections to allowed addresses only, tested with servers on loopback."""

import asyncio
import socket
import threading
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingUnixStreamServer

import httpx
import pytest

from orchestration.exceptions import ProviderError
from orchestration.network import (
    AddressRefused,
    AllowedAddresses,
    guarded_transport,
)
from orchestration.providers.openai_compatible import OpenAICompatibleProvider
from tests.orchestration.providers.completions_server import ASKED
from tests.orchestration.web_server import Answer, NamingLoop, WebServer, redirect


@pytest.fixture
def server():
    with WebServer(lambda asked: Answer("here")) as running:
        yield running


async def get(url, *listed, **options):
    transport = guarded_transport(AllowedAddresses.parse(listed))
    async with httpx.AsyncClient(transport=transport, trust_env=False, **options) as client:
        return await client.get(url)


NOTATIONS_OF_LOOPBACK = [
    "127.0.0.1", "127.9.9.9", "127.1", "2130706433", "017700000001", "0177.1", "0x7f.1",
    "0x7f000001", "0", "0.0.0.0", "localhost", "LOCALHOST",  # noqa: S104 - it binds nothing
    "someone@127.0.0.1",
    "example.org:80@127.0.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
    "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
]  # fmt: skip


@pytest.mark.parametrize("host", NOTATIONS_OF_LOOPBACK)
async def test_loopback_is_refused_in_every_notation(server, host):
    with pytest.raises(AddressRefused, match="BATON_ALLOWED_ADDRESSES"):
        await get(f"http://{host}:{server.port}/")
    assert server.asked == []


async def test_an_octal_number_in_four_parts_is_no_address_at_all(server):
    with pytest.raises(httpx.InvalidURL):
        await get(f"http://0177.0.0.1:{server.port}/")


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.2.7",
        "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "0xA9FEA9FE", "2852039166",
        "[fd00::1]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "[::ffff:10.0.0.1]", "[::ffff:a00:1]",
        "[64:ff9b::a00:1]", "[64:ff9b:1::a00:1]", "[2002:a00:1::]", "[2001:db8::1]",
        "[2001:0:a00:1::]",
    ],
)  # fmt: skip
async def test_a_private_address_is_refused_before_a_connection(host):
    with pytest.raises(AddressRefused):
        await get(f"http://{host}/")


@pytest.mark.parametrize(
    "url",
    [
        "http+unix://{}/info", "unix://{}/info", "https+unix://{}/", "unix:{}:/info", "file://{}",
        "ftp://127.0.0.1/", "gopher://127.0.0.1/", "ws://127.0.0.1/", "//127.0.0.1/", "{}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("encoded", [True, False])
async def test_other_protocols_and_socket_files_are_refused(tmp_path, url, encoded):
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

    path = tmp_path / "s"
    with ThreadingUnixStreamServer(str(path), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        written = str(path).replace("/", "%2F") if encoded else str(path)
        try:
            with pytest.raises((AddressRefused, httpx.UnsupportedProtocol, httpx.InvalidURL)):
                await get(url.format(written), "0.0.0.0/0", "::/0")
        finally:
            listening.shutdown()
            thread.join()
    assert asked == []


@pytest.mark.parametrize(
    "listed", ["127.0.0.1", "127.0.0.0/8", "127.0.0.1:{port}", "127.0.0.0/8:{port}"]
)
async def test_an_address_of_the_operators_list_is_allowed(server, listed):
    answer = await get(f"{server.url}/path", listed.format(port=server.port))
    assert answer.text == "here"
    assert [asked.target for asked in server.asked] == ["/path"]


async def test_a_listed_host_is_allowed_only_by_its_name(server):
    url = f"http://localhost:{server.port}/"
    assert (await get(url, "localhost")).text == "here"
    assert (await get(url, f"LocalHost.:{server.port}")).text == "here"
    with pytest.raises(AddressRefused):
        await get(f"http://127.0.0.1:{server.port}/", "localhost")


async def test_another_port_than_the_listed_one_is_refused(server):
    with pytest.raises(AddressRefused):
        await get(server.url, f"127.0.0.1:{server.port + 1}", "10.0.0.0/8", "localhost:1")
    assert server.asked == []


async def test_a_redirect_is_checked_like_a_request(server):
    with WebServer(lambda asked: redirect(f"http://2130706433:{server.port}/keys")) as door:
        with pytest.raises(AddressRefused):
            await get(door.url, f"127.0.0.1:{door.port}", follow_redirects=True)
        assert len(door.asked) == 1
        assert server.asked == []
        allowed = [f"127.0.0.1:{door.port}", f"127.0.0.1:{server.port}"]
        answer = await get(door.url, *allowed, follow_redirects=True)
    assert answer.text == "here"


def run_with_names(names, act):
    loop = NamingLoop(names)
    try:
        return loop.run_until_complete(act())
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def test_a_connection_goes_to_the_address_that_was_checked(server):
    """The second look-up would give the address of another server."""
    names = {"rebind.example": [["127.0.0.2"], ["127.0.0.1"]]}

    async def act():
        with pytest.raises(httpx.ConnectError):
            await get(f"http://rebind.example:{server.port}/", f"127.0.0.2:{server.port}")
        return asyncio.get_running_loop().looked_up  # type: ignore[attr-defined]

    assert run_with_names(names, act) == ["rebind.example"]
    assert server.asked == []


def test_a_name_that_changes_to_a_private_address_is_refused(server):
    """Its addresses are checked again as soon as they are resolved again."""
    with WebServer(lambda asked: Answer("elsewhere"), "127.0.0.2", port=server.port) as first:

        async def act():
            url, listed = f"http://rebind.example:{server.port}/", f"127.0.0.2:{server.port}"
            assert (await get(url, listed)).text == "elsewhere"
            with pytest.raises(AddressRefused):
                await get(url, listed)

        run_with_names({"rebind.example": [["127.0.0.2"], ["127.0.0.1"]]}, act)
    assert len(first.asked) == 1
    assert server.asked == []


def test_the_next_address_of_a_name_is_used_if_the_first_one_does_not_answer(server):
    async def act():
        url = f"http://both.example:{server.port}/"
        return (await get(url, "127.0.0.0/8")).text

    assert run_with_names({"both.example": [["127.0.0.2", "127.0.0.1"]]}, act) == "here"


@pytest.mark.parametrize("name", ["127.0.0.1", "inside.example", "mixed.example"])
def test_an_error_does_not_reveal_an_open_port(server, name):
    names = {"inside.example": [["127.0.0.1"]], "mixed.example": [["127.0.0.2", "127.0.0.1"]]}
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        closed = unused.getsockname()[1]

        async def act():
            texts = set()
            for port in (server.port, closed):
                with pytest.raises(AddressRefused) as refused:
                    await get(f"http://{name}:{port}/", "127.0.0.2")
                texts.add(str(refused.value))
            return texts

        assert len(run_with_names(names, act)) == 1
    assert server.asked == []


@pytest.mark.parametrize(
    "numbers",
    [
        ["127.0.0.1"],
        ["93.184.215.14", "127.0.0.1"],
        ["::ffff:127.0.0.1"],
        ["127.0.0.2", "10.0.0.1"],
    ],
)
def test_a_name_with_a_private_address_is_refused_without_connecting(numbers):
    async def act():
        connections = []
        listener = await asyncio.start_server(
            lambda reader, writer: connections.append(1), "127.0.0.1"
        )
        async with listener:
            port = listener.sockets[0].getsockname()[1]
            with pytest.raises(AddressRefused):
                await get(f"http://inside.example:{port}/")
        return connections

    assert run_with_names({"inside.example": [numbers]}, act) == []


def test_a_name_keeps_its_checked_address(server):
    with WebServer(lambda asked: Answer("elsewhere"), host="127.0.0.2") as other:

        async def act():
            listed = AllowedAddresses.parse([f"127.0.0.1:{server.port}"])
            transport = guarded_transport(listed)
            async with httpx.AsyncClient(transport=transport) as client:
                url, end = f"http://rebind.example:{server.port}/", {"Connection": "close"}
                return [(await client.get(url, headers=end)).text for _ in range(3)]

        names = {"rebind.example": [["127.0.0.1"], ["127.0.0.1"], [other.host]]}
        assert run_with_names(names, act) == ["here"] * 3
        assert other.asked == []


def test_an_unknown_name_is_a_connection_error(server):
    async def act():
        with pytest.raises(httpx.ConnectError, match="could not be resolved"):
            await get("http://nowhere.invalid/", "127.0.0.1")

    asyncio.run(act())


async def test_a_refusal_does_not_reveal_the_address(server):
    with pytest.raises(AddressRefused) as refused:
        await get(f"http://localhost:{server.port}/")
    assert "127.0.0.1" not in str(refused.value)
    assert "::1" not in str(refused.value)
    assert str(refused.value).startswith("localhost is not allowed")


async def test_a_provider_reports_a_refused_address_without_a_retry(server):
    provider = OpenAICompatibleProvider(
        base_url=f"{server.url}/v1",
        api_key="k",
        model="m",
        transport=guarded_transport(AllowedAddresses()),
    )
    with pytest.raises(ProviderError, match="is not allowed: it resolves to this server"):
        await anext(provider.stream(ASKED))  # a retry would be reported first
    await provider.aclose()
    assert server.asked == []
