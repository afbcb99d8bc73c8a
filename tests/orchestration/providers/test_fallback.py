"""A provider with a fallback provider."""

from __future__ import annotations

from typing import Any

import httpx

from orchestration.events import (
    MessageCompleted,
    RunCompleted,
    RunFailed,
    TurnRetried,
    TurnStarted,
    decode,
    encode,
)
from orchestration.exceptions import ProviderError
from orchestration.providers.fallback import WithFallback
from orchestration.providers.provider import ModelRequest, TextPiece
from tests.orchestration.conversations import (
    PlayedModel,
    every,
    only,
    say,
    session_with,
)
from tests.orchestration.providers.completions_server import (
    KEY,
    QUICK,
    Server,
)
from tests.orchestration.providers.vendor_exchange import with_settings


class Failing:
    """Provider that sends some words and fails."""

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
    """Return the events of a run with a failing provider, and the fallback's requests."""
    played = PlayedModel([("Here I am.",)])
    requests: list[ModelRequest] = []
    stream = played.stream

    def watched(request: ModelRequest) -> Any:
        requests.append(request)
        return stream(request)

    played.stream = watched  # type: ignore[method-assign]
    definition = with_settings(**{"fallback": "other", "fallback_model": "m9"} | settings)
    providers = {"default": Failing(*words), "other": second or played}
    return await say(session_with(None, definition, providers=providers), "hi"), requests


async def test_a_permanent_failure_uses_the_fallback_and_is_recorded():
    events, [request] = await fallen_back()
    retried = only(TurnRetried, events)
    assert (retried.provider, retried.shown, retried.wait) == ("played", False, 0.0)
    assert "First is gone. (request req_1)" in retried.message
    assert (request.agent.provider, request.agent.model) == ("other", "m9")
    assert only(MessageCompleted, events).text == "Here I am."
    assert only(TurnStarted, events).provider == "first"
    assert isinstance(events[-1], RunCompleted)
    assert decode(encode(retried)) == retried


async def test_after_shown_text_the_fallback_is_used_only_if_the_agent_allows_it():
    events, requests = await fallen_back("Well, ")
    assert not requests
    assert isinstance(events[-1], RunFailed)
    events, requests = await fallen_back("Well, ", retry_shown=True)
    assert len(requests) == 1
    assert only(TurnRetried, events).shown
    assert only(MessageCompleted, events).text == "Here I am."


async def test_an_error_of_the_fallback_contains_both_errors():
    events, _ = await fallen_back(second=Server(httpx.Response(401)).provider())
    failed = only(RunFailed, events)
    assert "refused the key" in failed.message
    assert (
        "It was used as the fallback, because first failed: First is gone. (request req_1)"
        in failed.message
    )


async def test_the_error_names_a_fallback_that_is_not_connected():
    definition = with_settings(fallback="nowhere")
    events = await say(session_with(None, definition, providers={"default": Failing()}), "hi")
    assert (
        "Its fallback 'nowhere' is not connected. (request req_1)"
        in only(RunFailed, events).message
    )


async def test_without_a_fallback_the_engine_uses_the_provider_directly():
    model = PlayedModel([("Hello.",)])
    session = session_with(model)
    [started] = every(TurnStarted, await say(session, "hi"))
    assert started.provider == "played"
    assert WithFallback(Failing(), None).name == "first"


async def test_errors_of_a_fallback_do_not_contain_the_key():
    definition = with_settings(fallback="other")
    first = Server(httpx.Response(400, text=KEY)).provider(retry_policy=QUICK)
    events = await say(
        session_with(None, definition, providers={"default": first, "other": first}), "hi"
    )
    assert all(KEY.encode() not in encode(one) for one in events if one.type != "message.delta")
