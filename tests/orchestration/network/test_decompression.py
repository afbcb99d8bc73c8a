"""Decompression of answers, tested with servers on loopback."""

import gzip
import zlib

import httpx
import pytest

from orchestration.network import CHUNK_SIZE, AllowedAddresses, AnswerRefused, guarded_transport
from orchestration.network.decompression import decompressed
from tests.orchestration.web_server import Answer, WebServer


def client() -> httpx.AsyncClient:
    transport = guarded_transport(AllowedAddresses.parse(["127.0.0.1"]))
    return httpx.AsyncClient(transport=transport, trust_env=False)


async def get(url: str) -> httpx.Response:
    async with client() as http:
        return await http.get(url)


@pytest.mark.parametrize("encoding", ["", "identity", " Identity "])
def test_an_uncompressed_answer_is_returned_unchanged(encoding):
    response = httpx.Response(200, headers={"Content-Encoding": encoding, "Content-Length": "4"})
    assert decompressed(response) is response
    assert response.headers["Content-Length"] == "4"


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "zstd"])
async def test_an_unsupported_compression_is_refused(encoding):
    answer = Answer(gzip.compress(gzip.compress(b"here")), headers={"Content-Encoding": encoding})
    with WebServer(lambda _: answer) as web:
        with pytest.raises(AnswerRefused, match="an unsupported compression"):
            await get(web.url)
        assert web.asked[0].headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    ("name", "compress"), [("GZip", gzip.compress), ("deflate", zlib.compress)]
)
async def test_a_compressed_answer_is_read_in_chunks_of_limited_size(name, compress):
    answer = Answer(compress(bytes(20_000_000)), headers={"Content-Encoding": name})
    with WebServer(lambda _: answer) as web:
        async with client() as http, http.stream("GET", web.url) as response:
            sizes = [len(chunk) async for chunk in response.aiter_bytes()]
    assert sum(sizes) == 20_000_000
    assert max(sizes) == CHUNK_SIZE


async def test_an_invalid_compression_is_an_error():
    broken = Answer(b"no gzip", headers={"Content-Encoding": "gzip"})
    with WebServer(lambda _: broken) as web, pytest.raises(httpx.DecodingError):
        await get(web.url)
