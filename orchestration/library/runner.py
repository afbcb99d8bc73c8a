"""Driving the engine for a cast: what the handlers and the swarm have in common."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from itertools import pairwise
from os import urandom
from typing import Any, Unpack, cast

from orchestration.definition import PipelineDefinition
from orchestration.events import Event, RunStarted
from orchestration.exceptions import HandlerError
from orchestration.handoff import Filter
from orchestration.library.agent_set import Cast
from orchestration.messages import InboundMessage, Message
from orchestration.runtime import Engine, EngineSettings, RunSettings
from orchestration.state import ConversationState


class RunContext(RunSettings, total=False):
    """Options of a run beside its input."""

    session_id: str
    """Id of the conversation: the same id gives turns and subtasks the same ids (contract S-7)."""
    message_id: str
    """Id of the input: a recorded message does not run again. None: the session's id."""
    events: Iterable[Event]
    """Recorded events of the conversation."""
    messages: Sequence[Message]
    """Messages from before the recorded events."""
    state: ConversationState
    """State of the conversation before the recorded events, including the active agent."""


def known(given: Mapping[str, Any]) -> RunContext:
    """The part of what was given that a run knows what to do with."""
    return cast(
        "RunContext", {key: given[key] for key in RunContext.__annotations__ if key in given}
    )


async def drive(
    agents: Cast,
    definition: PipelineDefinition,
    text: str,
    *,
    filters: Mapping[tuple[str, str], Filter] | None = None,
    state: ConversationState | None = None,
    session_id: str | None = None,
    message_id: str | None = None,
    events: Iterable[Event] = (),
    messages: Sequence[Message] = (),
    **settings: Unpack[RunSettings],
) -> AsyncGenerator[Event, None]:
    """All events of the run that a text sets going, each in the journal when it is given.

    Those that are recorded come as they are; what follows them is done. A call that asks first,
    where nobody is given who could approve it, raises `HandlerError`.
    """
    session_id = session_id or urandom(16).hex()
    message = InboundMessage(id=message_id or session_id, text=text)
    recorded = list(events)
    own = EngineSettings(providers=agents.providers, tools=agents.functions, filters=filters or {})
    engine = Engine(
        definition,
        recorded,
        session_id=session_id,
        settings=cast("EngineSettings", {**settings, **own}),
        history=messages,
        state=state,
    )
    begun = _run_of(message, session_id, recorded)
    for event in begun:
        yield event
    if begun and begun[-1] is not recorded[-1]:
        return  # what is under way, if anything, is another message's
    async with aclosing(engine.run(None if begun else message)) as following:
        async for event in following:
            yield event
    run = engine.conversation.run
    if run is not None and run.paused is not None and run.paused.why == "approval":
        raise HandlerError(
            f"A call of {run.paused.target} waits for somebody's approval: give approve=…, which "
            "decides of it."
        )


def _run_of(message: InboundMessage, session_id: str, recorded: list[Event]) -> list[Event]:
    """Return the recorded events of the message's run; empty without a recorded run."""
    begins = [
        index
        for index, event in enumerate(recorded)
        if isinstance(event, RunStarted) and event.session_id == session_id
    ]
    for begin, end in pairwise([*begins, len(recorded)]):
        event = recorded[begin]
        if isinstance(event, RunStarted) and event.message and event.message.id == message.id:
            return recorded[begin:end]
    return []
