"""What the wire log takes down of an exchange."""

from typing import Any

import httpx

from orchestration.network import STRUCK
from orchestration.providers.wire_log import Tap


async def test_a_password_in_an_address_stands_neither_in_it_nor_in_the_header_made_of_it() -> None:
    heard: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"].startswith("Basic ")
        return httpx.Response(200)

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        request = client.build_request("POST", "http://me:canary@models.test/v1")
        tap = Tap(heard.append, request, (), ())
        await client.send(request)
        tap.end()
    (exchange,) = heard
    assert exchange.url == "http://models.test/v1"
    assert dict(exchange.sent_headers)["authorization"] == STRUCK
