"""Baton, as one of the engines that `../shared/bench/peers.py` compares: `script` is its model.

The worker imports this module from an interpreter of its own, so it finds the project by itself.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from itertools import count, pairwise
from pathlib import Path

import script  # type: ignore[import-not-found]

sys.path.append(str(Path(__file__).parents[2]))

from orchestration import InboundMessage, PipelineDefinition, Session, ToolCall
from orchestration.definition import Agent, Stage, Tool, Transition
from orchestration.events import MessageCompleted, MessageDelta
from orchestration.handoff import HANDOFF_TOOL_NAME
from orchestration.providers.provider import CallPiece, Finished, ModelRequest, Piece, TextPiece

LABEL = "Baton"


def version() -> str:
    """The version of the project that is measured."""
    return "0.1"


class Model:
    """A model without latency, which plays the script."""

    name = "script"

    def __init__(self, workload: str, *, pieces: bool) -> None:
        self._workload = workload
        self._answer = self._pieces if pieces else self._whole

    def model_of(self, request: ModelRequest) -> str:
        return "script"

    def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        return self._answer(request)

    async def _whole(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        await asyncio.sleep(0)
        messages = request.messages
        kind, value = script.decide(
            self._workload, request.agent.id, len(messages) + 1, messages[-1].role == "tool"
        )
        if kind == "text":
            yield TextPiece(value)
        elif kind == "handoff":
            arguments = f'{{"target": "{value}", "reason": "{script.HANDOFF_REASON}"}}'
            call = ToolCall(id=script.next_id(), name=HANDOFF_TOOL_NAME, arguments=arguments)
            yield CallPiece(call)
        else:
            for arguments in script.TOOL_ARGS_JSON:
                yield CallPiece(ToolCall(id=script.next_id(), name="add", arguments=arguments))
        yield Finished()

    async def _pieces(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        script.decide("text", request.agent.id, len(request.messages) + 1, False)
        for _ in range(script.DELTAS):
            await asyncio.sleep(0)
            yield TextPiece(script.DELTA)
        yield Finished()


async def add(a: int, b: int) -> str:
    """The tool of W5."""
    return str(script.add(a, b))


def drawn(workload: str) -> PipelineDefinition:
    """A stage for each agent of the workload, in a row."""
    names = script.names(workload)
    tools = ("add",) if workload == "tools" else ()
    numbers = {"type": "object", "properties": {name: {"type": "integer"} for name in "ab"}}
    return PipelineDefinition(
        name=workload,
        entry="stage-a1",
        agents=tuple(
            Agent(
                id=name, name=name, instructions=script.INSTRUCTIONS.format(name=name), tools=tools
            )
            for name in names
        ),
        stages=tuple(Stage(phase=f"stage-{name}", agent_id=name) for name in names),
        transitions=tuple(
            Transition(source=f"stage-{name}", target=f"stage-{after}")
            for name, after in pairwise(names)
        ),
        tools=(Tool(name="add", description="Add two numbers.", parameters=numbers),)
        if tools
        else (),
    )


class Engine:
    """One definition and its provider; a conversation is a session."""

    def __init__(self, workload: str, *, pieces: bool = False) -> None:
        self._definition = drawn(workload)
        self._providers = {"default": Model(workload, pieces=pieces)}
        self._tools = {"add": add} if workload == "tools" else {}
        self._numbers, self._message_ids = count(1), map(str, count(1))

    async def open(self) -> Session:
        return Session(
            self._definition,
            session_id=f"conversation-{next(self._numbers)}",
            providers=self._providers,
            tools=self._tools,
        )

    async def turn(self, session: Session, text: str) -> str:
        answer = ""
        async for event in session.receive(InboundMessage(id=next(self._message_ids), text=text)):
            if isinstance(event, MessageCompleted):
                answer = event.text
        return answer

    async def stream(self, session: Session, text: str) -> AsyncGenerator[str, None]:
        async for event in session.receive(InboundMessage(id=next(self._message_ids), text=text)):
            if isinstance(event, MessageDelta):
                yield event.text

    async def close(self, session: Session) -> None:
        """Nothing to do: a session is a value that is let go."""


def build(workload: str) -> Engine:
    """An engine that plays the workload."""
    return Engine(workload)


def build_stream() -> Engine:
    """An engine whose model answers in many pieces."""
    return Engine("text", pieces=True)
