"""One request to a vendor: time limits, estimated usage and malformed answers."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from orchestration.exceptions import ProviderError, ProviderTimeout
from orchestration.providers.provider import (
    Finished,
    TextPiece,
)
from orchestration.providers.retry_policy import RetryPolicy
from tests.orchestration.providers.completions_server import (
    DONE,
    HELLO,
    USAGE,
    Server,
    answered,
    chunk,
    pieces_of,
    streamed,
)


async def test_a_missing_first_byte_is_a_timeout():
    retry_policy = RetryPolicy(first_byte=0.02, tries=2, first_wait=0.0)
    server = Server(lambda: streamed(hang=True))
    with pytest.raises(ProviderTimeout, match=r"models\.test did not answer within"):
        await pieces_of(server.provider(retry_policy=retry_policy))
    assert len(server.requests) == 2


async def test_a_pause_within_the_answer_is_a_timeout():
    retry_policy = RetryPolicy(between=0.02)
    server = Server(streamed(HELLO[0], hang=True))
    with pytest.raises(ProviderTimeout, match="stopped in the middle"):
        await pieces_of(server.provider(retry_policy=retry_policy))


async def test_a_turn_ends_at_its_time_limit_even_if_pieces_arrive():
    retry_policy = RetryPolicy(turn=0.05)
    with pytest.raises(
        ProviderTimeout, match=r"did not finish within the 0\.05 s allowed for a turn"
    ):
        await pieces_of(Server(streamed(*HELLO, hang=True)).provider(retry_policy=retry_policy))


async def test_comments_in_the_stream_reset_the_time_limit():
    class Slow(httpx.AsyncByteStream):
        async def __aiter__(self):
            for _ in range(6):
                yield b": working\n\n"
                await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0.1)
            for piece in (*HELLO, DONE):
                yield piece

    answer = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Slow())
    pieces = await pieces_of(
        Server(answer).provider(retry_policy=RetryPolicy(first_byte=1, between=0.5))
    )
    assert pieces[0] == TextPiece("Hel")


async def test_an_answer_without_a_stream_is_accepted():
    message = {"role": "assistant", "content": "Hello."}
    body = {"choices": [{"message": message, "finish_reason": "stop"}]}
    pieces = await answered(httpx.Response(200, json=body))
    assert pieces[0] == TextPiece("Hello.")


async def test_without_usage_tokens_are_estimated():
    pieces = await answered(streamed(*HELLO, DONE))
    assert isinstance(pieces[-1], Finished)
    assert pieces[-1].input_tokens > 0
    assert pieces[-1].output_tokens > 0


async def test_the_usage_of_the_vendor_replaces_the_estimate():
    *_, finished = await answered(streamed(*HELLO, USAGE, DONE))
    assert isinstance(finished, Finished)
    assert (finished.input_tokens, finished.output_tokens) == (11, 3)


async def test_the_request_id_of_the_header_precedes_the_id_of_the_answer():
    answer = streamed(chunk({"content": "Hi."}, "stop", id="chat-1"), DONE)
    *_, finished = await answered(answer)
    assert isinstance(finished, Finished)
    assert finished.request_id == "chat-1"
    answer = streamed(chunk({"content": "Hi."}, "stop", id="chat-1"), DONE)
    answer.headers["x-request-id"] = "req-1"
    *_, finished = await answered(answer)
    assert isinstance(finished, Finished)
    assert finished.request_id == "req-1"


async def test_an_error_status_is_an_error_with_the_id_of_the_request():
    refused = httpx.Response(400, headers={"request-id": "req-2"}, json={"error": "No."})
    with pytest.raises(ProviderError, match=r"It says: No\.") as failed:
        await answered(refused)
    assert (failed.value.status, failed.value.request_id) == (400, "req-2")
