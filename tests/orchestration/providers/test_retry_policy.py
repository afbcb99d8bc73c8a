"""Number of attempts, time limits and requested waits."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest

from orchestration.definition import Agent
from orchestration.events import (
    MessageCompleted,
    MessageDelta,
    TurnRetried,
    decode,
    encode,
)
from orchestration.exceptions import ProviderError, ProviderTimeout
from orchestration.messages import InboundMessage
from orchestration.providers.provider import ModelRequest, Retry, TextPiece
from orchestration.providers.retry_policy import requested_wait
from tests.orchestration.conversations import (
    only,
    say,
    session_with,
)
from tests.orchestration.providers.completions_server import (
    DONE,
    HELLO,
    Server,
    chunk,
    part,
    pieces_of,
    streamed,
    with_messages,
)
from tests.orchestration.providers.vendor_exchange import with_settings

BROKEN = [HELLO[0]]
"""Beginning of an answer with text."""


def request(**settings: Any) -> ModelRequest:
    return with_messages(agent=Agent(id="a", name="A", **{"model": "m1"} | settings))


# Attempts


@pytest.mark.parametrize(("retries", "attempts"), [(0, 1), (1, 2), (None, 4)])
async def test_an_agent_sets_the_number_of_retries(retries, attempts):
    server = Server(httpx.Response(503))
    with pytest.raises(ProviderError, match="not available"):
        await pieces_of(server.provider(), request(retries=retries))
    assert len(server.requests) == attempts


async def test_the_last_error_contains_the_number_of_attempts():
    with pytest.raises(ProviderError, match=r"All 3 attempts failed\. \(request req_7\)") as failed:
        await pieces_of(
            Server(httpx.Response(503, headers={"request-id": "req_7"})).provider(),
            request(retries=2),
        )
    assert (failed.value.status, failed.value.request_id) == (503, "req_7")


async def test_a_stream_that_breaks_before_its_first_text_is_retried():
    role = chunk({"role": "assistant", "content": ""})
    server = Server(streamed(role), streamed(*HELLO, DONE))
    retry, *_ = await pieces_of(server.provider(), request())
    assert isinstance(retry, Retry)
    assert "broke off" in retry.message
    assert not retry.shown


async def test_arguments_that_are_not_json_are_retried():
    broken = [chunk(part(0, "a", "look", '{"n": ')), chunk({}, "tool_calls"), DONE]
    server = Server(streamed(*broken), streamed(*HELLO, DONE))
    retry, *_ = await pieces_of(server.provider(), request())
    assert isinstance(retry, Retry)
    assert "called look with arguments that are not JSON" in retry.message


async def test_shown_text_prevents_a_retry():
    server = Server(streamed(*BROKEN))
    with pytest.raises(ProviderError, match="broke off"):
        await pieces_of(server.provider(), request())
    assert len(server.requests) == 1


async def test_shown_text_is_retried_if_the_agent_allows_it():
    server = Server(streamed(*BROKEN), streamed(*HELLO, DONE))
    first, retry, *rest = await pieces_of(server.provider(), request(retry_shown=True))
    assert first == TextPiece("Hel")
    assert isinstance(retry, Retry)
    assert retry.shown
    assert rest[:2] == [TextPiece("Hel"), TextPiece("lo.")]


async def test_permanent_errors_are_never_retried():
    nameless = [chunk(part(0, "a", None, "{}")), chunk({}, "stop")]
    server = Server(streamed(*nameless))
    with pytest.raises(ProviderError, match="without a name"):
        await pieces_of(server.provider(), request(retry_shown=True))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "headers", "body", "attempts"),
    [
        (429, {}, {"error": {"code": "insufficient_quota", "message": "Pay."}}, 1),
        (429, {"x-should-retry": "false"}, {}, 1),
        (400, {"x-should-retry": "true"}, {}, 4),
        (429, {}, {"error": {"code": "rate_limit_exceeded"}}, 4),
    ],
)
async def test_the_vendor_may_allow_or_forbid_a_retry(status, headers, body, attempts):
    server = Server(httpx.Response(status, headers=headers, json=body))
    with pytest.raises(ProviderError):
        await pieces_of(server.provider(), request())
    assert len(server.requests) == attempts


# Time limits and waits


async def test_an_agent_sets_the_time_limit_of_a_turn():
    server = Server(streamed(HELLO[0], hang=True))
    with pytest.raises(
        ProviderTimeout, match=r"did not finish within the 0\.05 s allowed for a turn"
    ):
        await pieces_of(server.provider(), request(time_limit=0.05))


async def test_a_requested_wait_beyond_the_turn_is_an_error():
    server = Server(httpx.Response(429, headers={"retry-after": "3600"}))
    with pytest.raises(
        ProviderError, match="requests a wait of 3600 s, which is too long for a turn"
    ):
        await pieces_of(server.provider(), request())
    assert len(server.requests) == 1


def http_date(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


def rfc_3339(seconds: float) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


@pytest.mark.parametrize(
    ("headers", "error", "wait"),
    [
        ({"retry-after": "20"}, None, 20),
        ({"retry-after-ms": "250", "retry-after": "9"}, None, 0.25),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s"}, None, 1),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, None, 360),
        ({"x-ratelimit-remaining-tokens": "9", "x-ratelimit-reset-tokens": "6m0s"}, None, None),
        ({"x-ratelimit-reset-tokens": "2m59.56s"}, None, 179.56),
        ({"x-ratelimit-reset-tokens": "20ms"}, None, 0.02),
        (
            {},
            {
                "code": 429,
                "status": "RESOURCE_EXHAUSTED",
                "details": [
                    {"@type": "type.googleapis.com/google.rpc.QuotaFailure"},
                    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"},
                ],
            },
            34.5,
        ),
        ({"retry-after": "soon"}, {"details": "none"}, None),
        ({"retry-after": "-1"}, None, None),
        ({}, None, None),
    ],
)
def test_the_requested_wait_is_read_from_headers_and_errors(headers, error, wait):
    assert requested_wait(headers, error) == (None if wait is None else pytest.approx(wait))


def test_the_requested_wait_may_be_a_date():
    assert requested_wait({"retry-after": http_date(-60)}) == 0
    assert requested_wait({"retry-after": http_date(90)}) == pytest.approx(90, abs=5)
    headers = {
        "anthropic-ratelimit-requests-remaining": "5",
        "anthropic-ratelimit-requests-reset": rfc_3339(500),
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": rfc_3339(90),
    }
    assert requested_wait(headers) == pytest.approx(90, abs=5)


# In a conversation


async def test_text_before_a_retry_is_not_a_part_of_the_answer():
    server = Server(streamed(*BROKEN), streamed(*HELLO, DONE))
    provider = server.provider()
    session = session_with(None, with_settings(retry_shown=True), providers={"default": provider})
    events = [one async for one in session.receive(InboundMessage(id="1", text="hi"))]
    await provider.aclose()
    assert only(TurnRetried, events).shown
    assert only(MessageCompleted, events).text == "Hello."
    assert [(one.offset, one.text) for one in events if isinstance(one, MessageDelta)] == [
        (0, "Hel"),
        (0, "Hel"),
        (3, "lo."),
    ]


async def test_an_old_journal_without_newer_fields_is_decoded():
    server = Server(httpx.Response(503), streamed(*HELLO, DONE))
    session = session_with(None, with_settings(), providers={"default": server.provider()})
    for event in await say(session, "hi"):
        if isinstance(event, TurnRetried | MessageCompleted):
            event_json = json.loads(encode(event))
            for newer in ("shown", "provider", "model", "ending", "request_id"):
                event_json.pop(newer, None)
            assert decode(json.dumps(event_json).encode()) == event
