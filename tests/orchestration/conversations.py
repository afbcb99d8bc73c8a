"""Pipelines, models and sessions for tests of the engine."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any, TypeVar

from orchestration.conversation import ReducedState
from orchestration.definition import Agent, PipelineDefinition, Stage, Tool, Transition
from orchestration.events import Event, MessageDelta
from orchestration.messages import InboundMessage, ToolCall
from orchestration.providers.provider import CallPiece, Finished, ModelRequest, Piece, TextPiece
from orchestration.runtime import Engine, Session
from orchestration.state import ConversationState

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

TRIAGE, HANDLER, REVIEWER, RESOLVER = (
    "agent-triage",
    "agent-handler",
    "agent-reviewer",
    "agent-resolver",
)


def four_stages(**changes: Any) -> PipelineDefinition:
    """Return the example pipeline: triage → handler → reviewer ⇄ handler → resolver."""
    fields: dict[str, Any] = {
        "name": "Support",
        "entry": "intake",
        "agents": [
            Agent(id=TRIAGE, name="Triage", instructions="You triage requests."),
            Agent(id=HANDLER, name="Handler", instructions="You handle requests."),
            Agent(id=REVIEWER, name="Reviewer", instructions="You review what was done."),
            Agent(id=RESOLVER, name="Resolver", instructions="You resolve requests."),
        ],
        "stages": [
            Stage(phase="intake", agent_id=TRIAGE),
            Stage(phase="handling", agent_id=HANDLER),
            Stage(phase="review", agent_id=REVIEWER),
            Stage(phase="resolution", agent_id=RESOLVER),
        ],
        "transitions": [
            Transition(source="intake", target="handling"),
            Transition(source="handling", target="review"),
            Transition(source="review", target="resolution"),
            Transition(source="review", target="handling", kind="return"),
        ],
        "supervisor_id": None,
    }
    return PipelineDefinition(**fields | changes)


def with_tools(*tools: str | Tool) -> PipelineDefinition:
    """Return the four stages with tools for the triage agent."""
    made = [Tool(name=tool) if isinstance(tool, str) else tool for tool in tools]
    definition = four_stages(tools=made)
    agents = [
        Agent(**agent.model_dump() | {"tools": [tool.name for tool in made]})
        if agent.id == TRIAGE
        else agent
        for agent in definition.agents
    ]
    return definition.model_copy(update={"agents": tuple(agents)})


def handing_over(target: str, /, *, call_id: str = "", **arguments: Any) -> CallPiece:
    """Return a call of the handoff tool."""
    written = {"target": target, "reason": "because", "summary": "so far"} | arguments
    return CallPiece(
        ToolCall(id=call_id, name="handoff_conversation", arguments=json.dumps(written))
    )


def calling(name: str, /, *, call_id: str = "", **arguments: Any) -> CallPiece:
    """Return a call of a tool."""
    return CallPiece(ToolCall(id=call_id, name=name, arguments=json.dumps(arguments)))


Turn = Iterable[str | Piece]
"""Texts and other pieces of one turn."""


class PlayedModel:
    """A model with fixed turns: a list in order, or a function of the request."""

    name = "played"

    def __init__(self, turns: Iterable[Turn] | Callable[[ModelRequest], Turn]) -> None:
        self._turns = turns if callable(turns) else iter(turns)
        self.requests: list[ModelRequest] = []
        self.seen: list[list[str]] = []
        """Texts of the messages of each request."""

    def model_of(self, request: ModelRequest) -> str:
        return "played"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        self.requests.append(request)
        self.seen.append([message.text for message in request.messages])
        turn = self._turns(request) if callable(self._turns) else next(self._turns, ("Done.",))
        finished = False
        for part in turn:
            finished = isinstance(part, Finished)
            yield TextPiece(part) if isinstance(part, str) else part
        if not finished:
            yield Finished(10, 5)


def session_with(
    model: PlayedModel | None = None, definition: PipelineDefinition | None = None, **options: Any
) -> Session:
    """Return a session whose agents all use `model`."""
    options.setdefault("session_id", "s1")
    options.setdefault("clock", lambda: NOON)
    options.setdefault("new_id", lambda: "run")
    providers = options.pop("providers", {"default": model})
    return Session(definition or four_stages(), providers=providers, **options)


def unchecked_session_with(
    model: PlayedModel | None, definition: PipelineDefinition, **options: Any
) -> Session:
    """Return a session whose definition may have errors, as one that an older version recorded."""
    session = Session.__new__(Session)
    settings = {"clock": lambda: NOON, "new_id": lambda: "run", "providers": {"default": model}}
    Engine.__init__(session, definition, session_id="s1", settings={**settings, **options})  # type: ignore[typeddict-item]
    return session


async def collect(events: AsyncGenerator[Event, None]) -> list[Event]:
    """Run to the end and return the recorded events."""
    async with aclosing(events):
        return [event async for event in events if not isinstance(event, MessageDelta)]


async def say(session: Session, text: str, **fields: Any) -> list[Event]:
    """Send a message, run to the end, and return the recorded events."""
    message = InboundMessage(id=f"{session.seq}-{text}", text=text, **fields)
    return await collect(session.receive(message))


def types(events: Iterable[Event]) -> list[str]:
    """Return the types of events."""
    return [event.type for event in events]


def replayed(state: ConversationState, events: Iterable[Event]) -> ReducedState:
    """Return the conversation after `events`, from its first state."""
    conversation = ReducedState("s1", state)
    for event in events:
        conversation.apply(event)
    return conversation


Kind = TypeVar("Kind")


def only(kind: type[Kind], events: Iterable[Event]) -> Kind:
    """Return the only event of a kind."""
    (event,) = every(kind, events)
    return event


def every(kind: type[Kind], events: Iterable[Event]) -> list[Kind]:
    """Return all events of a kind."""
    return [event for event in events if isinstance(event, kind)]
