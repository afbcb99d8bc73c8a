"""A cancelled run has a complete journal and leaves no task (contract D-2)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing, suppress
from itertools import count
from typing import Any

from orchestration.definition import Agent, Group, PipelineDefinition, Stage, Tool, Transition
from orchestration.events import (
    Event,
    InputRequested,
    MessageCompleted,
    MessageDelta,
    RunCompleted,
    StopReason,
    SubtaskCompleted,
    SubtaskStarted,
)
from orchestration.hooks import Hooks, HookTrigger
from orchestration.messages import InboundMessage
from orchestration.providers.provider import ModelRequest, Piece
from orchestration.runtime import MemoryJournal, Session
from tests.orchestration.conversations import (
    NOON,
    PlayedModel,
    Turn,
    calling,
    collect,
    every,
    handing_over,
    types,
)

RESEARCH = PipelineDefinition(
    name="Research",
    entry="searching",
    agents=[Agent(id="searcher", name="Searcher", tools=("ask_user", "look"))],
    stages=[Stage(phase="searching", agent_id="searcher")],
    tools=[Tool(name="ask_user", kind="user_input"), Tool(name="look")],
)

EVERYTHING = PipelineDefinition(
    name="Everything",
    entry="intake",
    agents=[
        Agent(id="triage", name="Triage", tools=("ask_user", "look", "research")),
        Agent(id="lawyer", name="Lawyer", tools=("look",)),
        Agent(id="doctor", name="Doctor"),
        Agent(id="writer", name="Writer"),
    ],
    stages=[
        Stage(phase="intake", agent_id="triage"),
        Stage(phase="council", kind="group", group=Group(agents=("lawyer", "doctor"))),
        Stage(phase="writing", agent_id="writer"),
    ],
    transitions=[
        Transition(source="intake", target="council"),
        Transition(source="council", target="writing"),
    ],
    tools=[
        Tool(name="ask_user", kind="user_input"),
        Tool(name="look"),
        Tool(name="research", kind="subtask", template_hints=("research",)),
    ],
)
"""Tools, a question, two subtasks at once, a handoff, a group, and what comes after it."""


MESSAGE = InboundMessage(id="1", text="help")


def turn(request: ModelRequest) -> Turn:
    """Return the next turn of an agent."""
    done = sum(message.role == "tool" for message in request.messages)
    match request.agent.id, done:
        case "triage", 0:
            return ("One moment. ", calling("look", name="a"), calling("look", name="b"))
        case "triage", 2:
            return (calling("research", about="law"), calling("research", about="health"))
        case "triage", 4:
            return (calling("ask_user", question="For whom?"),)
        case "triage", _:
            return (handing_over("council"),)
        case "searcher", 0:
            return (calling("look", name="c"),)
        case "searcher", 1:
            return (calling("ask_user", question="How deep?"),)
        case "lawyer", 0:
            return (calling("look", name="d"),)
    return (f"{request.agent.name} ", "has answered.")


class SlowModel(PlayedModel):
    """A model that yields to the event loop before each piece."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        async with aclosing(super().stream(request)) as pieces:
            async for piece in pieces:
                await asyncio.sleep(0)
                yield piece


class SlowJournal(MemoryJournal):
    """A journal that yields to the event loop before and after each record."""

    async def record(self, event: Event) -> None:
        await asyncio.sleep(0)
        await super().record(event)
        await asyncio.sleep(0)


async def look(name: str) -> str:
    try:
        await asyncio.sleep(0)
    finally:
        await asyncio.sleep(0)
    return f"found {name}"


async def answer(asked: InputRequested) -> str:
    await asyncio.sleep(0)
    return f"Yes. ({asked.question})"


async def listen(*_: object) -> None:
    await asyncio.sleep(0)


def session_from(journal: MemoryJournal) -> Session:
    """Return a session that continues a journal."""
    hooks = Hooks()
    for trigger in HookTrigger:
        hooks.on(trigger)(listen)
    return Session(
        EVERYTHING,
        list(journal.events),
        session_id="s1",
        providers={"default": SlowModel(turn)},
        tools={"look": look},
        hooks=hooks,
        ask_user=answer,
        pipelines=lambda request: RESEARCH,
        journal=journal,
        clock=lambda: NOON,
        new_id=lambda: f"run-{len(journal.events)}",
    )


async def test_the_cancelled_run_contains_every_kind_of_work():
    """The other tests would prove little if the run stopped early."""
    journal = SlowJournal()
    events = await collect(session_from(journal).run(MESSAGE))
    assert events == journal.events
    assert [(one.kind, one.title) for one in every(SubtaskStarted, events)] == [
        ("subtask", "research"),
        ("subtask", "research"),
        ("member", "lawyer"),
        ("member", "doctor"),
    ]
    assert {"tool.returned", "input.received", "handoff.accepted", "phase.changed"} <= {
        *types(events)
    }
    ended = events[-1]
    assert isinstance(ended, RunCompleted)
    assert (ended.reason, ended.agent_id) == (StopReason.REPLIED, "writer")


async def test_a_run_cancelled_at_any_await_is_recorded_as_cancelled():
    """Contract D-2, S-7: the journal has the state of the session."""
    for steps in count():
        journal = SlowJournal()
        session = session_from(journal)
        if await finished_within(steps, collect(session.run(MESSAGE))):
            break
        assert_whole(journal, session, f"cancelled after {steps} steps")
    assert steps > 200


async def test_a_run_closed_at_any_event_is_recorded_as_cancelled():
    """Contract D-2: a loop that breaks is a cancellation too."""
    for taken in count(1):
        journal = SlowJournal()
        session = session_from(journal)
        left = 0
        async with aclosing(session.run(MESSAGE)) as events:
            async for _ in events:
                left += 1
                if left == taken:
                    break
        if left < taken:
            break
        assert_whole(journal, session, f"left at event {taken}")
    assert taken > 80


async def test_yielded_events_and_end_run_are_the_whole_record():
    """Contract D-2, S-7: both together are complete."""
    for steps in count():
        kept = MemoryJournal()
        session = session_from(MemoryJournal())
        if await finished_within(steps, take(session.receive(MESSAGE), kept)):
            break
        if session.unfinished:
            for event in session.end_run(StopReason.CANCELLED):
                await kept.record(event)
        assert_whole(kept, session, f"cancelled after {steps} steps")
    assert steps > 100


async def test_a_resumed_run_yields_the_events_of_its_closing():
    """Contract S-7: no event is lost."""
    for steps in count():
        kept = MemoryJournal()
        session = session_from(MemoryJournal())
        if await finished_within(steps, take(session.receive(MESSAGE), kept)):
            break
        await take(session.resume(), kept)
        assert [event.seq for event in kept.events] == list(range(1, len(kept.events) + 1)), steps
        assert not kept.events or isinstance(kept.events[-1], RunCompleted), steps
    assert steps > 100


async def test_a_cancelled_conversation_answers_the_next_message():
    """Contract D-2: a cancellation is an end like any other."""
    for steps in range(0, 200, 20):
        journal = SlowJournal()
        await finished_within(steps, collect(session_from(journal).run(MESSAGE)))
        session = session_from(journal)
        message = InboundMessage(id="2", text="and now?")
        ended = (await collect(session.run(message)))[-1]
        assert isinstance(ended, RunCompleted), steps
        assert ended.reason == StopReason.REPLIED, steps


async def finished_within(steps: int, run: Coroutine[Any, Any, object]) -> bool:
    """Run for some steps of the event loop, then cancel; report whether it had finished."""
    task = asyncio.create_task(run)
    for _ in range(steps):
        await asyncio.sleep(0)
    if task.done():
        task.result()
        return True
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    return False


async def take(events: AsyncGenerator[Event, None], kept: MemoryJournal) -> None:
    """Record each event of a run before requesting the next."""
    async with aclosing(events):
        async for event in events:
            if not isinstance(event, MessageDelta):
                await kept.record(event)
                await asyncio.sleep(0)


def assert_whole(journal: MemoryJournal, session: Session, when: str) -> None:
    """Check that the journal is complete and restores the session, and that no task is left."""
    events = journal.events
    where = f"{when}: {types(events)[-6:]}"
    assert asyncio.all_tasks() == {asyncio.current_task()}, where
    assert [event.seq for event in events] == list(range(1, len(events) + 1)), where
    assert not session.unfinished, where
    if events:
        ended = events[-1]
        assert isinstance(ended, RunCompleted), where
        answered = any(one.agent_id == "writer" for one in every(MessageCompleted, events))
        reasons = {StopReason.CANCELLED, *([StopReason.REPLIED] if answered else ())}
        assert ended.reason in reasons, where
    again = session_from(journal)
    assert not again.unfinished, where
    assert (again.state, again.history) == (session.state, session.history), where
    began = {event.task_id for event in every(SubtaskStarted, events)}
    assert began == {event.task_id for event in every(SubtaskCompleted, events)}, where
