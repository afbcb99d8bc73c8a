"""Stop reasons of runs, in events and results."""

import asyncio
from contextlib import aclosing, suppress

import pytest

from orchestration.definition import Limits, PipelineDefinition
from orchestration.events import RunCompleted, RunFailed, StopReason
from orchestration.messages import InboundMessage
from orchestration.runtime import MemoryJournal
from orchestration.tools import user_input_tool
from tests.orchestration.conversations import (
    HANDLER,
    PlayedModel,
    Turn,
    calling,
    four_stages,
    handing_over,
    say,
    session_with,
    with_tools,
)
from tests.orchestration.library_agents import handoff_ring, run, swarm

ANSWER: Turn = ("Hello.",)
ON: Turn = (handing_over(HANDLER),)
REASONS: list[tuple[StopReason, Turn, PipelineDefinition]] = [
    (StopReason.REPLIED, ANSWER, four_stages()),
    (StopReason.WAITING_FOR_USER, ON, four_stages(on_handoff="wait")),
    (StopReason.WAITING_FOR_USER, (calling("ask_user"),), with_tools(user_input_tool())),
    (StopReason.WAITING_FOR_HUMAN, (handing_over("human"),), four_stages()),
    (StopReason.HANDOFF_LIMIT, ON, four_stages(limits=Limits(max_handoffs=0))),
    (StopReason.TURN_LIMIT, (calling("nothing"),), four_stages(limits=Limits(max_turns=2))),
    (StopReason.CONTEXT_LIMIT, ANSWER, four_stages(limits=Limits(max_context_tokens=100))),
]


async def no_answer(question: object) -> None:
    """Leave the answer to the next message."""


@pytest.mark.parametrize(("reason", "turn", "definition"), REASONS)
async def test_a_run_ends_with_its_reason(reason, turn, definition):
    """Contract D-2: in the last event."""
    model = PlayedModel(lambda request: turn)
    session = session_with(model, definition, ask_user=no_answer)
    *_, end = await say(session, "hi")
    assert isinstance(end, RunCompleted)
    assert end.reason == reason


async def test_a_failed_run_ends_with_its_error():
    """Contract D-2."""
    *_, end = await say(session_with(PlayedModel([()])), "hi")
    assert isinstance(end, RunFailed)
    assert (end.error, end.message) == ("ProviderError", "played returned an empty answer.")


async def test_a_cancelled_run_ends_as_cancelled_in_its_journal():
    """Contract D-2."""
    asked, journal = asyncio.Event(), MemoryJournal()

    async def hang() -> None:
        asked.set()
        await asyncio.Event().wait()

    model = PlayedModel([(calling("hang"),)])
    session = session_with(model, with_tools("hang"), tools={"hang": hang}, journal=journal)

    async def drive() -> None:
        async with aclosing(session.run(InboundMessage(id="1", text="hi"))) as events:
            async for _ in events:
                pass

    driving = asyncio.create_task(drive())
    await asked.wait()
    driving.cancel()
    with suppress(asyncio.CancelledError):
        await driving
    end = journal.events[-1]
    assert isinstance(end, RunCompleted)
    assert end.reason == StopReason.CANCELLED


@pytest.mark.parametrize(
    ("reason", "fields"),
    [
        (StopReason.HANDOFF_LIMIT, {"detect_cycles": False}),
        (StopReason.CYCLE, {}),
    ],
)
async def test_a_swarm_ends_with_its_reason(reason, fields):
    """Contract D-2: in the events and on the result."""
    (*_, end), result = await run(swarm(handoff_ring("abc"), **fields))
    assert isinstance(end, RunCompleted)
    assert (end.reason, result.reason) == (reason, reason)
