"""The clients against llmock, which fails on command and judges how they took it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest

from orchestration.providers.http_client import VendorClient
from tests.slow.asking import LLMOCK, LOOK_UP, SHORT, answer, asked, calls_of, request, text_of

Verdict = Callable[[], Awaitable[dict[str, Any]]]

FAULTS: dict[str, list[dict[str, Any]]] = {
    "asked to wait": [{"type": "fail", "status": 429, "retry_after": 1, "times": 2}],
    "an error of its own": [{"type": "fail", "status": 500, "times": 2}],
    "not available": [{"type": "fail", "status": 503, "times": 2}],
    "a slow first token": [{"type": "slow_first_token", "seconds": 0.5}],
    "cut off": [{"type": "stream_fault", "kind": "disconnect", "after_chunks": 3}],
    "ends early": [{"type": "stream_fault", "kind": "truncate", "after_chunks": 3}],
    "no JSON": [{"type": "stream_fault", "kind": "malformed", "after_chunks": 3}],
    "silent": [
        {"type": "stream_fault", "kind": "stall", "after_chunks": 2, "stall_seconds": 20},
    ],
}


@pytest.fixture(params=LLMOCK)
async def client(request: pytest.FixtureRequest, llmock: str) -> AsyncIterator[VendorClient]:
    client = LLMOCK[request.param].at(llmock, SHORT)
    yield client
    await client.aclose()


@pytest.fixture
async def fail(llmock: str) -> AsyncIterator[Callable[..., Awaitable[None]]]:
    """Have llmock fail: `await fail([{"type": "fail", "status": 503}])`; its verdict is clean."""
    async with httpx.AsyncClient(base_url=f"{llmock}/_llmock") as control:
        (await control.post("/reset")).raise_for_status()

        async def order(behaviors: list[dict[str, Any]]) -> None:
            answered = await control.post("/scenario", json={"behaviors": behaviors})
            answered.raise_for_status()

        yield order
        verdict = (await control.get("/verdict")).json()
    assert verdict["findings"] == []
    assert verdict["passed"]
    assert verdict["calls"] > 0


@pytest.mark.parametrize("fault", FAULTS)
async def test_an_answer_comes_all_the_same_and_the_verdict_is_clean(client, fail, fault):
    await fail(FAULTS[fault])
    pieces = await answer(client, request(asked("What is new?"), retry_shown=True))
    assert text_of(pieces)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_permanent_failure_is_not_retried(client, fail, status):
    await fail([{"type": "fail", "status": status, "times": None}])
    with pytest.raises(Exception, match=r"127\.0\.0\.1"):
        await answer(client, request(asked("What is new?")))


async def test_a_tool_is_called_with_arguments_that_its_schema_allows(client, fail):
    await fail(
        [{"type": "reply", "tool_calls": [{"name": "look_up", "arguments": {"city": "Ulm"}}]}]
    )
    (called,) = calls_of(await answer(client, request(asked("Where is Ulm?"), tools=[LOOK_UP])))
    assert called.call.name == "look_up"
    assert called.call.arguments.replace(" ", "") == '{"city":"Ulm"}'
