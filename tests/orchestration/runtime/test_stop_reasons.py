"""Stop reasons of runs, in events and results."""

import asyncio
from contextlib import aclosing, suppress

import pytest

from orchestration.definition import Group, Limits, PipelineDefinition
from orchestration.events import RunCompleted, RunFailed, StopReason, SubtaskCompleted
from orchestration.messages import InboundMessage
from orchestration.providers.provider import Finished
from orchestration.runtime import MemoryJournal
from orchestration.tools import user_input_tool
from tests.orchestration.conversations import (
    HANDLER,
    PlayedModel,
    Turn,
    calling,
    every,
    four_stages,
    handing_over,
    only,
    say,
    session_with,
    with_tools,
)
from tests.orchestration.library_agents import handoff_ring, run, swarm
from tests.orchestration.topologies import chain, model_of, once, star, with_group

ANSWER: Turn = ("Hello.",)
CUT_OFF = Finished(10, 5, "length")
ON: Turn = (handing_over(HANDLER),)
REASONS: list[tuple[StopReason, Turn, PipelineDefinition]] = [
    (StopReason.REPLIED, ANSWER, four_stages()),
    (StopReason.WAITING_FOR_USER, ON, four_stages(on_handoff="wait")),
    (StopReason.WAITING_FOR_USER, (calling("ask_user"),), with_tools(user_input_tool())),
    (StopReason.WAITING_FOR_HUMAN, (handing_over("human"),), four_stages()),
    (StopReason.HANDOFF_LIMIT, ON, four_stages(limits=Limits(max_handoffs=0))),
    (StopReason.TURN_LIMIT, (calling("nothing"),), four_stages(limits=Limits(max_turns=2))),
    (StopReason.CONTEXT_LIMIT, ANSWER, four_stages(limits=Limits(max_context_tokens=100))),
    (StopReason.CALL_LIMIT, (calling("nothing"),), four_stages(limits=Limits(max_calls=2))),
    (StopReason.TOKEN_LIMIT, (calling("nothing"),), four_stages(limits=Limits(max_tokens=20))),
    (StopReason.COST_LIMIT, (calling("nothing"),), four_stages(limits=Limits(max_cost=0.01))),
    (StopReason.TRUNCATED, (*ANSWER, CUT_OFF), four_stages()),
]


async def no_answer(question: object) -> None:
    """Leave the answer to the next message."""


@pytest.mark.parametrize(("reason", "turn", "definition"), REASONS)
async def test_a_run_ends_with_its_reason(reason, turn, definition):
    """Contract D-2: in the last event."""
    model = PlayedModel(lambda request: turn)
    session = session_with(model, definition, ask_user=no_answer, call_cost=lambda *call: 0.01)
    *_, end = await say(session, "hi")
    assert isinstance(end, RunCompleted)
    assert end.reason == reason
    kept = [one.text for one in session.history if one.role == "assistant" and one.text]
    assert session.history[0].text == "hi"
    assert kept == [text for text in turn if isinstance(text, str) and model.requests]


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


# Answers that were cut off at their maximum length


async def test_a_truncated_answer_keeps_its_text():
    """Contract D-2."""
    session = session_with(PlayedModel([("The first half", CUT_OFF)]))
    events = await say(session, "hi")
    assert only(RunCompleted, events).reason == StopReason.TRUNCATED
    assert session.history[-1].text == "The first half"


async def test_a_truncated_answer_ends_a_workflow():
    """Contract D-2: the next stage does not work on half an answer."""
    model = model_of({"a": lambda request: ("Half", CUT_OFF)})
    events = await say(session_with(model, chain("a", "b")), "hi")
    assert [request.agent.id for request in model.requests] == ["a"]
    assert only(RunCompleted, events).reason == StopReason.TRUNCATED


async def test_a_truncated_member_ends_the_run_after_its_group():
    """Contract D-2: the answers of all members are kept."""
    definition = with_group(Group(agents=("a", "b")), entry="panel")
    model = model_of({"a": lambda request: ("Half", CUT_OFF)})
    session = session_with(model, definition)
    events = await say(session, "hi")
    assert [one.truncated for one in every(SubtaskCompleted, events)] == [True, False]
    assert every(RunCompleted, events)[-1].reason == StopReason.TRUNCATED
    assert [one.text for one in session.history][1:] == ["Half", "b(hi)"]


async def test_a_lead_is_told_that_a_delegate_was_truncated():
    """Contract D-2: the lead can ask again; its own answer is complete."""
    plays = {
        "lead": once(calling("delegate_to_a", task="count")),
        "a": lambda request: ("1, 2", CUT_OFF),
    }
    model = model_of(plays)
    events = await say(session_with(model, star("lead", "a")), "hi")
    assert model.seen[-1][-1] == "1, 2\n\n(This answer was cut off at its maximum length.)"
    ends = {one.session_id: one.reason for one in every(RunCompleted, events)}
    assert ends == {"s1__team_a_0": StopReason.TRUNCATED, "s1": StopReason.REPLIED}


async def test_calls_after_a_cut_off_answer_continue_the_run():
    model = PlayedModel([("Looking", calling("nothing"), CUT_OFF), ("Done.",)])
    assert only(RunCompleted, await say(session_with(model), "hi")).reason == StopReason.REPLIED
