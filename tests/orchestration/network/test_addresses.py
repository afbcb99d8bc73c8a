"""Where requests may go, tried against real servers on loopback."""

import asyncio
import gzip
import threading
import zlib
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from socketserver import ThreadingUnixStreamServer

import httpx
import pytest

from orchestration.exceptions import ProviderError
from orchestration.network import (
    PIECE,
    AddressRefused,
    AllowedAddresses,
    AnswerRefused,
    guarded_transport,
    is_public,
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


WAYS_TO_SAY_LOOPBACK = [
    "127.0.0.1", "127.9.9.9", "127.1", "2130706433", "017700000001", "0177.1", "0x7f.1",
    "0x7f000001", "0", "0.0.0.0", "localhost", "LOCALHOST",  # noqa: S104 - it binds nothing
    "someone@127.0.0.1",
    "example.org:80@127.0.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
    "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
]  # fmt: skip


@pytest.mark.parametrize("host", WAYS_TO_SAY_LOOPBACK)
async def test_loopback_is_refused_however_it_is_written(server, host):
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
async def test_what_is_not_public_is_refused_before_anything_is_sent(host):
    with pytest.raises(AddressRefused):
        await get(f"http://{host}/")


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True), ("8.8.8.8", True), ("2606:4700:4700::1111", True),
        ("::ffff:8.8.8.8", True), ("64:ff9b::808:808", True), ("2002:808:808::", True),
        ("64:ff9b::a00:1", False), ("2002:c0a8:1::", False), ("::ffff:192.168.0.1", False),
        ("fe80::1%eth0", False), ("192.88.99.1", True), ("192.0.0.8", False),
    ],
)  # fmt: skip
def test_an_address_is_as_public_as_the_one_it_stands_for(address, public):
    assert is_public(ip_address(address)) is public


@pytest.mark.parametrize(
    "url",
    [
        "http+unix://{}/info", "unix://{}/info", "https+unix://{}/", "unix:{}:/info", "file://{}",
        "ftp://127.0.0.1/", "gopher://127.0.0.1/", "ws://127.0.0.1/", "//127.0.0.1/", "{}",
    ],
)  # fmt: skip
@pytest.mark.parametrize("encoded", [True, False])
async def test_nothing_but_http_is_spoken_and_no_socket_file_is_opened(tmp_path, url, encoded):
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
async def test_what_the_operator_lists_is_reached(server, listed):
    answer = await get(f"{server.url}/path", listed.format(port=server.port))
    assert answer.text == "here"
    assert [asked.target for asked in server.asked] == ["/path"]


async def test_a_host_is_listed_by_its_name_and_only_by_that_name(server):
    url = f"http://localhost:{server.port}/"
    assert (await get(url, "localhost")).text == "here"
    assert (await get(url, f"LocalHost.:{server.port}")).text == "here"
    with pytest.raises(AddressRefused):
        await get(f"http://127.0.0.1:{server.port}/", "localhost")


async def test_another_port_than_the_listed_one_is_refused(server):
    with pytest.raises(AddressRefused):
        await get(server.url, f"127.0.0.1:{server.port + 1}", "10.0.0.0/8", "localhost:1")
    assert server.asked == []


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "zstd"])
async def test_answers_are_asked_for_as_they_are_and_what_has_no_bound_is_not_unpacked(encoding):
    packed = Answer(gzip.compress(gzip.compress(b"here")), headers={"Content-Encoding": encoding})
    with WebServer(lambda _: packed) as web:
        with pytest.raises(AnswerRefused, match=r"127\.0\.0\.1 compresses its answer in a way"):
            await get(web.url, "127.0.0.1")
        assert web.asked[0].headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(("name", "pack"), [("GZip", gzip.compress), ("deflate", zlib.compress)])
async def test_a_compressed_answer_is_unpacked_in_pieces_no_further_than_it_is_read(name, pack):
    packed = Answer(pack(bytes(20_000_000)), headers={"Content-Encoding": name})
    with WebServer(lambda _: packed) as web:
        transport = guarded_transport(AllowedAddresses.parse(["127.0.0.1"]))
        async with (
            httpx.AsyncClient(transport=transport, trust_env=False) as client,
            client.stream("GET", web.url) as response,
        ):
            sizes = [len(piece) async for piece in response.aiter_bytes()]
    assert sum(sizes) == 20_000_000
    assert max(sizes) == PIECE


async def test_what_cannot_be_unpacked_is_an_error_of_the_answer():
    broken = Answer(b"no gzip", headers={"Content-Encoding": "gzip"})
    with WebServer(lambda _: broken) as web, pytest.raises(httpx.DecodingError):
        await get(web.url, "127.0.0.1")


async def test_a_redirect_is_checked_like_a_request(server):
    with WebServer(lambda asked: redirect(f"http://2130706433:{server.port}/keys")) as door:
        with pytest.raises(AddressRefused):
            await get(door.url, f"127.0.0.1:{door.port}", follow_redirects=True)
        assert len(door.asked) == 1
        assert server.asked == []
        allowed = [f"127.0.0.1:{door.port}", f"127.0.0.1:{server.port}"]
        answer = await get(door.url, *allowed, follow_redirects=True)
    assert answer.text == "here"


def naming(names, act):
    loop = NamingLoop(names)
    try:
        return loop.run_until_complete(act())
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def test_a_name_that_turns_inwards_after_it_was_looked_up_is_refused(server):
    names = {"rebind.example": [["93.184.215.14"], ["127.0.0.1"]]}

    async def act():
        with pytest.raises(AddressRefused):
            await get(f"http://rebind.example:{server.port}/")

    naming(names, act)
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
def test_a_name_that_leads_inside_is_refused_and_nobody_knocks_there(numbers):
    async def act():
        knocks = []
        listening = await asyncio.start_server(lambda reader, writer: knocks.append(1), "127.0.0.1")
        async with listening:
            port = listening.sockets[0].getsockname()[1]
            with pytest.raises(AddressRefused):
                await get(f"http://inside.example:{port}/")
        return knocks

    assert naming({"inside.example": [numbers]}, act) == []


def test_a_name_keeps_the_number_that_was_checked(server):
    with WebServer(lambda asked: Answer("elsewhere"), host="127.0.0.2") as other:

        async def act():
            listed = AllowedAddresses.parse([f"127.0.0.1:{server.port}"])
            transport = guarded_transport(listed)
            async with httpx.AsyncClient(transport=transport) as client:
                url, end = f"http://rebind.example:{server.port}/", {"Connection": "close"}
                return [(await client.get(url, headers=end)).text for _ in range(3)]

        names = {"rebind.example": [["127.0.0.1"], ["127.0.0.1"], [other.host]]}
        assert naming(names, act) == ["here"] * 3
        assert other.asked == []


def test_a_name_that_does_not_exist_is_no_refusal(server):
    async def act():
        with pytest.raises(httpx.ConnectError, match="could not be found"):
            await get("http://nowhere.invalid/", "127.0.0.1")

    asyncio.run(act())


async def test_a_refusal_does_not_say_which_number_a_name_has(server):
    with pytest.raises(AddressRefused) as refused:
        await get(f"http://localhost:{server.port}/")
    assert "127.0.0.1" not in str(refused.value)
    assert "::1" not in str(refused.value)
    assert str(refused.value).startswith("localhost is not asked")


@pytest.mark.parametrize(
    "entry",
    ["10.0.0.0/33", "http://a", "a b", "1.2.3", "[models]", "[::1", "::1:80:", "a:0", "a:70000",
     "-a", "*", "10.0.0.1/8/8", "a:b"],
)  # fmt: skip
def test_an_entry_that_cannot_be_is_named(entry):
    with pytest.raises(ValueError, match=r"neither a network|port that does not exist"):
        AllowedAddresses.parse([entry])


def test_ipv6_is_listed_in_brackets_or_as_it_is():
    listed = AllowedAddresses.parse(["[fd00::/8]:443", "fe80::1", " ", "[::1]"])
    assert listed.allow("a", "fd00::7", 443)
    assert not listed.allow("a", "fd00::7", 80)
    assert listed.allow("a", "fe80::1", 1)
    assert listed.allow("a", "::1", 1)
    assert AllowedAddresses.parse(["10.0.0.0/8"]).allow("a", "::ffff:10.0.0.1", 1)


async def test_a_provider_that_leads_inside_says_so_once(server):
    provider = OpenAICompatibleProvider(
        base_url=f"{server.url}/v1",
        api_key="k",
        model="m",
        transport=guarded_transport(AllowedAddresses()),
    )
    with pytest.raises(ProviderError, match=r"127\.0\.0\.1 is not asked: it leads to this server"):
        await anext(provider.stream(ASKED))  # the first piece would tell of another try
    await provider.aclose()
    assert server.asked == []
