"""Runs of a swarm: their session ids, replays, events and ends."""

import asyncio
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from orchestration import (
    AgentSpec,
    Handoff,
    MemoryJournal,
    SessionError,
    StopReason,
    Swarm,
    Usage,
)
from orchestration.events import (
    Event,
    HandoffAccepted,
    MessageCompleted,
    RunCompleted,
    ToolCalled,
    ToolReturned,
    dump,
)
from orchestration.exceptions import ProviderError
from orchestration.hooks import Hooks, HookTrigger
from orchestration.runtime import RunResult
from tests.orchestration.conversations import NOON, Turn, calling, every, only, types
from tests.orchestration.library_agents import (
    forbidden_model,
    handoff_ring,
    run,
    swarm,
    to,
)
from tests.orchestration.topologies import model_of, once

# Session ids and replays


async def test_every_turn_has_its_own_session_id():
    """Contract S-7."""
    made = swarm({"a": to("b"), "b": to("c")})
    events, _ = await run(made, session_id="s1")
    turns = [one.session_id for one in every(MessageCompleted, events)]
    assert turns == ["s1__swarm_a_0", "s1__swarm_b_1", "s1__swarm_c_2"]
    assert events[0].session_id == events[-1].session_id == "s1"
    again, _ = await run(made, session_id="s1")
    assert [one.session_id for one in again] == [one.session_id for one in events]


class Counting:
    """A model and a tool that count how often they are called."""

    def __init__(self) -> None:
        self.model = model_of(
            {
                "a": once(calling("look", order=1), calling("look", order=2)),
                "b": lambda request: ("c",),
            }
        )
        self.model._turns = self._turn(self.model._turns)
        self.looks: list[int] = []

    def _turn(self, inner: Any) -> Any:
        def turn(request: Any) -> Turn:
            if request.agent.id == "a" and request.messages[-1].role == "tool":
                return (calling("handoff", target="b"),)
            answer: Turn = inner(request)
            return answer

        return turn

    def swarm(self) -> Swarm:
        def look(order: int) -> str:
            self.looks.append(order)
            return f"order {order}"

        return swarm(tools=[look], provider=self.model)


def seen(events: list[Event]) -> list[Any]:
    """The events, but for when they were and how long they took."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: timeless(one)
                for key, one in value.items()
                if key not in ("at", "milliseconds")
            }
        return [timeless(one) for one in value] if isinstance(value, list) else value

    return [timeless(dump(event)) for event in events]


@given(st.data())
async def test_a_replay_calls_no_provider_and_no_tool_twice(data):
    """Contract S-7, for every prefix of what a journal has kept."""
    journal, first = MemoryJournal(), Counting()
    context: Any = {"session_id": "s1", "new_id": lambda: "run", "clock": lambda: NOON}
    events, result = await run(first.swarm(), journal=journal, **context)
    assert (result.agent, len(first.model.requests), sorted(first.looks)) == ("c", 4, [1, 2])
    assert seen(journal.events) == seen(events)

    kept = journal.events[: data.draw(st.integers(0, len(events)))]
    second, again = Counting(), MemoryJournal(kept)
    replayed, same = await run(second.swarm(), events=kept, journal=again, **context)
    assert seen(replayed) == seen(events) == seen(again.events)
    assert (same.agent, same.output, same.handoffs) == (
        result.agent,
        result.output,
        result.handoffs,
    )
    assert len(second.model.requests) == 4 - types(kept).count("message.completed")
    done = {one.result.call_id for one in every(ToolReturned, kept)}
    called = {one.call.id: one.call for one in every(ToolCalled, events)}
    assert len(second.looks) == len(called) - len(done)


async def test_a_finished_run_needs_no_provider_at_all():
    """Contract S-7."""
    journal = MemoryJournal()
    _, result = await run(swarm({"a": to("b")}), session_id="s1", journal=journal)
    _, again = await run(swarm(provider=forbidden_model()), session_id="s1", events=journal.events)
    assert again == result


async def test_a_session_continues_with_another_message():
    """Contract S-7: with whoever has the conversation; the count of handoffs goes on."""
    journal, made = MemoryJournal(), swarm({"a": to("b")})
    await run(made, session_id="s1", journal=journal)
    events, result = await run(
        made, "and?", session_id="s1", message_id="2", events=journal.events, journal=journal
    )
    assert (result.agent, result.output) == ("b", "b(and?)")
    assert only(MessageCompleted, events).session_id == "s1__swarm_b_1"
    assert [one.seq for one in journal.events] == list(range(1, len(journal.events) + 1))


# Events


class Order(BaseModel):
    number: int


async def test_the_events_come_in_order():
    """Contract S-8: started, active, handoff, completed."""
    agents = {"a": AgentSpec(), "b": Handoff(AgentSpec(), input_type=Order)}
    events, _ = await run(
        swarm({"a": lambda r: (calling("transfer_to_b", number=7),)}, agents=agents)
    )
    assert types(events) == [
        "run.started",
        "message.received",
        "message.routed",
        "turn.started",
        "message.completed",
        "handoff.requested",
        "handoff.accepted",
        "phase.changed",
        "turn.started",
        "message.completed",
        "run.completed",
    ]
    active = [one.agent_id for one in events if one.type in ("message.routed", "phase.changed")]
    assert active == ["a", "b"]
    handoff = only(HandoffAccepted, events)
    assert (handoff.from_agent, handoff.to_agent) == ("a", "b")
    assert (handoff.payload, handoff.hop) == ({"number": 7}, 1)


@pytest.mark.parametrize(
    ("fields", "before_the_end"),
    [({}, "cycle.detected"), ({"max_handoffs": 1}, "limit.reached")],
)
async def test_a_cycle_or_a_limit_is_an_event_before_the_end(fields, before_the_end):
    """Contract S-8."""
    events, _ = await run(swarm(handoff_ring("ab"), **fields))
    assert types(events)[-3:] == ["handoff.rejected", before_the_end, "run.completed"]


async def test_the_usage_of_the_turns_adds_up():
    """Contract D-6."""
    events, result = await run(Counting().swarm())
    total = sum((one.usage for one in every(MessageCompleted, events)), Usage())
    assert result.usage == only(RunCompleted, events).usage == total
    assert result.usage.calls == 4


async def test_hooks_are_called_for_handoffs():
    """Contract S-8: a listener of the caller's own."""
    heard = []
    hooks = Hooks()
    hooks.on(HookTrigger.ON_HANDOFF)(lambda event, context: heard.append(event.to_agent))
    await run(swarm({"a": to("b")}), hooks=hooks)
    assert heard == ["b"]


# Ends


async def test_a_run_can_be_awaited_for_its_result():
    result = await swarm({"a": to("b")}).run("hi")
    assert (result.agent, result.reason) == ("b", StopReason.REPLIED)


async def test_a_run_has_no_result_before_its_end():
    running = swarm().run("hi")
    await anext(running)
    with pytest.raises(SessionError, match="has not ended"):
        _ = running.result
    await running.aclose()


async def test_a_failed_model_is_a_result_with_its_error():
    """Contract D-2: events end with run.failed, and awaiting raises nothing."""

    def away(request: object) -> Turn:
        raise ProviderError("away")

    events, result = await run(swarm({"a": to("b"), "b": away}))
    assert types(events)[-1] == "run.failed"
    assert (result.agent, result.reason, result.error) == ("a", "failed", "away")


async def test_closing_the_events_cancels_the_run():
    """Contract D-2: the journal says that it was cancelled."""
    journal = MemoryJournal()
    async with aclosing(swarm({"a": to("b")}).run("hi", journal=journal)) as running:
        async for event in running:
            if event.type == "handoff.accepted":
                break
    assert only(RunCompleted, journal.events).reason == "cancelled"


async def test_a_cancelled_run_ends_in_the_journal_too():
    """Contract D-2."""
    asked = asyncio.Event()

    async def hang() -> str:
        asked.set()
        await asyncio.Event().wait()
        return "never"

    journal = MemoryJournal()
    made = swarm({"a": lambda _: (calling("hang"),)}, tools=[hang])

    async def drive() -> RunResult:
        return await made.run("hi", journal=journal)

    task = asyncio.create_task(drive())
    await asyncio.wait_for(asked.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert only(RunCompleted, journal.events).reason == "cancelled"
