"""Observers of a session (contract O-5)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestration.control import SendNote
from orchestration.definition import Group, Stage
from orchestration.events import (
    Event,
    HandoffAccepted,
    HookFailed,
    MessageCompleted,
    MessageDelta,
    RunCompleted,
    SupervisorNoted,
)
from orchestration.hooks import Hooks, HookTrigger
from orchestration.messages import InboundMessage
from orchestration.runtime import MemoryJournal
from tests.orchestration.conversations import (
    HANDLER,
    RESOLVER,
    REVIEWER,
    PlayedModel,
    Turn,
    calling,
    collect,
    every,
    four_stages,
    handing_over,
    only,
    say,
    session_with,
)
from tests.orchestration.supervised_sessions import model_with, supervised

TO_HANDLER: Turn = (handing_over(HANDLER),)
HELLO: Turn = ("Hello.",)

turns: st.SearchStrategy[Turn] = st.one_of(
    st.just(HELLO),
    st.builds(
        lambda target: (handing_over(target),),
        st.sampled_from([HANDLER, REVIEWER, "human", "nowhere"]),
    ),
    st.just((calling("look"),)),
    st.just((calling("note", text="Be kind."),)),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(turns, max_size=8), st.booleans())
async def test_observers_get_every_recorded_event_in_order(
    plan: list[Turn], is_supervised: bool
) -> None:
    plain: list[Event] = []
    awaited: list[Event] = []

    async def observe(event: Event) -> None:
        await asyncio.sleep(0)
        awaited.append(event)

    definition = supervised("every_turn", "run_end") if is_supervised else four_stages()
    journal = MemoryJournal()
    session = session_with(
        PlayedModel(plan), definition, journal=journal, observers=[plain.append, observe]
    )
    for text in ("a", "b"):
        async for _ in session.run(InboundMessage(id=text, text=text)):
            pass
    assert plain == awaited == journal.events
    assert not any(isinstance(event, MessageDelta) for event in plain)


async def test_observers_get_the_events_of_parallel_subtasks_in_order():
    stages = [Stage(phase="intake", kind="group", group=Group(agents=(HANDLER, RESOLVER)))]
    seen: list[Event] = []
    definition = four_stages(stages=stages, transitions=[])
    session = session_with(PlayedModel([("One.",), ("Two.",)]), definition, observers=[seen.append])
    events = await say(session, "hi")
    assert seen == events
    assert [event.seq for event in seen] == list(range(1, len(seen) + 1))


async def test_an_observer_gets_handoffs_without_any_model_of_its_own():
    """Contract O-5: a supervisor without supervision observes, and calls no model."""
    definition = supervised("handoff").model_copy(update={"supervision": None})
    model = model_with([TO_HANDLER, HELLO])
    seen: list[Event] = []
    await say(session_with(model, definition, observers=[seen.append]), "hi")
    assert only(HandoffAccepted, seen).to_agent == HANDLER
    assert len(model.requests) == 2


async def test_an_event_is_recorded_before_an_observer_gets_it():
    journal = MemoryJournal()
    late: list[int] = []

    def observe(event: Event) -> None:
        if event not in journal.events:
            late.append(event.seq)

    session = session_with(PlayedModel([HELLO]), journal=journal, observers=[observe])
    async for _ in session.run(InboundMessage(id="1", text="hi")):
        pass
    assert late == []


async def test_a_failing_observer_is_reported_and_has_no_other_effect(caplog):
    def fail(event: Event) -> None:
        raise RuntimeError(f"no {event.type}")

    seen: list[Event] = []
    model = PlayedModel([TO_HANDLER, HELLO])
    with caplog.at_level(logging.CRITICAL):
        session = session_with(model, observers=[fail, seen.append])
        events = await say(session, "hi")
    failures = every(HookFailed, events)
    assert {failure.trigger for failure in failures} == {"observer"}
    assert "RuntimeError: no run.started" in failures[0].error
    assert "hook.failed" not in "".join(failure.error for failure in failures)
    assert seen == events
    assert only(RunCompleted, events).reason == "replied"
    assert session.conversation.output == "Hello."
    plain = session_with(PlayedModel([TO_HANDLER, HELLO]))
    other = await say(plain, "hi")
    kept = [event.type for event in events if not isinstance(event, HookFailed)]
    assert kept == [event.type for event in other]


async def test_a_failure_at_the_last_event_is_reported_in_the_next_run(caplog):
    def fail(event: Event) -> None:
        if isinstance(event, RunCompleted):
            raise RuntimeError("too late")

    with caplog.at_level(logging.CRITICAL):
        session = session_with(PlayedModel([HELLO, HELLO]), observers=[fail])
        first = await say(session, "hi")
        second = await say(session, "again")
    assert every(HookFailed, first) == []
    assert "too late" in only(HookFailed, second).error


async def test_a_failing_observer_keeps_no_hook_from_its_event(caplog):
    hooks, calls = Hooks(), []
    hooks.on(HookTrigger.ON_HANDOFF)(lambda event, _: calls.append(event.to_agent))

    def fail(event: Event) -> None:
        raise RuntimeError("always")

    with caplog.at_level(logging.CRITICAL):
        session = session_with(PlayedModel([TO_HANDLER, HELLO]), hooks=hooks, observers=[fail])
        await say(session, "hi")
    assert calls == [HANDLER]


async def test_an_observer_gets_the_end_of_a_cancelled_run():
    seen: list[Event] = []
    journal = MemoryJournal()
    session = session_with(PlayedModel([HELLO]), journal=journal, observers=[seen.append])
    events = session.run(InboundMessage(id="1", text="hi"))
    async for event in events:
        if isinstance(event, MessageCompleted):
            break
    await events.aclose()
    assert seen == journal.events
    assert seen[-1].type == "run.completed"


async def test_an_observer_gets_the_events_of_commands():
    seen: list[Event] = []
    session = session_with(PlayedModel([HELLO, HELLO]), observers=[seen.append])
    events = await say(session, "hi")
    events += session.steer(SendNote(id="1", by="Ada", text="Be kind."))
    await session.deliver()
    assert isinstance(seen[-1], SupervisorNoted)
    events += session.steer(SendNote(id="2", by="Ada", text="Be brief."))
    events += await say(session, "again")
    assert seen == events


@pytest.mark.parametrize("cut", [3, 5])
async def test_an_observer_of_a_resumed_session_gets_the_new_events(cut):
    events = await say(session_with(PlayedModel([HELLO])), "hi")
    seen: list[Event] = []
    session = session_with(PlayedModel([HELLO]), events=events[:cut], observers=[seen.append])
    rest = await collect(session.resume())
    assert seen == rest
    assert types_of(events[cut:]) == types_of(rest)


def types_of(events: Iterable[Event]) -> list[str]:
    return [event.type for event in events]
