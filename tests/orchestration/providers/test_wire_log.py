"""The exchanges with a vendor, heard word for word, and without what is secret."""

from __future__ import annotations

import contextlib
from typing import Any

import httpx
import msgspec
import pytest

from orchestration.exceptions import ProviderError
from orchestration.providers.provider import WireExchange
from orchestration.providers.wire_log import MAX_KEPT
from tests.orchestration.conversations import say, session_with
from tests.orchestration.providers.completions_server import (
    ASKED,
    DONE,
    HELLO,
    KEY,
    ONCE,
    Server,
    pieces_of,
    streamed,
)
from tests.orchestration.providers.test_retry_policy import with_settings
from tests.orchestration.providers.test_vendors import answering, client_of
from tests.orchestration.vendor_streams import VENDORS

each = pytest.mark.parametrize("vendor", VENDORS.values(), ids=VENDORS)


async def heard(provider: Any) -> list[WireExchange]:
    """What is heard of one turn, whatever becomes of it."""
    exchanges: list[WireExchange] = []
    with contextlib.suppress(ProviderError):
        await pieces_of(provider, msgspec.structs.replace(ASKED, listen=exchanges.append))
    return exchanges


@each
async def test_the_exact_request_and_answer_are_heard_and_the_key_is_struck_out(vendor):
    server = Server(answering(vendor, vendor.answer))
    headers = {"X-Team": "desk", "X-Secret": f"Token {KEY}-2", "X-Short": "1234"}
    [exchange] = await heard(client_of(vendor, server, headers=headers))
    [asked] = server.requests
    assert exchange.sent == asked.content.decode()
    assert exchange.received == vendor.answer.decode()
    assert (exchange.status, exchange.error, exchange.left_out) == (200, "", 0)
    assert exchange.url == str(asked.url)
    told = msgspec.json.encode(exchange).decode()
    assert KEY not in told
    for name in ("X-Team", "X-Secret", "X-Short"):
        assert dict(exchange.sent_headers)[name.lower()] == "[key]"
    assert dict(exchange.sent_headers)["content-type"] == "application/json"


async def test_every_try_is_an_exchange_of_its_own_with_what_went_wrong():
    refused = httpx.Response(503, headers={"set-cookie": "a=b"}, text=f"{KEY} is busy")
    server = Server(refused, httpx.ConnectError("no"), streamed(*HELLO, DONE))
    first, second, third = await heard(server.provider())
    assert (first.status, first.received) == (503, "[key] is busy")
    assert dict(first.headers)["set-cookie"] == "[key]"
    assert "not available" in first.error
    assert (second.status, second.received, second.first_byte) == (None, "", None)
    assert "Nobody answers at" in second.error
    assert (third.status, third.error) == (200, "")


async def test_what_came_before_a_stream_broke_is_heard():
    [exchange] = await heard(
        Server(streamed(HELLO[0], then=httpx.ReadError("reset"))).provider(patience=ONCE)
    )
    assert exchange.received == HELLO[0].decode()
    assert "broke off during the answer" in exchange.error


async def test_a_turn_that_is_given_up_is_heard_of_too():
    exchanges: list[WireExchange] = []
    provider = Server(streamed(HELLO[0], hang=True)).provider()
    pieces = provider.stream(msgspec.structs.replace(ASKED, listen=exchanges.append))
    await anext(pieces)
    await pieces.aclose()
    await provider.aclose()
    assert [one.error for one in exchanges] == ["It was given up before its end."]


async def test_of_a_large_answer_both_ends_are_kept_and_it_says_how_much_is_not():
    comment = b": " + b"x" * 1_000 + b"\n\n"
    pieces = [HELLO[0], *[comment] * 500, b": nul \x00\n\n", *HELLO[1:], DONE]
    [exchange] = await heard(Server(streamed(*pieces)).provider())
    whole = b"".join(pieces)
    assert exchange.left_out == len(whole) - MAX_KEPT
    assert len(exchange.received) < MAX_KEPT + 100
    assert exchange.received.startswith(HELLO[0].decode())
    assert exchange.received.endswith(DONE.decode())
    assert f"[… {exchange.left_out} bytes are left out …]" in exchange.received
    assert "\x00" not in exchange.received


async def test_nobody_listens_by_default_and_whoever_does_hears_of_which_turn_it_is():
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
