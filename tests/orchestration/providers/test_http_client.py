"""Failures and retries of a vendor's client."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest

from orchestration.definition import Agent, PipelineDefinition
from orchestration.events import (
    HandoffAccepted,
    MessageCompleted,
    RunCompleted,
    RunFailed,
    encode,
)
from orchestration.exceptions import ProviderError
from orchestration.network import tls_context
from orchestration.providers import providers_from_environment
from orchestration.providers.openai_compatible import OpenAICompatibleProvider
from orchestration.providers.provider import Retry, TextPiece
from tests.orchestration.conversations import HANDLER, four_stages, only, say, session_with
from tests.orchestration.providers import completions_server
from tests.orchestration.providers.completions_server import (
    DONE,
    HELLO,
    KEY,
    Server,
    pieces_of,
    streamed,
)

# Failures


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_temporary_errors_are_retried_and_reported(status):
    server = Server(httpx.Response(status), httpx.Response(status), streamed(*HELLO, DONE))
    pieces = await pieces_of(server.provider())
    assert [
        (one.attempt, one.of, one.error, "models.test" in one.message)
        for one in pieces
        if isinstance(one, Retry)
    ] == [(1, 4, "ProviderError", True), (2, 4, "ProviderError", True)]
    assert pieces[2] == TextPiece("Hel")
    assert len(server.requests) == 3


async def test_a_retry_contains_the_wait_requested_by_the_server():
    refused = httpx.Response(429, headers={"retry-after-ms": "20"})
    first, *_ = await pieces_of(Server(refused, streamed(*HELLO, DONE)).provider())
    assert isinstance(first, Retry)
    assert first.wait == 0.02


@pytest.mark.parametrize("error", [httpx.ConnectError("no"), httpx.ReadTimeout("slow")])
async def test_a_missing_answer_is_retried(error):
    server = Server(error, streamed(*HELLO, DONE))
    retry, text, *_ = await pieces_of(server.provider())
    assert isinstance(retry, Retry)
    assert text == TextPiece("Hel")


async def test_at_most_four_attempts_are_made():
    server = Server(httpx.Response(503))
    with pytest.raises(ProviderError, match="not available") as failed:
        await pieces_of(server.provider())
    assert len(server.requests) == 4
    assert failed.value.status == 503


async def test_a_failure_after_the_first_piece_is_final():
    server = Server(streamed(HELLO[0], then=httpx.ReadError("reset")))
    with pytest.raises(ProviderError, match="broke off during the answer"):
        await pieces_of(server.provider())
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "did not accept the request for model 'm1'"),
        (401, "refused the key: check OPENAI_API_KEY"),
        (403, "OPENAI_API_KEY"),
        (404, "knows no model 'm1', or OPENAI_BASE_URL is wrong"),
        (301, "status 301"),
        (418, "status 418"),
    ],
)
async def test_permanent_errors_are_reported_at_once(status, words):
    server = Server(
        httpx.Response(
            status,
            headers={"x-request-id": "req_7", "location": "http://elsewhere.test/"},
            json={"error": {"message": f"No, {KEY} is not right"}},
        )
    )
    with pytest.raises(ProviderError, match=words) as failed:
        await pieces_of(server.provider())
    assert len(server.requests) == 1
    assert failed.value.request_id == "req_7"
    assert "It says: No, [redacted] is not right." in str(failed.value)
    assert "(request req_7)" in str(failed.value)


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "0.05"},
        {"retry-after-ms": "50"},
        {"retry-after": format_datetime(datetime.now(UTC) - timedelta(hours=1))},
        {"retry-after": "soon"},
    ],
)
async def test_the_requested_wait_is_kept(headers):
    loop = asyncio.get_running_loop()
    server = Server(httpx.Response(429, headers=headers), streamed(*HELLO, DONE))
    began = loop.time()
    await pieces_of(server.provider())
    if "0.05" in headers.values() or "50" in headers.values():
        assert loop.time() - began >= 0.045


async def test_a_missing_model_is_an_error_with_the_setting():
    agent = Agent(id="agent-a", name="A")
    with pytest.raises(ProviderError, match="Agent 'agent-a' has no model: set OPENAI_MODEL, or"):
        await pieces_of(
            Server(streamed()).provider(), completions_server.with_messages(agent=agent)
        )


async def test_the_key_is_not_in_errors_repr_and_events():
    server = Server(httpx.Response(401, text=f"bad {KEY}"))
    provider = server.provider()
    assert KEY not in repr(provider)
    definition = named_model()
    failed = only(
        RunFailed, await say(session_with(None, definition, providers={"default": provider}), "hi")
    )
    assert "refused the key" in failed.message
    assert KEY.encode() not in encode(failed)


@pytest.mark.parametrize("before", ["", "x" * (300 - len("No, ") - 5)])
@pytest.mark.parametrize("answer", ["refused", "streamed"])
async def test_the_key_is_removed_before_a_message_is_shortened(answer, before):
    error = {"error": {"message": f"No, {before}{KEY} is not right."}}
    body = b"data: " + json.dumps(error).encode() + b"\n\n"
    answers = {"refused": httpx.Response(401, json=error), "streamed": streamed(body)}
    with pytest.raises(ProviderError) as failed:
        await completions_server.answered(answers[answer])
    assert KEY[:4] not in str(failed.value)
    assert "[reda" in str(failed.value)


@pytest.mark.parametrize("key", ["sk-\u0441ret", "sk-one\nsk-two"])
def test_an_invalid_key_is_an_error_that_does_not_quote_it(key):
    with pytest.raises(ValueError, match="contains an invalid character") as wrong:
        providers_from_environment({"OPENAI_API_KEY": key})
    assert "sk-" not in str(wrong.value)


async def test_proxies_of_the_environment_are_not_used(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:1")
    provider = OpenAICompatibleProvider(base_url="http://models.test/v1", model="m1")
    client = provider._connected()
    assert client.trust_env is False
    assert client.follow_redirects is False
    await provider.aclose()


async def test_clients_share_one_tls_context():
    """Creating one takes longer than a request on loopback, and blocks the event loop."""
    made = [OpenAICompatibleProvider(base_url="https://models.test", model="m1") for _ in range(2)]
    transports: list[Any] = [provider._connected()._transport for provider in made]
    contexts = {transport._pool._ssl_context for transport in transports}
    assert contexts == {tls_context()}


# In a conversation


async def test_a_conversation_with_a_handoff_runs_over_the_wire():
    """Contract O-7, T-1: the receiver's request contains the user's message and the note."""
    arguments = json.dumps({"target": HANDLER, "reason": "r", "summary": "Order 3."})
    server = Server(
        streamed(
            completions_server.chunk({"content": "One moment."}),
            completions_server.chunk(
                completions_server.part(0, "c1", "handoff_conversation", arguments)
            ),
            completions_server.chunk({}, "tool_calls"),
            completions_server.USAGE,
            DONE,
        ),
        streamed(*HELLO, completions_server.USAGE, DONE),
    )
    provider = server.provider(model="m2")
    session = session_with(None, providers={"default": provider})
    events = await say(session, "where is my order?")
    await provider.aclose()
    assert only(HandoffAccepted, events).to_agent == HANDLER
    assert only(RunCompleted, events).usage.input_tokens == 22
    assert [event.text for event in events if isinstance(event, MessageCompleted)][-1] == "Hello."
    first, second = (json.loads(request.content) for request in server.requests)
    assert first["tools"][0]["function"]["parameters"]["properties"]["target"]["enum"] == [
        HANDLER,
        "human",
    ]
    assert [message["role"] for message in second["messages"]] == ["system", "user"]
    assert second["messages"][1]["content"].split("\n\n") == [
        "[Context from previous agent (agent-triage)]: Order 3.",
        "where is my order?",
        "[agent-triage]: One moment.",
        "[agent-triage]: Handed over to agent-handler (stage handling).",
    ]


def named_model() -> PipelineDefinition:
    return four_stages(
        agents=[agent.model_copy(update={"model": "m1"}) for agent in four_stages().agents]
    )


# From the environment
