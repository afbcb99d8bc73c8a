"""A trace with more events than a page shows."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from orchestration.definition import Agent, PipelineDefinition, Stage
from orchestration.events import Event, MessageDelta
from orchestration.messages import InboundMessage
from orchestration.providers.scripted import ScriptedProvider
from orchestration.runtime import Session, TraceFile


def one_agent() -> PipelineDefinition:
    """Return a pipeline with one stage."""
    return PipelineDefinition(
        name="Bench",
        agents=(Agent(id="clerk", name="Clerk"),),
        stages=(Stage(phase="desk", agent_id="clerk"),),
        entry="desk",
        default_agent_id="clerk",
    )


def long_trace(events: int) -> TraceFile:
    """Return a trace with this number of events: the same question and answer again and again."""
    definition = one_agent()
    with ThreadPoolExecutor(1) as executor:  # this thread may have an event loop
        recorded = executor.submit(asyncio.run, _played(definition, events)).result()
    return TraceFile(f"{events} events", definition, "long", tuple(recorded))


async def _played(definition: PipelineDefinition, events: int) -> list[Event]:
    model = ScriptedProvider(tokens_per_second=None)
    session = Session(definition, session_id="long", providers={"default": model})
    recorded: list[Event] = []
    while len(recorded) < events:
        message = InboundMessage(id=f"message-{len(recorded)}", text="Is my order there yet?")
        run = [event async for event in session.receive(message)]
        recorded += [event for event in run if not isinstance(event, MessageDelta)]
    return recorded[:events]
