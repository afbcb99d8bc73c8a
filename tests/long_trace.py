"""A trace that is longer than any page shows at once."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from orchestration.definition import Agent, PipelineDefinition, Stage
from orchestration.events import Event, MessageDelta
from orchestration.messages import InboundMessage
from orchestration.providers.scripted import ScriptedProvider
from orchestration.runtime import Session, TraceFile


def one_agent() -> PipelineDefinition:
    """A pipeline of one stage."""
    return PipelineDefinition(
        name="Bench",
        agents=(Agent(id="clerk", name="Clerk"),),
        stages=(Stage(phase="desk", agent_id="clerk"),),
        entry="desk",
        default_agent_id="clerk",
    )


def long_trace(events: int) -> TraceFile:
    """A conversation of so many events: one question again and again, each time answered."""
    definition = one_agent()
    with ThreadPoolExecutor(1) as apart:  # there may be an event loop in this thread
        kept = apart.submit(asyncio.run, _played(definition, events)).result()
    return TraceFile(f"{events} events", definition, "long", tuple(kept))


async def _played(definition: PipelineDefinition, events: int) -> list[Event]:
    model = ScriptedProvider(tokens_per_second=None)
    session = Session(definition, session_id="long", providers={"default": model})
    kept: list[Event] = []
    while len(kept) < events:
        message = InboundMessage(id=f"message-{len(kept)}", text="Is my order there yet?")
        told = [event async for event in session.receive(message)]
        kept += [event for event in told if not isinstance(event, MessageDelta)]
    return kept[:events]
