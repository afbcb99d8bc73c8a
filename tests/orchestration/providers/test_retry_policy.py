"""How often a model is asked again, how long is waited for it, and who is asked in its place."""

from __future__ import annotations

import asyncio
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
    RunCompleted,
    RunFailed,
    TurnRetried,
    TurnStarted,
    decode,
    encode,
)
from orchestration.exceptions import ProviderError, ProviderTimeout
from orchestration.messages import InboundMessage
from orchestration.providers.fallback import WithFallback
from orchestration.providers.provider import ModelRequest, Retry, TextPiece
from orchestration.providers.retry_policy import Patience, asked_to_wait
from tests.orchestration.conversations import (
    PlayedModel,
    every,
    four_stages,
    only,
    say,
    session_with,
)
from tests.orchestration.providers.completions_server import (
    DONE,
    HELLO,
    KEY,
    QUICK,
    Server,
    chunk,
    part,
    pieces_of,
    streamed,
    with_messages,
)

BROKEN = [HELLO[0]]
"""The beginning of an answer, of which some is shown."""


def request(**settings: Any) -> ModelRequest:
    return with_messages(agent=Agent(id="a", name="A", **{"model": "m1"} | settings))


def retries_in(pieces: list[Any]) -> list[Retry]:
    return [one for one in pieces if isinstance(one, Retry)]


# How often


@pytest.mark.parametrize(("retries", "asked"), [(0, 1), (1, 2), (None, 4)])
async def test_an_agent_says_how_often_it_is_asked_again(retries, asked):
    server = Server(httpx.Response(503))
    with pytest.raises(ProviderError, match="not available"):
        await pieces_of(server.provider(), request(retries=retries))
    assert len(server.requests) == asked


async def test_the_last_error_says_how_often_it_was_asked():
    with pytest.raises(ProviderError, match=r"It was asked 3 times\. \(request req_7\)") as failed:
        await pieces_of(
            Server(httpx.Response(503, headers={"request-id": "req_7"})).provider(),
            request(retries=2),
        )
    assert (failed.value.status, failed.value.request_id) == (503, "req_7")


async def test_before_anything_is_shown_a_stream_that_breaks_is_asked_for_again():
    role = chunk({"role": "assistant", "content": ""})
    server = Server(streamed(role), streamed(*HELLO, DONE))
    retry, *_ = await pieces_of(server.provider(), request())
    assert isinstance(retry, Retry)
    assert "broke off" in retry.message
    assert not retry.shown


async def test_arguments_that_are_no_json_are_asked_for_again_and_never_used():
    broken = [chunk(part(0, "a", "look", '{"n": ')), chunk({}, "tool_calls"), DONE]
    server = Server(streamed(*broken), streamed(*HELLO, DONE))
    retry, *_ = await pieces_of(server.provider(), request())
    assert isinstance(retry, Retry)
    assert "called look with arguments that are no JSON" in retry.message


async def test_what_was_shown_is_not_asked_for_again():
    server = Server(streamed(*BROKEN))
    with pytest.raises(ProviderError, match="broke off"):
        await pieces_of(server.provider(), request())
    assert len(server.requests) == 1


async def test_what_was_shown_is_asked_for_again_where_the_agent_says_so():
    server = Server(streamed(*BROKEN), streamed(*HELLO, DONE))
    first, retry, *rest = await pieces_of(server.provider(), request(retry_shown=True))
    assert first == TextPiece("Hel")
    assert isinstance(retry, Retry)
    assert retry.shown
    assert rest[:2] == [TextPiece("Hel"), TextPiece("lo.")]


async def test_what_cannot_get_better_is_not_asked_again_even_so():
    half = [HELLO[0], chunk(part(0, "a", "look", "{")), chunk({}, "length")]
    server = Server(streamed(*half))
    with pytest.raises(ProviderError, match="raise the agent's max_output_tokens"):
        await pieces_of(server.provider(), request(retry_shown=True))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "headers", "body", "asked"),
    [
        (429, {}, {"error": {"code": "insufficient_quota", "message": "Pay."}}, 1),
        (429, {"x-should-retry": "false"}, {}, 1),
        (400, {"x-should-retry": "true"}, {}, 4),
        (429, {}, {"error": {"code": "rate_limit_exceeded"}}, 4),
    ],
)
async def test_the_vendor_may_say_whether_to_ask_again(status, headers, body, asked):
    server = Server(httpx.Response(status, headers=headers, json=body))
    with pytest.raises(ProviderError):
        await pieces_of(server.provider(), request())
    assert len(server.requests) == asked


# How long


async def test_an_agent_says_how_long_a_turn_may_take():
    server = Server(streamed(HELLO[0], hang=True))
    with pytest.raises(ProviderTimeout, match=r"not done within the 0\.05 s that a turn may take"):
        await pieces_of(server.provider(), request(time_limit=0.05))


async def test_comments_that_keep_the_stream_alive_are_no_silence():
    class Slow(httpx.AsyncByteStream):
        async def __aiter__(self):
            for _ in range(6):
                yield b": working\n\n"
                await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0.1)
            for piece in (*HELLO, DONE):
                yield piece

    answer = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Slow())
    pieces = await pieces_of(Server(answer).provider(patience=Patience(first_byte=1, between=0.5)))
    assert pieces[0] == TextPiece("Hel")


async def test_a_vendor_that_asks_to_wait_longer_than_a_turn_is_not_waited_for():
    server = Server(httpx.Response(429, headers={"retry-after": "3600"}))
    with pytest.raises(ProviderError, match="asks to wait 3600 s, which is too long for a turn"):
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
def test_what_a_vendor_asks_to_wait_is_read_from_wherever_it_says_so(headers, error, wait):
    assert asked_to_wait(headers, error) == (None if wait is None else pytest.approx(wait))


def test_a_date_to_wait_for_may_be_one_of_http_or_of_rfc_3339_and_what_is_used_up_counts():
    assert asked_to_wait({"retry-after": http_date(-60)}) == 0
    assert asked_to_wait({"retry-after": http_date(90)}) == pytest.approx(90, abs=5)
    headers = {
        "anthropic-ratelimit-requests-remaining": "5",
        "anthropic-ratelimit-requests-reset": rfc_3339(500),
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": rfc_3339(90),
    }
    assert asked_to_wait(headers) == pytest.approx(90, abs=5)


# In a conversation


def with_settings(**settings: Any) -> Any:
    definition = four_stages()
    agents = [one.model_copy(update={"model": "m1"} | settings) for one in definition.agents]
    return definition.model_copy(update={"agents": tuple(agents)})


async def test_what_was_said_before_a_retry_is_no_part_of_the_answer_and_the_event_says_so():
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


async def test_an_old_journal_without_the_newer_fields_is_read():
    server = Server(httpx.Response(503), streamed(*HELLO, DONE))
    session = session_with(None, with_settings(), providers={"default": server.provider()})
    for event in await say(session, "hi"):
        if isinstance(event, TurnRetried | MessageCompleted):
            told = json.loads(encode(event))
            for newer in ("shown", "provider", "model", "ending", "request_id"):
                told.pop(newer, None)
            assert decode(json.dumps(told).encode()) == event


class Failing:
    """A provider that says some words and fails."""

    name = "first"

    def __init__(self, *words: str) -> None:
        self.words = words

    def model_of(self, _: ModelRequest) -> str:
        return "m1"

    async def stream(self, _: ModelRequest) -> Any:
        for word in self.words:
            yield TextPiece(word)
        raise ProviderError("First is gone.", status=500, request_id="req_1")


async def fallen_back(*words: str, second: Any = None, **settings: Any) -> Any:
    """The events of a run whose provider fails, and what its fallback was asked."""
    played = PlayedModel([("Here I am.",)])
    asked: list[ModelRequest] = []
    stream = played.stream

    def watched(request: ModelRequest) -> Any:
        asked.append(request)
        return stream(request)

    played.stream = watched  # type: ignore[method-assign]
    definition = with_settings(**{"fallback": "other", "fallback_model": "m9"} | settings)
    providers = {"default": Failing(*words), "other": second or played}
    return await say(session_with(None, definition, providers=providers), "hi"), asked


async def test_where_a_provider_fails_for_good_its_fallback_is_asked_and_that_is_an_event():
    events, [asked] = await fallen_back()
    retried = only(TurnRetried, events)
    assert (retried.provider, retried.shown, retried.wait) == ("played", False, 0.0)
    assert "First is gone. (request req_1)" in retried.message
    assert (asked.agent.provider, asked.agent.model) == ("other", "m9")
    assert only(MessageCompleted, events).text == "Here I am."
    assert only(TurnStarted, events).provider == "first"
    assert isinstance(events[-1], RunCompleted)
    assert decode(encode(retried)) == retried


async def test_once_text_was_shown_the_fallback_is_asked_only_where_the_agent_says_so():
    events, asked = await fallen_back("Well, ")
    assert not asked
    assert isinstance(events[-1], RunFailed)
    events, asked = await fallen_back("Well, ", retry_shown=True)
    assert len(asked) == 1
    assert only(TurnRetried, events).shown
    assert only(MessageCompleted, events).text == "Here I am."


async def test_where_both_fail_the_error_tells_of_both():
    events, _ = await fallen_back(second=Server(httpx.Response(401)).provider())
    failed = only(RunFailed, events)
    assert "refused the key" in failed.message
    assert "It was asked because first had failed: First is gone. (request req_1)" in failed.message


async def test_a_fallback_that_is_not_connected_is_named():
    definition = with_settings(fallback="nowhere")
    events = await say(session_with(None, definition, providers={"default": Failing()}), "hi")
    assert (
        "Its fallback 'nowhere' is not connected. (request req_1)"
        in only(RunFailed, events).message
    )


async def test_without_a_fallback_nothing_stands_between_the_engine_and_its_provider():
    model = PlayedModel([("Hello.",)])
    session = session_with(model)
    [started] = every(TurnStarted, await say(session, "hi"))
    assert started.provider == "played"
    assert WithFallback(Failing(), None).name == "first"


# Structured answers


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ('{"n": 7}', ""),
        ('{"n": "x"}', "does not follow the agent's response schema: n: "),
        ("Seven.", "does not follow the agent's response schema: it is no JSON"),
    ],
)
async def test_an_answer_is_checked_against_the_schema_that_its_agent_wants(said, error):
    definition = with_settings(response_schema=SCHEMA)
    *_, last = await say(session_with(PlayedModel([(said,)]), definition), "hi")
    if error:
        assert isinstance(last, RunFailed)
        assert error in last.message
    else:
        assert isinstance(last, RunCompleted)


@pytest.mark.parametrize("schema", [{"type": "objekt"}, {"type": "object", "required": 5}])
async def test_by_a_schema_that_is_none_no_model_is_asked_and_the_run_says_whose_it_is(schema):
    model = PlayedModel([("{}",)])
    *_, last = await say(session_with(model, with_settings(response_schema=schema)), "hi")
    assert isinstance(last, RunFailed)
    assert last.error == "SchemaError"
    assert last.message.startswith(
        "The schema that the answers of agent 'agent-triage' follow is wrong"
    )
    assert model.requests == []


async def test_the_key_is_in_no_error_of_a_fallback():
    definition = with_settings(fallback="other")
    first = Server(httpx.Response(400, text=KEY)).provider(patience=QUICK)
    events = await say(
        session_with(None, definition, providers={"default": first, "other": first}), "hi"
    )
    assert all(KEY.encode() not in encode(one) for one in events if one.type != "message.delta")
