"""Runs of the engine for the handlers and the swarm."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from itertools import pairwise
from os import urandom
from typing import Any, Unpack, cast

from orchestration.events import Event, RunStarted
from orchestration.exceptions import HandlerError
from orchestration.library.cast_pipeline import CastPipeline
from orchestration.messages import InboundMessage, Message
from orchestration.runtime import Engine, EngineSettings, RunSettings
from orchestration.state import ConversationState


class RunContext(RunSettings, total=False):
    """Options of a run beside its input."""

    session_id: str
    """Id of the conversation; turns and subtasks have ids derived from it (contract S-7)."""
    message_id: str
    """Id of the input; a recorded message does not run again. Without it: the session's id."""
    events: Iterable[Event]
    """Recorded events of the conversation."""
    messages: Sequence[Message]
    """Messages from before the recorded events."""
    state: ConversationState
    """State of the conversation before the recorded events, including the active agent."""


def run_options(arguments: Mapping[str, Any]) -> RunContext:
    """Select the arguments that are options of a run."""
    known = RunContext.__annotations__
    return cast("RunContext", {key: arguments[key] for key in known if key in arguments})


async def run_engine(
    pipeline: CastPipeline,
    text: str,
    *,
    state: ConversationState | None = None,
    session_id: str | None = None,
    message_id: str | None = None,
    events: Iterable[Event] = (),
    messages: Sequence[Message] = (),
    **settings: Unpack[RunSettings],
) -> AsyncGenerator[Event, None]:
    """Run the engine for a message and yield all events, each after it was journaled.

    Recorded events are yielded unchanged, and the run continues after them. A call that requires
    approval raises `HandlerError` if there is no `approve`.
    """
    session_id = session_id or urandom(16).hex()
    message = InboundMessage(id=message_id or session_id, text=text)
    recorded = list(events)
    definition, filters = pipeline.for_recording(recorded, messages, state)
    cast_settings = EngineSettings(
        providers=pipeline.cast.providers, tools=pipeline.cast.functions, filters=filters
    )
    engine = Engine(
        definition,
        recorded,
        session_id=session_id,
        settings=cast("EngineSettings", {**settings, **cast_settings}),
        history=messages,
        state=state,
    )
    recorded_run = _run_of(message, session_id, recorded)
    for event in recorded_run:
        yield event
    if recorded_run and recorded_run[-1] is not recorded[-1]:
        return  # the last recorded run belongs to another message
    async with aclosing(engine.run(None if recorded_run else message)) as new_events:
        async for event in new_events:
            yield event
    run = engine.conversation.run
    if run is not None and run.pause is not None and run.pause.why == "approval":
        raise HandlerError(
            f"A call of {run.pause.target} requires approval: pass approve=…, which decides about "
            "calls."
        )


def _run_of(message: InboundMessage, session_id: str, recorded: list[Event]) -> list[Event]:
    """Return the recorded events of the message's run; empty without a recorded run."""
    starts = [
        index
        for index, event in enumerate(recorded)
        if isinstance(event, RunStarted) and event.session_id == session_id
    ]
    for start, end in pairwise([*starts, len(recorded)]):
        event = recorded[start]
        if isinstance(event, RunStarted) and event.message and event.message.id == message.id:
            return recorded[start:end]
    return []
