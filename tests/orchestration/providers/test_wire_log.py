"""Recorded exchanges with a vendor, verbatim except for secrets."""

from __future__ import annotations

import contextlib
from typing import Any

import httpx
import msgspec
import pytest

from orchestration.exceptions import ProviderError
from orchestration.network import REDACTED
from orchestration.providers.provider import WireExchange
from orchestration.providers.wire_log import MAX_KEPT, WITHHELD, ExchangeRecorder
from tests.orchestration.conversations import say, session_with
from tests.orchestration.providers.completions_server import (
    ASKED,
    DONE,
    HELLO,
    KEY,
    ONCE,
    Server,
    chunk,
    pieces_of,
    streamed,
)
from tests.orchestration.providers.vendor_exchange import (
    answering,
    client_of,
    with_settings,
)
from tests.orchestration.vendor_streams import VENDORS

each_vendor = pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS)


async def recorded(provider: Any) -> list[WireExchange]:
    """Return the recorded exchanges of one turn, also of a failed one."""
    exchanges: list[WireExchange] = []
    with contextlib.suppress(ProviderError):
        await pieces_of(provider, msgspec.structs.replace(ASKED, listen=exchanges.append))
    return exchanges


@each_vendor
async def test_an_exchange_is_recorded_verbatim_without_the_key(vendor):
    server = Server(answering(vendor, vendor.answer))
    headers = {"X-Team": "desk", "X-Secret": f"Token {KEY}-2", "X-Short": "1234"}
    [exchange] = await recorded(client_of(vendor, server, headers=headers))
    [asked] = server.requests
    assert exchange.sent == asked.content.decode()
    assert exchange.received == vendor.answer.decode()
    assert (exchange.status, exchange.error, exchange.left_out) == (200, "", 0)
    assert exchange.url == str(asked.url)
    told = msgspec.json.encode(exchange).decode()
    assert KEY not in told
    for name in ("X-Team", "X-Secret", "X-Short"):
        assert dict(exchange.sent_headers)[name.lower()] == "[redacted]"
    assert dict(exchange.sent_headers)["content-type"] == "application/json"


async def test_each_attempt_is_an_exchange_with_its_error():
    refused = httpx.Response(503, headers={"set-cookie": "a=b"}, text=f"{KEY} is busy")
    server = Server(refused, httpx.ConnectError("no"), streamed(*HELLO, DONE))
    first, second, third = await recorded(server.provider())
    assert (first.status, first.received) == (503, "[redacted] is busy")
    assert dict(first.headers)["set-cookie"] == "[redacted]"
    assert "not available" in first.error
    assert (second.status, second.received, second.first_byte) == (None, "", None)
    assert "No server answers at" in second.error
    assert (third.status, third.error) == (200, "")


async def test_a_broken_stream_is_recorded_up_to_its_end():
    [exchange] = await recorded(
        Server(streamed(HELLO[0], then=httpx.ReadError("reset"))).provider(retry_policy=ONCE)
    )
    assert exchange.received == HELLO[0].decode()
    assert "broke off during the answer" in exchange.error


async def test_a_cancelled_turn_is_recorded():
    exchanges: list[WireExchange] = []
    provider = Server(streamed(HELLO[0], hang=True)).provider()
    pieces = provider.stream(msgspec.structs.replace(ASKED, listen=exchanges.append))
    await anext(pieces)
    await pieces.aclose()
    await provider.aclose()
    assert [one.error for one in exchanges] == [
        "The request was cancelled before the end of the answer."
    ]


async def test_both_ends_of_a_large_answer_are_recorded():
    comment = b": " + b"x" * 1_000 + b"\n\n"
    pieces = [HELLO[0], *[comment] * 500, b": nul \x00\n\n", *HELLO[1:], DONE]
    [exchange] = await recorded(Server(streamed(*pieces)).provider())
    whole = b"".join(pieces)
    assert exchange.left_out == len(whole) - MAX_KEPT
    assert len(exchange.received) < MAX_KEPT + 100
    assert exchange.received.startswith(HELLO[0].decode())
    assert exchange.received.endswith(DONE.decode())
    assert f"[… {exchange.left_out} bytes omitted …]" in exchange.received
    assert "\x00" not in exchange.received


async def test_a_listener_receives_the_turn_of_each_exchange():
    provider = Server(*[streamed(*HELLO, DONE) for _ in range(2)]).provider()
    session = session_with(None, with_settings(), providers={"default": provider})
    assert session.listen is None
    await say(session, "hi")
    told: list[tuple[str, str, int]] = []
    session.listen = lambda *place: told.append(place[:3])
    events = await say(session, "again")
    await provider.aclose()
    [place] = told
    assert place == (session.session_id, events[-1].run_id, 1)


async def test_a_password_in_an_address_is_not_recorded() -> None:
    recorded: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"].startswith("Basic ")
        return httpx.Response(200)

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
        request = client.build_request("POST", "http://me:canary@models.test/v1")
        recorder = ExchangeRecorder(recorded.append, request, (), ())
        await client.send(request)
        recorder.end()
    (exchange,) = recorded
    assert exchange.url == "http://models.test/v1"
    assert dict(exchange.sent_headers)["authorization"] == REDACTED


@pytest.mark.parametrize("cut", [1, 5, 12])
@each_vendor
async def test_an_answer_that_repeats_the_key_in_pieces_is_withheld(vendor, cut):
    first, second = KEY[:cut].encode(), KEY[cut:].encode()
    body = vendor.answer.replace(b"Let me ", first).replace(b"see: ", second)
    [exchange] = await recorded(client_of(vendor, Server(answering(vendor, body))))
    assert exchange.received == WITHHELD


async def test_an_answer_that_repeats_the_key_at_once_is_recorded_without_it():
    server = Server(streamed(chunk({"content": f"It is {KEY}."}), DONE))
    [exchange] = await recorded(server.provider())
    assert "It is [redacted]." in exchange.received
