"""Streams of MCP servers: limits on size, and detection of the end."""

import gzip

import pytest

from orchestration.tools import MAX_MCP_BYTES
from tests.orchestration.tools.mcp_calls import (
    listing_error,
)
from tests.orchestration.web_server import Answer


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_a_response_above_the_limit_is_an_error(kind):
    endless = Answer(b"data: " + bytes(MAX_MCP_BYTES), headers={"Content-Type": kind})
    error = await listing_error(tools_list=endless)
    assert error == "The MCP server 'files' sent a response of more than 16 MB during the call."


async def test_a_compressed_response_is_an_error():
    packed = Answer(gzip.compress(b"{}"), headers={"Content-Encoding": "gzip, gzip"})
    error = await listing_error(tools_list=packed)
    assert "sent a compressed response, which was not requested, during the call." in error
