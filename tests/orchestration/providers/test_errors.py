"""Each fault of the fault table against a real server on loopback."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from orchestration.events import MessageCompleted, RunFailed, TurnRetried
from orchestration.messages import InboundMessage
from orchestration.providers.errors import RequestTarget, refusal
from tests.orchestration.conversations import every, session_with
from tests.orchestration.fault_table import ADAPTERS, FAULTS, REQUEST_ID, Fault
from tests.orchestration.faulty_server import FaultyServer, streaming
from tests.orchestration.providers.completions_server import DONE, HELLO, KEY
from tests.orchestration.providers.test_sse import DEEP
from tests.orchestration.providers.vendor_exchange import with_settings
from tests.orchestration.vendor_formats import (
    MESSAGE_START,
    OLLAMA_END,
    block,
    by_lines,
    candidate,
    delta,
    line,
    message_end,
    response_event,
    sse,
    text_event,
)
from tests.orchestration.vendor_streams import VENDORS

HELLOS = {
    "openai_compatible": b"".join(HELLO) + DONE,
    "openai": sse(text_event("Hello."), response_event("completed"), named=True),
    "anthropic": sse(
        MESSAGE_START,
        block(0, type="text", text=""),
        delta(0, type="text_delta", text="Hello."),
        *message_end("end_turn"),
        named=True,
    ),
    "gemini": sse(candidate({"text": "Hello."}, reason="STOP")),
    "ollama": by_lines(line("Hello."), line(**OLLAMA_END)),
}

CELLS = [
    pytest.param(fault, adapter, id=f"{fault.name}-{adapter}")
    for fault in FAULTS
    for adapter in ADAPTERS
]


async def run_into(fault: Fault, adapter: str) -> tuple[FaultyServer, list[Any]]:
    """Return the events of a conversation; only the first request meets the fault."""
    vendor = VENDORS[adapter]
    well = streaming(HELLOS[adapter], kind=vendor.content_type)
    first = (well,) if fault.late else (fault.behaviour(adapter), well)
    events: list[Any] = []
    async with FaultyServer(*first, late=fault.late) as server:
        client = vendor.client(base_url=server.url, api_key=KEY, retry_policy=fault.retry_policy)
        session = session_with(None, with_settings(), providers={"default": client})
        try:
            async for event in session.run(InboundMessage(id="1", text="Hi")):
                events.append(event)
                if isinstance(event, TurnRetried):
                    await server.open()
        finally:
            await client.aclose()
    return server, events


@pytest.mark.parametrize("adapter", ["ollama"])
async def test_an_error_has_no_request_id_if_the_vendor_sends_none(adapter: str) -> None:
    fault = next(one for one in FAULTS if one.name == "404")
    messages = []
    for one in (adapter, "anthropic"):
        _, events = await run_into(fault, one)
        assert isinstance(events[-1], RunFailed)
        messages.append("(request " in events[-1].message)
    assert messages == [False, True]


@pytest.mark.parametrize(("fault", "adapter"), CELLS)
async def test_each_adapter_handles_each_fault_as_declared(fault: Fault, adapter: str) -> None:
    server, events = await run_into(fault, adapter)
    retries = every(TurnRetried, events)
    outcome = fault.outcome_of(adapter)
    if outcome == "error":
        failed = events[-1]
        assert isinstance(failed, RunFailed)
        assert not retries
        assert server.asked == 1
        message = failed.message
    else:
        [retry] = retries
        message = retry.message
        assert server.asked == (1 if fault.late else 2)
        assert [one.text for one in every(MessageCompleted, events)] == ["Hello."]
        if outcome == "wait":
            assert retry.wait <= 0.02
    assert re.search(fault.words_of(adapter), message), message
    assert KEY not in message
    if adapter in REQUEST_ID and fault.answered:
        assert "(request req_7)" in message


def test_the_table_has_at_least_fourteen_faults_of_five_adapters():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 14
    assert len(ADAPTERS) == 5


def test_a_deeply_nested_error_body_is_reported_by_its_status() -> None:
    target = RequestTarget("models.test", "m1", "KEY", "ADDRESS")
    failed = refusal(httpx.Response(503), DEEP, target, ())
    assert (failed.status, failed.transient) == (503, True)
